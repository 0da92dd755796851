package pca

import (
	"math"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"

	"gonum.org/v1/gonum/mat"
)

// scriptedLearner is a learner with given iterates, states[t] after t steps. It stops after the last.
type scriptedLearner struct {
	d, k   int
	states []*State
	t      int
}

func (s *scriptedLearner) Step() algorithms.Status {
	if s.t == len(s.states)-1 {
		return algorithms.Status{State: algorithms.Exhausted, Reason: "no further state"}
	}
	s.t++
	return algorithms.Status{}
}

func (s *scriptedLearner) Cost() algorithms.Cost {
	return algorithms.Cost{Iterations: int64(s.t), SumKT2: int64(7 * s.t), SumKT: int64(3 * s.t)}
}

func (s *scriptedLearner) Dims() (d, k int)   { return s.d, s.k }
func (s *scriptedLearner) Rank() int          { return 100 + s.t }
func (s *scriptedLearner) StateTo(dst *State) { *dst = *s.states[s.t].Clone() }

// randomScript returns a script of n+1 random iterates, with and without bulks.
func randomScript(d, k, n int, stream uint64) *scriptedLearner {
	rng := streamRand(stream)
	s := &scriptedLearner{d: d, k: k}
	for i := range n + 1 {
		s.states = append(s.states, randomState(d, (i*(k+1))%(d+1), rng))
	}
	return s
}

// TestAveraged compares the average with the mean of M^(1) … M^(t). M^(1) is the start, and M^(t+1),
// the result of step t, is excluded.
func TestAveraged(t *testing.T) {
	const d, k, n = 6, 3, 10
	inner := randomScript(d, k, n, 60)
	a := suite.Must(NewAveraged(inner))
	for i := range n + 1 {
		met := inner.states[:max(i, 1)]
		mean := mat.NewSymDense(d, nil)
		for _, s := range met {
			mean.AddSym(mean, s.Dense(d))
		}
		mean.ScaleSym(1/float64(len(met)), mean)
		var st State
		a.StateTo(&st)
		if e := maxAbsDiff(st.Dense(d), mean); !(e < 1e-14) {
			t.Fatalf("after %d steps: the average differs by %g from the mean of %d iterates", i, e, len(met))
		}
		if a.Rank() != inner.Rank() || a.Cost() != inner.Cost() {
			t.Errorf("rank %d, cost %+v; want %d, %+v", a.Rank(), a.Cost(), inner.Rank(), inner.Cost())
		}
		if i < n {
			mustStep(t, a, 1)
		}
	}
}

// TestSampledIsUniform checks that, after any number of steps, the drawn iterate is uniform among
// M^(1) … M^(t).
func TestSampledIsUniform(t *testing.T) {
	t.Parallel()
	const n, runs = 5, 5000
	states := make([]*State, n+1)
	for i := range states {
		states[i] = &State{Bulk: float64(i)}
	}
	var counts [n + 1][n + 1]float64
	rng := streamRand(62)
	for range runs {
		s := suite.Must(NewSampled(&scriptedLearner{d: 3, k: 1, states: states}, rng))
		var st State
		for steps := 1; steps <= n; steps++ {
			mustStep(t, s, 1)
			s.StateTo(&st)
			counts[steps][int(st.Bulk)]++
		}
	}
	for steps := 1; steps <= n; steps++ {
		p := 1 / float64(steps)
		for i, c := range counts[steps] {
			if i >= steps {
				if c != 0 {
					t.Errorf("%d steps: drew M^(%d)", steps, i+1)
				}
				continue
			}
			sd := math.Sqrt(runs * p * (1 - p))
			if !(math.Abs(c-runs*p) <= 4.5*sd) {
				t.Errorf("%d steps: M^(%d) was drawn %g times of %d, want %g", steps, i+1, c, runs, runs*p)
			}
		}
	}
}

// TestDecomposedIsUnbiased checks that the mean of the projections of a constant M is M.
func TestDecomposedIsUnbiased(t *testing.T) {
	t.Parallel()
	const d, k, runs = 5, 2, 4000
	uniform := State{Bulk: 0.4}
	var mixed, both State
	newRandomBasis(d, 3, streamRand(65)).stateTo(&mixed, 3)
	newRandomBasis(d, 1, streamRand(65)).stateTo(&both, 1)
	mixed.Sigma, both.Bulk = []float64{1, 0.7, 0.3}, 0.25
	for _, st := range []*State{&mixed, &uniform, &both} {
		p := suite.Must(NewDecomposed(&scriptedLearner{d: d, k: k, states: slices.Repeat([]*State{st}, runs+1)}, streamRand(66)))
		sum := mat.NewSymDense(d, nil)
		for range runs {
			mustStep(t, p, 1)
			var got State
			p.StateTo(&got)
			sum.AddSym(sum, got.Dense(d))
		}
		sum.ScaleSym(1.0/runs, sum)
		// An entry of a projection is in [-1/2, 1], so its standard deviation is at most 3/4.
		if e := maxAbsDiff(sum, st.Dense(d)); !(e < d*4.5*0.75/math.Sqrt(runs)) {
			t.Errorf("bulk %g, m = %d: the mean is off by %g", st.Bulk, len(st.Sigma), e)
		}
	}
}

// TestDecomposedCompletes checks that a subspace of dimension below k is completed.
func TestDecomposedCompletes(t *testing.T) {
	const d, k = 6, 3
	low := &State{U: mat.NewDense(d, 1, []float64{0, 1, 0, 0, 0, 0}), Sigma: []float64{1}}
	for _, short := range []*State{low, new(State)} {
		p := suite.Must(NewDecomposed(&scriptedLearner{d: d, k: k, states: []*State{short}}, streamRand(69)))
		var st State
		p.StateTo(&st)
		if len(st.Sigma) != k || !(Orthonormality(st.U) < 1e-14) {
			t.Errorf("completion of %d directions: %d", len(short.Sigma), len(st.Sigma))
		}
		if short.U != nil && !(spanDistance(st.U, short.U) < 1e-14) {
			t.Error("the completion does not contain the original direction")
		}
	}
}
