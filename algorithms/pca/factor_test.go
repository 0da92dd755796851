package pca

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/internal/ordered"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// plainFactor is eigenFactor as the thesis has it: U is multiplied out in each
// step, in O(d m^2) operations. The columns of U are contiguous.
type plainFactor struct {
	d      int
	bulk   float64
	values []float64
	u      []float64 // m rows of length d

	next, p, z, again []float64
	eigen             rank1Eigen
}

func newPlainFactor(d int, bulk float64) *plainFactor {
	return &plainFactor{d: d, bulk: bulk, p: make([]float64, d)}
}

func (f *plainFactor) update(rho float64, x []float64) {
	m, d := len(f.values), f.d
	f.z = append(f.z[:0], make([]float64, m+1)...)
	f.again = append(f.again[:0], make([]float64, m)...)
	ordered.Dots(f.z[:m], x, f.u, d)
	copy(f.p, x)
	ordered.AddRows(f.p, -1, f.z[:m], f.u, d)
	ordered.Dots(f.again, f.p, f.u, d)
	ordered.AddRows(f.p, -1, f.again, f.u, d)
	floats.Add(f.z[:m], f.again)
	r := norm(f.p)
	n := m
	dvals := append(append([]float64(nil), f.values...), f.bulk)
	if m < d && r > inSpan*norm(x) {
		f.z[m] = r
		n++
		floats.Scale(1/r, f.p)
		f.u = append(f.u[:m*d], f.p...)
	}
	if !f.eigen.factorise(dvals[:n], f.z[:n], rho) {
		panic("plainFactor: not finite")
	}
	f.next = append(f.next[:0], make([]float64, n*d)...)
	v := blas64.General{Rows: n, Cols: n, Stride: n, Data: f.eigen.vectors}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, v, f.rows(f.u, n), 0, f.rows(f.next, n))
	f.u, f.next = f.next, f.u
	f.values = append(f.values[:0], f.eigen.values...)
}

func (f *plainFactor) rows(data []float64, n int) blas64.General {
	return blas64.General{Rows: n, Cols: f.d, Stride: f.d, Data: data[:n*f.d]}
}

func (f *plainFactor) keep(m int) {
	for m > 0 && f.values[m-1] <= f.bulk {
		m--
	}
	f.values = f.values[:m]
}

// dense returns U diag(values - bulk) U^T + bulk I.
func (f *eigenFactor) dense() *mat.SymDense {
	var st State
	f.stateTo(&st, identity)
	a := st.Dense(f.d)
	return a
}

func (f *eigenFactor) orthonormality() float64 {
	var st State
	f.stateTo(&st, identity)
	return Orthonormality(st.U)
}

func maxAbsDiff(a, b mat.Matrix) float64 {
	var diff mat.Dense
	diff.Sub(a, b)
	return mat.Norm(&diff, math.Inf(1))
}

// sampler draws samples of the kinds that updates must cope with.
type sampler struct {
	rng  *rand.Rand
	d    int
	last []float64
}

func (s *sampler) next(f *eigenFactor) []float64 {
	x := make([]float64, s.d)
	switch s.rng.IntN(6) {
	case 0: // zero
	case 1: // an axis
		x[s.rng.IntN(s.d)] = s.rng.NormFloat64()
	case 2: // the one before
		copy(x, s.last)
	case 3: // in the span of U, up to rounding
		var st State
		f.stateTo(&st, identity)
		for i := range st.Sigma {
			floats.AddScaled(x, s.rng.NormFloat64(), mat.Col(nil, i, st.U))
		}
	default:
		for i := range x {
			x[i] = s.rng.NormFloat64() / math.Sqrt(float64(s.d))
		}
	}
	s.last = x
	return x
}

