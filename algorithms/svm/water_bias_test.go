package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sortedLevelBias returns the level with a bias by sorting and ternary search. It maximises the mean
// of the two levels, which is concave, over the volume above the positive class.
func sortedLevelBias(pos, neg []float64, volume float64) float64 {
	f := func(v float64) float64 { return (sortedLevel(pos, v) + sortedLevel(neg, volume-v)) / 2 }
	lo, hi := 0.0, volume
	for range 100 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if f(a) < f(b) {
			lo = a
		} else {
			hi = b
		}
	}
	return max(f(lo), f(0), f(volume))
}

// checkLevels checks the optimality conditions of gamma and b. The volume must be right. There must be
// a number that, for both classes, is between the numbers of points below the surface and of points
// not above it.
func checkLevels(t *testing.T, pos, neg []float64, volume, gamma, b float64, under int) {
	t.Helper()
	scale := max(1, math.Abs(gamma), math.Abs(b), spread(pos), spread(neg))
	n := float64(len(pos) + len(neg))
	if got := poured(pos, gamma-b) + poured(neg, gamma+b); !closeTo(got, volume, 1e-12*n*scale) {
		t.Fatalf("pos %v neg %v: gamma = %v, b = %v have the volume %v, want %v", pos, neg, gamma, b, got, volume)
	}
	least, most := 0, len(pos)+len(neg)
	for c, x := range [][]float64{pos, neg} {
		level := gamma - b
		if c == 1 {
			level = gamma + b
		}
		below, atMost := 0, 0
		for _, v := range x {
			if v < level-1e-12*scale {
				below++
			}
			if v <= level+1e-12*scale {
				atMost++
			}
		}
		least, most = max(least, below), min(most, atMost)
	}
	if least > most {
		t.Fatalf("pos %v neg %v volume %v: gamma = %v, b = %v cover more than %d points of one class, at most %d of the other", pos, neg, volume, gamma, b, least-1, most)
	}
	if under < max(1, least) || under > most {
		t.Fatalf("under = %d, want %d to %d", under, max(1, least), most)
	}
}

func spread(c []float64) float64 { return slices.Max(c) - slices.Min(c) }

func TestWaterLevelBiasAgainstSorting(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 1))
	for range 100 {
		pos, neg := floors(rng, 1+rng.IntN(30)), floors(rng, 1+rng.IntN(30))
		before := [][]float64{slices.Clone(pos), slices.Clone(neg)}
		for _, v := range volumes(rng, len(pos)+len(neg)) {
			gamma, b, under := WaterLevelBias(pos, neg, v)
			checkLevels(t, pos, neg, v, gamma, b, under)
			scale := max(1, math.Abs(gamma), spread(pos), spread(neg))
			if want := sortedLevelBias(pos, neg, v); !closeTo(gamma, want, 1e-8*scale) {
				t.Fatalf("WaterLevelBias(%v, %v, %g) = %v, want %v", pos, neg, v, gamma, want)
			}
		}
		if !slices.Equal(pos, before[0]) || !slices.Equal(neg, before[1]) {
			t.Fatal("WaterLevelBias modified its arguments")
		}
	}
}

func TestWaterLevelBiasEnds(t *testing.T) {
	for _, test := range []struct {
		pos, neg []float64
		volume   float64
		gamma, b float64
		under    int
		what     string
	}{
		{[]float64{0, 0}, []float64{0, 0}, 4, 1, 0, 2, "all tied, all under water"},
		{[]float64{0}, []float64{0, 0, 0}, 4, 2, -2, 1, "the positive class exhausted, the other held at a tie"},
		{[]float64{0, 1}, []float64{0, 1}, 0, 0, 0, 1, "no water"},
		{[]float64{3}, []float64{-3}, 0, 0, -3, 1, "no water, one point each"},
		{[]float64{0, 10}, []float64{0, 1}, 1, 0.5, 0, 1, "one of each, either level may change"},
		{[]float64{0, 10}, []float64{0, 1}, 5, 2.5, -2, 1, "the negative held by its next point, or higher alone"},
	} {
		gamma, b, under := WaterLevelBias(test.pos, test.neg, test.volume)
		if !closeTo(gamma, test.gamma, 1e-15) || !closeTo(b, test.b, 1e-15) || under != test.under {
			t.Errorf("%s: gamma, b, under = %v, %v, %d, want %v, %v, %d", test.what, gamma, b, under, test.gamma, test.b, test.under)
		}
		// Swapping the labels changes the sign of b.
		gamma, b, under = WaterLevelBias(test.neg, test.pos, test.volume)
		if !closeTo(gamma, test.gamma, 1e-15) || !closeTo(b, -test.b, 1e-15) || under != test.under {
			t.Errorf("%s, labels exchanged: gamma, b, under = %v, %v, %d", test.what, gamma, b, under)
		}
	}
}
