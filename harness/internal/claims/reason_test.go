package claims

import (
	"strings"
	"testing"
)

func TestReasons(t *testing.T) {
	t.Parallel()
	part := func(dataset, outcome string, v float64) Part {
		return Part{Dataset: dataset, Outcome: outcome, Estimates: []Estimate{{
			Name: "sbp / pegasos, error over kernel_evals", Value: v, Lo: v - 0.03, Hi: v + 0.03, N: 3, Level: 0.95, Wanted: "at most 1", Outcome: outcome,
		}}}
	}
	not := Part{Dataset: "web", Outcome: NotRun, Reason: "no runs of series sbp"}
	for _, tt := range []struct {
		parts   []Part
		outcome string
		holds   string
		want    string
	}{
		{[]Part{part("adult", Reproduced, 0.93)}, Reproduced, "", "sbp / pegasos, error over kernel_evals: 0.930 [0.900, 0.960] (at most 1)"},
		{[]Part{part("adult", Reproduced, 0.93), part("reuters", Inconclusive, 1.02)}, Inconclusive, "", "holds on 1 of 2, 1 inconclusive; sbp / pegasos, error over kernel_evals: 1.02 [0.990, 1.05] (at most 1) on reuters; 0.930 [0.900, 0.960] on adult"},
		{[]Part{part("adult", Reproduced, 0.93), not}, Inconclusive, "", "holds on 1 of 2, 1 not run; no runs of series sbp on web; sbp / pegasos, error over kernel_evals: 0.930 [0.900, 0.960] (at most 1) on adult"},
		{[]Part{part("adult", Reproduced, 0.93), not}, Reproduced, "any", "holds on 1 of 2, 1 not run (any); sbp / pegasos, error over kernel_evals: 0.930 [0.900, 0.960] (at most 1) on adult; no runs of series sbp on web"},
		{[]Part{not, not}, NotRun, "", "web: no runs of series sbp"},
	} {
		if got := (&Verdict{Claim: Claim{Holds: tt.holds}, Parts: tt.parts, Outcome: tt.outcome}).reason(reasonWidth); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	many := make([]Part, 20)
	for i := range many {
		many[i] = part("data", Reproduced, 0.93)
	}
	v := &Verdict{Parts: many, Outcome: Reproduced}
	if n := strings.Count(v.Whole(), "0.93"); n != len(many) {
		t.Errorf("%d parts of %d: %q", n, len(many), v.Whole())
	}
	if got := (&Verdict{Reason: "needs profile paper", Outcome: NotRun}).Whole(); got != "needs profile paper" {
		t.Errorf("without parts: %q", got)
	}
	if got := v.reason(reasonWidth); len(got) > 220 || !strings.HasSuffix(got, "; and 17 more") {
		t.Errorf("%d characters: %q", len(got), got)
	}
}