func TestFactorAgainstDense(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 12))
	for _, d := range []int{1, 2, 3, 8, 25, 60} {
		for _, bulk := range []float64{0, 0.25} {
			start := newBasis(d, 0)
			if d > 4 {
				start = newRandomBasis(d, 4, rng)
			}
			f := newEigenFactor(start, 0.5, bulk)
			want := f.dense()
			s := sampler{rng: rng, d: d}
			for step := range 400 {
				x := s.next(f)
				eta := []float64{0, 1e-9, 0.01, 1, 30}[rng.IntN(5)]
				if eta > 0 && floats.Norm(x, 1) > 0 && !f.update(eta, x) {
					t.Fatalf("d=%d bulk=%g step %d: not finite for eta=%g x=%v", d, bulk, step, eta, x)
				}
				want.SymRankOne(want, eta, mat.NewVecDense(d, x))
				scale := mat.Norm(want, math.Inf(1))
				tol := 3e-14*float64(d)*scale + 2*inSpan*math.Sqrt(float64(d))*eta*floats.Dot(x, x)
				if e := maxAbsDiff(f.dense(), want); !(e <= tol) {
					t.Fatalf("d=%d bulk=%g step %d: A is off by %g", d, bulk, step, e)
				}
				if e := f.orthonormality(); !(e < 2e-13) {
					t.Fatalf("d=%d bulk=%g step %d: U^T U is off by %g", d, bulk, step, e)
				}
				for i, v := range f.values {
					if v < f.bulk || i > 0 && v > f.values[i-1] {
						t.Fatalf("d=%d step %d: values %v with bulk %g", d, step, f.values, f.bulk)
					}
				}
				// Shrink, so that sizes go up and down, and drop now and then.
				c := 1.0
				if scale > 10 {
					c = 1 / scale
				}
				for i := range f.values {
					f.values[i] *= c
				}
				f.bulk *= c
				m := len(f.values)
				if rng.IntN(4) == 0 {
					m = rng.IntN(m + 1)
					for i := m; i < len(f.values); i++ {
						f.values[i] = f.bulk
					}
				}
				if len(f.values) == d {
					// The bulk has no directions: nothing may depend on it.
					for i := m; i < d; i++ {
						f.values[i] = 0
					}
				}
				want.CopySym(f.dense())
				f.keep(len(f.values))
				if len(f.values) > m {
					t.Fatalf("d=%d step %d: %d directions kept, want at most %d", d, step, len(f.values), m)
				}
				if e := maxAbsDiff(f.dense(), want); !(e < 1e-14*float64(d)) {
					t.Fatalf("d=%d bulk=%g step %d: keep moved A by %g", d, bulk, step, e)
				}
			}
		}
	}
}

func TestFactorAgainstPlain(t *testing.T) {
	const d, m, steps = 50, 7, 500
	rng := rand.New(rand.NewPCG(13, 14))
	f, plain := newEigenFactor(newBasis(d, 0), 0, 0), newPlainFactor(d, 0)
	x := make([]float64, d)
	for step := range steps {
		for i := range x {
			x[i] = rng.NormFloat64() / float64(1+i)
		}
		f.update(1, x)
		plain.update(1, x)
		f.keep(min(m, len(f.values)))
		plain.keep(min(m, len(plain.values)))
		if len(f.values) != len(plain.values) {
			t.Fatalf("step %d: %d directions, want %d", step, len(f.values), len(plain.values))
		}
		for i, v := range plain.values {
			if math.Abs(f.values[i]-v) > 1e-13*plain.values[0] {
				t.Fatalf("step %d: eigenvalue %d is %v, want %v", step, i, f.values[i], v)
			}
		}
	}
	var st State
	f.stateTo(&st, identity)
	u := mat.NewDense(m, d, plain.u[:m*d])
	var got, want mat.Dense
	got.Mul(st.U, st.U.T())
	want.Mul(u.T(), u)
	if e := maxAbsDiff(&got, &want); !(e < 1e-11) {
		t.Errorf("the subspaces differ by %g", e)
	}
}

func TestFactorNotFinite(t *testing.T) {
	f := newEigenFactor(newBasis(3, 0), 0, 0)
	f.update(1, []float64{1, 2, 3})
	before := f.dense()
	for _, test := range []struct {
		rho float64
		x   []float64
	}{
		{1, []float64{1, math.NaN(), 0}},
		{1, []float64{1, math.Inf(-1), 0}},
		{math.NaN(), []float64{1, 1, 1}},
		{math.Inf(1), []float64{1, 1, 1}},
		{1, []float64{1e200, 0, 0}},
		{1e300, []float64{1e10, 1, 1}},
	} {
		if f.update(scaled(test.rho, test.x)) {
			t.Errorf("rho=%g x=%v: want a failure", test.rho, test.x)
		}
		if e := maxAbsDiff(f.dense(), before); e != 0 {
			t.Errorf("rho=%g x=%v: the failed update changed A by %g", test.rho, test.x, e)
		}
	}
}

