package objective

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"stochopt/algorithms/sparse"
)

// sparseProblem is a problem in the plane with the kernel exp(-|x-x'|^2). Kernel rows are computed on
// demand.
type sparseProblem struct {
	points SVMPoints
	x      [][2]float64
	rows   int
	// bad, if positive, is the point whose kernel rows end with an infinite value.
	bad int
}

func newSparseProblem(seed uint64, positive, negative, validation, test int) *sparseProblem {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &sparseProblem{points: SVMPoints{Train: positive + negative, Positive: positive, Validation: validation, Test: test}}
	for j := range positive + negative + validation + test {
		y := 1.0
		if j >= positive && (j < positive+negative || rng.IntN(2) == 0) {
			y = -1
		}
		p.points.Labels = append(p.points.Labels, y)
		p.x = append(p.x, [2]float64{rng.NormFloat64() + y, rng.NormFloat64()})
	}
	return p
}

func gauss(x, y [2]float64) float64 {
	a, b := x[0]-y[0], x[1]-y[1]
	return float64(float32(math.Exp(-a*a - b*b)))
}

// columns reads kernel rows over a range of points.
type columns struct {
	p        *sparseProblem
	from, to int
}

func (c columns) Row(i int) []float32 {
	c.p.rows++
	row := make([]float32, c.to-c.from)
	for j := range row {
		row[j] = float32(gauss(c.p.x[i], c.p.x[c.from+j]))
	}
	if i > 0 && i == c.p.bad {
		row[len(row)-1] = float32(math.Inf(1))
	}
	return row
}

func (p *sparseProblem) Eval(z, other []float64) float64 {
	return gauss([2]float64(z), [2]float64(other))
}

func (p *sparseProblem) EvalRowTo(dst []float32, z []float64, from, to int) {
	p.rows++
	for j := range dst {
		dst[j] = float32(gauss([2]float64(z), p.x[from+j]))
	}
}

func (p *sparseProblem) measure(vectors Vectors) *Sparse {
	n, all := p.points.Train, len(p.x)
	if n == all {
		return NewSparse(&p.points, columns{p, 0, n}, nil, vectors, 1<<20)
	}
	return NewSparse(&p.points, columns{p, 0, n}, columns{p, n, all}, vectors, 1<<20)
}

// naive evaluates an expansion vector by vector and point by point.
func (p *sparseProblem) naive(e *sparse.Expansion) (g []float64, normSq float64) {
	at := func(k int) [2]float64 {
		if i := e.Index[k]; i >= 0 {
			return p.x[i]
		}
		return [2]float64(e.Vectors[k])
	}
	g = make([]float64, len(p.x))
	for j, x := range p.x {
		for k, beta := range e.Coef {
			g[j] += beta * gauss(at(k), x)
		}
		g[j] += e.Bias
	}
	for k, a := range e.Coef {
		for l, b := range e.Coef {
			normSq += a * b * gauss(at(k), at(l))
		}
	}
	return g, normSq
}

