package pca_test

import (
	"math"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/pca"
)

func TestRelaxationStarts(t *testing.T) {
	const d = 10
	low := slices.Repeat([]float64{0.75}, 4)
	for name, test := range map[string]struct {
		create constructor
		k      int
		sigma  []float64
		bulk   float64
	}{
		"msg":                  {msg(pca.StartDefault), 3, low, 0},
		"msg, k+1 = d":         {msg(pca.StartDefault), 9, nil, 0.9},
		"msg, uniform":         {msg(pca.StartUniform), 3, nil, 0.3},
		"msg, zero":            {msg(pca.StartZero), 3, nil, 0},
		"msg, random subspace": {msg(pca.StartRandomSubspace), 3, []float64{1, 1, 1}, 0},
		"capped-msg":           {cappedMSG(1, 0), 3, low, 0},
		"capped-msg, cap k":    {cappedMSG(0, 0), 3, []float64{1, 1, 1}, 0},
		"warmuth-kuzmin":       {warmuthKuzmin(pca.StartDefault), 3, nil, 0.3},
		"warmuth-kuzmin, low":  {warmuthKuzmin(pca.StartRandomLowRank), 3, low, 0},
		"warmuth-kuzmin-naive": {warmuthKuzminNaive, 3, nil, 0.3},
	} {
		l := suite.Must(test.create(&mixture{d: d, rng: newRand(16)}, test.k, newRand(1), algorithms.Constant{C: 0.1}))
		var st pca.State
		l.StateTo(&st)
		same := slices.EqualFunc(st.Sigma, test.sigma, func(a, b float64) bool { return math.Abs(a-b) <= 1e-15 })
		if !same || math.Abs(st.Bulk-test.bulk) > 1e-15 {
			t.Errorf("%s: sigma %v, bulk %g; want %v, %g", name, st.Sigma, st.Bulk, test.sigma, test.bulk)
		}
	}
}

// TestRefusals checks arguments of individual constructors. The conformance suite checks the common
// ones.
func TestRefusals(t *testing.T) {
	const d = 5
	src, rng, step := &mixture{d: d, rng: newRand(17)}, newRand(1), algorithms.Constant{C: 0.1}
	inner := suite.Must(pca.NewIncremental(pca.IncrementalConfig{K: 1}, src))
	capped := func(cfg pca.CappedMSGConfig) error {
		cfg.Step = step
		_, err := pca.NewCappedMSG(cfg, src, rng)
		return err
	}
	wk := func(start pca.Start) error {
		_, err := pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: 2, Step: step, Start: start}, src, nil)
		return err
	}
	for name, err := range map[string]error{
		"power without generator":          second(pca.NewPower(pca.PowerConfig{K: 1, Step: step}, src, nil)),
		"gha without generator":            second(pca.NewGHA(pca.GHAConfig{K: 1, Step: step}, src, nil)),
		"grouse without generator":         second(pca.NewGROUSE(pca.GROUSEConfig{K: 1, Step: step}, src, nil)),
		"msg without generator":            second(pca.NewMSG(pca.MSGConfig{K: 2, Step: step}, src, nil)),
		"msg, unknown start":               second(pca.NewMSG(pca.MSGConfig{K: 2, Step: step, Start: "nowhere"}, src, rng)),
		"capped-msg, cap below k":          capped(pca.CappedMSGConfig{K: 3, Cap: 2}),
		"capped-msg without cap":           capped(pca.CappedMSGConfig{K: 3}),
		"capped-msg, cap above d":          capped(pca.CappedMSGConfig{K: 3, Cap: d + 1}),
		"capped-msg, start above cap":      capped(pca.CappedMSGConfig{K: 2, Cap: 2, Start: pca.StartRandomLowRank}),
		"capped-msg, uniform below d":      capped(pca.CappedMSGConfig{K: 2, Cap: 3, Start: pca.StartUniform}),
		"capped-msg, negative window":      capped(pca.CappedMSGConfig{K: 2, Cap: 3, RaiseWhenStuck: -1}),
		"warmuth-kuzmin, random subspace":  wk(pca.StartRandomSubspace),
		"warmuth-kuzmin, zero":             wk(pca.StartZero),
		"warmuth-kuzmin without generator": wk(pca.StartRandomLowRank),
		"incremental, fewer than k":        second(pca.NewIncremental(pca.IncrementalConfig{K: 3, Cap: 2}, src)),
		"incremental, more than d":         second(pca.NewIncremental(pca.IncrementalConfig{K: 3, Cap: d + 1}, src)),
		"averaged nothing":                 second(pca.NewAveraged(nil)),
		"sampled nothing":                  second(pca.NewSampled(nil, rng)),
		"sampled without generator":        second(pca.NewSampled(inner, nil)),
		"decomposed nothing":               second(pca.NewDecomposed(nil, rng)),
		"decomposed without generator":     second(pca.NewDecomposed(inner, nil)),
		"theory step of msg, k = 0":        second(pca.MSGTheoryStep(0, 10)),
		"theory step of msg, T = 0":        second(pca.MSGTheoryStep(1, 0)),
		"theory step of wk, k = 0":         second(pca.WarmuthKuzminTheoryStep(20, 0, 10)),
		"theory step of wk, k = d":         second(pca.WarmuthKuzminTheoryStep(4, 4, 10)),
		"theory step of wk, T = 0":         second(pca.WarmuthKuzminTheoryStep(20, 1, 0)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestTheorySteps(t *testing.T) {
	msg, err := pca.MSGTheoryStep(4, 10000)
	if err != nil || msg.At(1) != 0.04 {
		t.Errorf("MSGTheoryStep(4, 10000) = %v, %v, want 0.04", msg, err)
	}
	wk, err := pca.WarmuthKuzminTheoryStep(20, 4, 10000)
	if err != nil || wk.At(7) != 0.01 {
		t.Errorf("WarmuthKuzminTheoryStep(20, 4, 10000) = %v, %v, want 0.01", wk, err)
	}
}
