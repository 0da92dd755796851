package pca_test

import (
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"
)

// constructor is a constructor with a fixed configuration, except for k and the step sizes.
type constructor func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error)

// stepped completes the spec of an algorithm with the step sizes c/sqrt(t).
func stepped(c float64, create constructor, spec pcatest.Spec) pcatest.Spec {
	step := &algorithms.InverseSqrt{C: c}
	spec.Config = step
	spec.NewStep = create
	spec.New = func(src pca.Source, k int, rng *rand.Rand) (pca.Learner, error) {
		return create(src, k, rng, step)
	}
	return spec
}

func saa(src pca.Source, k int, _ *rand.Rand) (pca.Learner, error) {
	return pca.NewSAA(pca.SAAConfig{K: k}, src)
}

func incremental(src pca.Source, k int, _ *rand.Rand) (pca.Learner, error) {
	return pca.NewIncremental(pca.IncrementalConfig{K: k}, src)
}

func incrementalOf(above int, newest bool) func(pca.Source, int, *rand.Rand) (pca.Learner, error) {
	return func(src pca.Source, k int, _ *rand.Rand) (pca.Learner, error) {
		return pca.NewIncremental(pca.IncrementalConfig{K: k, Cap: k + above, KeepNewest: newest}, src)
	}
}

func power(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
	return pca.NewPower(pca.PowerConfig{K: k, Step: step}, src, rng)
}

func gha(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
	return pca.NewGHA(pca.GHAConfig{K: k, Step: step}, src, rng)
}

func grouse(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
	return pca.NewGROUSE(pca.GROUSEConfig{K: k, Step: step}, src, rng)
}

func msg(start pca.Start) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		return pca.NewMSG(pca.MSGConfig{K: k, Step: step, Start: start}, src, rng)
	}
}

func cappedMSG(above int, raise int64) constructor {
	return cappedMSGFrom(pca.StartDefault, above, raise)
}

func cappedMSGFrom(start pca.Start, above int, raise int64) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		cfg := pca.CappedMSGConfig{K: k, Cap: k + above, Step: step, Start: start, RaiseWhenStuck: raise}
		if src != nil {
			cfg.Cap = max(k, min(cfg.Cap, src.Dim()))
		}
		return pca.NewCappedMSG(cfg, src, rng)
	}
}

func warmuthKuzmin(start pca.Start) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		return pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: k, Step: step, Start: start}, src, rng)
	}
}

func warmuthKuzminNaive(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
	return pca.NewWarmuthKuzminNaive(pca.WarmuthKuzminConfig{K: k, Step: step}, src, rng)
}

// output returns a constructor of learners wrapped by wrap.
func output[L pca.Learner](create constructor, wrap func(inner pca.Learner, rng *rand.Rand) (L, error)) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		inner, err := create(src, k, rng, step)
		if err != nil {
			return nil, err
		}
		return wrap(inner, rng)
	}
}

func averaged(inner pca.Learner, _ *rand.Rand) (*pca.Averaged, error) { return pca.NewAveraged(inner) }

func TestConformance(t *testing.T) {
	perSample := func(d, _, rank int) (kt, kt2 int64) { return int64(rank), int64(d) }
	perStep := func(_, k, _ int) (kt, kt2 int64) { return int64(k), int64(k) * int64(k) }
	projection := pcatest.Spec{Suboptimality: 0.01}
	relaxed := pcatest.Spec{Relaxed: true, Suboptimality: 0.01}
	out := pcatest.Spec{Relaxed: true, Output: true, Suboptimality: 0.01}
	uniform := warmuthKuzmin(pca.StartUniform)
	for _, test := range []struct {
		name string
		spec pcatest.Spec
	}{
		{"saa", pcatest.Spec{New: saa, Charge: perSample, Suboptimality: 1e-3}},
		{"incremental", pcatest.Spec{New: incremental, Suboptimality: 0.01}},
		{"incremental cap=k+1", pcatest.Spec{New: incrementalOf(1, false), Output: true, Suboptimality: 0.01}},
		{"incremental ties=new", pcatest.Spec{New: incrementalOf(0, true), Suboptimality: 0.01}},
		{"power", stepped(1, power, projection)},
		{"gha", stepped(0.3, gha, pcatest.Spec{Charge: perStep, Suboptimality: 0.01})},
		{"grouse", stepped(1, grouse, projection)},
		{"msg", stepped(0.3, msg(pca.StartDefault), relaxed)},
		{"msg start=uniform", stepped(1, msg(pca.StartUniform), relaxed)},
		{"msg start=random-subspace", stepped(1, msg(pca.StartRandomSubspace), relaxed)},
		{"capped-msg cap=k", stepped(1, cappedMSG(0, 0), relaxed)},
		{"capped-msg cap=k+2", stepped(0.3, cappedMSG(2, 0), relaxed)},
		{"capped-msg cap=k raise", stepped(0.3, cappedMSG(0, 20), relaxed)},
		{"warmuth-kuzmin", stepped(1, uniform, relaxed)},
		{"warmuth-kuzmin start=random-low-rank", stepped(1, warmuthKuzmin(pca.StartRandomLowRank), relaxed)},
		{"warmuth-kuzmin-naive", stepped(1, warmuthKuzminNaive, relaxed)},
		{"averaged msg", stepped(1, output(msg(pca.StartDefault), averaged), out)},
		{"averaged warmuth-kuzmin", stepped(1, output(uniform, averaged), out)},
		{"sampled msg", stepped(1, output(msg(pca.StartDefault), pca.NewSampled), pcatest.Spec{Relaxed: true, Output: true})},
		{"decomposed msg", stepped(1, output(msg(pca.StartDefault), pca.NewDecomposed), pcatest.Spec{Output: true, Suboptimality: 0.01})},
		{"decomposed warmuth-kuzmin", stepped(1, output(uniform, pca.NewDecomposed), pcatest.Spec{Output: true, Suboptimality: 0.02})},
	} {
		pcatest.Run(t, test.name, test.spec)
	}
}
