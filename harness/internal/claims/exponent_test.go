package claims

import (
	"fmt"
	"math"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// law returns runs of a series with error R^power/sqrt(t) and random variation by problem. An error of
// epsilon takes R^(2 power)/epsilon^2 iterations.
func law(series string, power, scatter float64) []record.Run {
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
			dataset: fmt.Sprintf("r%v", radius), series: series, repeats: 3, points: points,
			facts: map[string]float64{"u_norm": radius},
			of:    func(x float64, _ int) float64 { return off * math.Pow(radius, power) / math.Sqrt(x) },
		}.runs()...)
	}
	return runs
}

func TestExponent(t *testing.T) {
	t.Parallel()
	laws := []observe.PowerLaws{{Table: "t"}, {Table: "far"}}
	for i, targets := range [][]float64{{0.2, 0.1, 0.05}, {0.2, 0.1, 0.0005}} {
		laws[i].Exponents = []observe.Exponent{
			{Over: "epsilon", With: []string{"u_norm"}, Targets: targets, Cost: "iterations"},
			{Over: "u_norm", With: []string{"epsilon"}, Targets: targets, Cost: "iterations"},
		}
	}
	both := join(law("a", 2, 0.3), law("b", 1, 0.3))
	of := func(series, than, over string, lo, hi *float64) Claim {
		at := &Exponent{Series: series, Than: than, Table: "t", Column: "exponent_" + over, Between: []*float64{lo, hi}}
		return claimOf(Check{Exponent: at})
	}
	for _, tt := range []struct {
		name  string
		claim Claim
		runs  []record.Run
		want  string
	}{
		{"of R", of("a", "", "u_norm", ptr(3.8), ptr(4.2)), law("a", 2, 0), Reproduced},
		{"of epsilon", of("a", "", "epsilon", ptr(1.9), ptr(2.1)), law("a", 2, 0), Reproduced},
		{"less", of("a", "", "u_norm", nil, ptr(2)), law("a", 2, 0), NotReproduced},
		{"scattered", of("a", "", "u_norm", nil, ptr(4)), law("a", 2, 0.5), Inconclusive},
		{"no such column", of("a", "", "n", nil, ptr(4)), law("a", 2, 0), NotRun},
		{"too few", of("a", "", "u_norm", nil, ptr(4)), law("a", 2, 0)[:3], NotRun},
		{"no runs", of("a", "", "u_norm", nil, ptr(4)), nil, NotRun},
		// Variation that two series share cancels in the difference of their exponents.
		{"alone", of("a", "", "u_norm", ptr(3.5), ptr(4.5)), both, Inconclusive},
		{"difference", of("a", "b", "u_norm", ptr(1.8), ptr(2.2)), both, Reproduced},
		{"the other way", of("b", "a", "u_norm", nil, ptr(-1)), both, Reproduced},
		{"more", of("b", "a", "u_norm", ptr(0), nil), both, NotReproduced},
		{"of nothing", of("a", "b", "u_norm", nil, ptr(0)), law("a", 2, 0), NotRun},
	} {
		wantOutcome(t, tt.name, judgeOne(t, tt.claim, Input{Choice: selection.All(tt.runs), Laws: laws}), tt.want)
	}
	// Targets that were not reached bias an exponent. If there are many, the claim is inconclusive.
	far, in := of("a", "", "u_norm", nil, ptr(5)), Input{Choice: selection.All(law("a", 2, 0.1)), Laws: laws}
	far.Check.Exponent.Table = "far"
	v := judgeOne(t, far, in)
	wantOutcome(t, "far", v, Inconclusive, "targets left out bias the exponent of a: 10 of 12: 2 not reached")
	tables := Observe([]Claim{far}, in)
	tables[0].Quantities[0].Missing = 0.04
	if few := Decide([]Claim{far}, Origin{}, tables)[0]; few.Outcome != Reproduced || !v.Doubtful {
		t.Errorf("with 4 %% missing: %s; doubtful with many: %v", few.Outcome, v.Doubtful)
	}
}
