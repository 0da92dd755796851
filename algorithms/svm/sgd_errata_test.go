package svm

import (
	"math"
	"testing"
)

// TestErratumSGDRegret: no algorithm achieves the regret R sqrt(1/(2T)) quoted in the proof. Take
// points with the same image and labels from a fair coin. The mean loss is 1 for any prediction, so
// the regret is R E|S_T|/T for a random walk S_T. This is R sqrt(2/(pi T)), which is larger.
// Zinkevich's theorem with the diameter 2R gives R sqrt(8/T).
func TestErratumSGDRegret(t *testing.T) {
	t.Parallel()
	const n, repeats, r = 100, 8000, 1.0
	var regret float64
	for k := range repeats {
		order := newUniformOrder(uint64(k), 2)
		drawn := newUniformOrder(uint64(k), 2)
		p := coin()
		a, err := NewSGD(SGDConfig{R: r, Last: true}, p, order)
		if err != nil {
			t.Fatal(err)
		}
		var s Solution
		var loss, walk float64
		for range n {
			a.SolutionTo(&s)
			i := drawn.Next()
			loss += max(0, 1-p.Label(i)*s.Scores[i])
			walk += p.Label(i)
			steps(t, a, 1)
		}
		regret += (loss - (n - r*math.Abs(walk))) / n / repeats
	}
	if printed := r * math.Sqrt(1/(2.0*n)); regret <= printed {
		t.Errorf("the mean regret %g does not exceed the printed bound %g", regret, printed)
	}
	if right := r * math.Sqrt(8.0/n); regret > right {
		t.Errorf("the mean regret %g exceeds the bound %g", regret, right)
	}
}

// TestErratumSGDSign: the gradient of the hinge loss is -y Phi(x) if the margin is below 1. The thesis
// prints it, and the step, without the sign.
func TestErratumSGDSign(t *testing.T) {
	p := Problem{Rows: gramOf([]float32{1}), Positive: 1}
	a, err := NewSGD(SGDConfig{R: 0.5, Last: true}, p, &listOrder{list: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	steps(t, a, 1)
	var s Solution
	a.SolutionTo(&s)
	if got := meanHinge(p, s.Scores); !closeTo(got, 0.5, 1e-15) {
		t.Errorf("after a step the loss is %g, want 0.5", got)
	}
	// "Subtract eta y Phi(x)", then project.
	if printed := meanHinge(p, []float64{-0.5}); !(printed > 1) {
		t.Errorf("after the printed step the loss is %g, expected an increase from 1", printed)
	}
}

// TestErratumPegasosOrder: the printed steps first scale w and then compute its margin. The subgradient
// at w_{t-1} depends on the margin of w_{t-1}. With a margin of 1.25 there is no loss and nothing to
// add, although 2/3 of the margin is below 1. Adding must not precede scaling either, because the first
// step scales by 0.
func TestErratumPegasosOrder(t *testing.T) {
	const lambda = 0.4
	p := Problem{Rows: gramOf([]float32{1}), Positive: 1}
	a, err := NewPegasos(PegasosConfig{Lambda: lambda, Last: true}, p, &listOrder{list: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	var s Solution
	w, printed := 0.0, 0.0
	for step := 1; step <= 3; step++ {
		eta := 1 / (lambda * float64(step))
		slope := lambda * w // a subgradient at w_{t-1}
		if w < 1 {
			slope--
		}
		w -= eta * slope
		printed *= 1 - eta*lambda
		if printed < 1 {
			printed += eta
		}
		steps(t, a, 1)
		a.SolutionTo(&s)
		if !closeTo(s.Scores[0], w, 1e-12) {
			t.Errorf("step %d: w = %g, a subgradient step leads to %g", step, s.Scores[0], w)
		}
	}
	if closeTo(printed, w, 0.1) {
		t.Errorf("the printed order of the steps also leads to %g", printed)
	}
	// Adding before scaling loses the first point, because 1 - 1/t = 0 for t = 1.
	if added := (0 + 1/lambda) * (1 - 1.0); added != 0 {
		t.Errorf("adding before scaling leads to %g, want 0", added)
	}
}
