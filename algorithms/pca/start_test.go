package pca_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
)

func TestRelaxationStarts(t *testing.T) {
	const d, k = 10, 3
	step := algorithms.Constant{C: 0.1}
	src := func() pca.Source { return &mixture{d: d, rng: newRand(16)} }
	for _, test := range []struct {
		name  string
		new   func() (pca.Learner, error)
		rank  int
		sigma []float64
		bulk  float64
	}{
		{"incremental", func() (pca.Learner, error) {
			return pca.NewIncremental(pca.IncrementalConfig{K: k}, src())
		}, 0, nil, 0},
		{"msg, default", func() (pca.Learner, error) {
			return pca.NewMSG(pca.MSGConfig{K: k, Step: step}, src(), newRand(1))
		}, 4, slices.Repeat([]float64{0.75}, 4), 0},
		{"msg, uniform", func() (pca.Learner, error) {
			return pca.NewMSG(pca.MSGConfig{K: k, Step: step, Start: pca.StartUniform}, src(), nil)
		}, 10, nil, 0.3},
		{"msg, random subspace", func() (pca.Learner, error) {
			return pca.NewMSG(pca.MSGConfig{K: k, Step: step, Start: pca.StartRandomSubspace}, src(), newRand(1))
		}, 3, []float64{1, 1, 1}, 0},
		{"msg, k+1 = d", func() (pca.Learner, error) {
			return pca.NewMSG(pca.MSGConfig{K: 9, Step: step}, src(), newRand(1))
		}, 10, nil, 0.9},
		{"capped-msg, default", func() (pca.Learner, error) {
			return pca.NewCappedMSG(pca.CappedMSGConfig{K: k, Cap: 4, Step: step}, src(), newRand(1))
		}, 4, slices.Repeat([]float64{0.75}, 4), 0},
		{"capped-msg, cap k", func() (pca.Learner, error) {
			return pca.NewCappedMSG(pca.CappedMSGConfig{K: k, Cap: 3, Step: step}, src(), newRand(1))
		}, 3, []float64{1, 1, 1}, 0},
		{"warmuth-kuzmin, default", func() (pca.Learner, error) {
			return pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: k, Step: step}, src(), nil)
		}, 10, nil, 0.3},
		{"warmuth-kuzmin, random low rank", func() (pca.Learner, error) {
			return pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: k, Step: step, Start: pca.StartRandomLowRank}, src(), newRand(1))
		}, 4, slices.Repeat([]float64{0.75}, 4), 0},
		{"warmuth-kuzmin-naive, random low rank", func() (pca.Learner, error) {
			return pca.NewWarmuthKuzminNaive(pca.WarmuthKuzminConfig{K: k, Step: step, Start: pca.StartRandomLowRank}, src(), newRand(1))
		}, 4, slices.Repeat([]float64{0.75}, 4), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, err := test.new()
			if err != nil {
				t.Fatal(err)
			}
			var st pca.State
			l.StateTo(&st)
			if l.Rank() != test.rank || len(st.Sigma) != len(test.sigma) || math.Abs(st.Bulk-test.bulk) > 1e-15 {
				t.Fatalf("rank %d, sigma %v, bulk %g; want %d, %v, %g", l.Rank(), st.Sigma, st.Bulk, test.rank, test.sigma, test.bulk)
			}
			for i, s := range st.Sigma {
				if math.Abs(s-test.sigma[i]) > 1e-15 {
					t.Errorf("sigma %v, want %v", st.Sigma, test.sigma)
				}
			}
			if e := pca.Orthonormality(st.U); e > 1e-14 {
				t.Errorf("U^T U off by %g", e)
			}
		})
	}
}

