package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/internal/finite"
)

// printedWater is Algorithm "water" of the thesis exactly as printed, with indices from 1 and the upper
// or the lower median as the pivot. It returns ended = false if the printed loop does not end.
func printedWater(c []float64, volume float64, upper bool) (gamma float64, ended bool) {
	s := append([]float64{math.NaN()}, c...)
	low, up := 1, len(c)
	lowMax, lowSum := math.Inf(-1), 0.0
	for rounds := 0; low < up; rounds++ {
		if rounds > 10*len(c) {
			return 0, false
		}
		slices.Sort(s[low : up+1])
		mid := (low + up) / 2
		if upper {
			mid = (low + up + 1) / 2
		}
		midMax, midSum := lowMax, lowSum
		for _, v := range s[low:mid] {
			midMax = max(midMax, v)
			midSum += v
		}
		if midMax*float64(mid-1)-midSum >= volume {
			up = mid - 1
		} else {
			low, lowMax, lowSum = mid, midMax, midSum
		}
	}
	k := float64(low - 1)
	return (volume-lowMax*k+lowSum)/k + lowMax, true
}

// TestErratumWater: the level is computed from the low-1 lowest points, and low is at most n, so the
// highest point is never under water. A single point causes a division by zero. If the pivot is the
// lowest of its part, as the lower median of two is, the loop does not end.
func TestErratumWater(t *testing.T) {
	c := []float64{0, 1}
	if got, ended := printedWater(c, 3, true); !ended || got != 3 {
		t.Errorf("the printed algorithm has the level %v of (0, 1) and a volume of 3; expected its wrong 3", got)
	}
	if got, _ := WaterLevel(c, 3); got != 2 {
		t.Errorf("the level is %v, want 2", got)
	}
	if got, _ := printedWater([]float64{5}, 1, true); finite.Is(got) {
		t.Errorf("the printed algorithm has the level %v for one point; expected a division by zero", got)
	}
	if _, ended := printedWater(c, 0.5, false); ended {
		t.Error("the printed loop ends with the lower median, but it should not")
	}
	rng := rand.New(rand.NewPCG(3, 1))
	wrong := 0
	for range 200 {
		c := make([]float64, 9)
		for i := range c {
			c[i] = rng.NormFloat64()
		}
		v := 9 * rng.ExpFloat64()
		want := sortedLevel(c, v)
		got, ended := printedWater(c, v, true)
		bad := !ended || !closeTo(got, want, 1e-9)
		if bad != (want > slices.Max(c)) {
			t.Errorf("the printed level is %v, the corrected level %v, the highest point %v", got, want, slices.Max(c))
		}
		if bad {
			wrong++
		}
	}
	if wrong == 0 || wrong == 200 {
		t.Errorf("the printed algorithm is wrong on %d of 200 random floors", wrong)
	}
}
