package pca_test

import (
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"
)

// constructor is what a constructor looks like to the suite once its configuration
// is fixed but for k and the step sizes.
type constructor func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error)

// stepped completes the description of an algorithm that has the step sizes
// c/sqrt(t).
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
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		return pca.NewCappedMSG(pca.CappedMSGConfig{K: k, Cap: max(k, min(k+above, src.Dim())), Step: step, RaiseWhenStuck: raise}, src, rng)
	}
}

func warmuthKuzmin(start pca.Start) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		return pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: k, Step: step, Start: start}, src, rng)
	}
}

func warmuthKuzminNaive(start pca.Start) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		return pca.NewWarmuthKuzminNaive(pca.WarmuthKuzminConfig{K: k, Step: step, Start: start}, src, rng)
	}
}

func averaged(create constructor) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		inner, err := create(src, k, rng, step)
		if err != nil {
			return nil, err
		}
		return pca.NewAveraged(inner)
	}
}

func sampled(create constructor) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		inner, err := create(src, k, rng, step)
		if err != nil {
			return nil, err
		}
		return pca.NewSampled(inner, rng)
	}
}

func decomposed(create constructor) constructor {
	return func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
		inner, err := create(src, k, rng, step)
		if err != nil {
			return nil, err
		}
		return pca.NewDecomposed(inner, rng)
	}
}

func TestConformance(t *testing.T) {
	type spec = pcatest.Spec
	perSample := func(d, _, rank int) (kt, kt2 int64) { return int64(rank), int64(d) }
	perStep := func(_, k, _ int) (kt, kt2 int64) { return int64(k), int64(k) * int64(k) }
	for _, test := range []struct {
		name string
		spec spec
	}{
		{"saa", spec{New: saa, Charge: perSample, Suboptimality: 1e-3}},
		{"incremental", spec{New: incremental, Suboptimality: 0.01}},
		{"power", stepped(1, power, spec{Suboptimality: 0.01})},
		{"gha", stepped(0.3, gha, spec{Charge: perStep, Suboptimality: 0.01})},
		{"grouse", stepped(1, grouse, spec{Suboptimality: 0.01})},
		{"msg", stepped(0.3, msg(pca.StartDefault), spec{Relaxed: true, Suboptimality: 0.01})},
		{"msg start=random-low-rank", stepped(1, msg(pca.StartRandomLowRank), spec{Relaxed: true, Suboptimality: 0.01})},
		{"msg start=uniform", stepped(1, msg(pca.StartUniform), spec{Relaxed: true, Suboptimality: 0.01})},
		{"msg start=random-subspace", stepped(1, msg(pca.StartRandomSubspace), spec{Relaxed: true, Suboptimality: 0.01})},
		{"capped-msg cap=k", stepped(1, cappedMSG(0, 0), spec{Relaxed: true, Suboptimality: 0.01})},
		{"capped-msg cap=k+1", stepped(1, cappedMSG(1, 0), spec{Relaxed: true, Suboptimality: 0.01})},
		{"capped-msg cap=k+2", stepped(0.3, cappedMSG(2, 0), spec{Relaxed: true, Suboptimality: 0.01})},
		{"capped-msg cap=k raise", stepped(0.3, cappedMSG(0, 20), spec{Relaxed: true, Suboptimality: 0.01})},
		{"capped-msg raise", stepped(1, cappedMSG(1, 10), spec{Relaxed: true, Suboptimality: 0.01})},
		{"capped-msg cap=k+2 raise", stepped(1, cappedMSG(2, 10), spec{Relaxed: true, Suboptimality: 0.01})},
		{"warmuth-kuzmin", stepped(1, warmuthKuzmin(pca.StartDefault), spec{Relaxed: true, Suboptimality: 0.01})},
		{"warmuth-kuzmin start=uniform", stepped(1, warmuthKuzmin(pca.StartUniform), spec{Relaxed: true, Suboptimality: 0.01})},
		{"warmuth-kuzmin start=random-low-rank", stepped(1, warmuthKuzmin(pca.StartRandomLowRank), spec{Relaxed: true, Suboptimality: 0.01})},
		{"warmuth-kuzmin-naive", stepped(1, warmuthKuzminNaive(pca.StartUniform), spec{Relaxed: true, Suboptimality: 0.01})},
		{"warmuth-kuzmin-naive start=random-low-rank", stepped(1, warmuthKuzminNaive(pca.StartRandomLowRank), spec{Relaxed: true, Suboptimality: 0.01})},
		{"averaged msg", stepped(1, averaged(msg(pca.StartDefault)), spec{Relaxed: true, Output: true, Suboptimality: 0.01})},
		{"averaged warmuth-kuzmin", stepped(1, averaged(warmuthKuzmin(pca.StartUniform)), spec{Relaxed: true, Output: true, Suboptimality: 0.01})},
		{"averaged grouse", stepped(1, averaged(grouse), spec{Relaxed: true, Output: true, Suboptimality: 0.01})},
		{"sampled msg", stepped(1, sampled(msg(pca.StartDefault)), spec{Relaxed: true, Output: true})},
		{"sampled warmuth-kuzmin", stepped(1, sampled(warmuthKuzmin(pca.StartUniform)), spec{Relaxed: true, Output: true})},
		{"decomposed msg", stepped(1, decomposed(msg(pca.StartDefault)), spec{Output: true, Suboptimality: 0.01})},
		{"decomposed warmuth-kuzmin", stepped(1, decomposed(warmuthKuzmin(pca.StartUniform)), spec{Output: true, Suboptimality: 0.02})},
		{"decomposed grouse", stepped(1, decomposed(grouse), spec{Output: true, Suboptimality: 0.01})},
	} {
		pcatest.Run(t, test.name, test.spec)
	}
}
