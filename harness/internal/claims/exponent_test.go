package claims

import (
	"fmt"
	"math"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// law makes runs whose error is R^2/sqrt(t), so that an error of epsilon takes
// R^4/epsilon^2 iterations, but for a scatter by problem.
func law(scatter float64) []record.Run { return lawOf("a", 2, scatter) }

// lawOf makes runs of a series whose error is R^power/sqrt(t).
func lawOf(series string, power, scatter float64) []record.Run {
	var runs []record.Run
	for i, radius := range []float64{1, 2, 4, 8} {
		var points []int64
		for x := 1.0; x < 1e8; x *= 1.1 {
			if n := int64(x); len(points) == 0 || n > points[len(points)-1] {
				points = append(points, n)
			}
		}
		off := math.Exp(scatter * []float64{1, -1, 0.5, -0.8}[i])
		runs = append(runs, made{
			dataset: fmt.Sprintf("r%v", radius), series: series, repeats: 3, points: points, facts: map[string]float64{"u_norm": radius},
			of: func(x float64, _ int) float64 { return off * math.Pow(radius, power) / math.Sqrt(x) },
		}.runs()...)
	}
	return runs
}

func TestExponent(t *testing.T) {
	t.Parallel()
	laws := []observe.PowerLaws{{
		Table: "t",
		Exponents: []observe.Exponent{
			{Over: "epsilon", With: []string{"u_norm"}, Targets: []float64{0.2, 0.1, 0.05}, Cost: "iterations"},
			{Over: "u_norm", With: []string{"epsilon"}, Targets: []float64{0.2, 0.1, 0.05}, Cost: "iterations"},
		},
	}}
	for _, tt := range []struct {
		name   string
		column string
		lo, hi *float64
		runs   []record.Run
		want   string
	}{
		{"of R", "exponent_u_norm", ptr(3.8), ptr(4.2), law(0), Reproduced},
		{"of epsilon", "exponent_epsilon", ptr(1.9), ptr(2.1), law(0), Reproduced},
		{"less", "exponent_u_norm", nil, ptr(2), law(0), NotReproduced},
		{"scattered", "exponent_u_norm", nil, ptr(4), law(0.5), Inconclusive},
		{"no such column", "exponent_n", nil, ptr(4), law(0), NotRun},
		{"too few", "exponent_u_norm", nil, ptr(4), law(0)[:3], NotRun},
		{"no runs", "exponent_u_norm", nil, ptr(4), nil, NotRun},
	} {
		c := claimOf(Check{Exponent: &Exponent{Series: "a", Table: "t", Column: tt.column, Between: []*float64{tt.lo, tt.hi}}})
		v := Judge([]Claim{c}, Input{Origin: Origin{Profile: "quick"}, Choice: selection.All(tt.runs)}, laws)[0]
		checkFinite(t, v)
		wantOutcome(t, tt.name, v, tt.want)
	}
}

// What two series share of the problems does not blur the difference of their exponents.
func TestDifferenceOfExponents(t *testing.T) {
	t.Parallel()
	laws := []observe.PowerLaws{{Table: "t", Exponents: []observe.Exponent{
		{Over: "u_norm", With: []string{"epsilon"}, Targets: []float64{0.2, 0.1, 0.05}, Cost: "iterations"},
	}}}
	both := append(lawOf("a", 2, 0.3), lawOf("b", 1, 0.3)...)
	judge := func(series, than string, lo, hi *float64, runs []record.Run) Verdict {
		c := claimOf(Check{Exponent: &Exponent{Series: series, Than: than, Table: "t", Column: "exponent_u_norm", Between: []*float64{lo, hi}}})
		return Judge([]Claim{c}, Input{Origin: Origin{Profile: "quick"}, Choice: selection.All(runs)}, laws)[0]
	}
	wantOutcome(t, "alone", judge("a", "", ptr(3.5), ptr(4.5), both), Inconclusive, "")
	wantOutcome(t, "difference", judge("a", "b", ptr(1.8), ptr(2.2), both), Reproduced)
	wantOutcome(t, "the other way", judge("b", "a", nil, ptr(-1), both), Reproduced)
	wantOutcome(t, "more", judge("b", "a", ptr(0), nil, both), NotReproduced)
	wantOutcome(t, "of nothing", judge("a", "b", nil, ptr(0), law(0)), NotRun)
}
