package svm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/svm"
)

// pairObjective returns the increase of the dual objective when y_i delta is added to alpha_i and
// y_j delta is subtracted from alpha_j. It follows from the definition 1'alpha - alpha'Q alpha/2 for
// two points.
func pairObjective(alpha, y [2]float64, k [2][2]float64, delta float64) float64 {
	value := func(a [2]float64) float64 {
		v := a[0] + a[1]
		for i := range 2 {
			for j := range 2 {
				v -= a[i] * a[j] * y[i] * y[j] * k[i][j] / 2
			}
		}
		return v
	}
	return value([2]float64{alpha[0] + y[0]*delta, alpha[1] - y[1]*delta}) - value(alpha)
}

// TestErratumPairUpdate: Cotter 2013, section "Dual Decomposition", paragraph "Unregularized Bias",
// prints the best delta with + 2 K_ij in the numerator. It must be - 2 K_ij in the denominator.
func TestErratumPairUpdate(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	wrong := 0
	for range 200 {
		var y, alpha [2]float64
		for i := range 2 {
			y[i] = float64(1 - 2*rng.IntN(2))
			alpha[i] = rng.Float64()
		}
		kij := 1.8*rng.Float64() - 0.9
		k := [2][2]float64{{1, kij}, {kij, 1 + rng.Float64()}}
		var c [2]float64
		for i := range 2 {
			for j := range 2 {
				c[i] += y[i] * alpha[j] * y[j] * k[i][j]
			}
		}
		slope := y[0]*(1-c[0]) - y[1]*(1-c[1])
		right := slope / (k[0][0] + k[1][1] - 2*kij)
		printed := (slope + 2*kij) / (k[0][0] + k[1][1])
		best := pairObjective(alpha, y, k, right)
		for _, other := range []float64{right * 1.01, right * 0.99, right + 1e-3, right - 1e-3} {
			if pairObjective(alpha, y, k, other) > best+1e-12 {
				t.Fatalf("delta = %g is better than the corrected %g", other, right)
			}
		}
		if best-pairObjective(alpha, y, k, printed) > 1e-3 {
			wrong++
		}
	}
	if wrong < 150 {
		t.Errorf("the printed formula is worse in only %d of 200 cases", wrong)
	}
}

// TestErratumPairBounds: the bounds for delta are printed with alpha_j + y_j delta, but y_j delta is
// subtracted from alpha_j. With y_i = y_j = 1, alpha_i = 0 and alpha_j at the upper bound, the printed
// bounds only allow delta = 0. The corrected bounds allow the full gain.
func TestErratumPairBounds(t *testing.T) {
	const upper = 1.0
	alpha, y := [2]float64{0, upper}, [2]float64{1, 1}
	k := [2][2]float64{{1, 0}, {0, 1}}
	printed := math.Min(upper-alpha[0], upper-alpha[1])
	right := math.Min(upper-alpha[0], alpha[1])
	if printed != 0 || right != upper {
		t.Fatalf("bounds %g and %g", printed, right)
	}
	const delta = 0.5 // (y_i(1 - c_i) - y_j(1 - c_j))/2 = (1 - 0)/2
	if gain := pairObjective(alpha, y, k, delta); !(gain > 0 && delta <= right && delta > printed) {
		t.Errorf("gain %g", gain)
	}
}

// TestErratumDualScale: 820 and 919 print 1'alpha - |w|^2/2 as the dual of lambda/2 |w|^2 + the mean
// hinge loss. The dual is lambda (1'alpha - |w|^2/2), which has the same maximiser. At the optimum its
// duality gap is 0. The gap to the printed dual is negative for lambda < 1.
func TestErratumDualScale(t *testing.T) {
	t.Parallel()
	for _, p := range dualProblems() {
		for _, biased := range []bool{false, true} {
			l, err := svm.NewSMO(svm.SMOConfig{Lambda: p.lambda, Bias: biased}, p.problem())
			if err != nil {
				t.Fatal(err)
			}
			for range 60_000 {
				if l.Step().Stop() {
					break
				}
			}
			var s svm.Solution
			l.SolutionTo(&s)
			primal, n := p.lambda/2*s.NormSq, float64(p.points.Train())
			printed := -s.NormSq / 2
			for i, a := range s.Alpha {
				primal += max(0, 1-p.problem().Label(i)*s.Scores[i]) / n
				printed += a
			}
			if gap := primal - p.lambda*printed; math.Abs(gap) > 1e-7*primal {
				t.Errorf("%s, biased %t: the duality gap is %g of %g", p.name, biased, gap, primal)
			}
			if gap := primal - printed; (gap < -0.5*primal) != (p.lambda < 1) {
				t.Errorf("%s, biased %t: to the printed dual the gap is %g of %g", p.name, biased, gap, primal)
			}
		}
	}
}

// The thesis has an example of one point with lambda = 1/2 and alpha = w = 1 - delta. The dual is
// suboptimal by delta^2/4, not by the printed delta^2/2. The primal is suboptimal by
// delta^2/4 + delta/2. At the optimum both objectives are 1/4, but the printed one is 1/2.
func TestErratumDualScaleExample(t *testing.T) {
	const lambda = 0.5
	primal := func(w float64) float64 { return lambda/2*w*w + max(0, 1-w) }
	printed := func(alpha float64) float64 { return alpha - alpha*alpha/2 }
	if p, d := primal(1), printed(1); p != lambda*d || p >= d {
		t.Errorf("the optimum is %g, the dual %g, the printed dual %g", p, lambda*d, d)
	}
	for _, delta := range []float64{0.5, 0.25, 0.125} {
		short := lambda * (printed(1) - printed(1-delta))
		if short != delta*delta/4 || primal(1-delta)-primal(1) != delta*delta/4+delta/2 {
			t.Errorf("delta = %g: %g short in the dual, %g over in the primal", delta, short, primal(1-delta)-primal(1))
		}
	}
}
