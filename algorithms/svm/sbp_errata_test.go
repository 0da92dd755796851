package svm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestErratumSBPAccuracy: the text claims |w| <= 2 |u| for the accuracy (eps/2) / (|u| (L + eps/2)),
// where L is the empirical hinge loss of u. The lemma gives |w| <= |u| / (1 - accuracy |u|), which is
// a weaker bound if L < eps/2, and no bound if L = 0. With L + eps in the denominator both bounds
// hold.
func TestErratumSBPAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 1000 {
		norm, eps, loss := rng.ExpFloat64(), rng.ExpFloat64(), rng.ExpFloat64()
		printed := eps / 2 / (norm * (loss + eps/2))
		if large := 1/(1-printed*norm) > 2; large != (loss < eps/2) {
			t.Errorf("|u| = %g, eps = %g, L = %g: |w| <= %g |u|", norm, eps, loss, 1/(1-printed*norm))
		}
		right := eps / 2 / (norm * (loss + eps))
		grown := 1 / (1 - right*norm)
		if grown > 2*(1+1e-12) || grown*loss > loss+eps/2+1e-12 {
			t.Errorf("|u| = %g, eps = %g, L = %g: with the corrected accuracy |w| <= %g |u| and the loss is %g",
				norm, eps, loss, grown, grown*loss)
		}
	}
	// A separable problem that attains the bound: all points have the image (1, 0) and
	// are positive, u = (1, 0) and L = 0, so the printed accuracy is 1.
	w := [2]float64{0.1, math.Sqrt(1 - 0.01)}
	best, _ := WaterLevel([]float64{1, 1}, 0)
	gamma, _ := WaterLevel([]float64{w[0], w[0]}, 0)
	if best-gamma > 1 {
		t.Fatalf("w is suboptimal by %g, more than the printed accuracy", best-gamma)
	}
	if size := math.Hypot(w[0], w[1]) / gamma; size < 9 {
		t.Errorf("|w| = %g, expected far more than 2 |u| = 2", size)
	}
}

// TestErratumSBPStepSize: the text has steps of 1/sqrt(t), the algorithm has eta_0/sqrt(t) with
// eta_0 = 1/sqrt(max K(x, x)). Only the latter gives equal steps for K and for multiples of K.
func TestErratumSBPStepSize(t *testing.T) {
	const k = 4.0
	// Two orthogonal points: the second step takes the other point.
	g := gramOf([]float32{k, 0}, []float32{0, k})
	a, err := NewSBP(SBPConfig{}, Problem{Rows: g, Positive: 2}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	steps(t, a, 2)
	var s Solution
	a.SolutionTo(&s)
	// The ratio of the two coefficients in the average of the iterates, for steps
	// eta/sqrt(t).
	ratio := func(eta float64) float64 {
		first, second := eta, eta/math.Sqrt2
		first /= max(1, first*math.Sqrt(k))
		shrink := 1 / max(1, math.Sqrt(k*(first*first+second*second)))
		return (first + first*shrink) / (second * shrink)
	}
	got := max(s.Alpha[0], s.Alpha[1]) / min(s.Alpha[0], s.Alpha[1])
	if want := ratio(1 / math.Sqrt(k)); !closeTo(got, want, 1e-12) {
		t.Errorf("the ratio of the coefficients is %g, want %g", got, want)
	}
	if text, scaled := ratio(1), ratio(1/math.Sqrt(k)); closeTo(text, scaled, 0.1) {
		t.Errorf("steps of 1/sqrt(t) also have the ratio %g", text)
	}
}

// below returns the number of the c_i below the level gamma.
func below(c []float64, gamma float64) int {
	return between(c, math.Inf(-1), gamma)
}

// TestErratumEqualCounts: according to the text, water at the best b covers the same number of points
// of each class. With one positive and two negative points, all with response 0, it covers one and
// none, because the negative points are at the surface.
func TestErratumEqualCounts(t *testing.T) {
	pos, neg := []float64{0}, []float64{0, 0}
	const volume = 1.0
	at := func(b float64) (gamma float64, covered [2]int) {
		c := []float64{pos[0] + b, neg[0] - b, neg[1] - b}
		gamma, _ = WaterLevel(c, volume)
		return gamma, [2]int{below(c[:1], gamma), below(c[1:], gamma)}
	}
	gamma, b, _ := WaterLevelBias(pos, neg, volume)
	if got, covered := at(b); got != gamma || covered != [2]int{1, 0} {
		t.Errorf("at b = %g the level is %g and water covers %d, want %g and [1 0]", b, got, covered, gamma)
	}
	for i := -512; i <= 512; i++ {
		b := float64(i) / 256
		if level, covered := at(b); level > gamma || level == gamma && covered[0] == covered[1] {
			t.Errorf("at b = %g the level is %g and water covers %d; expected less than %g", b, level, covered, gamma)
		}
	}
}

// TestErratumSBPScale: the algorithm divides by gamma, which may be negative for the average of the
// first iterates. The division would then flip every prediction.
func TestErratumSBPScale(t *testing.T) {
	// Three points with the same image, two of them in one class.
	g := gramOf([]float32{1, 1, 1}, []float32{1, 1, 1}, []float32{1, 1, 1})
	p := Problem{Rows: g, Positive: 2}
	turned := 0
	for seed := range uint64(20) {
		a, err := NewSBP(SBPConfig{}, p, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		steps(t, a, 1)
		var s Solution
		a.SolutionTo(&s)
		u := g.responses(p, a.alpha)
		c := []float64{u[0], u[1], -u[2]}
		gamma, _ := WaterLevel(c, 0)
		if gamma >= 0 {
			t.Fatalf("f = %g for w of norm 1, want -1", gamma)
		}
		if u[0]/gamma*u[0] < 0 {
			turned++
		}
		if !(s.Scores[0]*u[0] > 0) {
			t.Errorf("the classifier predicts %g, but w predicts %g", s.Scores[0], u[0])
		}
	}
	if turned != 20 {
		t.Errorf("the printed division flips %d of 20 classifiers, want all", turned)
	}
}

// TestErratumSBPNoSlack: without slack no response is below gamma, so there is nothing to sample
// from. The text must mean the responses equal to gamma.
func TestErratumSBPNoSlack(t *testing.T) {
	c := []float64{0, 0, 3}
	gamma, under := WaterLevel(c, 0)
	if below(c, gamma) != 0 || under != 2 {
		t.Errorf("%d points below gamma, p* on %d; want 0 and 2", below(c, gamma), under)
	}
}
