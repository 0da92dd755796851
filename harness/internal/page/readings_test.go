package page

import (
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
)

// Readings of a claim are in a section of their own and do not count as claims.
func TestReadingsOfClaims(t *testing.T) {
	t.Parallel()
	p := fixture()
	if strings.Contains(render(t, p), `id="readings"`) {
		t.Error("a page without readings has a section of them")
	}
	for i, outcome := range []string{claims.Reproduced, claims.NotReproduced} {
		v := verdictOf([]string{"second-last", "second-mean"}[i], outcome, "", []string{"fast"}, "speech")
		v.Of, v.Reading, v.Experiment = "second", []string{"the last iterate", "the mean"}[i], "beta"
		p.Experiments[1].addVerdicts([]claims.Verdict{v})
	}
	if n := p.Count().Claims; n != 4 {
		t.Errorf("%d claims, want the 4 that are no readings", n)
	}
	text := render(t, p)
	for _, want := range []string{`id="readings"`, `href="#readings"`, "<code>second</code>",
		"the last iterate", "the mean", "what decided second-last", "4 claims"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
