package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
)

func TestPerceptronAgainstPlain(t *testing.T) {
	for _, average := range []bool{false, true} {
		p, g := newGaussianProblem(5, 25, 12, 31)
		again := newUniformOrder(3, 25)
		a, err := NewPerceptron(PerceptronConfig{Average: average}, p, newUniformOrder(3, 25))
		if err != nil {
			t.Fatal(err)
		}
		plain := newDenseIterate(p, g)
		var want algorithms.Cost
		plain.check(t, a, average)
		for plain.t = 1; plain.t <= 1000; plain.t++ {
			steps(t, a, 1)
			i := again.Next()
			var support int64
			for _, x := range plain.alpha {
				if x != 0 {
					support++
				}
			}
			want.Iterations++
			want.KernelEvals += support
			want.InnerProducts += support
			plain.average()
			if plain.response(i) <= 0 {
				plain.add(i, 1)
				want.KernelEvalsMoved += support
			}
			plain.check(t, a, average)
		}
		if a.Cost() != want || g.calls != int64(plain.moved) {
			t.Errorf("cost %+v after %d rows, want %+v", a.Cost(), g.calls, want)
		}
		if plain.moved < 20 || plain.moved > 900 {
			t.Errorf("only %d mistakes; the test is too weak", plain.moved)
		}
	}
}

// TestPerceptronSample checks that each sampled iterate is one of the iterates, and that the mean of
// many samples is the average of the iterates.
func TestPerceptronSample(t *testing.T) {
	const n, length, draws = 25, 40, 4000
	p, _ := newGaussianProblem(5, n, 12, 31)
	run := func(cfg PerceptronConfig) (s Solution) {
		a, err := NewPerceptron(cfg, p, newUniformOrder(3, n))
		if err != nil {
			t.Fatal(err)
		}
		steps(t, a, length)
		a.SolutionTo(&s)
		support := n - len(slices.DeleteFunc(slices.Clone(s.Alpha), func(x float64) bool { return x != 0 }))
		if a.Support() != support {
			t.Fatalf("support %d, want %d", a.Support(), support)
		}
		return s
	}
	mean := make([]float64, n)
	for seed := range uint64(draws) {
		for i, x := range run(PerceptronConfig{Sample: rand.New(rand.NewPCG(seed, 7))}).Alpha {
			if x != math.Trunc(x) {
				t.Fatalf("no iterate has the coefficient %v", x)
			}
			mean[i] += x / draws
		}
	}
	want := run(PerceptronConfig{Average: true}).Alpha
	for i, x := range mean {
		if bound := 5 * math.Sqrt((1+want[i]*want[i])/draws); !(math.Abs(x-want[i]) <= bound) {
			t.Errorf("coefficient %d is %.3f on average, want %.3f within %.3f", i, x, want[i], bound)
		}
	}
}
