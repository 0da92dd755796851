package pca

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/internal/exp"
)

// ProjectFrobenius and ProjectEntropy are the projections for spectra in any order with arbitrary
// multiplicities. ProjectEntropy takes the logarithms of the eigenvalues of W.
var (
	ProjectFrobenius = inAnyOrder(projectFrobenius, 1)
	ProjectEntropy   = inAnyOrder(projectEntropy, -1)
)

// inAnyOrder returns a function that sorts sign sigma, expands the multiplicities kappa and calls
// project. Only the last sorted eigenvalue may have the multiplicity 0.
func inAnyOrder(project projection, sign float64) func(dst, sigma []float64, kappa []int, target int) float64 {
	return func(dst, sigma []float64, kappa []int, target int) float64 {
		var order []int
		for i := range sigma {
			order = append(order, i)
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(sign*sigma[j], sign*sigma[i]) })
		last := order[len(order)-1]
		var simple []float64
		for _, i := range order[:len(order)-1] {
			simple = append(simple, slices.Repeat([]float64{sign * sigma[i]}, kappa[i])...)
		}
		simple = append(simple, sign*sigma[last])
		result := project(simple, simple, kappa[last], target)
		for _, i := range order[:len(order)-1] {
			dst[i], simple = sign*simple[0], simple[kappa[i]:]
		}
		dst[last] = sign * simple[0]
		return result
	}
}

// checkFrobenius checks the optimality conditions, which determine the result: each eigenvalue
// is shifted by S and clipped to [0, 1], and the trace is k.
func checkFrobenius(t *testing.T, sigma []float64, kappa []int, k int) []float64 {
	t.Helper()
	dst := make([]float64, len(sigma))
	shift := ProjectFrobenius(dst, sigma, kappa, k)
	var sum, count float64
	for i, v := range dst {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("ProjectFrobenius(%v, %v, %d) = %v: not in [0, 1]", sigma, kappa, k, dst)
		}
		sum += float64(kappa[i]) * v
		count += float64(kappa[i])
		scale := 1 + math.Abs(sigma[i]) + math.Abs(shift)
		if want := clip01(sigma[i] + shift); math.Abs(v-want) > 1e-15*scale*8 {
			t.Fatalf("ProjectFrobenius(%v, %v, %d)[%d] = %v, want %v with S = %v",
				sigma, kappa, k, i, v, want, shift)
		}
		for j, s := range sigma {
			if s == sigma[i] && dst[j] != v || s > sigma[i] && dst[j] < v {
				t.Fatalf("ProjectFrobenius(%v, %v, %d) = %v: not monotone", sigma, kappa, k, dst)
			}
		}
	}
	if math.Abs(sum-float64(k)) > 4*unitRoundoff*(count+4)*float64(len(sigma)+4) {
		t.Fatalf("ProjectFrobenius(%v, %v, %d) = %v: trace off by %g", sigma, kappa, k, dst, sum-float64(k))
	}
	return dst
}

// checkEntropy checks the optimality conditions, which determine the result: each eigenvalue is
// divided by a common Z and capped, and the sum is n.
func checkEntropy(t *testing.T, logs []float64, kappa []int, n int) []float64 {
	t.Helper()
	dst := make([]float64, len(logs))
	logZ := ProjectEntropy(dst, logs, kappa, n)
	var sum, count float64
	for i, v := range dst {
		if !(v <= 0) || math.IsInf(v, -1) {
			t.Fatalf("ProjectEntropy(%v, %v, %d) = %v: want finite values, at most 0", logs, kappa, n, dst)
		}
		sum += float64(kappa[i]) * math.Exp(v)
		count += float64(kappa[i])
		scale := 1 + math.Abs(logs[i]) + math.Abs(logZ)
		if want := min(0, logs[i]-logZ); math.Abs(v-want) > 1e-15*scale*8 {
			t.Fatalf("ProjectEntropy(%v, %v, %d)[%d] = %v, want %v with ln Z = %v",
				logs, kappa, n, i, v, want, logZ)
		}
	}
	if math.Abs(sum-float64(n)) > 4*unitRoundoff*(count+4)*float64(len(logs)+4) {
		t.Fatalf("ProjectEntropy(%v, %v, %d) = %v: mass off by %g", logs, kappa, n, dst, sum-float64(n))
	}
	return dst
}

// randomSpectrum draws eigenvalues with ties, and multiplicities that sum to
// total.
func randomSpectrum(rng *rand.Rand, m int) (sigma []float64, kappa []int, total int) {
	spread := math.Pow(10, float64(rng.IntN(6)-3))
	for range m {
		s := spread * rng.NormFloat64()
		if rng.IntN(3) == 0 {
			s = float64(rng.IntN(5)-1) / 2
		}
		c := 1
		if rng.IntN(3) == 0 {
			c = 1 + rng.IntN(39)
		}
		sigma, kappa, total = append(sigma, s), append(kappa, c), total+c
	}
	return sigma, kappa, total
}

