package svm

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm/svmtrain"
)

// TestParameters checks that every parameter accepts 2 and refuses values outside its range.
func TestParameters(t *testing.T) {
	notPositive := []float64{0, -1, math.NaN(), math.Inf(1)}
	negative := notPositive[1:]
	p, _ := newGaussianProblem(1, 6, 3, 6)
	linear, _ := linearProblem(t, 16, 6, 2)
	x, order, rng := linear.Features.(suite.Features).Points, newUniformOrder(1, 6), rand.New(rand.NewPCG(1, 1))
	rff := func(cfg RFFConfig) error {
		_, err := NewRFF(t.Context(), cfg, x, 6, 3, rng, rand.New(rand.NewPCG(1, 2)))
		return err
	}
	replaceSVMTrain(t, "exit 0")
	libsvm := func(set func(o *svmtrain.Options)) error {
		o := trainOptions
		set(&o)
		_, err := NewLIBSVM(t.Context(), o, p, suite.Points{X: x.X[:6]})
		return err
	}
	decomposition := func(cfg DecompositionConfig) error { _, err := NewDecomposition(cfg, p); return err }
	linearSDCA := func(cfg LinearSDCAConfig) error { _, err := NewLinearSDCA(cfg, linear, order); return err }
	simba := func(cfg SIMBAConfig) error { _, err := NewSIMBA(cfg, linear, rng); return err }
	for name, c := range map[string]struct {
		bad    []float64
		create func(v float64) error
	}{
		"smo, lambda": {append(notPositive, 1e-200), func(v float64) error {
			_, err := NewSMO(SMOConfig{Lambda: v}, p)
			return err
		}},
		"smo, tolerance": {negative, func(v float64) error {
			_, err := NewSMO(SMOConfig{Lambda: 1, Tolerance: v}, p)
			return err
		}},
		"decomposition, lambda": {notPositive, func(v float64) error {
			return decomposition(DecompositionConfig{Lambda: v, Size: 4})
		}},
		"decomposition, tolerance": {negative, func(v float64) error {
			return decomposition(DecompositionConfig{Lambda: 1, Size: 4, Tolerance: v})
		}},
		"decomposition, size": {[]float64{0, -3}, func(v float64) error {
			return decomposition(DecompositionConfig{Lambda: 1, Size: int(v)})
		}},
		"decomposition, bias, size": {[]float64{1}, func(v float64) error {
			return decomposition(DecompositionConfig{Lambda: 1, Size: int(v), Bias: true})
		}},
		"sdca, lambda": {notPositive, func(v float64) error {
			_, err := NewSDCA(SDCAConfig{Lambda: v}, p, order)
			return err
		}},
		"sbp, nu": {append(negative, math.MaxFloat64), func(v float64) error {
			_, err := NewSBP(SBPConfig{Nu: v}, p, rng)
			return err
		}},
		"sgd, R": {notPositive, func(v float64) error {
			_, err := NewSGD(SGDConfig{R: v}, p, order)
			return err
		}},
		"pegasos, lambda": {append(notPositive, 1e-200), func(v float64) error {
			_, err := NewPegasos(PegasosConfig{Lambda: v}, p, order)
			return err
		}},
		"linear-pegasos, lambda": {notPositive, func(v float64) error {
			_, err := NewLinearPegasos(LinearPegasosConfig{Lambda: v}, linear, order)
			return err
		}},
		"linear-sdca, lambda": {notPositive, func(v float64) error {
			return linearSDCA(LinearSDCAConfig{Lambda: v})
		}},
		"linear-sdca, tolerance": {negative[:2], func(v float64) error {
			return linearSDCA(LinearSDCAConfig{Lambda: 1, Tolerance: v})
		}},
		"simba, nu": {negative, func(v float64) error { return simba(SIMBAConfig{Nu: v}) }},
		"rff, gamma": {notPositive, func(v float64) error {
			return rff(RFFConfig{Gamma: v, MaxPairs: 4, Lambda: 1})
		}},
		"rff, lambda": {notPositive, func(v float64) error {
			return rff(RFFConfig{Gamma: 1, MaxPairs: 4, Lambda: v})
		}},
		"rff, pairs": {[]float64{0, math.MaxInt64 / 2}, func(v float64) error {
			return rff(RFFConfig{Gamma: 1, MaxPairs: int(v), Lambda: 1})
		}},
		"rff, tolerance": {negative[:2], func(v float64) error {
			return rff(RFFConfig{Gamma: 1, MaxPairs: 4, Lambda: 1, Tolerance: v})
		}},
		"libsvm, C": {notPositive, func(v float64) error {
			return libsvm(func(o *svmtrain.Options) { o.C = v })
		}},
		"libsvm, gamma": {notPositive, func(v float64) error {
			return libsvm(func(o *svmtrain.Options) { o.Gamma = v })
		}},
		"libsvm, epsilon": {notPositive, func(v float64) error {
			return libsvm(func(o *svmtrain.Options) { o.Epsilon = v })
		}},
		"libsvm, cache": {notPositive, func(v float64) error {
			return libsvm(func(o *svmtrain.Options) { o.CacheMB = v })
		}},
	} {
		if err := c.create(2); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, v := range c.bad {
			if c.create(v) == nil {
				t.Errorf("%s: %g is accepted", name, v)
			}
		}
	}
}

