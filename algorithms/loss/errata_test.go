package loss

import (
	"math"
	"testing"
)

// TestErratumSampleSize: the thesis's lemma on generalisation from the empirical loss requires
// n = (L/eps) (B + sqrt(log 1/delta))^2 / eps examples, up to constants and logarithms. This is too
// few if L is small compared with eps; the first factor must be (L + eps)/eps. The counterexample has
// two orthogonal positive points, the second with probability 2 eps. The classifier that is 1 on the
// first point and 0 on the second has norm 1. Its empirical loss is 0 unless the second point is
// drawn, but its error is 2 eps, more than L + eps.
func TestErratumSampleSize(t *testing.T) {
	const delta, norm = 0.05, 1.0
	size := norm + math.Sqrt(math.Log(1/delta))
	for _, eps := range []float64{1e-5, 1e-7} {
		level := eps * eps
		errs := 2*eps*ZeroOne(0) + (1-2*eps)*ZeroOne(1)
		if errs <= level+eps {
			t.Fatalf("the expected 0/1 loss is %g", errs)
		}
		unseen := func(n float64) float64 { return math.Exp(n * math.Log1p(-2*eps)) }
		// The O with a tilde hides powers of log n.
		logs := math.Pow(math.Log(1/eps), 3)
		if p := unseen(logs * level / eps * size * size / eps); p < 0.5 {
			t.Errorf("eps = %g: the printed n examples miss the point with probability %g, expected more", eps, p)
		}
		if p := unseen((level + eps) / eps * size * size / eps); p > delta {
			t.Errorf("eps = %g: the corrected n examples miss the point with probability %g, want at most %g", eps, p, delta)
		}
	}
}

// TestErratumGeneralisationConstant: let w have an empirical hinge loss within eps of that of u. The
// lemma on generalisation from the expected loss claims that the 0/1 loss of w is at most the loss of u
// plus eps. This ignores the sampling error. The counterexample has two orthogonal positive points, the
// second with a probability just above eps. u = (1, 1) has no loss, and the hinge and 0/1 losses of
// w = (1, 0) equal that probability. In about half of all samples, of any size, its empirical loss is
// at most eps.
func TestErratumGeneralisationConstant(t *testing.T) {
	const eps = 0.01
	p := eps * (1 + 1e-9)
	for _, z := range []float64{0, 1} {
		if Hinge(z) != ZeroOne(z) {
			t.Fatalf("hinge and 0/1 loss differ at %v", z)
		}
	}
	if p <= eps {
		t.Fatal("the 0/1 loss of w is within eps")
	}
	for _, n := range []int{1000, 100000, 10000000} {
		// The binomial probabilities of 0, …, n eps and above, relative to the central
		// one.
		mode := int(math.Round(float64(n) * eps))
		within, above := 1.0, 0.0
		for k, v := mode, 1.0; k > 0 && v > 1e-20; k-- {
			v *= float64(k) * (1 - p) / (float64(n-k+1) * p)
			within += v
		}
		for k, v := mode, 1.0; k < n && v > 1e-20; k++ {
			v *= float64(n-k) * p / (float64(k+1) * (1 - p))
			above += v
		}
		if share := within / (within + above); share < 0.5 {
			t.Errorf("n = %d: a share of %g of all samples is a counterexample, expected half", n, share)
		}
	}
}

// The thesis's lemma on the empirical loss claims that the hinge loss of u is at most |u| if
// |Phi(x)| <= 1. It is at most 1 + |u|, and this bound is attained.
func TestErratumHingeIsBoundedByOnePlusNorm(t *testing.T) {
	for _, norm := range []float64{0, 0.5, 3} {
		worst := 0.0
		for response := -norm; response <= norm; response += 1.0 / 64 {
			worst = max(worst, Hinge(response))
		}
		if worst <= norm || worst != 1+norm {
			t.Errorf("|u| = %v: the greatest hinge loss is %v", norm, worst)
		}
	}
}

// According to the thesis, the ramp loss differs from the slant loss only in covering [-1, 1]. The ramp
// loss of Collobert et al. that covers [-1, 1] has s = -1 and is at most 1 - s = 2, not 1. It is twice
// the stretched slant loss.
func TestErratumRampIsTwiceTheStretchedSlant(t *testing.T) {
	const s = -1
	greatest := 0.0
	onGrid(func(z float64) {
		collobert := Hinge(z) - max(0, s-z)
		greatest = max(greatest, collobert)
		if stretched := Slant(z / 2); math.Abs(stretched-Ramp(z)) > 1e-15 {
			t.Fatalf("at %v: the stretched slant loss is %v, the ramp loss %v", z, stretched, Ramp(z))
		}
		if math.Abs(collobert-2*Ramp(z)) > 1e-15 {
			t.Fatalf("at %v: H_1 - H_-1 = %v, the ramp loss %v", z, collobert, Ramp(z))
		}
	})
	if greatest != 2 {
		t.Errorf("H_1 - H_-1 is at most %v, expected 2", greatest)
	}
}
