package claims

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/stats"
)

// The p-value of a verdict is that of Student's t, times the number that its level is corrected for.
func TestPValues(t *testing.T) {
	t.Parallel()
	// Ten values about a mean, with a standard error of 0.1.
	about := func(dataset string, mean float64) observe.Table {
		q := observe.Quantity{Key: "b", Name: "a / b", Statistic: observe.GeometricMean, Between: observe.AtMost(1)}
		for i := range 10 {
			q.Add(i, observe.Value{Number: math.Exp(mean + 0.3*float64(1-2*(i%2)))})
		}
		return observe.Table{Claim: "a-claim", Dataset: dataset, Quantities: []observe.Quantity{q}}
	}
	p := func(mean float64) float64 { return 2 * stats.Student(9).CDF(-mean/0.1) }
	for _, tt := range []struct {
		holds string
		means []float64
		want  float64
	}{
		{"", []float64{0.25}, p(0.25)},
		{"", []float64{-0.25}, p(0.25)},
		{"", []float64{0.4, -1, -1}, 3 * p(0.4)},
		{"", []float64{-0.3, -0.35, -0.4}, p(0.3)},
		{holdsAny, []float64{-0.4, 1, 1}, 3 * p(0.4)},
		{holdsMost, []float64{-0.35, -0.4, 1}, 2 * p(0.35)},
		{"", []float64{0.1}, 0}, // inconclusive
	} {
		var tables []observe.Table
		for i, mean := range tt.means {
			tables = append(tables, about(fmt.Sprint(i), mean))
		}
		v := Decide([]Claim{{ID: "a-claim", Holds: tt.holds, Check: aBelowB}}, Origin{}, tables)[0]
		if math.Abs(v.P-tt.want) > 0.021*tt.want {
			t.Errorf("%s %v: %s, p %v, want %v", tt.holds, tt.means, v.Outcome, v.P, tt.want)
		}
	}
	// Of two quantities of a part either refutes it, and the stronger says with what probability.
	two := about("d", 0.6)
	two.Quantities = append(two.Quantities, about("d", 0.35).Quantities...)
	claim := []Claim{{ID: "a-claim", Check: aBelowB}}
	if v := Decide(claim, Origin{}, []observe.Table{two})[0]; math.Abs(v.P-2*p(0.6)) > 0.05*p(0.6) {
		t.Errorf("%s, p %v, want %v", v.Outcome, v.P, 2*p(0.6))
	}
	two.Quantities = nil
	wantOutcome(t, "no quantities", Decide(claim, Origin{}, []observe.Table{two})[0], NotRun, "the observations lack values")
}

// Of many verdicts the summary says how many may be wrong, and names those that may be false discoveries.
// What is exact, a bound or a reading is not counted.
func TestChance(t *testing.T) {
	t.Parallel()
	var all []Verdict
	add := func(n int, outcome string, p float64, c Claim) {
		for range n {
			c.ID = fmt.Sprintf("c%d", len(all))
			all = append(all, Verdict{Claim: c, Outcome: outcome, P: p})
		}
	}
	add(19, Reproduced, 1e-4, Claim{})
	if text := Chance(all); text != "" {
		t.Errorf("of few: %q", text)
	}
	add(1, NotReproduced, 0.049, Claim{})
	add(5, Inconclusive, 0, Claim{})
	add(3, Reproduced, 0, Claim{})
	add(3, Reproduced, 1e-4, Claim{Kind: Theorem})
	add(3, Reproduced, 1e-4, Claim{Of: "c1"})
	want := "of 20 claims that intervals of 95 % decided, at most 1.0 are expected to be wrong by chance; " +
		"at a false discovery rate of 5 % among 25 judged 19 stand, but not c19"
	if text := Chance(all); text != want {
		t.Errorf("%q, want %q", text, want)
	}
	all = all[:19]
	add(6, NotReproduced, 0.01, Claim{})
	if text := Chance(all); !strings.HasSuffix(text, "among 25 judged 25 stand") {
		t.Errorf("%q", text)
	}
}