func TestProjectFrobenius(t *testing.T) {
	tests := []struct {
		name  string
		sigma []float64
		kappa []int
		k     int
		want  []float64
	}{
		{"feasible", []float64{0.5, 0.25}, []int{1, 2}, 1, []float64{0.5, 0.25}},
		{"all equal", []float64{7, 7, 7}, []int{1, 2, 1}, 1, []float64{0.25, 0.25, 0.25}},
		{"projection plus a step", []float64{1.25, 1, 0}, []int{1, 1, 7}, 2, []float64{1, 1, 0}},
		{"new direction", []float64{1, 0.5, 0}, []int{1, 1, 5}, 1, []float64{0.75, 0.25, 0}},
		{"raised", []float64{0.25, 0.25, 0.125}, []int{1, 1, 2}, 2, []float64{0.5625, 0.5625, 0.4375}},
		{"far above", []float64{1e9, 1e9 - 0.5, 3}, []int{1, 1, 1}, 1, []float64{0.75, 0.25, 0}},
		{"far below", []float64{-1e9, -1e9 - 0.5, -2e9}, []int{1, 1, 1}, 1, []float64{0.75, 0.25, 0}},
		{"huge spread", []float64{1e300, -1e300, 0.5, 0.25}, []int{1, 1, 1, 1}, 2, []float64{1, 0, 0.625, 0.375}},
		{"largest numbers", []float64{math.MaxFloat64, -math.MaxFloat64, 0}, []int{1, 1, 2}, 2, []float64{1, 0, 0.5}},
		{"nothing", []float64{0.5, 3}, []int{1, 1}, 0, []float64{0, 0}},
		{"everything", []float64{0.5, -3}, []int{2, 3}, 5, []float64{1, 1}},
		{"unused eigenvalue", []float64{0.5, 0.25, 0.125}, []int{1, 1, 0}, 1, []float64{0.625, 0.375, 0.25}},
		{"either of two", []float64{-5, 7}, []int{1, 1}, 1, []float64{0, 1}},
	}
	for _, test := range tests {
		got := checkFrobenius(t, test.sigma, test.kappa, test.k)
		for i, v := range got {
			if test.kappa[i] > 0 && !(math.Abs(v-test.want[i]) <= 1e-15) {
				t.Errorf("%s: entry %d of %v, want %v", test.name, i, got, test.want)
			}
		}
	}
}

func TestProjectEntropy(t *testing.T) {
	ln := math.Log
	tests := []struct {
		name  string
		logs  []float64
		kappa []int
		n     int
		want  []float64
	}{
		{"feasible", []float64{0, ln(0.5)}, []int{1, 2}, 2, []float64{0, ln(0.5)}},
		{"all equal", []float64{-900, -900}, []int{3, 1}, 3, []float64{ln(0.75), ln(0.75)}},
		{"all capped", []float64{-3, -900}, []int{3, 1}, 4, []float64{0, 0}},
		{"scaled", []float64{ln(2), ln(1)}, []int{1, 1}, 1, []float64{ln(2.0 / 3), ln(1.0 / 3)}},
		{"one capped", []float64{ln(8), ln(1)}, []int{1, 2}, 2, []float64{0, ln(0.5)}},
		{"cascade", []float64{ln(100), ln(10), ln(1)}, []int{1, 1, 2}, 3, []float64{0, 0, ln(0.5)}},
		{"underflow", []float64{0, -2000, -5000}, []int{3, 1, 2}, 4, []float64{0, 0, -3000}},
		{"near the cap", []float64{0, -1, -101}, []int{3, 1, 1}, 4, []float64{0, -exp.Exp(-100), -100}},
		{"unused eigenvalue", []float64{5, ln(2), 0}, []int{0, 1, 1}, 1, []float64{0, ln(2.0 / 3), ln(1.0 / 3)}},
	}
	for _, test := range tests {
		got := checkEntropy(t, test.logs, test.kappa, test.n)
		for i, v := range got {
			if want := test.want[i]; math.Abs(v-want) > 4e-15*math.Abs(want) && math.Abs(v-want) > 1e-15 {
				t.Errorf("%s: entry %d is %v, want %v", test.name, i, v, want)
			}
		}
	}
	// The distance to the cap is accurate even if exp rounds it to 0.
	got := checkEntropy(t, []float64{0, -1, -101}, []int{3, 1, 1}, 4)
	if want := -exp.Exp(-100); math.Abs(got[1]-want) > 1e-14*math.Abs(want) {
		t.Errorf("distance to the cap: %g, want %g", got[1], want)
	}
}

// TestProjectRandom checks random spectra, small and large.
func TestProjectRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 2000 {
		m := 1 + rng.IntN(6)
		if i%10 == 0 {
			m = 1 + rng.IntN(60)
		}
		values, kappa, total := randomSpectrum(rng, m)
		checkFrobenius(t, values, kappa, rng.IntN(total+1))
		checkEntropy(t, values, kappa, 1+rng.IntN(total))
	}
}
