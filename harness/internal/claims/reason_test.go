package claims

import (
	"fmt"
	"strings"
	"testing"

	"stochopt/internal/observe"
)

func TestReasons(t *testing.T) {
	t.Parallel()
	part := func(dataset, outcome string, v float64) Part {
		return Part{Dataset: dataset, Outcome: outcome, Estimates: []Estimate{{
			Name: "a / b", Value: v, Lo: v - 0.03, Hi: v + 0.03, N: 3, Level: 0.95, Wanted: "at most 1", Outcome: outcome,
		}}}
	}
	adult, reuters := part("adult", Reproduced, 0.93), part("reuters", Inconclusive, 1.02)
	not := Part{Dataset: "web", Outcome: NotRun, Reason: "no runs of series sbp"}
	const decisive = "a / b: 0.930 [0.900, 0.960] (at most 1)"
	for _, tt := range []struct {
		parts   []Part
		outcome string
		holds   string
		want    string
	}{
		{[]Part{adult}, Reproduced, "", decisive},
		{[]Part{adult, reuters}, Inconclusive, "", "holds on 1 of 2, 1 inconclusive; " +
			"a / b: 1.02 [0.990, 1.05] (at most 1) on reuters; 0.930 [0.900, 0.960] on adult"},
		{[]Part{adult, not}, Inconclusive, "",
			"holds on 1 of 2, 1 not run; no runs of series sbp on web; " + decisive + " on adult"},
		{[]Part{adult, not}, Reproduced, "any",
			"holds on 1 of 2, 1 not run (any); " + decisive + " on adult; no runs of series sbp on web"},
		{[]Part{not, not}, NotRun, "", "web: no runs of series sbp"},
	} {
		v := &Verdict{Claim: Claim{Holds: tt.holds}, Parts: tt.parts, Outcome: tt.outcome}
		if got := v.reason(reasonWidth); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	many := make([]Part, 20)
	for i := range many {
		many[i] = part("data", Reproduced, 0.93)
	}
	v := &Verdict{Parts: many, Outcome: Reproduced}
	if n := strings.Count(v.FullReason(), "0.93"); n != len(many) {
		t.Errorf("%d parts of %d: %q", n, len(many), v.FullReason())
	}
	if got := (&Verdict{Reason: "needs profile paper", Outcome: NotRun}).FullReason(); got != "needs profile paper" {
		t.Errorf("without parts: %q", got)
	}
	if got := v.reason(reasonWidth); len(got) > 180 || !strings.HasSuffix(got, "; and 16 more") {
		t.Errorf("%d characters: %q", len(got), got)
	}
}

// An estimate has as many digits as its relation to the claimed range needs.
func TestDigitsOfEstimates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lo, v, hi float64
		claimed   observe.Between
		want      string
	}{
		{1.007676, 1.008188, 1.0087, observe.AtLeast(1.01), "1.008 [1.008, 1.009]"},
		{0.9739, 0.9872, 1.00068, observe.AtMost(1), "0.9872 [0.9739, 1.001]"},
		{0.9739, 0.9872, 0.9999, observe.AtMost(1), "0.987 [0.974, 1.00]"},
		{1.0000001, 1.0000001, 1.0000001, observe.AtMost(1), "1.00000"},
	} {
		if got := (Estimate{Value: tt.v, Lo: tt.lo, Hi: tt.hi, Between: tt.claimed}).bare(); got != tt.want {
			t.Errorf("%v, claimed %v: %q, want %q", tt.v, tt.claimed, got, tt.want)
		}
	}
}

// The summary of many verdicts has the number that may be wrong and names possible false discoveries. Exact
// verdicts, bounds and readings are not counted.
func TestExpectedErrors(t *testing.T) {
	t.Parallel()
	var all []Verdict
	add := func(n int, outcome string, p float64, c Claim) {
		for range n {
			c.ID = fmt.Sprintf("c%d", len(all))
			all = append(all, Verdict{Claim: c, Outcome: outcome, P: p})
		}
	}
	add(19, Reproduced, 1e-4, Claim{})
	if text := ExpectedErrors(all); text != "" {
		t.Errorf("of few: %q", text)
	}
	add(1, NotReproduced, 0.049, Claim{})
	add(5, Inconclusive, 0, Claim{})
	add(3, Reproduced, 0, Claim{})
	add(3, Reproduced, 1e-4, Claim{Kind: Theorem})
	add(3, Reproduced, 1e-4, Claim{Of: "c1"})
	want := "of 20 claims that intervals of 95 % decided, at most 1.0 are expected to be wrong by chance; " +
		"at a false discovery rate of 5 % among 25 judged 19 stand, but not c19"
	if text := ExpectedErrors(all); text != want {
		t.Errorf("%q, want %q", text, want)
	}
	all = all[:19]
	add(6, NotReproduced, 0.01, Claim{})
	if text := ExpectedErrors(all); !strings.HasSuffix(text, "among 25 judged 25 stand") {
		t.Errorf("%q", text)
	}
}

func TestWantedText(t *testing.T) {
	t.Parallel()
	within := func(lo, hi float64) observe.Between { return observe.Between{Least: &lo, Most: &hi} }
	for want, w := range map[string]observe.Between{
		"at most 2":           observe.AtMost(2),
		"at least 0.5":        observe.AtLeast(0.5),
		"below 2":             {Most: new(2.0), Below: true},
		"from 0.8 to 1.25":    within(0.8, 1.25),
		"1 ± 1.00e-06":        within(1-1e-6, 1+1e-6),
		"from 3 to 3":         within(3, 3),
		"from 0.999 to 1.001": within(0.999, 1.001),
	} {
		if got := w.String(); got != want {
			t.Errorf("%+v: %q, want %q", w, got, want)
		}
	}
}
