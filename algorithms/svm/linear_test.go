package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
)

func newLinearOrder(seed uint64, n int) suite.Uniform {
	return suite.Uniform{Rng: rand.New(rand.NewPCG(seed, 17)), N: n}
}

// denseFeatures returns the points that data holds row by row, d features each, of
// which the first are for training.
func denseFeatures(data []float64, d, train int) suite.Features {
	p := suite.Points{Eval: len(data)/d - train}
	for row := range slices.Chunk(data, d) {
		p.X = append(p.X, row)
	}
	return p.Features()
}

// linearProblem draws n training points, and half as many others, in d
// dimensions: two overlapping Gaussian clouds, |x| around 1.
func linearProblem(t testing.TB, seed uint64, n, d int) (LinearProblem, []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	all := n + n/2
	positive := n/2 - n/10
	data := make([]float64, all*d)
	for j := range all {
		y := -1.0
		if j < positive || j >= n && j%2 == 0 {
			y = 1
		}
		for k := range d {
			data[j*d+k] = rng.NormFloat64() / math.Sqrt(float64(d))
		}
		data[j*d] += 0.7 * y
	}
	f := denseFeatures(data, d, n)
	return LinearProblem{Features: f, Positive: positive}, data
}

// linearPrimal computes lambda/2 |w|^2 + mean hinge loss from a solution.
func linearPrimal(p LinearProblem, lambda float64, s *Solution) float64 {
	n := p.Features.Train()
	hinge := 0.0
	for i := range n {
		hinge += math.Max(0, 1-p.Label(i)*s.Scores[i])
	}
	return lambda/2*s.NormSq + hinge/float64(n)
}

// runLinear steps until a method stops, at most limit times.
func runLinear(t testing.TB, a Learner, limit int) algorithms.Status {
	t.Helper()
	for range limit {
		if st := a.Step(); st.Stop() {
			if st.State != algorithms.Converged {
				t.Fatalf("%v: %s", st.State, st.Reason)
			}
			return st
		}
	}
	return algorithms.Status{}
}

func TestLinearCosts(t *testing.T) {
	const n, d = 30, 7
	p, _ := linearProblem(t, 14, n, d)
	sdca, _ := NewLinearSDCA(LinearSDCAConfig{Lambda: 0.1}, p, newLinearOrder(1, n))
	pegasos, _ := NewLinearPegasos(LinearPegasosConfig{Lambda: 0.1}, p, newLinearOrder(1, n))
	simba, _ := NewSIMBA(SIMBAConfig{Nu: 0.1}, p, rand.New(rand.NewPCG(1, 1)))
	for step := int64(1); step <= 100; step++ {
		for _, c := range []struct {
			name    string
			learner Learner
			inner   int64
		}{{"linear-sdca", sdca, step}, {"linear-pegasos", pegasos, step}, {"simba", simba, step + step*n/d}} {
			c.learner.Step()
			if got, want := c.learner.Cost(), (algorithms.Cost{Iterations: step, InnerProducts: c.inner}); got != want {
				t.Fatalf("%s: cost %+v after %d steps, want %+v", c.name, got, step, want)
			}
		}
	}
}

// SolutionTo before the first step is the zero classifier, reuses storage, does
// not change the state, and equal seeds give equal bits.
func TestLinearSolutionsAreRepeatable(t *testing.T) {
	const n, d = 50, 4
	p, _ := linearProblem(t, 15, n, d)
	for name, make := range map[string]func() (Learner, error){
		"linear-sdca": func() (Learner, error) {
			return NewLinearSDCA(LinearSDCAConfig{Lambda: 0.1}, p, newLinearOrder(1, n))
		},
		"linear-pegasos": func() (Learner, error) {
			return NewLinearPegasos(LinearPegasosConfig{Lambda: 0.1}, p, newLinearOrder(1, n))
		},
		"simba": func() (Learner, error) {
			return NewSIMBA(SIMBAConfig{Nu: 0.1}, p, rand.New(rand.NewPCG(1, 1)))
		},
	} {
		a, err := make()
		if err != nil {
			t.Fatal(err)
		}
		b, _ := make()
		var sa, sb Solution
		a.SolutionTo(&sa)
		if sa.NormSq != 0 || len(sa.Scores) != n+n/2 || slices.ContainsFunc(sa.Scores, func(v float64) bool { return v != 0 }) {
			t.Errorf("%s: the first solution is not 0", name)
		}
		kept := &sa.Scores[0]
		for range 300 {
			a.Step()
			b.Step()
			a.SolutionTo(&sa)
		}
		b.SolutionTo(&sb)
		if kept != &sa.Scores[0] {
			t.Errorf("%s: the storage of the scores is not reused", name)
		}
		if !slices.Equal(sa.Scores, sb.Scores) || sa.NormSq != sb.NormSq {
			t.Errorf("%s: asking for solutions changes them", name)
		}
	}
}