// TestFactorScales checks that samples whose squares over- or underflow are
// treated as others are.
func TestFactorScales(t *testing.T) {
	for _, exp := range []int{-1000, -500, 400, 500} {
		rng := rand.New(rand.NewPCG(1, 2))
		f, want := newEigenFactor(newBasis(6, 0), 0, 0), newEigenFactor(newBasis(6, 0), 0, 0)
		for range 20 {
			x, y := make([]float64, 6), make([]float64, 6)
			for i := range x {
				y[i] = rng.NormFloat64()
				x[i] = math.Ldexp(y[i], exp)
			}
			// rho is out of range where |x|^2 is.
			rho := math.Ldexp(1, max(-1000, min(1000, -2*exp)))
			f.update(scaled(rho, x))
			want.update(scaled(math.Ldexp(rho, 2*exp), y))
			f.keep(min(3, len(f.values)))
			want.keep(min(3, len(want.values)))
		}
		if e := maxAbsDiff(f.dense(), want.dense()); e != 0 {
			t.Errorf("scale 2^%d: A is off by %g", exp, e)
		}
		if e := f.orthonormality(); !(e < 1e-14) {
			t.Errorf("scale 2^%d: U^T U is off by %g", exp, e)
		}
	}
}

func TestFactorStaysOrthonormal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a hundred thousand steps")
	}
	// Q is measured, and restored, some two thousand times.
	const d, m, steps = 12, 4, 100_000
	rng := rand.New(rand.NewPCG(17, 18))
	f := newEigenFactor(newBasis(d, 0), 0, 0)
	x := make([]float64, d)
	var worst float64
	for step := range steps {
		for i := range x {
			x[i] = rng.Float64() - 0.5
		}
		if step%5 == 4 {
			// Nearly in the span: the residual is all cancellation.
			copy(x, f.q.col(0))
			x[step%d] += 1e-9
		}
		f.update(0.01, x)
		f.keep(min(m, len(f.values)))
		floats.Scale(1/(1+1e-3), f.values)
		if step%1000 == 0 || step > steps-100 {
			worst = max(worst, f.orthonormality())
		}
	}
	t.Logf("greatest |U^T U - I| over %d steps: %.2g", steps, worst)
	if !(worst < 1e-8) {
		t.Errorf("|U^T U - I| reached %g, want below 1e-8", worst)
	}
	if !(worst < 1e-12) {
		t.Errorf("|U^T U - I| reached %g although it is restored above %g", worst, factorDrift)
	}
}

// TestFactorRestoresOrthonormality damages Q and sees it repaired.
func TestFactorRestoresOrthonormality(t *testing.T) {
	const d, m = 20, 5
	rng := rand.New(rand.NewPCG(19, 20))
	f := newEigenFactor(newRandomBasis(d, m, rng), 1, 0)
	for i := range f.q.data {
		f.q.data[i] += 1e-9 * rng.NormFloat64()
	}
	if e := f.orthonormality(); e < 1e-10 {
		t.Fatalf("|U^T U - I| = %g: not damaged", e)
	}
	x := make([]float64, d)
	for range factorAge * measureInterval * 2 {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		f.update(1e-3, x)
		f.keep(m)
	}
	if e := f.orthonormality(); !(e < 2e-13) {
		t.Errorf("|U^T U - I| = %g after two rounds of measurement", e)
	}
}

func TestFactorDoesNotAllocate(t *testing.T) {
	const d, m = 64, 6
	rng := rand.New(rand.NewPCG(21, 22))
	f := newEigenFactor(newBasis(d, 0), 0, 0)
	xs := make([][]float64, 64)
	for i := range xs {
		xs[i] = make([]float64, d)
		for j := range xs[i] {
			xs[i][j] = rng.NormFloat64()
		}
	}
	i := 0
	step := func() {
		f.update(0.1, xs[i%len(xs)])
		f.keep(min(m, len(f.values)))
		i++
	}
	for range 200 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%g allocations a step", n)
	}
}

func BenchmarkFactor(b *testing.B) {
	const d = 784
	for _, m := range []int{1, 4, 9, 16, 40, 100} {
		rng := rand.New(rand.NewPCG(23, 24))
		xs := make([][]float64, 256)
		for i := range xs {
			xs[i] = make([]float64, d)
			for j := range xs[i] {
				xs[i][j] = rng.NormFloat64() / (1 + float64(j)/8)
			}
		}
		b.Run(fmt.Sprintf("lazy/m=%d", m), func(b *testing.B) {
			f := newEigenFactor(newBasis(d, 0), 0, 0)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				f.update(0.01, xs[i%len(xs)])
				f.keep(min(m, len(f.values)))
			}
		})
		b.Run(fmt.Sprintf("plain/m=%d", m), func(b *testing.B) {
			f := newPlainFactor(d, 0)
			for i := 0; b.Loop(); i++ {
				f.update(0.01, xs[i%len(xs)])
				f.keep(min(m, len(f.values)))
			}
		})
	}
}
