package svm_test

import (
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// BenchmarkStep measures steps from the start, on 2000 points with kernel rows in memory.
func BenchmarkStep(b *testing.B) {
	p := suite.Blobs(rand.New(rand.NewPCG(1, 1)), 1000, 1000, 0, 8, 0.1, 0)
	problem := svm.Problem{Rows: p.Gram(suite.Gaussian(0.05)), Positive: p.Positive}
	const lambda = 1e-3
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(2, 1)) }
	order := func() svm.Order { return suite.Uniform{Rng: rng(), N: p.Train()} }
	for _, bench := range []struct {
		name string
		new  func() (svm.Learner, error)
	}{
		{"sbp", func() (svm.Learner, error) { return svm.NewSBP(svm.SBPConfig{Nu: 0.1}, problem, rng()) }},
		{"sgd", func() (svm.Learner, error) { return svm.NewSGD(svm.SGDConfig{R: 5}, problem, order()) }},
		{"pegasos", func() (svm.Learner, error) {
			return svm.NewPegasos(svm.PegasosConfig{Lambda: lambda}, problem, order())
		}},
		{"sdca", func() (svm.Learner, error) { return svm.NewSDCA(svm.SDCAConfig{Lambda: lambda}, problem, order()) }},
		{"smo", func() (svm.Learner, error) { return svm.NewSMO(svm.SMOConfig{Lambda: lambda, Bias: true}, problem) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			l := suite.Must(bench.new())
			for b.Loop() {
				if l.Step().Stop() {
					b.StopTimer()
					l = suite.Must(bench.new())
					b.StartTimer()
				}
			}
		})
	}
}
