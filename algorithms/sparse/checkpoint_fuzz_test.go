package sparse_test

import (
	"context"
	"runtime"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

// FuzzCheckpoint: whatever is loaded is refused or taken, in memory in proportion to it and
// to the problem.
func FuzzCheckpoint(f *testing.F) {
	points := sparsetest.Blobs(suite.NewRand(1), 8, 10, 2, 3, 0)
	rows, inputs := points.GaussianGram(0.5), points.Inputs(0.5)
	p := svm.Problem{Rows: rows, Positive: points.Positive}
	ref, err := sparsetest.Train(rows, points.Positive, 1, false)
	if err != nil {
		f.Fatal(err)
	}
	makers := []func() (sparse.Learner, error){
		func() (sparse.Learner, error) {
			return learner(sparse.NewCPSP(context.Background(), sparse.CPSPConfig{C: 1, Basis: 5, Tolerance: 1e-3, Pursue: sparse.PursueSolution, Every: 1, Starts: 2}, p, inputs, suite.NewRand(3)))
		},
		func() (sparse.Learner, error) {
			return learner(sparse.NewCSVM(context.Background(), sparse.CSVMConfig{Support: 2, Pair: sparse.PairLoss, Refit: 6, Relearn: true}, p, inputs, ref))
		},
		func() (sparse.Learner, error) {
			return learner(sparse.NewSpSVM(context.Background(), sparse.SpSVMConfig{C: 1, Support: 6, Candidates: 2}, p, suite.NewRand(3)))
		},
		func() (sparse.Learner, error) {
			return learner(sparse.NewZhanShen(sparse.ZhanShenConfig{C: 1, RegressionC: 1, Exclude: 0.2, Rounds: 1, Epsilon: 0.25, Tolerance: 1e-6}, p, inputs, ref))
		},
		func() (sparse.Learner, error) {
			return learner(sparse.NewForgetron(sparse.ForgetronConfig{Budget: 5}, p, suite.Uniform{Rng: suite.NewRand(2), N: 18}))
		},
		func() (sparse.Learner, error) {
			return learner(sparse.NewReducedSet(context.Background(), sparse.ReducedSetConfig{Support: 5, Starts: 2, Relearn: true}, p, inputs, ref))
		},
		func() (sparse.Learner, error) {
			return learner(sparse.NewRSVM(context.Background(), sparse.RSVMConfig{C: 1, Ratio: 0.5}, p, suite.NewRand(3)))
		},
		func() (sparse.Learner, error) {
			return learner(sparse.NewRamp(sparse.RampConfig{C: 1, S: -0.5, Start: sparse.FromReference, Tolerance: 1e-6}, p, ref))
		},
		func() (sparse.Learner, error) {
			return learner(sparse.NewOsunaGirosi(sparse.OsunaGirosiConfig{Epsilon: 0.25, C: 1, Start: sparse.FromZero, Tolerance: 1e-6}, p, ref))
		},
		func() (sparse.Learner, error) {
			return learner(sparse.NewSparsifyAggressive(sparse.SparsifyConfig{Eta: 0.25, Epsilon: 0.1, Most: 7}, p, ref))
		},
		func() (sparse.Learner, error) {
			return learner(sparse.NewRBP(sparse.RBPConfig{Budget: 5}, p, suite.Uniform{Rng: suite.NewRand(2), N: 18}, suite.NewRand(3)))
		},
	}
	for which, create := range makers {
		l, err := create()
		if err != nil {
			f.Fatal(err)
		}
		for range 3 {
			suite.Advance(l, 6)
			f.Add(uint8(which), suite.Save(f, l))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		l, err := makers[int(which)%len(makers)]()
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = suite.Load(l, data) // whether it is refused
		runtime.ReadMemStats(&after)
		if used, most := after.TotalAlloc-before.TotalAlloc, uint64(100*len(data)+8<<20); used > most {
			t.Errorf("%d bytes take %d bytes to load", len(data), used)
		}
	})
}