// diagRows are rows with a different shape or diagonal.
type diagRows struct {
	Rows
	length int
	diag   []float64
}

func (r diagRows) Len() int        { return r.length }
func (r diagRows) Diag() []float64 { return r.diag }

// TestArguments checks arguments that the conformance suite does not cover.
func TestArguments(t *testing.T) {
	p, g := newGaussianProblem(1, 6, 3, 6)
	diag := func(v float64) Problem {
		d := slices.Clone(g.D)
		d[3] = v
		return Problem{diagRows{g, 6, d}, 3}
	}
	rng, other := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 2))
	linear := func(p LinearProblem) error {
		_, err := NewLinearSDCA(LinearSDCAConfig{Lambda: 1}, p, newLinearOrder(1, 6))
		return err
	}
	sbp := func(cfg SBPConfig, p Problem) error { _, err := NewSBP(cfg, p, rng); return err }
	rff := func(train, positive int, directions, order *rand.Rand) error {
		x, _ := rffRings(9, 10, 2, 2)
		_, err := NewRFF(t.Context(), RFFConfig{Gamma: 1, MaxPairs: 4, Lambda: 1}, x, train, positive, directions, order)
		return err
	}
	if err := rff(10, 5, rng, other); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"fewer points than training points":     Problem{diagRows{g, 5, g.D[:5]}, 3}.Check(false),
		"a short diagonal":                      Problem{diagRows{g, 6, g.D[:5]}, 3}.Check(false),
		"a negative diagonal":                   diag(-1).Check(false),
		"NaN on the diagonal":                   diag(math.NaN()).Check(false),
		"an infinite diagonal":                  diag(math.Inf(1)).Check(false),
		"no features":                           linear(LinearProblem{}),
		"no training points":                    linear(LinearProblem{Features: denseFeatures([]float64{1}, 1, 0)}),
		"sbp, pairs without a bias":             sbp(SBPConfig{Pair: true}, p),
		"sbp, Phi(x) = 0":                       sbp(SBPConfig{}, Problem{Rows: gramOf([]float32{0})}),
		"rff, more training points than points": rff(13, 5, rng, other),
		"rff, too many positives":               rff(10, 11, rng, other),
		"rff, no order":                         rff(10, 5, rng, nil),
		"rff, no directions":                    rff(10, 5, nil, other),
		"rff, one generator for both":           rff(10, 5, rng, rng),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLIBSVMArguments(t *testing.T) {
	x, _ := rffRings(34, 10, 2, 2)
	p, _ := libsvmProblem(x, 1)
	create := func(p Problem, x suite.Points) error {
		_, err := NewLIBSVM(t.Context(), trainOptions, p, x)
		return err
	}
	replaceSVMTrain(t, "exit 0")
	if err := create(p, x); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"one class":      create(Problem{p.Rows, 10}, x),
		"too few points": create(p, suite.Points{X: x.X[1:]}),
		"no rows":        create(Problem{}, x),
	} {
		if err == nil || errors.Is(err, ErrNoSolver) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if err := create(p, x); !errors.Is(err, ErrNoSolver) {
		t.Errorf("without svm-train in PATH: %v", err)
	}
}

// shortRows are rows without their last entry.
type shortRows struct{ Rows }

func (r shortRows) Row(i int) []float32 { return r.Rows.Row(i)[:r.Len()-1] }

// TestShortRows checks that a row of the wrong length ends the run before it is used.
func TestShortRows(t *testing.T) {
	p, g := newGaussianProblem(1, 6, 3, 8)
	p.Rows = shortRows{g}
	smo, err := NewSMO(SMOConfig{Lambda: 1}, p)
	sgd, err2 := NewSGD(SGDConfig{R: 1}, p, newUniformOrder(1, 6))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]Learner{"smo": smo, "sgd": sgd} {
		if status := l.Step(); status.State != algorithms.Failed || l.Cost() != (algorithms.Cost{}) {
			t.Errorf("%s: status %+v, cost %+v", name, status, l.Cost())
		}
	}
}
