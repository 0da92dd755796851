package stats

import (
	"math"
	"slices"
	"testing"
)

func TestBest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		losses []float64
		want   int
	}{
		{nil, -1},
		{[]float64{Ineligible}, -1},
		{[]float64{Ineligible, 3, 2}, 2},
		{[]float64{2 * (1 + 1e-13), 2}, 0},
		{[]float64{2 * (1 + 1e-11), 2}, 1},
		{[]float64{-1, -2, -2}, 1},
	} {
		if got := Best(tt.losses); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.losses, got, tt.want)
		}
	}
}

func TestChoicesOfResamples(t *testing.T) {
	t.Parallel()
	// The first series is a tie that any repeat decides, the second always chooses candidate 1.
	tie := [][]float64{{0, 1}, {1, 0}, {0, 1}, {1, 0}}
	clear := [][]float64{{3, 1}, {3, 1}, {3, 1}, {3, 1}}
	c := Choose([][][]float64{tie, clear})
	if len(c.Joint) != 2 || len(c.draws) != 4000 {
		t.Fatalf("%d joint choices in %d draws", len(c.Joint), len(c.draws))
	}
	count := make([]int, 2)
	for i, draw := range c.draws {
		count[c.chosen[i]]++
		odd := 0
		for _, row := range draw {
			odd += row % 2
		}
		want := []int{0, 1}
		if odd > 2 {
			want[0] = 1
		}
		if got := c.Joint[c.chosen[i]]; !slices.Equal(got, want) {
			t.Fatalf("rows %v choose %v, want %v", draw, got, want)
		}
	}
	// The first candidate wins ties: 11 of 16 arrangements choose it.
	first := slices.IndexFunc(c.Joint, func(j []int) bool { return j[0] == 0 })
	if share := float64(count[first]) / 4000; math.Abs(share-11.0/16) > 0.03 {
		t.Errorf("the first candidate is chosen in a fraction %v", share)
	}
	values := [][]float64{nil, nil}
	values[first], values[1-first] = []float64{1, 1, 1, 1}, []float64{5, 5, 5, math.NaN()}
	if lo, hi := c.Interval(0.95, values); lo != 1 || hi != 5 {
		t.Errorf("interval [%v, %v], want [1, 5]", lo, hi)
	}
	values[1-first] = nil
	if lo, hi := c.Interval(0.95, values); lo != 1 || hi != 1 {
		t.Errorf("interval [%v, %v] of the known values, want [1, 1]", lo, hi)
	}
	unknown := []bool{false, false}
	if !c.Covered(unknown, 0.95) {
		t.Error("not covered, although all values are known")
	}
	if unknown[1-first] = true; c.Covered(unknown, 0.95) {
		t.Error("covered, although a third of the resamples have no values")
	}
	if unknown = []bool{true, true}; c.Covered(unknown, -1) {
		t.Error("covered, although no values are known")
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	mean, sd := Deviation([]float64{1, 2, 3, 6})
	_, se := StandardError([]float64{1, 2, 3, 6})
	if variance := 14.0 / 3; mean != 3 || math.Abs(sd*sd-variance) > 1e-14 || math.Abs(4*se*se-variance) > 1e-14 || Variance([]float64{2}, 2) != 0 {
		t.Errorf("mean %v, deviation %v, standard error %v", mean, sd, se)
	}
	inf := math.Inf(1)
	for _, tt := range []struct {
		v      []float64
		median float64
	}{
		{[]float64{5, 1, 3}, 3},
		{[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{inf, inf, 1}, inf},
		{[]float64{inf, -inf}, 0},
	} {
		if got := Median(tt.v); got != tt.median {
			t.Errorf("%v: median %v, want %v", tt.v, got, tt.median)
		}
	}
	if got := Median(nil); !math.IsNaN(got) {
		t.Errorf("median of nothing: %v", got)
	}
	v := []float64{10, 20, 40}
	if a, b, c := Quantile(v, 0), Quantile(v, 0.75), Quantile(v, 1); a != 10 || b != 30 || c != 40 {
		t.Errorf("quantiles %v, %v, %v", a, b, c)
	}
}

func TestIntervalsOfMeans(t *testing.T) {
	t.Parallel()
	// The 97.5th percentile of t with 3 degrees of freedom is 3.182446; the deviation of 1, 2, 3, 4 is 1.290994.
	v := []float64{1, 2, 3, 4}
	if got := MeanOfRepeats(v, 0.95); math.Abs(got.Hi-2.5-2.054260) > 1e-5 || math.Abs(got.Lo+got.Hi-5) > 1e-12 {
		t.Errorf("of repeats: %+v", got)
	}
	if got := MeanOfHalvings(v, 0.95); math.Abs(got.Hi-2.5-4.108520) > 1e-5 || got.Value != 2.5 {
		t.Errorf("of halvings: %+v", got)
	}
	if got := MeanOfRepeats([]float64{0.1, 0.1, 0.1}, 0.95); got != (Interval{0.1, 0.1, 0.1}) {
		t.Errorf("of equal values: %+v", got)
	}
}

func TestClopperPearson(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		k, n   int
		lo, hi float64
	}{
		{0, 10, 0, 0.3084971},
		{10, 10, 0.6915029, 1},
		{5, 10, 0.1870860, 0.8129140},
		{1, 20, 0.0012651, 0.2487328},
	} {
		lo, hi := ClopperPearson(tt.k, tt.n, 0.95)
		if math.Abs(lo-tt.lo) > 1e-6 || math.Abs(hi-tt.hi) > 1e-6 {
			t.Errorf("%d of %d: [%v, %v], want [%v, %v]", tt.k, tt.n, lo, hi, tt.lo, tt.hi)
		}
	}
}
