package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// cubic is a user-defined kernel.
type cubic struct{ shift float64 }

func (k cubic) Eval(dot, xx, yy float64) float64 {
	u := (dot + k.shift) / math.Sqrt((xx+k.shift)*(yy+k.shift))
	return u * u * u
}
func (k cubic) String() string { return "cubic" }

var testKernels = []Kernel{Gaussian{0.05}, Linear{}, Polynomial{0.5, 1, 3}, cubic{1}}

func dot(x, y []float64) float64 {
	sum := 0.0
	for f, v := range x {
		sum += v * y[f]
	}
	return sum
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }

// eachShape runs a test for points in each layout, with rows in random order.
func eachShape(t *testing.T, n int, test func(t *testing.T, m *data, rows []int, p *Points)) {
	for name, list := range shapes(n) {
		for k, m := range list {
			t.Run(fmt.Sprintf("%s/%d", name, k), func(t *testing.T) {
				rows := append(random(9).Perm(n)[:n-n/5], 0, 0)
				p, err := NewPoints(m, rows)
				if err != nil {
					t.Fatal(err)
				}
				if p.Layout() != name {
					t.Fatalf("layout %q, want %q", p.Layout(), name)
				}
				test(t, m, rows, p)
			})
		}
	}
}

func TestDotAgainstBruteForce(t *testing.T) {
	eachShape(t, 50, func(t *testing.T, m *data, rows []int, p *Points) {
		if p.Len() != len(rows) || p.Dim() != m.d {
			t.Errorf("Len %d, Dim %d, want %d, %d", p.Len(), p.Dim(), len(rows), m.d)
		}
		for i := range rows {
			x := m.row(rows[i])
			for j := range rows {
				want := dot(x, m.row(rows[j]))
				if got := p.Dot(i, j); !near(got, want, 1e-13) {
					t.Fatalf("Dot(%d, %d) = %v, want %v", i, j, got, want)
				}
				if p.Dot(i, j) != p.Dot(j, i) {
					t.Fatalf("Dot(%d, %d) and Dot(%d, %d) differ", i, j, j, i)
				}
			}
			if p.NormSq(i) != p.Dot(i, i) {
				t.Fatalf("NormSq(%d) is not Dot(%d, %d)", i, i, i)
			}
		}
	})
}

