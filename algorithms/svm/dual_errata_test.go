package svm_test

import (
	"math"
	"math/rand/v2"
	"testing"
)

// pairObjective is the increase of the dual objective when y_i delta is added to
// alpha_i and y_j delta subtracted from alpha_j, expanded from its definition
// 1'alpha - alpha'Q alpha/2 for two points.
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

// TestErratumPairUpdate: in Cotter 2013, section "Dual Decomposition", paragraph
// "Unregularized Bias", the best delta is printed with + 2 K_ij in the numerator.
// It belongs, with the other sign, into the denominator.
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
				t.Fatalf("delta = %g is better than %g", other, right)
			}
		}
		if best-pairObjective(alpha, y, k, printed) > 1e-3 {
			wrong++
		}
	}
	if wrong < 150 {
		t.Errorf("the printed formula is worse in %d of 200 cases only", wrong)
	}
}

// TestErratumPairBounds: the bounds for delta are printed with alpha_j + y_j delta,
// but y_j delta is subtracted from alpha_j. With y_i = y_j = 1, alpha_i = 0 and
// alpha_j at the upper bound, the printed bounds leave delta = 0 only, the right
// ones all that there is to gain.
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
