package claims

import (
	"strings"
	"testing"
)

func TestNumbersAsText(t *testing.T) {
	for _, tt := range []struct {
		v                  float64
		short, cost, plain string
	}{
		{0, "0", "0", "0"},
		{1, "1.00", "1", "1"},
		{0.99961, "1.00", "1.00", "0.9996"},
		{0.12345, "0.123", "0.123", "0.1235"},
		{0.0123456, "0.0123", "0.0123", "0.01235"},
		{-2.5, "-2.50", "-2.50", "-2.5"},
		{46.41588, "46.4", "46", "46.42"},
		{10.0000000001, "10.0", "10", "10"},
		{9999, "10000", "9999", "9999"},
		{123456, "1.23e+05", "123456", "123456"},
		{3977540, "3.98e+06", "3.98e+06", "3.978e+06"},
		{1e-12, "1.00e-12", "1.00e-12", "1e-12"},
	} {
		if s, c, p := short(tt.v), costText(tt.v), plain(tt.v); s != tt.short || c != tt.cost || p != tt.plain {
			t.Errorf("%v: %q, %q, %q; want %q, %q, %q", tt.v, s, c, p, tt.short, tt.cost, tt.plain)
		}
	}
}

func TestReasons(t *testing.T) {
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
		{[]Part{part("adult", Reproduced, 0.93), part("reuters", Inconclusive, 1.02)}, Inconclusive, "", "true of 1 of 2, 1 open; sbp / pegasos, error over kernel_evals: 1.02 [0.990, 1.05] (at most 1) on reuters; 0.930 [0.900, 0.960] on adult"},
		{[]Part{part("adult", Reproduced, 0.93), not}, Inconclusive, "", "true of 1 of 2, 1 not run; no runs of series sbp on web; sbp / pegasos, error over kernel_evals: 0.930 [0.900, 0.960] (at most 1) on adult"},
		{[]Part{part("adult", Reproduced, 0.93), not}, Reproduced, "any", "true of 1 of 2, 1 not run (any); sbp / pegasos, error over kernel_evals: 0.930 [0.900, 0.960] (at most 1) on adult; no runs of series sbp on web"},
		{[]Part{not, not}, NotRun, "", "web: no runs of series sbp"},
	} {
		if got := (&Verdict{Claim: Claim{Holds: tt.holds}, Parts: tt.parts, Outcome: tt.outcome}).reason(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	many := make([]Part, 20)
	for i := range many {
		many[i] = part("data", Reproduced, 0.93)
	}
	if got := (&Verdict{Parts: many, Outcome: Reproduced}).reason(); len(got) > 220 || !strings.HasSuffix(got, "; and 17 more") {
		t.Errorf("%d characters: %q", len(got), got)
	}
}
