// Package pcatest is a conformance suite for implementations of pca.Learner.
package pcatest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// Spec describes a learner to the suite.
type Spec struct {
	// New returns a learner with step sizes for samples of norm 1.
	New func(src pca.Source, k int, rng *rand.Rand) (pca.Learner, error)
	// NewStep returns a learner with the given step sizes. It is nil for a learner without step sizes.
	NewStep func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error)
	// Config, if not nil, points to the configuration used by New. The learner must not change it.
	Config any
	// Relaxed is set if the iterates are points of the relaxed problem, 0 <= M <= I and tr M = k.
	// Otherwise they are projections of rank at most k.
	Relaxed bool
	// Output is set if the learner wraps another learner and computes a solution from its iterates. Rank
	// and the cost are then those of the iterates.
	Output bool
	// Charge returns the increases of SumKT and SumKT2 in a step whose iterate has the given rank. If it
	// is nil, they are rank and rank^2.
	Charge func(d, k, rank int) (kt, kt2 int64)
	// Suboptimality is the relative suboptimality that the learner must reach in 3000 steps on a
	// distribution with an eigengap. 0 skips the check.
	Suboptimality float64
}

var checks = []suite.Check[Spec]{
	{Name: "Refusals", Run: checkRefusals},
	{Name: "Invariants", Run: checkInvariants},
	{Name: "Reproducible", Run: checkReproducible},
	{Name: "StateToIsPassive", Run: checkPassive},
	{Name: "StateToDestinations", Run: checkDestinations},
	{Name: "ZeroSample", Run: checkZeroSample},
	{Name: "Stopped", Run: checkStopped},
	{Name: "StepSizes", Run: checkStepSizes},
	{Name: "LongRun", Run: checkLongRun},
	{Name: "Converges", Run: checkConverges},
}

// Run runs the suite on the learner of spec, as subtests of t.
func Run(t *testing.T, name string, spec Spec) {
	t.Helper()
	suite.Run(t, name, checks, spec, spec.Config)
}

// Faults runs the named checks, or all if there are no names, on the learner of spec outside a test. It
// returns the first fault found by each check, by its name.
func Faults(spec Spec, names ...string) map[string]string {
	return suite.Faults(checks, spec, spec.Config, names...)
}

// fresh returns a learner with its own random stream, on a guarded source.
func fresh(t suite.Reporter, spec Spec, src pca.Source, k int) (pca.Learner, *guard) {
	t.Helper()
	g := &guard{src: src}
	l, err := spec.New(g, k, suite.NewRand(1))
	if err != nil {
		t.Fatalf("New for d = %d, k = %d: %v", src.Dim(), k, err)
	}
	return l, g
}

// decaying returns the decreasing standard deviations of a spectrum without an eigengap, with
// E|x|^2 = 1.
func decaying(d int) []float64 {
	std := make([]float64, d)
	for i := range std {
		std[i] = 1 / float64(1+i)
	}
	n := mat.Norm(mat.NewVecDense(d, std), 2)
	for i := range std {
		std[i] /= n
	}
	return std
}

func checkRefusals(t suite.Reporter, spec Spec) {
	const d = 5
	src := NewGaussian(decaying(d), suite.NewRand(2))
	for _, k := range []int{-1, 0, d, d + 1} {
		_, err := spec.New(src, k, suite.NewRand(1))
		suite.Refused(t, fmt.Sprintf("k = %d, d = %d", k, d), err)
	}
	_, err := spec.New(nil, 2, suite.NewRand(1))
	suite.Refused(t, "no source", err)
	if spec.NewStep == nil {
		return
	}
	_, err = spec.NewStep(src, 2, suite.NewRand(1), nil)
	suite.Refused(t, "no schedule", err)
	for _, eta := range invalidSteps {
		_, err = spec.NewStep(src, 2, suite.NewRand(1), algorithms.Constant{C: eta})
		suite.Refused(t, fmt.Sprint("first step size ", eta), err)
	}
}

// invalidSteps are step sizes that every learner must refuse.
var invalidSteps = []float64{-1, math.NaN(), math.Inf(1)}

