package svm

import (
	"math"
	"slices"
	"testing"
)

// TestLinearPegasosEqualsThePlainForm compares the method with its textbook form.
func TestLinearPegasosEqualsThePlainForm(t *testing.T) {
	const n, d, lambda = 40, 6, 0.05
	p, x := linearProblem(t, 12, n, d)
	for _, last := range []bool{false, true} {
		a, err := NewLinearPegasos(LinearPegasosConfig{Lambda: lambda, Last: last}, p, newLinearOrder(6, n))
		if err != nil {
			t.Fatal(err)
		}
		order := newLinearOrder(6, n)
		w, sum := make([]float64, d), make([]float64, d)
		var s Solution
		for step := 1; step <= 3000; step++ {
			a.Step()
			i := order.Next()
			eta := 1 / (lambda * float64(step))
			u := 0.0
			for k := range d {
				u += w[k] * x[i*d+k]
			}
			for k := range d {
				w[k] *= 1 - eta*lambda
				if p.Label(i)*u < 1 {
					w[k] += eta * p.Label(i) * x[i*d+k]
				}
				sum[k] += w[k]
			}
			if step%500 != 0 && step > 3 {
				continue
			}
			want := slices.Clone(w)
			if !last {
				for k := range want {
					want[k] = sum[k] / float64(step)
				}
			}
			a.SolutionTo(&s)
			norm := 0.0
			for _, v := range want {
				norm += v * v
			}
			if math.Abs(s.NormSq-norm) > 1e-9*norm {
				t.Fatalf("last %v, step %d: |w|^2 = %v, want %v", last, step, s.NormSq, norm)
			}
			for j, got := range s.Scores {
				v := 0.0
				for k := range d {
					v += want[k] * x[j*d+k]
				}
				if math.Abs(got-v) > 1e-9*(1+math.Abs(v)) {
					t.Fatalf("last %v, step %d: score %d is %v, want %v", last, step, j, got, v)
				}
			}
		}
	}
}
