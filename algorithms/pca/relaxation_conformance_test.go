package pca_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"
)

func TestRelaxationConformance(t *testing.T) {
	incremental := pcatest.Spec{
		New: func(src pca.Source, k int, _ *rand.Rand) (pca.Learner, error) {
			return pca.NewIncremental(pca.IncrementalConfig{K: k}, src)
		},
		Suboptimality: 0.01,
	}
	t.Run("incremental", func(t *testing.T) { pcatest.Run(t, incremental) })
	for _, start := range []pca.Start{pca.StartRandomLowRank, pca.StartUniform, pca.StartRandomSubspace} {
		t.Run(fmt.Sprint("msg ", start), func(t *testing.T) {
			pcatest.Run(t, stepped(0.3, func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
				return pca.NewMSG(pca.MSGConfig{K: k, Step: step, Start: start}, src, rng)
			}, pcatest.Spec{Relaxed: true, Suboptimality: 0.01}))
		})
		if start == pca.StartRandomSubspace {
			continue
		}
		t.Run(fmt.Sprint("warmuth-kuzmin ", start), func(t *testing.T) {
			pcatest.Run(t, stepped(1, func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
				return pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: k, Step: step, Start: start}, src, rng)
			}, pcatest.Spec{Relaxed: true, Suboptimality: 0.01}))
		})
		t.Run(fmt.Sprint("warmuth-kuzmin-naive ", start), func(t *testing.T) {
			pcatest.Run(t, stepped(1, func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
				return pca.NewWarmuthKuzminNaive(pca.WarmuthKuzminConfig{K: k, Step: step, Start: start}, src, rng)
			}, pcatest.Spec{Relaxed: true, Suboptimality: 0.01}))
		})
	}
	for _, extra := range []int{0, 1, 2} {
		for _, window := range []int64{0, 20} {
			t.Run(fmt.Sprintf("capped-msg k+%d window=%d", extra, window), func(t *testing.T) {
				pcatest.Run(t, stepped(0.3, func(src pca.Source, k int, rng *rand.Rand, step algorithms.Schedule) (pca.Learner, error) {
					bound := max(k, min(src.Dim(), k+extra))
					return pca.NewCappedMSG(pca.CappedMSGConfig{K: k, Cap: bound, Step: step, RaiseWhenStuck: window}, src, rng)
				}, pcatest.Spec{Relaxed: true, Suboptimality: 0.01}))
			})
		}
	}
}