func TestLinearArguments(t *testing.T) {
	p, _ := linearProblem(t, 16, 10, 2)
	order := newLinearOrder(1, 10)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		want string
		err  func() error
	}{
		{"no features", func() error { _, err := NewLinearSDCA(LinearSDCAConfig{Lambda: 1}, LinearProblem{}, order); return err }},
		{"no order", func() error { _, err := NewLinearSDCA(LinearSDCAConfig{Lambda: 1}, p, nil); return err }},
		{"lambda is 0", func() error { _, err := NewLinearSDCA(LinearSDCAConfig{}, p, order); return err }},
		{"lambda is NaN", func() error { _, err := NewLinearSDCA(LinearSDCAConfig{Lambda: math.NaN()}, p, order); return err }},
		{"tolerance is -1", func() error {
			_, err := NewLinearSDCA(LinearSDCAConfig{Lambda: 1, Tolerance: -1}, p, order)
			return err
		}},
		{"11 positive", func() error {
			_, err := NewLinearSDCA(LinearSDCAConfig{Lambda: 1}, LinearProblem{p.Features, 11}, order)
			return err
		}},
		{"lambda is -1", func() error { _, err := NewLinearPegasos(LinearPegasosConfig{Lambda: -1}, p, order); return err }},
		{"no order", func() error { _, err := NewLinearPegasos(LinearPegasosConfig{Lambda: 1}, p, nil); return err }},
		{"nu is -1", func() error { _, err := NewSIMBA(SIMBAConfig{Nu: -1}, p, rng); return err }},
		{"nu is +Inf", func() error { _, err := NewSIMBA(SIMBAConfig{Nu: math.Inf(1)}, p, rng); return err }},
		{"-1 iterations", func() error { _, err := NewSIMBA(SIMBAConfig{Iterations: -1}, p, rng); return err }},
		{"no random", func() error { _, err := NewSIMBA(SIMBAConfig{}, p, nil); return err }},
	} {
		if err := c.err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one about %q", err, c.want)
		}
	}
}

func TestLinearMethodsReportInfiniteFeatures(t *testing.T) {
	f := denseFeatures([]float64{math.Inf(1), 0}, 1, 2)
	p := LinearProblem{f, 1}
	if _, err := NewSIMBA(SIMBAConfig{}, p, rand.New(rand.NewPCG(1, 1))); err == nil {
		t.Error("simba takes an infinite feature")
	}
	sdca, _ := NewLinearSDCA(LinearSDCAConfig{Lambda: 1}, p, newLinearOrder(1, 2))
	pegasos, _ := NewLinearPegasos(LinearPegasosConfig{Lambda: 1}, p, newLinearOrder(1, 2))
	for name, a := range map[string]Learner{"linear-sdca": sdca, "linear-pegasos": pegasos} {
		var st algorithms.Status
		for range 20 {
			if st = a.Step(); st.Stop() {
				break
			}
		}
		if st.State != algorithms.Diverged {
			t.Errorf("%s: status %v", name, st)
		}
	}
}

func BenchmarkSIMBA(b *testing.B) {
	const n, d = 10_000, 50
	p, _ := linearProblem(b, 17, n, d)
	a, err := NewSIMBA(SIMBAConfig{Nu: 0.1}, p, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		a.Step()
	}
}
