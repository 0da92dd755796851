package claims

import (
	"math"
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/selection"
)

// leveled judges the level of numbers, one per repeat.
func leveled(t *testing.T, most float64, numbers ...float64) Verdict {
	t.Helper()
	of := func(_ float64, repeat int) float64 { return numbers[repeat] }
	runs := made{series: "a", repeats: len(numbers), of: of}.runs()
	return judgeOne(t, claimOf(levelOf(Reading{Series: "a"}, nil, ptr(most))), Input{Choice: selection.All(runs)})
}

// The mean of positive numbers is geometric, otherwise arithmetic.
func TestLevelMeans(t *testing.T) {
	t.Parallel()
	for want, numbers := range map[float64][]float64{10: {1, 10, 100}, 40: {0, 10, 110}} {
		if e := leveled(t, 1, numbers...).Parts[0].Estimates[0]; math.Abs(e.Value-want) > 1e-9 {
			t.Errorf("of %v: %+v, want %v", numbers, e, want)
		}
	}
}

// There is a remark if some runs get stuck and others do not, because the mean then describes neither group.
func TestTwoGroups(t *testing.T) {
	t.Parallel()
	stuck := []float64{0.01, 0.5, 0.011, 0.012, 0.52, 0.01, 0.011, 0.012}
	few := leveled(t, 1, stuck...)
	wantOutcome(t, "few", few, Reproduced, "the repeats are in two groups, 6 up to 0.0120 and 2 from 0.500 on")
	if !few.Doubtful {
		t.Error("a small group does not make the verdict doubtful")
	}
	many := slices.Concat(slices.Repeat(stuck[:1], 12), slices.Repeat(stuck[1:2], 10))
	if v := leveled(t, 1, many...); v.Doubtful || len(v.Caveats) != 1 {
		t.Errorf("of many: doubtful %v, caveats %q", v.Doubtful, v.Caveats)
	}
	for _, numbers := range [][]float64{{1, 2, 3, 4, 5, 6}, {2, 2, 2, 2, 2, 2.01}} {
		if v := leveled(t, 10, numbers...); len(v.Caveats) > 0 {
			t.Errorf("%v: caveats %q", numbers, v.Caveats)
		}
	}
}

// Only the best of several rivals has a remark. If several quantities decide, the remark names the quantity.
func TestTwoGroupsOfARival(t *testing.T) {
	t.Parallel()
	b, z := ratios("a / b", 0.6, 0.61, 0.62, 0.6, 0.61, 0.62), ratios("a / z", 0.01, 0.0001, 0.01, 0.0001, 0.01, 0.0001)
	of := table("d", b, z)
	const text = "a / z: the repeats are in two groups, 3 up to 1.00e-04 and 3 from 0.0100 on"
	wantOutcome(t, "each", decide("", of), Reproduced, text)
	of.Best = true
	if v := decide("", of); v.Outcome != Reproduced || v.Doubtful || len(v.Caveats) > 0 {
		t.Errorf("%s, caveats %q", v.Reason, v.Caveats)
	}
}

// There is a remark if the arithmetic mean depends on few repeats, for example for a theorem on an expectation.
func TestSkewedMean(t *testing.T) {
	t.Parallel()
	q := ratios("a", 0.001, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.2)
	q.Statistic = observe.Mean
	const text = "few repeats carry the mean: the largest is 0.200, the median 0.0150"
	wantOutcome(t, "skewed", decide("", table("d", q)), Reproduced, text)
}

// There is a remark if there are few repeats and all are equal.
func TestFewThatAreTheSame(t *testing.T) {
	t.Parallel()
	for repeats, want := range map[int][]string{5: {"the same in all 5 repeats, too few to show a spread"}, 6: nil} {
		v := leveled(t, 0.7, slices.Repeat([]float64{0.7}, repeats)...) // exactly
		if v.Outcome != Reproduced || !slices.Equal(Texts(v.Caveats), want) {
			t.Errorf("%d: %s, caveats %q, want %q", repeats, v.Outcome, v.Caveats, want)
		}
	}
}
