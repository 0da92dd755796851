package sparse_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
)

// BenchmarkSparsify times a step on 2000 points, in memory, of problems whose
// threshold takes long to reach; restarts are included. The support reported is
// that at the end.
func BenchmarkSparsify(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := example{gamma: 0.5, bias: true}
	x.points = sparsetest.Blobs(rng, 1000, 1000, 8, 1.5, 0)
	x.rows = x.points.GaussianGram(x.gamma)
	ref, err := sparsetest.Train(x.rows, x.points.Positive, 1, true)
	if err != nil {
		b.Fatal(err)
	}
	x.ref = ref
	for _, relearn := range []bool{false, true} {
		for _, m := range ownMethods {
			b.Run(fmt.Sprintf("%s/relearn=%t", m.name, relearn), func(b *testing.B) {
				cfg := sparse.SparsifyConfig{Eta: 0.002, Epsilon: 0.02, Relearn: relearn}
				var l mimic
				for b.Loop() {
					if l == nil || l.Step().Stop() {
						if l, err = m.make(cfg, x.problem(), x.ref); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(l.Support()), "support")
			})
		}
	}
}
