package pca

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/internal/exp"
)

// ProjectFrobenius and ProjectEntropy are the projections of a spectrum in any order,
// with multiplicities; ProjectEntropy is that of the logarithms of W.
var (
	ProjectFrobenius = inAnyOrder(projectFrobenius, 1)
	ProjectEntropy   = inAnyOrder(projectEntropy, -1)
)

// inAnyOrder returns project of sign sigma. Only the last eigenvalue may have the
// multiplicity 0.
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

// bisect returns the argument between lo and hi at which the non-decreasing f
// reaches target, to the last bit.
func bisect(lo, hi, target float64, f func(float64) float64) float64 {
	for {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			return hi
		}
		if f(mid) < target {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// frobeniusBisection is the oracle of ProjectFrobenius.
func frobeniusBisection(sigma []float64, kappa []int, k int) []float64 {
	out := make([]float64, len(sigma))
	trace := func(shift float64) float64 {
		var sum float64
		for i, s := range sigma {
			out[i] = clip01(s + shift)
			sum += float64(kappa[i]) * out[i]
		}
		return sum
	}
	trace(bisect(-slices.Max(sigma), 1-slices.Min(sigma), float64(k), trace))
	return out
}

// entropyBisection is the oracle of ProjectEntropy.
func entropyBisection(logs []float64, kappa []int, n int) []float64 {
	out := make([]float64, len(logs))
	top := slices.Max(logs)
	mass := func(minusLogZ float64) float64 {
		var sum float64
		for i, l := range logs {
			out[i] = min(0, (l-top)+minusLogZ)
			sum += float64(kappa[i]) * math.Exp(out[i])
		}
		return sum
	}
	mass(bisect(-60, top-slices.Min(logs), float64(n), mass))
	return out
}

// clipSets calls try for each assignment of 0, 1 or 2 to m places.
func clipSets(m int, try func(set []int)) {
	set := make([]int, m)
	for {
		try(set)
		i := 0
		for ; i < m && set[i] == 2; i++ {
			set[i] = 0
		}
		if i == m {
			return
		}
		set[i]++
	}
}

// frobeniusBrute finds the projection by trying all sets of eigenvalues that may
// be clipped to 0, free, or clipped to 1, and taking the closest feasible one.
func frobeniusBrute(sigma []float64, kappa []int, k int) []float64 {
	const slack = 1e-12
	best, bestDist := []float64(nil), math.Inf(1)
	clipSets(len(sigma), func(set []int) {
		rest, free := float64(k), 0.0
		for i, c := range set {
			switch c {
			case 1:
				rest -= float64(kappa[i]) * sigma[i]
				free += float64(kappa[i])
			case 2:
				rest -= float64(kappa[i])
			}
		}
		if free == 0 && math.Abs(rest) > slack {
			return
		}
		shift := 0.0
		if free > 0 {
			shift = rest / free
		}
		out, dist := make([]float64, len(sigma)), 0.0
		for i, c := range set {
			switch c {
			case 1:
				out[i] = sigma[i] + shift
			case 2:
				out[i] = 1
			}
			if out[i] < -slack || out[i] > 1+slack {
				return
			}
			dist += float64(kappa[i]) * (out[i] - sigma[i]) * (out[i] - sigma[i])
		}
		if dist < bestDist {
			best, bestDist = out, dist
		}
	})
	return best
}

// checkFrobenius checks the optimality conditions: what the projection is clipped
// to 0 or 1, or shifted by S, and has the trace k.
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
			t.Fatalf("ProjectFrobenius(%v, %v, %d)[%d] = %v, want %v with S = %v", sigma, kappa, k, i, v, want, shift)
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

// checkEntropy checks feasibility and that what is below the cap is scaled by a
// common Z.
func checkEntropy(t *testing.T, logs []float64, kappa []int, n int) []float64 {
	t.Helper()
	dst := make([]float64, len(logs))
	logZ := ProjectEntropy(dst, logs, kappa, n)
	var sum, count float64
	for i, v := range dst {
		if !(v <= 0) || math.IsInf(v, -1) {
			t.Fatalf("ProjectEntropy(%v, %v, %d) = %v: not below 0", logs, kappa, n, dst)
		}
		sum += float64(kappa[i]) * math.Exp(v)
		count += float64(kappa[i])
		scale := 1 + math.Abs(logs[i]) + math.Abs(logZ)
		if want := min(0, logs[i]-logZ); math.Abs(v-want) > 1e-15*scale*8 {
			t.Fatalf("ProjectEntropy(%v, %v, %d)[%d] = %v, want %v with ln Z = %v", logs, kappa, n, i, v, want, logZ)
		}
	}
	if math.Abs(sum-float64(n)) > 4*unitRoundoff*(count+4)*float64(len(logs)+4) {
		t.Fatalf("ProjectEntropy(%v, %v, %d) = %v: mass off by %g", logs, kappa, n, dst, sum-float64(n))
	}
	return dst
}

func checkClose(t *testing.T, what string, got, want []float64, kappa []int, tol float64) {
	t.Helper()
	for i := range got {
		if kappa[i] > 0 && !(math.Abs(got[i]-want[i]) <= tol) {
			t.Fatalf("%s: entry %d of %v is off by %g from %v", what, i, got, got[i]-want[i], want)
		}
	}
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
		t.Run(test.name, func(t *testing.T) {
			got := checkFrobenius(t, test.sigma, test.kappa, test.k)
			checkClose(t, test.name, got, test.want, test.kappa, 1e-15)
		})
	}
}

func TestProjectFrobeniusOracles(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 3000 {
		m := 1 + rng.IntN(6)
		if i%10 == 0 {
			m = 1 + rng.IntN(60)
		}
		sigma, kappa, total := randomSpectrum(rng, m)
		k := rng.IntN(total + 1)
		got := checkFrobenius(t, sigma, kappa, k)
		scale := 1 + math.Abs(slices.Max(sigma)) + math.Abs(slices.Min(sigma))
		checkClose(t, "bisection", got, frobeniusBisection(sigma, kappa, k), kappa, 1e-13*scale)
		if m <= 6 && total > 0 {
			checkClose(t, "brute force", got, frobeniusBrute(sigma, kappa, k), kappa, 1e-12*scale)
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
		t.Run(test.name, func(t *testing.T) {
			got := checkEntropy(t, test.logs, test.kappa, test.n)
			for i, v := range got {
				if math.Abs(v-test.want[i]) > 1e-15*max(math.Abs(test.want[i]), 1e-280)*4 && math.Abs(v-test.want[i]) > 1e-15 {
					t.Errorf("entry %d: %v, want %v", i, v, test.want[i])
				}
			}
		})
	}
	// The distance to the cap survives where exp rounds it away.
	got := checkEntropy(t, []float64{0, -1, -101}, []int{3, 1, 1}, 4)
	if want := -exp.Exp(-100); math.Abs(got[1]-want) > 1e-14*math.Abs(want) {
		t.Errorf("distance to the cap: %g, want %g", got[1], want)
	}
}

func TestProjectEntropyOracle(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 3000 {
		m := 1 + rng.IntN(6)
		if i%10 == 0 {
			m = 1 + rng.IntN(60)
		}
		logs, kappa, total := randomSpectrum(rng, m)
		if total == 0 {
			continue
		}
		n := 1 + rng.IntN(total)
		got := checkEntropy(t, logs, kappa, n)
		want := entropyBisection(logs, kappa, n)
		scale := 1 + math.Abs(slices.Max(logs)) + math.Abs(slices.Min(logs))
		checkClose(t, "bisection", got, want, kappa, 1e-12*scale)
		if m > 6 {
			continue
		}
		// Of all sets of capped eigenvalues, those that leave a feasible and
		// consistent scaling to the others must agree.
		found := false
		for set := range 1 << m {
			share, mass, top := float64(n), 0.0, math.Inf(-1)
			for j, l := range logs {
				if set>>j&1 == 1 {
					share -= float64(kappa[j])
				} else if kappa[j] > 0 {
					top = max(top, l)
				}
			}
			for j, l := range logs {
				if set>>j&1 == 0 && kappa[j] > 0 {
					mass += float64(kappa[j]) * math.Exp(l-top)
				}
			}
			if share <= 0 || mass == 0 {
				continue
			}
			out, ok := make([]float64, m), true
			logZ := top + math.Log(mass/share)
			for j, l := range logs {
				if set>>j&1 == 0 {
					out[j] = l - logZ
					ok = ok && (out[j] <= 1e-13 || kappa[j] == 0)
				} else {
					ok = ok && (l-logZ >= -1e-13 || kappa[j] == 0)
				}
			}
			if ok {
				found = true
				checkClose(t, "brute force", got, out, kappa, 1e-12*scale)
			}
		}
		if !found && n != total {
			t.Fatalf("brute force found no capped set for %v, %v, n = %d", logs, kappa, n)
		}
	}
}

func TestProjectInPlace(t *testing.T) {
	kappa := []int{1, 5, 2}
	sigma := []float64{0.9, 0.1, 1.7}
	want := checkFrobenius(t, sigma, kappa, 2)
	if ProjectFrobenius(sigma, sigma, kappa, 2); !slices.Equal(sigma, want) {
		t.Errorf("ProjectFrobenius in place: %v, want %v", sigma, want)
	}
	logs := []float64{-0.9, 0.1, -1.7}
	want = checkEntropy(t, logs, kappa, 6)
	if ProjectEntropy(logs, logs, kappa, 6); !slices.Equal(logs, want) {
		t.Errorf("ProjectEntropy in place: %v, want %v", logs, want)
	}
}
