package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func inputsOf(t testing.TB, p *Points, train int, gamma float64) *Inputs {
	t.Helper()
	in, err := p.Inputs(train, Gaussian{gamma})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// bruteKernel computes the kernel from differences.
func bruteKernel(gamma float64, x, y []float64) float64 {
	sum := 0.0
	for f, v := range x {
		sum += (v - y[f]) * (v - y[f])
	}
	return math.Exp(-gamma * sum)
}

func gammaFor(p *Points) float64 {
	mean := 0.0
	for i := range p.Len() {
		mean += p.NormSq(i) / float64(p.Len())
	}
	return 1 / (mean + 1)
}

func randomVector(rng *rand.Rand, d int, scale float64) []float64 {
	z := make([]float64, d)
	for f := range z {
		if rng.IntN(4) > 0 {
			z[f] = scale * rng.NormFloat64()
		}
	}
	return z
}

func TestInputsAgainstBruteForce(t *testing.T) {
	eachShape(t, 330, func(t *testing.T, m *data, rows []int, p *Points) {
		n := 171
		in := inputsOf(t, p, n, gammaFor(p))
		if in.Train() != n || in.Dim() != m.d || in.Len() != p.Len() || in.Gamma() != gammaFor(p) {
			t.Fatalf("Train %d, Dim %d, Len %d, Gamma %v", in.Train(), in.Dim(), in.Len(), in.Gamma())
		}
		rng := random(11)
		scale := math.Sqrt(p.NormSq(0) / float64(m.d))
		for range 5 {
			z := randomVector(rng, m.d, scale)
			row := make([]float32, n)
			in.RowTo(row, z)
			for j, got := range row {
				x := m.row(rows[j])
				if want := bruteKernel(in.Gamma(), z, x); !near(float64(got), want, 2e-7) {
					t.Fatalf("K(z, x_%d) = %v, want %v", j, got, want)
				}
				if got, want := in.Eval(z, x), float64(got); !near(got, want, 2e-7) || got != in.Eval(x, z) {
					t.Fatalf("Eval(z, x_%d) = %v, want %v, as in the row", j, got, want)
				}
				if got, want := in.Dot(z, j), dot(z, x); !near(got, want, 1e-12) {
					t.Fatalf("Dot(z, %d) = %v, want %v", j, got, want)
				}
				if in.NormSq(j) != p.NormSq(j) {
					t.Fatalf("NormSq(%d) = %v", j, in.NormSq(j))
				}
			}
		}
	})
}

// TestInputsAtPoints compares the values at training points with kernel rows: the same bits if the type
// guarantees it, and otherwise within one unit in the last place.
func TestInputsAtPoints(t *testing.T) {
	eachShape(t, 300, func(t *testing.T, m *data, rows []int, p *Points) {
		in := inputsOf(t, p, p.Len(), gammaFor(p))
		matrix := matrixOf(t, in.kernel, p)
		row := make([]float32, p.Len())
		for i := 0; i < p.Len(); i += 7 {
			in.RowTo(row, m.row(rows[i]))
			for j, got := range row {
				want := matrix[i][j]
				exact := p.Layout() == "dense" || p.Layout() == "sparse"
				if exact && got != want || math.Abs(float64(got)-float64(want)) > float64(math.Nextafter32(want, 2)-want) {
					t.Fatalf("K(x_%d, x_%d) = %v, want %v, as in the row", i, j, got, want)
				}
			}
		}
	})
}

func TestInputsBitsOfUnitPowersOfTwo(t *testing.T) {
	for _, value := range []float64{1, 0.5, -2} {
		m := makeBinary(random(5), 200, 123, 14, value)
		p, err := NewPoints(m, all(200))
		if err != nil {
			t.Fatal(err)
		}
		in := inputsOf(t, p, 200, 0.1)
		matrix := matrixOf(t, in.kernel, p)
		row := make([]float32, 200)
		for i := range matrix {
			if in.RowTo(row, m.row(i)); p.Layout() != "bits" || !slices.Equal(row, matrix[i]) {
				t.Fatalf("layout %s, value %v: row %d has different bits", p.Layout(), value, i)
			}
		}
	}
}

// TestInputsPartsAndPacks checks that parts of a row, and rows over packed points, have the bits of the whole row.
func TestInputsPartsAndPacks(t *testing.T) {
	eachShape(t, 700, func(t *testing.T, m *data, rows []int, p *Points) {
		in := inputsOf(t, p, p.Len(), gammaFor(p))
		rng := random(6)
		z := randomVector(rng, m.d, 0.3)
		whole := make([]float32, p.Len())
		in.RowTo(whole, z)
		for range 20 {
			from := rng.IntN(p.Len() + 1)
			to := from + rng.IntN(p.Len()+1-from)
			part := make([]float32, to-from)
			if in.EvalRowTo(part, z, from, to); !slices.Equal(part, whole[from:to]) {
				t.Fatalf("the values of points %d to %d differ from the row", from, to)
			}
		}
		for _, size := range []int{0, 1, 31, 300} {
			points := make([]int, size)
			for k := range points {
				points[k] = rng.IntN(p.Len())
			}
			rowTo, combineTo := in.Pack(points)
			row := make([]float32, size)
			rowTo(row, z)
			w, want, got := make([]float64, size), slices.Clone(z), slices.Clone(z)
			for k, j := range points {
				if row[k] != whole[j] {
					t.Fatalf("the value of packed point %d differs from the row", j)
				}
				if k%3 > 0 {
					w[k] = rng.NormFloat64()
				}
				in.AddTo(want, w[k], j)
			}
			combineTo(got, w)
			for f := range got {
				if !near(got[f], want[f], 1e-12) {
					t.Fatalf("%d packed points combine to %v in feature %d, want %v", size, got[f], f, want[f])
				}
			}
		}
	})
}

func TestInputsCombine(t *testing.T) {
	eachShape(t, 330, func(t *testing.T, m *data, rows []int, p *Points) {
		in := inputsOf(t, p, 200, 1)
		rng := random(7)
		w, got := make([]float64, 200), make([]float64, m.d)
		want := make([]float64, m.d)
		for j := range w {
			w[j] = rng.NormFloat64()
			for f, x := range m.row(rows[j]) {
				want[f] += w[j] * x
			}
		}
		in.CombineTo(got, w)
		for f := range got {
			if !near(got[f], want[f], 1e-12) {
				t.Fatalf("feature %d is %v, want %v", f, got[f], want[f])
			}
		}
	})
}

func TestInputsErrors(t *testing.T) {
	p := testPoints(t, 5)
	for _, c := range []struct {
		train int
		gamma float64
	}{{6, 1}, {-1, 1}, {5, 0}, {5, math.NaN()}, {5, math.Inf(1)}} {
		if _, err := p.Inputs(c.train, Gaussian{c.gamma}); err == nil {
			t.Errorf("%d training points, gamma %v: no error", c.train, c.gamma)
		}
	}
	in := inputsOf(t, p, 4, 1)
	d := p.Dim()
	good := make([]float64, d)
	for name, call := range map[string]func(){
		"short z":          func() { in.RowTo(make([]float32, 4), make([]float64, d-1)) },
		"short row":        func() { in.RowTo(make([]float32, 3), good) },
		"range":            func() { in.EvalRowTo(make([]float32, 2), good, 4, 6) },
		"negative":         func() { in.EvalRowTo(make([]float32, 2), good, -1, 1) },
		"eval":             func() { in.Eval(good, make([]float64, d+1)) },
		"dot":              func() { in.Dot(make([]float64, d+1), 0) },
		"add":              func() { in.AddTo(make([]float64, d+1), 1, 0) },
		"combine":          func() { in.CombineTo(good, make([]float64, 5)) },
		"pack":             func() { in.Pack([]int{5}) },
		"packed row":       func() { row, _ := in.Pack([]int{1}); row(make([]float32, 2), good) },
		"packed combine":   func() { _, combine := in.Pack([]int{1}); combine(good, make([]float64, 2)) },
		"packed short z":   func() { row, _ := in.Pack([]int{1}); row(make([]float32, 1), nil) },
		"packed combine z": func() { _, combine := in.Pack([]int{1}); combine(nil, make([]float64, 1)) },
	} {
		func() {
			defer func() {
				if r := recover(); r != badRange && r != badLength {
					t.Errorf("%s: recovered %v", name, r)
				}
			}()
			call()
		}()
	}
}

// TestInputsFarAway checks that the kernel is 0, not NaN, far from every point.
func TestInputsFarAway(t *testing.T) {
	p := testPoints(t, 5)
	in := inputsOf(t, p, 5, 1)
	z := make([]float64, p.Dim())
	for f := range z {
		z[f] = 1e140
	}
	row := []float32{1, 1, 1, 1, 1}
	in.RowTo(row, z)
	if !slices.Equal(row, make([]float32, 5)) {
		t.Errorf("far away the row is %v", row)
	}
	if k := in.Eval(z, z); k != 1 {
		t.Errorf("K(z, z) = %v", k)
	}
}