func closeTo(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func TestSparseMeasuresMatchNaiveCode(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for trial := range 16 {
		sizes := [][4]int{{9, 7, 6, 11}, {4, 8, 0, 13}, {5, 5, 0, 0}, {6, 3, 5, 0}}[trial%4]
		p := newSparseProblem(uint64(trial), sizes[0], sizes[1], sizes[2], sizes[3])
		m := p.measure(p)
		var e sparse.Expansion
		for range 4 {
			// Keep some of the vectors and add new ones.
			old := e
			e = sparse.Expansion{Bias: rng.NormFloat64()}
			for k, i := range old.Index {
				if rng.IntN(3) > 0 && i >= 0 {
					e.Add(i, rng.NormFloat64())
				} else if rng.IntN(3) > 0 && i < 0 {
					e.AddVector(old.Vectors[k], rng.NormFloat64())
				}
			}
			for range rng.IntN(5) {
				e.Add(rng.IntN(p.points.Train), rng.NormFloat64())
				if rng.IntN(2) == 0 {
					e.AddVector([]float64{rng.NormFloat64(), rng.NormFloat64()}, rng.NormFloat64())
				}
			}
			p.compare(t, m, &e)
		}
	}
}

// compare compares the measurements of an expansion with naive ones.
func (p *sparseProblem) compare(t *testing.T, m *Sparse, e *sparse.Expansion) {
	t.Helper()
	v, scores, err := m.Classifier(context.Background(), e, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, normSq := p.naive(e)
	for j := range g {
		if !closeTo(scores[j], g[j]) {
			t.Fatalf("the score of point %d is %v, want %v", j, scores[j], g[j])
		}
	}
	if !closeTo(v.Norm*v.Norm, normSq) {
		t.Errorf("|w|^2 = %v, want %v", v.Norm*v.Norm, normSq)
	}
	mistakes := []int32{}
	for i, s := range p.points.Splits() {
		var wrong, hinge, slant float64
		for j := s.From; j < s.To; j++ {
			c := p.points.Labels[j] * g[j]
			if c <= 0 {
				wrong++
				if s.Name == "test" {
					mistakes = append(mistakes, int32(j-s.From))
				}
			}
			hinge += math.Max(0, 1-c)
			// The length of the part of [-1/2, 1/2] where y(g+Z) is negative.
			slant += math.Min(math.Max(-c, -0.5), 0.5) + 0.5
		}
		n := float64(s.To - s.From)
		if v.Error[i] != wrong/n || !closeTo(v.Hinge[i], hinge/n) || !closeTo(v.Slant[i], slant/n) {
			t.Errorf("%s: error %v, hinge %v, slant %v, want %v, %v, %v", s.Name, v.Error[i], v.Hinge[i], v.Slant[i], wrong/n, hinge/n, slant/n)
		}
	}
	if !slices.Equal(v.Mistakes, mistakes) {
		t.Errorf("mistakes at %v, want %v", v.Mistakes, mistakes)
	}
}

// Measuring expansions together gives the same bits as measuring each alone. The expansions gain and
// lose points, change order, have points of their own, or cannot be summed together.
func TestTogetherEqualsOneByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	for trial := range 24 {
		p := newSparseProblem(uint64(trial), 20, 19, 6*(trial%2), 30)
		order := rng.Perm(p.points.Train)
		var list []*sparse.Expansion
		for k := range rng.IntN(2 * BatchSize) {
			e := &sparse.Expansion{Bias: rng.NormFloat64()}
			some := slices.Clone(order[trial%3*(k/3) : min(2*k+rng.IntN(3), len(order))])
			switch trial % 4 {
			case 0:
				slices.Sort(some)
			case 1:
				rng.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
			}
			for _, i := range some {
				e.Add(i, rng.NormFloat64())
			}
			if trial%5 == 0 && k == 3 {
				e.AddVector([]float64{0.5, 0.5}, 1)
			}
			list = append(list, e)
		}
		m, alone := p.measure(p), p.measure(p)
		seen := 0
		if err := m.Measure(context.Background(), list, func(k int, v SparseValues) error {
			if k != seen {
				t.Fatalf("expansion %d is measured after %d others", k, seen)
			}
			seen++
			if want, _, err := alone.Classifier(context.Background(), list[k], nil); err != nil || !reflect.DeepEqual(v, want) {
				t.Fatalf("trial %d, expansion %d of %d: %+v, want %+v, %v", trial, k, len(list), v, want, err)
			}
			return nil
		}); err != nil || seen != len(list) {
			t.Fatalf("trial %d: %d of %d expansions, %v", trial, seen, len(list), err)
		}
	}
}

// A row that is not finite affects only the expansions that contain it.
func TestTogetherWithABadRow(t *testing.T) {
	p := newSparseProblem(3, 5, 4, 0, 6)
	p.bad = 7
	var list []*sparse.Expansion
	for k := range 4 {
		e := new(sparse.Expansion)
		e.Add(1, 1)
		e.Add(3+k, -0.5)
		e.Add(7, float64(k/3))
		if k < 3 {
			e.Index, e.Coef = e.Index[:2], e.Coef[:2]
		}
		list = append(list, e)
	}
	m := p.measure(nil)
	visited := 0
	err := m.Measure(context.Background(), list, func(k int, v SparseValues) error {
		visited++
		if want, _, err := p.measure(nil).Classifier(context.Background(), list[k], nil); err != nil || !reflect.DeepEqual(v, want) {
			t.Errorf("expansion %d: %+v, want %+v, %v", k, v, want, err)
		}
		return nil
	})
	if visited != 3 || !errors.As(err, new(NotFiniteError)) {
		t.Errorf("%d expansions, then %v", visited, err)
	}
}

// A score of 0 is an error.
func TestEmptyExpansion(t *testing.T) {
	p := newSparseProblem(1, 3, 4, 0, 5)
	v, _, err := p.measure(nil).Classifier(context.Background(), new(sparse.Expansion), nil)
	if err != nil || v.Error[0] != 1 || v.Slant[1] != 0.5 || v.Hinge[0] != 1 || v.Norm != 0 || len(v.Mistakes) != 5 {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestSparseMeasureErrors(t *testing.T) {
	p := newSparseProblem(1, 3, 4, 0, 5)
	for _, bad := range []sparse.Expansion{{Index: []int{2}, Coef: []float64{math.NaN()}}, {Index: []int{2}, Coef: []float64{1}, Bias: math.Inf(1)}} {
		bad.Vectors = make([][]float64, 1)
		if _, _, err := p.measure(nil).Classifier(context.Background(), &bad, nil); !errors.As(err, new(NotFiniteError)) {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
}

// The row of a constructed vector is computed once while expansions contain the vector.
func TestRowsOfVectorsAreKept(t *testing.T) {
	p := newSparseProblem(1, 3, 4, 0, 5)
	r := newVectorRows(p, len(p.x), 1<<20)
	var e sparse.Expansion
	for k := range 6 {
		e.AddVector([]float64{float64(k), 1}, 1)
	}
	for range 3 {
		r.add(context.Background(), make([]float64, len(p.x)), &e)
	}
	if p.rows != 6 || len(r.kept) != 6 {
		t.Errorf("%d rows are computed and %d kept, want 6", p.rows, len(r.kept))
	}
	e.Vectors[2] = []float64{9, 9}
	r.add(context.Background(), make([]float64, len(p.x)), &e)
	if p.rows != 7 || len(r.kept) != 6 {
		t.Errorf("%d rows are computed and %d kept, want 7 and 6", p.rows, len(r.kept))
	}
	// If few rows can be kept, the values are the same.
	tight := newVectorRows(p, len(p.x), 3*4*int64(len(p.x))-1)
	a, b := make([]float64, len(p.x)), make([]float64, len(p.x))
	if n, m := r.add(context.Background(), a, &e), tight.add(context.Background(), b, &e); n != m || !slices.Equal(a, b) {
		t.Error("the values depend on the number of rows kept")
	}
	if len(tight.kept) != 2 {
		t.Errorf("%d rows are kept, want 2", len(tight.kept))
	}
}

// After the context ends, Measure computes no more rows.
func TestMeasuringEndsWithTheContext(t *testing.T) {
	p := newSparseProblem(2, 3, 4, 2, 5)
	m := p.measure(p)
	var e sparse.Expansion
	for i := range 6 {
		e.Add(i, 1)
		e.AddVector([]float64{float64(i), 1}, 1)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := m.Classifier(ctx, &e, nil); !errors.Is(err, context.Canceled) || p.rows != 0 {
		t.Errorf("error %v after %d rows", err, p.rows)
	}
	if _, _, err := m.Classifier(context.Background(), &e, nil); err != nil || p.rows != 6+6+6 {
		t.Errorf("error %v after %d rows", err, p.rows)
	}
}

func TestConstantError(t *testing.T) {
	for _, c := range []struct {
		points SVMPoints
		want   float64
		ok     bool
	}{
		{SVMPoints{Train: 1, Validation: 1, Test: 4, Labels: []float64{1, 1, 1, -1, -1, -1}}, 0.25, true},
		{SVMPoints{Train: 2, Test: 3, Labels: []float64{-1, -1, 1, -1, 1}}, 1.0 / 3, true},
		{SVMPoints{Train: 1, Validation: 1, Test: 2, Labels: []float64{-1, -1, 1, 1}}, 0, true},
		{SVMPoints{Train: 2, Labels: []float64{-1, 1}}, 0, false},
	} {
		if got, ok := c.points.ConstantError(); ok != c.ok || ok && got != c.want {
			t.Errorf("%+v: %v, %v, want %v, %v", c.points, got, ok, c.want, c.ok)
		}
	}
}

// BenchmarkMeasure measures expansions like those of a run: support sizes grow geometrically, and each
// expansion contains most points of the previous one.
func BenchmarkMeasure(b *testing.B) {
	const train, test = 2048, 6000
	rng := rand.New(rand.NewPCG(10, 11))
	points := SVMPoints{Train: train, Test: test, Positive: train / 2}
	for range train + test {
		points.Labels = append(points.Labels, float64(2*rng.IntN(2)-1))
	}
	seen, others := random(rng, train, train), random(rng, train, test)
	var list []*sparse.Expansion
	order := rng.Perm(train)
	for size := 300; len(list) < BatchSize; size += size / 12 {
		e := new(sparse.Expansion)
		for _, i := range slices.Sorted(slices.Values(order[:size])) {
			e.Add(i, rng.NormFloat64())
		}
		list = append(list, e)
	}
	m := NewSparse(&points, seen, others, nil, 0)
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			if err := m.Measure(context.Background(), list, func(int, SparseValues) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one-by-one", func(b *testing.B) {
		for b.Loop() {
			for _, e := range list {
				if _, _, err := m.Classifier(context.Background(), e, nil); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	// The lower bound: each row of the largest expansion is read once.
	b.Run("read-rows", func(b *testing.B) {
		row := make([]float32, max(train, test))
		for b.Loop() {
			for _, i := range list[len(list)-1].Index {
				copy(row, seen.Row(i))
				copy(row, others.Row(i))
			}
		}
	})
	b.Run("losses", func(b *testing.B) {
		for b.Loop() {
			for range list {
				if _, err := m.values(list[0], m.scores[0], 1); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// rowList implements Rows.
type rowList [][]float32

func random(rng *rand.Rand, rows, columns int) (m rowList) {
	for range rows {
		row := make([]float32, columns)
		for j := range row {
			row[j] = float32(rng.NormFloat64())
		}
		m = append(m, row)
	}
	return m
}

func (m rowList) Row(i int) []float32 { return m[i] }