// streams returns typical and degenerate sources of dimension d, by name.
func streams(d int) map[string]func() pca.Source {
	unit := func(i int, v float64) []float64 {
		x := make([]float64, d)
		x[i%d] = v
		return x
	}
	ones := slices.Repeat([]float64{0.5}, d)
	list := func(n int, at func(i int) []float64) func() pca.Source {
		return func() pca.Source {
			rows := make([][]float64, n)
			for i := range rows {
				rows[i] = at(i)
			}
			return NewList(d, rows...)
		}
	}
	scaled := func(c float64) func() pca.Source {
		return func() pca.Source {
			std := decaying(d)
			for i := range std {
				std[i] *= c
			}
			return NewLimit(NewGaussian(std, suite.NewRand(3)), 200)
		}
	}
	return map[string]func() pca.Source{
		"gaussian": scaled(1),
		"large":    scaled(1e3),
		"huge":     scaled(1e160),
		"small":    scaled(1e-4),
		"tiny":     scaled(1e-160),
		"orthogonal": func() pca.Source {
			p := decaying(d)
			for i := range p {
				p[i] *= p[i]
			}
			return NewLimit(NewOrthogonal(p, suite.NewRand(4)), 200)
		},
		"zero":     list(20, func(int) []float64 { return unit(0, 0) }),
		"repeated": list(100, func(int) []float64 { return ones }),
		"axes":     list(100, func(i int) []float64 { return unit(i, 1) }),
		"in span": list(100, func(i int) []float64 {
			if i%3 == 0 {
				return unit(0, 1)
			}
			return unit(0, -0.5)
		}),
		"with zeros": list(100, func(i int) []float64 { return unit(i/2, float64(i%2)) }),
		"nearly repeated": list(100, func(i int) []float64 {
			x := slices.Clone(ones)
			x[i%d] += 1e-13
			return x
		}),
	}
}

func checkInvariants(t suite.Reporter, spec Spec) {
	for _, dims := range [][2]int{{2, 1}, {3, 2}, {6, 1}, {6, 3}, {6, 5}} {
		d, k := dims[0], dims[1]
		for name, src := range streams(d) {
			t := suite.Named(t, fmt.Sprintf("%s d=%d k=%d", name, d, k))
			l, g := fresh(t, spec, src(), k)
			follow(t, spec, l, d, k)
			g.collect()
			if g.mutated {
				t.Errorf("the learner modified a sample")
			}
		}
	}
}

// follow steps l to the end of its source, and checks its state and its cost after every step.
func follow(t suite.Reporter, spec Spec, l pca.Learner, d, k int) {
	t.Helper()
	if gd, gk := l.Dims(); gd != d || gk != k {
		t.Fatalf("Dims() = %d, %d, want %d, %d", gd, gk, d, k)
	}
	if c := l.Cost(); c != (algorithms.Cost{}) {
		t.Fatalf("cost before the first step: %+v", c)
	}
	var st, before pca.State
	l.StateTo(&st)
	checkState(t, spec, &st, d, k, 0)
	var want algorithms.Cost
	rank := l.Rank()
	for {
		before = *st.Clone()
		status := l.Step()
		l.StateTo(&st)
		if status.Stop() {
			if status.Reason == "" {
				t.Errorf("status %v without a reason", status.State)
			}
			if !state.Same(&st, &before) {
				t.Errorf("status %v: the last valid iterate was not kept", status)
			}
			if l.Cost() != want {
				t.Errorf("status %v: cost %+v, want %+v", status, l.Cost(), want)
			}
			return
		}
		want.Iterations++
		checkState(t, spec, &st, d, k, want.Iterations)
		last := rank
		rank = l.Rank()
		if !spec.Output {
			if rank > last+1 {
				t.Fatalf("step %d increased the rank from %d to %d", want.Iterations, last, rank)
			}
			if n := rankOf(&st, d); rank != n {
				t.Fatalf("after step %d: Rank() = %d, but the state has %d nontrivial eigenvalues: %v, bulk %g",
					want.Iterations, rank, n, st.Sigma, st.Bulk)
			}
		}
		kt, kt2 := int64(rank), int64(rank)*int64(rank)
		if spec.Charge != nil {
			kt, kt2 = spec.Charge(d, k, rank)
		}
		want.SumKT += kt
		want.SumKT2 += kt2
		if l.Cost() != want {
			t.Fatalf("after step %d: cost %+v, want %+v", want.Iterations, l.Cost(), want)
		}
	}
}

// rankOf returns the number of nonzero eigenvalues of M.
func rankOf(st *pca.State, d int) int {
	var n int
	for _, sigma := range st.Sigma {
		if sigma > 0 {
			n++
		}
	}
	if st.Bulk > 0 {
		n += d - len(st.Sigma)
	}
	return n
}
