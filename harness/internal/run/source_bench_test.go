package run

import (
	"os"
	"runtime"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/datasets"
)

// BenchmarkMNISTStep is the time of a cheap step, k = 1, on rows of MNIST drawn uniformly,
// from a table of numbers and one of bytes.
func BenchmarkMNISTStep(b *testing.B) {
	data, err := datasets.Open(b.Context(), datasets.Ref{Source: "mnist", Prepare: []string{"center", "unit-expected-norm"}},
		datasets.Options{Mirror: os.Getenv("HARNESS_MIRROR"), AllowStandIn: true, Offline: true})
	if err != nil {
		b.Fatal(err)
	}
	in := data.Table
	values := make([]float64, 0, in.N*in.D)
	for i := range in.N {
		values = append(values, in.Row(i, nil)...)
	}
	for _, method := range []struct {
		name string
		make func(src pca.Source) (pca.Learner, error)
	}{
		{"incremental", func(src pca.Source) (pca.Learner, error) { return pca.NewIncremental(pca.IncrementalConfig{K: 1}, src) }},
		{"grouse", func(src pca.Source) (pca.Learner, error) {
			return pca.NewGROUSE(pca.GROUSEConfig{K: 1, Step: algorithms.InverseSqrt{C: 0.1}}, src, newRNG(2))
		}},
		{"msg", func(src pca.Source) (pca.Learner, error) {
			return pca.NewMSG(pca.MSGConfig{K: 1, Step: algorithms.InverseSqrt{C: 0.1}}, src, newRNG(2))
		}},
	} {
		for _, table := range []struct {
			name string
			*datasets.Table
		}{{"numbers", datasets.NewDense(in.N, in.D, values, nil)}, {"bytes", in}} {
			b.Run(method.name+"/"+table.name, func(b *testing.B) {
				learner, err := method.make(newRowSource(table.Table, allRows(in.N), newOrder("uniform", in.N, newRNG(1))))
				if err != nil {
					b.Fatal(err)
				}
				for range 200 {
					learner.Step()
				}
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				var watch stopwatch
				watch.start()
				for b.Loop() {
					if status := learner.Step(); status.Stop() {
						b.Fatal(status.Reason)
					}
				}
				b.ReportMetric(float64(watch.total().cpu.Nanoseconds())/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
