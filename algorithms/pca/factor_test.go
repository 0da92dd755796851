package pca

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// dense returns U diag(values - bulk) U^T + bulk I.
func (f *eigenFactor) dense() *mat.SymDense {
	var st State
	f.stateTo(&st, identity)
	return st.Dense(f.d)
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

// sampler draws typical and degenerate samples.
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
	case 2: // the previous sample
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
	for _, d := range []int{1, 2, 3, 8, 25} {
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
				// Scale down large matrices, and drop directions at random.
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
					// The bulk has no directions, so it must not matter.
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

// TestFactorScales checks samples whose squares overflow or underflow.
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
			// rho compensates the scale of |x|^2, as far as its range allows.
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

// TestFactorRestoresOrthonormality perturbs Q and checks that it is orthonormalised.
func TestFactorRestoresOrthonormality(t *testing.T) {
	const d, m = 20, 5
	rng := rand.New(rand.NewPCG(19, 20))
	f := newEigenFactor(newRandomBasis(d, m, rng), 1, 0)
	for i := range f.q.data {
		f.q.data[i] += 1e-9 * rng.NormFloat64()
	}
	if e := f.orthonormality(); e < 1e-10 {
		t.Fatalf("|U^T U - I| = %g: the perturbation is too small", e)
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
		t.Errorf("|U^T U - I| = %g after two checks", e)
	}
}
