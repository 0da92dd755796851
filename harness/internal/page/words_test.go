package page

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"

	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "write testdata/words.golden")

// The texts of the page match the golden file. Headings skip no level, and headers of tables have a scope.
func TestWords(t *testing.T) {
	t.Parallel()
	p := fixture()
	p.Broken = []Broken{{Dir: "results/broken", Reason: "it has no manifest"}}
	p.Experiments[1].Missing, p.Experiments[1].Notes = 3, []string{"PARTIAL: 5 of 8 runs"}
	// A part on stand-in data that is not judged has no effect on the claim.
	fifth := p.Experiments[0].Claims[2].Verdict
	fifth.ID, fifth.Parts = "fifth", slices.Clone(fifth.Parts)
	fifth.Parts[1].StandIn, fifth.Parts[1].Outcome = true, claims.NotRun
	p.Experiments[0].addVerdicts([]claims.Verdict{fifth})
	for i, outcome := range []string{claims.Reproduced, claims.NotReproduced} {
		v := verdictOf([]string{"second-last", "second-mean"}[i], outcome, "", []string{"fast"}, "speech")
		v.Of, v.Reading, v.Experiment = "second", []string{"the last iterate", "the mean"}[i], "beta"
		p.Experiments[1].addVerdicts([]claims.Verdict{v})
	}
	if n := p.Count().Claims; n != 5 {
		t.Errorf("%d claims, want 5, without readings", n)
	}
	for _, e := range p.Experiments {
		for _, c := range e.Claims {
			c.P = 0.001
		}
	}
	var b strings.Builder
	var headings []string
	walk(t, render(t, p), func(n *html.Node) {
		switch n.Data {
		case "h1", "h2", "h3", "h4", "h5", "h6":
			headings = append(headings, n.Data)
		case "p", "li", "tr", "dt", "dd", "pre", "summary":
		case "th":
			if attribute(n, "scope") == "" {
				t.Errorf("the header %q has no scope", text(n))
			}
			return
		default:
			return
		}
		fmt.Fprintf(&b, "%s: %s\n", strings.TrimSpace(n.Data+" "+attribute(n, "class")), strings.Join(strings.Fields(text(n)), " "))
	})
	for i, h := range headings {
		if i == 0 && h != "h1" || i > 0 && h[1] > headings[i-1][1]+1 {
			t.Fatalf("headings %v skip a level", headings)
		}
	}
	const golden = "testdata/words.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(b.String(), "\n"), strings.Split(string(data), "\n")
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("line %d is\n%s\nwant\n%s", i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
}