func TestRelaxationRefusals(t *testing.T) {
	const d = 5
	src := func() pca.Source { return &mixture{d: d, rng: newRand(17)} }
	step := algorithms.Constant{C: 0.1}
	var nilSource pca.Source
	msg := func(cfg pca.MSGConfig, src pca.Source, rng *rand.Rand) func() (pca.Learner, error) {
		return func() (pca.Learner, error) { return pca.NewMSG(cfg, src, rng) }
	}
	capped := func(cfg pca.CappedMSGConfig) func() (pca.Learner, error) {
		return func() (pca.Learner, error) { return pca.NewCappedMSG(cfg, src(), newRand(1)) }
	}
	wk := func(cfg pca.WarmuthKuzminConfig, rng *rand.Rand) func() (pca.Learner, error) {
		return func() (pca.Learner, error) { return pca.NewWarmuthKuzmin(cfg, src(), rng) }
	}
	for _, test := range []struct {
		name string
		new  func() (pca.Learner, error)
		want string
	}{
		{"incremental k = 0", func() (pca.Learner, error) {
			return pca.NewIncremental(pca.IncrementalConfig{}, src())
		}, "0 < k < d"},
		{"incremental k = d", func() (pca.Learner, error) {
			return pca.NewIncremental(pca.IncrementalConfig{K: d}, src())
		}, "0 < k < d"},
		{"incremental without source", func() (pca.Learner, error) {
			return pca.NewIncremental(pca.IncrementalConfig{K: 1}, nil)
		}, "source is nil"},
		{"msg k = 0", msg(pca.MSGConfig{Step: step}, src(), newRand(1)), "0 < k < d"},
		{"msg k > d", msg(pca.MSGConfig{K: d + 1, Step: step}, src(), newRand(1)), "0 < k < d"},
		{"msg without source", msg(pca.MSGConfig{K: 2, Step: step}, nilSource, newRand(1)), "source is nil"},
		{"msg without schedule", msg(pca.MSGConfig{K: 2}, src(), newRand(1)), "schedule is nil"},
		{"msg, negative step", msg(pca.MSGConfig{K: 2, Step: algorithms.Constant{C: -1}}, src(), newRand(1)), "not negative"},
		{"msg, unknown start", msg(pca.MSGConfig{K: 2, Step: step, Start: "zero"}, src(), newRand(1)), `unknown start "zero": use "random-low-rank", "uniform" or "random-subspace"`},
		{"msg without generator", msg(pca.MSGConfig{K: 2, Step: step}, src(), nil), `generator is nil: pass one, or start at "uniform"`},
		{"capped-msg k = 0", capped(pca.CappedMSGConfig{Cap: 1, Step: step}), "0 < k < d"},
		{"capped-msg cap < k", capped(pca.CappedMSGConfig{K: 3, Cap: 2, Step: step}), "rank cap of 2 for k = 3"},
		{"capped-msg without cap", capped(pca.CappedMSGConfig{K: 3, Step: step}), "k+1 = 4 is the usual choice"},
		{"capped-msg cap > d", capped(pca.CappedMSGConfig{K: 3, Cap: d + 1, Step: step}), "at most d"},
		{"capped-msg without schedule", capped(pca.CappedMSGConfig{K: 3, Cap: 4}), "schedule is nil"},
		{"capped-msg, unknown start", capped(pca.CappedMSGConfig{K: 3, Cap: 4, Step: step, Start: "I"}), "unknown start"},
		{"capped-msg, start above cap", capped(pca.CappedMSGConfig{K: 2, Cap: 2, Step: step, Start: pca.StartRandomLowRank}), `rank 3, which exceeds the cap of 2: raise the cap, or start at "random-subspace"`},
		{"capped-msg, uniform below d", capped(pca.CappedMSGConfig{K: 2, Cap: 3, Step: step, Start: pca.StartUniform}), "rank 5, which exceeds the cap of 3"},
		{"capped-msg, negative window", capped(pca.CappedMSGConfig{K: 2, Cap: 3, Step: step, RaiseWhenStuck: -1}), "cannot be raised after -1"},
		{"warmuth-kuzmin k = d", wk(pca.WarmuthKuzminConfig{K: d, Step: step}, newRand(1)), "0 < k < d"},
		{"warmuth-kuzmin without schedule", wk(pca.WarmuthKuzminConfig{K: 2}, newRand(1)), "schedule is nil"},
		{"warmuth-kuzmin, random subspace", wk(pca.WarmuthKuzminConfig{K: 2, Step: step, Start: pca.StartRandomSubspace}, newRand(1)), `use "random-low-rank" or "uniform"`},
		{"warmuth-kuzmin, unknown start", wk(pca.WarmuthKuzminConfig{K: 2, Step: step, Start: "I/d"}, newRand(1)), "unknown start"},
		{"warmuth-kuzmin without generator", wk(pca.WarmuthKuzminConfig{K: 2, Step: step, Start: pca.StartRandomLowRank}, nil), "generator is nil"},
		{"warmuth-kuzmin-naive, unknown start", func() (pca.Learner, error) {
			return pca.NewWarmuthKuzminNaive(pca.WarmuthKuzminConfig{K: 2, Step: step, Start: "I/d"}, src(), nil)
		}, "unknown start"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.new()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// badStep is a schedule that goes wrong at the third step.
type badStep struct{ bad float64 }

func (b badStep) At(t int64) float64 {
	if t == 3 {
		return b.bad
	}
	return 0.1
}

func (b badStep) String() string { return "bad" }

func TestBadStepSizes(t *testing.T) {
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		msg, err := pca.NewMSG(pca.MSGConfig{K: 2, Step: badStep{bad}}, &mixture{d: 5, rng: newRand(18)}, newRand(1))
		if err != nil {
			t.Fatal(err)
		}
		naive, err := pca.NewWarmuthKuzminNaive(pca.WarmuthKuzminConfig{K: 2, Step: badStep{bad}}, &mixture{d: 5, rng: newRand(18)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []pca.Learner{msg, naive} {
			l.Step()
			l.Step()
			status := l.Step()
			if status.State != algorithms.Failed || !strings.Contains(status.Reason, "iteration 3") {
				t.Errorf("step size %g: %+v, want a failure in iteration 3", bad, status)
			}
			if l.Cost().Iterations != 2 {
				t.Errorf("step size %g: %d iterations counted, want 2", bad, l.Cost().Iterations)
			}
		}
	}
}

func TestTheorySteps(t *testing.T) {
	msg, err := pca.MSGTheoryStep(4, 10000)
	if err != nil || msg.At(1) != 0.04 {
		t.Errorf("MSGTheoryStep(4, 10000) = %v, %v, want 0.04", msg, err)
	}
	wk, err := pca.WarmuthKuzminTheoryStep(20, 4, 10000)
	if err != nil || wk.At(7) != 0.01 {
		t.Errorf("WarmuthKuzminTheoryStep(20, 4, 10000) = %v, %v, want 0.01", wk, err)
	}
	for _, bad := range [][2]int64{{0, 10}, {-1, 10}, {1, 0}, {1, -5}} {
		if _, err := pca.MSGTheoryStep(int(bad[0]), bad[1]); err == nil {
			t.Errorf("MSGTheoryStep(%d, %d): no error", bad[0], bad[1])
		}
		if _, err := pca.WarmuthKuzminTheoryStep(20, int(bad[0]), bad[1]); err == nil {
			t.Errorf("WarmuthKuzminTheoryStep(20, %d, %d): no error", bad[0], bad[1])
		}
	}
	if _, err := pca.WarmuthKuzminTheoryStep(4, 4, 10); err == nil {
		t.Error("WarmuthKuzminTheoryStep with k = d: no error")
	}
}
