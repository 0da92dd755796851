package pca

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// projectPseudocode is Alg. 6470-6490, with the last condition of b as printed or corrected.
// Indices start at 1, as in the thesis.
func projectPseudocode(d, k int, sigma []float64, kappa []int, asPrinted bool) (float64, bool) {
	m := len(sigma)
	at := func(i int) float64 { return sigma[i-1] }
	const tol = 1e-9 // for the rounding error of S
	i, j := 1, 1
	var si, sj float64
	var ci, cj int
	for i <= m {
		if i < j {
			s := (float64(k) - (sj - si) - float64(d-cj)) / float64(cj-ci)
			var last bool
			if asPrinted {
				last = j >= m || at(j+1) >= 1-tol
			} else {
				last = j > m || at(j)+s >= 1-tol
			}
			if at(i)+s >= -tol && at(j-1)+s <= 1+tol && (i <= 1 || at(i-1)+s <= tol) && last {
				return s, true
			}
		}
		if j <= m && at(j)-at(i) <= 1 {
			sj += float64(kappa[j-1]) * at(j)
			cj += kappa[j-1]
			j++
		} else {
			si += float64(kappa[i-1]) * at(i)
			ci += kappa[i-1]
			i++
		}
	}
	return 0, false
}

func shiftedTrace(sigma []float64, kappa []int, shift float64) float64 {
	var sum float64
	for i, s := range sigma {
		sum += float64(kappa[i]) * clip01(s+shift)
	}
	return sum
}

// 6483: the eigenvalues that are clipped to 1 begin at j, so the condition is (j > m) or
// (sigma'_j + S >= 1). The printed condition is (j >= m) or (sigma'_{j+1} >= 1).
func TestErratumFrobeniusProject(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	wrong := 0
	for range 2000 {
		sigma, kappa, _ := randomSpectrum(rng, 1+rng.IntN(7))
		slices.Sort(sigma)
		sigma = slices.Compact(sigma)
		kappa = kappa[:len(sigma)]
		total := 0
		for i := range kappa {
			kappa[i]++
			total += kappa[i]
		}
		k := 1 + rng.IntN(total)
		scale := 1e-8 * float64(total)
		s, ok := projectPseudocode(total, k, sigma, kappa, false)
		if e := math.Abs(shiftedTrace(sigma, kappa, s) - float64(k)); !ok || e > scale {
			t.Fatalf("with the corrected condition: S = %g for %v, %v, k = %d: trace off by %g",
				s, sigma, kappa, k, e)
		}
		s, ok = projectPseudocode(total, k, sigma, kappa, true)
		if !ok || math.Abs(shiftedTrace(sigma, kappa, s)-float64(k)) > 1e-6 {
			wrong++
		}
	}
	if wrong == 0 {
		t.Error("the printed condition was never wrong")
	}
	t.Logf("the printed condition fails in %d of 2000 cases", wrong)
}

// 6312: the projection adds S <= 0 to every eigenvalue. Subtracting S would increase them.
func TestErratumSubtractS(t *testing.T) {
	sigma, kappa := []float64{1.2, 0.5, 0.3, 0}, []int{1, 1, 1, 5}
	dst := make([]float64, 4)
	s := ProjectFrobenius(dst, sigma, kappa, 1)
	if !(s < 0) || math.Abs(shiftedTrace(sigma, kappa, s)-1) > 1e-15 || shiftedTrace(sigma, kappa, -s) < 2 {
		t.Errorf("S = %g: trace %g when added, %g when subtracted",
			s, shiftedTrace(sigma, kappa, s), shiftedTrace(sigma, kappa, -s))
	}
}
