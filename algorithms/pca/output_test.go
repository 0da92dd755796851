package pca

import (
	"math"
	"testing"

	"stochopt/algorithms"

	"gonum.org/v1/gonum/mat"
)

// script is a learner whose iterates are given: states[t] after t steps. It stops
// after the last.
type script struct {
	d, k   int
	states []*State
	t      int
}

func (s *script) Step() algorithms.Status {
	if s.t == len(s.states)-1 {
		return algorithms.Status{State: algorithms.Exhausted, Reason: "no further state"}
	}
	s.t++
	return algorithms.Status{}
}

func (s *script) Cost() algorithms.Cost {
	return algorithms.Cost{Iterations: int64(s.t), SumKT2: int64(7 * s.t), SumKT: int64(3 * s.t)}
}

func (s *script) Dims() (d, k int)   { return s.d, s.k }
func (s *script) Rank() int          { return 100 + s.t }
func (s *script) StateTo(dst *State) { *dst = *s.states[s.t].Clone() }

// randomScript returns n+1 feasible iterates, with bulks and without.
func randomScript(d, k, n int, stream uint64) *script {
	rng := streamRand(stream)
	s := &script{d: d, k: k}
	for i := range n + 1 {
		st := new(State)
		switch i % 3 {
		case 0: // W-K's uniform start, without explicit directions
			st.Bulk = float64(k) / float64(d)
		case 1: // explicit eigenvalues only
			m := min(k+1, d)
			newRandomBasis(d, m, rng).stateTo(st, m)
			st.Sigma[m-1], st.Sigma[m-2] = 0.25, 0.75
		default: // both
			newRandomBasis(d, k-1, rng).stateTo(st, k-1)
			st.Bulk = 1 / float64(d-k+1)
		}
		s.states = append(s.states, st)
	}
	return s
}

func TestAveraged(t *testing.T) {
	const d, k, n = 6, 3, 10
	inner := randomScript(d, k, n, 60)
	a, err := NewAveraged(inner)
	if err != nil {
		t.Fatal(err)
	}
	var st State
	compare := func(steps int, states []*State) {
		t.Helper()
		a.StateTo(&st)
		got := st.Dense(d)
		for i := range d {
			for j := range d {
				var want float64
				for _, s := range states {
					want += dense(s, d)[i][j] / float64(len(states))
				}
				if e := math.Abs(got.At(i, j) - want); !(e < 1e-14) {
					t.Fatalf("after %d steps: entry %d, %d is %g off the mean of %d iterates", steps, i, j, e, len(states))
				}
			}
		}
	}
	compare(0, inner.states[:1])
	for i := 1; i <= n; i++ {
		mustStep(t, a, 1)
		// M^(1) … M^(i), of which M^(1) is the start; M^(i+1), which the step
		// has just made, has met no sample yet.
		compare(i, inner.states[:i])
		if a.Rank() != inner.Rank() || a.Cost() != inner.Cost() {
			t.Errorf("rank %d, cost %+v are not the learner's", a.Rank(), a.Cost())
		}
	}
}

// After every number of steps, each iterate that has met a sample is as likely.
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
		s, err := NewSampled(&script{d: 3, k: 1, states: states}, rng)
		if err != nil {
			t.Fatal(err)
		}
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
					t.Errorf("%d steps: M^(%d), which has met no sample, was drawn", steps, i+1)
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

// The mean of the projections is M.
func TestDecomposedIsUnbiased(t *testing.T) {
	t.Parallel()
	const d, k, runs = 5, 2, 4000
	inner := randomScript(d, k, 2, 65)
	for _, st := range inner.states {
		want := dense(st, d)
		sum := mat.NewSymDense(d, nil)
		rng := streamRand(66)
		for range runs {
			p, err := NewDecomposed(&script{d: d, k: k, states: []*State{st}}, rng)
			if err != nil {
				t.Fatal(err)
			}
			var got State
			p.StateTo(&got)
			sum.AddSym(sum, got.Dense(d))
		}
		for i := range d {
			for j := range d {
				// An entry of a projection lies in [-1/2, 1], so that its
				// standard deviation is at most 3/4.
				if e := math.Abs(sum.At(i, j)/runs - want[i][j]); !(e < 4.5*0.75/math.Sqrt(runs)) {
					t.Errorf("bulk %g, m = %d: entry %d, %d of the mean is %g off", st.Bulk, len(st.Sigma), i, j, e)
				}
			}
		}
	}
}

// A subspace of a dimension below k is completed.
func TestDecomposedCompletes(t *testing.T) {
	const d, k = 6, 3
	low := &State{U: mat.NewDense(d, 1, []float64{0, 1, 0, 0, 0, 0}), Sigma: []float64{1}}
	for _, short := range []*State{low, new(State)} {
		p, err := NewDecomposed(&script{d: d, k: k, states: []*State{short}}, streamRand(69))
		if err != nil {
			t.Fatal(err)
		}
		var st State
		p.StateTo(&st)
		if len(st.Sigma) != k || !(Orthonormality(st.U) < 1e-14) {
			t.Errorf("completion of %d directions: %d", len(short.Sigma), len(st.Sigma))
		}
		if short.U != nil && !(spanDistance(st.U, short.U) < 1e-14) {
			t.Error("the completion lost the direction that was there")
		}
	}
}