// matrixOf returns the kernel matrix of all points.
func matrixOf(t *testing.T, k Kernel, p *Points) [][]float32 {
	t.Helper()
	c, err := NewCache(CacheConfig{Kernel: k, Points: p, Train: p.Len(), Pool: NewPool(1 << 30)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := c.Reader()
	defer r.Close()
	out := make([][]float32, p.Len())
	for i := range out {
		out[i] = slices.Clone(r.Row(i))
	}
	return out
}

func TestRowsOfEveryKernelAndLayout(t *testing.T) {
	t.Parallel()
	for _, k := range testKernels {
		gaussian, isGaussian := k.(Gaussian)
		eachShape(t, 330, func(t *testing.T, m *data, rows []int, p *Points) {
			k := k
			if _, ok := k.(Polynomial); ok && p.Layout() == "bytes" {
				k = Polynomial{1e-6, 1, 3}
			}
			matrix := matrixOf(t, k, p)
			for i := 0; i < p.Len(); i += 17 {
				x := m.row(rows[i])
				for j, got := range matrix[i] {
					if got != matrix[j][i] {
						t.Fatalf("%s: K(%d, %d) = %v but K(%d, %d) = %v", k, i, j, got, j, i, matrix[j][i])
					}
					want := float32(k.Eval(p.Dot(i, j), p.NormSq(i), p.NormSq(j)))
					// The layout "bits" counts the features that differ.
					if counted := isGaussian && p.Layout() == "bits"; got != want && !counted {
						t.Fatalf("%s: K(%d, %d) = %v, want %v", k, i, j, got, want)
					}
					if !isGaussian {
						continue
					}
					if brute := bruteKernel(gaussian.Gamma, x, m.row(rows[j])); !near(float64(got), brute, 2e-7) {
						t.Fatalf("%s: K(%d, %d) = %v, want %v", k, i, j, got, brute)
					}
				}
				if isGaussian && matrix[i][i] != 1 {
					t.Fatalf("%s: K(%d, %d) = %v, want 1", k, i, i, matrix[i][i])
				}
			}
		})
	}
}

// TestSparseSumsAscend checks that inner products in the layout "sparse" are summed over the features in
// ascending order, for dense and sparse data.
func TestSparseSumsAscend(t *testing.T) {
	rng := random(8)
	for _, m := range []*data{makeDense(rng, 300, 21), makeForest(rng, 300), makeZipf(rng, 300, 200, 12)} {
		for _, stored := range []*data{m, m.flip()} {
			p, err := NewPoints(stored, all(300))
			if err != nil {
				t.Fatal(err)
			}
			for range 2000 {
				i, j := rng.IntN(300), rng.IntN(300)
				sum, y := 0.0, m.row(j)
				for f, x := range m.row(i) {
					sum += float64(x * y[f])
				}
				if got := p.Dot(i, j); got != sum {
					t.Fatalf("<x_%d, x_%d> = %v, want %v", i, j, got, sum)
				}
			}
		}
	}
}

func TestStoredZeros(t *testing.T) {
	m := &data{d: 4,
		indices: [][]int32{{0, 1, 3}, {0, 2}, {1, 2, 3}},
		values:  [][]float64{{1, 0, 1}, {0, 0}, {1, 1, 0}}}
	p, err := NewPoints(m, all(3))
	if err != nil {
		t.Fatal(err)
	}
	if p.Layout() != "bits" || p.NormSq(0) != 2 || p.NormSq(1) != 0 || p.Dot(0, 2) != 0 {
		t.Errorf("layout %s, norms %v", p.Layout(), p.norms)
	}
}

func TestCommonUnit(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{1, 2, 255}, 1},
		{[]float64{2, 4, 6}, 2},
		{[]float64{1.0 / 255, 3.0 / 255, 254.0 / 255}, 1.0 / 255},
		{[]float64{0.1, 0.2, 0.3, 0.7}, 0.1},
		{[]float64{1, 256}, 0},
		{[]float64{0.123, 0.9871}, 0},
		{[]float64{-1, 1}, 0},
		{[]float64{0.501961, 0.003922}, 0},
		{[]float64{1e-200, 2e-200}, 0},
		{nil, 0},
	} {
		if got := commonUnit(c.values); !near(got, c.want, 1e-15) {
			t.Errorf("commonUnit(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}

func TestFeaturesRefuseWrongLengths(t *testing.T) {
	p := testPoints(t, 5)
	for _, call := range []func(){
		func() { p.Features(6) },
		func() { p.Features(-1) },
		func() { p.Features(1).Dot(make([]float64, 5), 0) },
		func() { p.Features(1).AddTo(make([]float64, 7), 1, 0) },
	} {
		func() {
			defer func() {
				if r := recover(); r != badTrain && r != badLength {
					t.Errorf("recovered %v", r)
				}
			}()
			call()
		}()
	}
}

func TestPointsErrors(t *testing.T) {
	m := makeDense(random(1), 10, 3)
	m.dense[4][1] = 1e160
	if _, err := NewPoints(m, []int{0, 3, 9}); err != nil {
		t.Error(err)
	}
	for _, rows := range [][]int{nil, {0, 10}, {-1}, {3, 4}} { // the norm of row 4 overflows
		if _, err := NewPoints(m, rows); err == nil {
			t.Errorf("rows %v: no error", rows)
		}
	}
}

func TestFeatures(t *testing.T) {
	eachShape(t, 60, func(t *testing.T, m *data, rows []int, p *Points) {
		f := p.Features(11)
		if f.Train() != 11 || f.Len() != p.Len() || f.Dim() != m.d {
			t.Fatalf("Train %d, Len %d, Dim %d", f.Train(), f.Len(), f.Dim())
		}
		rng := random(2)
		w := make([]float64, m.d)
		for k := range w {
			w[k] = rng.NormFloat64()
		}
		for j := range rows {
			x := m.row(rows[j])
			if got, want := f.Dot(w, j), dot(w, x); !near(got, want, 1e-12) {
				t.Fatalf("Dot(w, %d) = %v, want %v", j, got, want)
			}
			if !near(f.NormSq(j), dot(x, x), 1e-13) {
				t.Fatalf("NormSq(%d) = %v, want %v", j, f.NormSq(j), dot(x, x))
			}
			got := slices.Clone(w)
			f.AddTo(got, -0.7, j)
			for k := range got {
				if want := w[k] - 0.7*x[k]; !near(got[k], want, 1e-14) {
					t.Fatalf("AddTo point %d, feature %d: %v, want %v", j, k, got[k], want)
				}
			}
		}
	})
}
