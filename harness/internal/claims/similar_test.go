package claims

import (
	"testing"

	"stochopt/internal/selection"
)

// "Similar" has two sides: far below is not similar either.
func TestOrderSimilar(t *testing.T) {
	t.Parallel()
	b := made{series: "b", of: func(x float64, _ int) float64 { return 1 / x }}.runs()
	for _, tt := range []struct {
		name   string
		factor func(repeat int) float64
		want   string
	}{
		{"similar", func(repeat int) float64 { return 0.95 + 0.02*float64(repeat) }, Reproduced},
		{"far above", func(repeat int) float64 { return 1.5 + 0.02*float64(repeat) }, NotReproduced},
		{"far below", func(repeat int) float64 { return 0.5 + 0.02*float64(repeat) }, NotReproduced},
		{"about at the lower end", func(repeat int) float64 { return 0.74 + 0.04*float64(repeat) }, Inconclusive},
		{"about at the upper end", func(repeat int) float64 { return 1.19 + 0.04*float64(repeat) }, Inconclusive},
	} {
		a := made{series: "a", of: func(x float64, repeat int) float64 { return tt.factor(repeat) / x }}.runs()
		v := judgeOne(t, claimOf(Check{Order: &Order{Series: "a", Below: []string{"b"}, Ratio: 1.25, Least: 0.8}}), Input{Choice: selection.All(join(a, b))})
		wantOutcome(t, tt.name, v, tt.want)
		if w := v.Parts[0].Estimates[0].Wanted; w != "from 0.8 to 1.25" {
			t.Errorf("%s: wanted %q", tt.name, w)
		}
	}
	for factor, want := range map[float64]string{1.5: Reproduced, 500: Reproduced, 1.01: NotReproduced} {
		a := made{series: "a", of: func(x float64, repeat int) float64 { return factor * (1 + 0.001*float64(repeat)) / x }}.runs()
		v := judgeOne(t, claimOf(Check{Order: &Order{Series: "a", Below: []string{"b"}, Least: 1.05}}), Input{Choice: selection.All(join(a, b))})
		wantOutcome(t, "no upper end", v, want)
		if w := v.Parts[0].Estimates[0].Wanted; w != "at least 1.05" {
			t.Errorf("no upper end: wanted %q", w)
		}
	}
}
