package page

import (
	"bytes"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/report"
)

// Readings of a claim are in a section of their own, and count neither as claims nor
// among the outcomes of experiments.
func TestReadingsOfClaims(t *testing.T) {
	t.Parallel()
	render := func(p *report.Page) string {
		var b bytes.Buffer
		if err := Render(&b, p); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	p := fixture()
	without := render(p)
	if strings.Contains(without, `id="readings"`) {
		t.Error("a page without readings has a section of them")
	}
	for i, outcome := range []string{claims.Reproduced, claims.NotReproduced} {
		v := verdictOf([]string{"second-last", "second-mean"}[i], outcome, "", []string{"fast"}, "speech")
		v.Of, v.Reading, v.Experiment = "second", []string{"the last iterate", "the mean"}[i], "beta"
		p.Experiments[1].Verdicts = append(p.Experiments[1].Verdicts, v)
	}
	with, err := newView(p)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(with.Claims); n != 4 {
		t.Errorf("%d claims, want the 4 that are no readings", n)
	}
	if len(with.Investigations) != 1 || with.Investigations[0].Itself == nil || len(with.Investigations[0].Readings) != 2 {
		t.Fatalf("investigations are %+v", with.Investigations)
	}
	text := render(p)
	for _, want := range []string{`id="readings"`, `href="#readings"`, `id="r-second"`, "The claim holds under 1 of the 2 readings tried.",
		"the last iterate", "the mean", "what decided second-last", "as its own specification has it", "4 claims"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
