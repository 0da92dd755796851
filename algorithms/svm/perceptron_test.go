package svm

import (
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
			t.Errorf("%d mistakes are not much of a test", plain.moved)
		}
	}
}
