package pcatest_test

import (
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"

	"gonum.org/v1/gonum/floats"
)

// tampered is a learner with some of its methods replaced.
type tampered struct {
	pca.Learner
	rank    func(rank int) int
	stateTo func(l pca.Learner, dst *pca.State)
	// step replaces Step after a stop with the given status.
	step func(l pca.Learner, status algorithms.Status) algorithms.Status
	last algorithms.Status
}

func (t *tampered) Step() algorithms.Status {
	if t.step != nil && t.last.Stop() {
		return t.step(t.Learner, t.last)
	}
	t.last = t.Learner.Step()
	return t.last
}

func (t *tampered) Rank() int {
	if t.rank != nil {
		return t.rank(t.Learner.Rank())
	}
	return t.Learner.Rank()
}

func (t *tampered) StateTo(dst *pca.State) {
	if t.stateTo != nil {
		t.stateTo(t.Learner, dst)
		return
	}
	t.Learner.StateTo(dst)
}

// filtered is a source whose samples are passed through next.
type filtered struct {
	pca.Source
	next func(x []float64, ok bool) ([]float64, bool)
}

func (f filtered) Next() ([]float64, bool) { return f.next(f.Source.Next()) }

type constructor func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error)

func grouse(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
	return pca.NewGROUSE(pca.GROUSEConfig{K: k, Step: step}, src, rng)
}

// with returns a constructor of GROUSE with the methods of tamper.
func with(tamper tampered) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		l, err := grouse(src, k, rng, step)
		if err != nil {
			return nil, err
		}
		t := tamper
		t.Learner = l
		return &t, nil
	}
}

// fed returns a constructor of GROUSE whose samples are passed through next.
func fed(next func(d int, x []float64, ok bool) ([]float64, bool)) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		d := src.Dim()
		return grouse(filtered{src, func(x []float64, ok bool) ([]float64, bool) { return next(d, x, ok) }}, k, rng, step)
	}
}

// scaled returns a constructor of GROUSE whose U is multiplied by a factor.
func scaled(factor func(l pca.Learner) float64) constructor {
	return with(tampered{stateTo: func(l pca.Learner, dst *pca.State) {
		l.StateTo(dst)
		dst.U.Scale(factor(l), dst.U)
	}})
}

// runs and calls count constructed learners and calls of StateTo, for learners that are not
// reproducible.
var runs, calls uint64

// broken holds learners that violate one requirement, with the check that must find it.
var broken = map[string]struct {
	check string // of the suite, or "Config"
	make  constructor
}{
	"accepts any k": {"Refusals", func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		return grouse(src, min(max(k, 1), src.Dim()-1), rng, step)
	}},
	"rank":     {"Invariants", with(tampered{rank: func(rank int) int { return rank + 1 }})},
	"scaled U": {"Invariants", scaled(func(pca.Learner) float64 { return 1 + 1e-9 })},
	"changes samples": {"Invariants", fed(func(_ int, x []float64, ok bool) ([]float64, bool) {
		if ok {
			x[0]++
		}
		return x, ok
	})},
	"not reproducible": {"Reproducible", func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		runs++
		return grouse(src, k, rand.New(rand.NewPCG(runs, 0)), step)
	}},
	"changed by StateTo": {"StateToIsPassive", with(tampered{stateTo: func(l pca.Learner, dst *pca.State) {
		calls++
		l.StateTo(dst)
		dst.U.Set(0, 0, dst.U.At(0, 0)*(1+float64(calls)*1e-15))
	}})},
	"keeps stale values": {"StateToDestinations", with(tampered{stateTo: func(l pca.Learner, dst *pca.State) {
		bulk := dst.Bulk
		l.StateTo(dst)
		dst.Bulk = bulk
	}})},
	"shares storage": {"StateToDestinations", func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		var own pca.State
		return with(tampered{stateTo: func(l pca.Learner, dst *pca.State) {
			l.StateTo(dst)
			if own.U != nil {
				own.U.Copy(dst.U)
				dst.U = own.U
			}
			own = *dst
		}})(src, k, rng, step)
	}},
	"changes on a zero sample": {"ZeroSample", fed(func(_ int, x []float64, ok bool) ([]float64, bool) {
		if ok && floats.Norm(x, 2) == 0 {
			return append([]float64{1, 2}, x[2:]...), ok
		}
		return x, ok
	})},
	"never exhausted": {"Stopped", fed(func(d int, x []float64, ok bool) ([]float64, bool) {
		if !ok {
			return make([]float64, d), true
		}
		return x, ok
	})},
	"steps after a stop": {"Stopped", with(tampered{step: func(l pca.Learner, status algorithms.Status) algorithms.Status {
		if again := l.Step(); again != status {
			return again
		}
		return algorithms.Status{}
	}})},
	"ignores its step": {"StepSizes", func(src pca.Source, k int, rng *rand.Rand, _ algorithms.Schedule) (pca.Learner, error) {
		return grouse(src, k, rng, algorithms.Constant{C: 1})
	}},
	"drifts": {"LongRun", scaled(func(l pca.Learner) float64 { return 1 + 1e-13*float64(l.Cost().Iterations) })},
	"does not learn": {"Converges", func(src pca.Source, k int, rng *rand.Rand, _ algorithms.Schedule) (pca.Learner, error) {
		return grouse(src, k, rng, algorithms.Constant{C: 0})
	}},
	"changes its configuration": {"Config", func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		if s, ok := step.(*algorithms.InverseSqrt); ok {
			s.C *= 1.0001
		}
		return grouse(src, k, rng, step)
	}},
}

// specOf returns the spec of the learners returned by create.
func specOf(create constructor) pcatest.Spec {
	step := &algorithms.InverseSqrt{C: 1}
	return pcatest.Spec{
		New: func(src pca.Source, k int, rng *rand.Rand) (pca.Learner, error) {
			return create(src, k, rng, step)
		},
		NewStep:       create,
		Config:        step,
		Suboptimality: 0.01,
	}
}

func TestSuite(t *testing.T) {
	if faults := pcatest.Faults(specOf(grouse)); len(faults) > 0 {
		t.Errorf("the suite rejects a correct learner: %v", faults)
	}
	for name, b := range broken {
		check := b.check
		if check == "Config" {
			check = "Reproducible" // any check that constructs a learner
		}
		if faults := pcatest.Faults(specOf(b.make), check); faults[b.check] == "" {
			t.Errorf("%s: %s found no fault; all faults: %v", name, b.check, faults)
		}
	}
}
