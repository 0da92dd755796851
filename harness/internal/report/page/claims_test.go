package page

import (
	"fmt"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/report"

	"golang.org/x/net/html"
)

// manyClaims is a page with more claims than are shown without opening a group.
func manyClaims() *report.Page {
	p := fixture()
	for i := range p.Experiments {
		e := &p.Experiments[i]
		for j := range fewClaims {
			e.Verdicts = append(e.Verdicts, verdictOf(fmt.Sprintf("more-%d-%d", i, j), claims.Reproduced, e.Figures[0].ID, []string{"fast"}, e.Datasets[0].ID))
		}
	}
	return p
}

func TestClaimsAreGroupedByExperiment(t *testing.T) {
	t.Parallel()
	v, err := newView(fixture())
	if err != nil {
		t.Fatal(err)
	}
	say := func(g *claimGroup) string {
		text := fmt.Sprint(g.Anchor, " ", g.Open)
		for _, o := range g.Outcomes {
			text += fmt.Sprint(" ", o.Count)
		}
		for _, c := range g.Claims {
			text += " " + c.ID
		}
		return text
	}
	var got []string
	for _, g := range v.Groups() {
		got = append(got, say(g))
	}
	// What did not hold comes first.
	if want := "g-alpha true 1 1 1 0 second third first; g-beta true 0 0 0 1 fourth"; strings.Join(got, "; ") != want {
		t.Errorf("the groups are %q, want %q", got, want)
	}
	if v, err = newView(manyClaims()); err != nil || v.Groups()[0].Open || v.Groups()[1].Open {
		t.Errorf("groups of many claims are open: %v", err)
	}
	one := manyClaims()
	one.Experiments = one.Experiments[:1]
	if v, err = newView(one); err != nil || !v.Groups()[0].Open {
		t.Errorf("a single group is closed: %v", err)
	}
}

// Claims of what experiments show come first and are counted apart from bounds and
// identities, in a table by kind.
func TestClaimsAreCountedByKind(t *testing.T) {
	t.Parallel()
	p := fixture()
	p.Experiments[0].Verdicts[0].Kind = claims.Theorem
	p.Experiments[1].Verdicts[0].Kind = claims.Identity
	v, err := newView(p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range v.Kinds {
		n := 0
		for _, o := range k.Outcomes {
			n += o.Count
		}
		for _, g := range k.Groups {
			got = append(got, fmt.Sprint(k.ID, " ", n, " ", g.Experiment.Name, " ", len(g.Claims)))
		}
	}
	if want := "experiment 2 alpha 2; bound 1 alpha 1; identity 1 beta 1"; strings.Join(got, "; ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	rows := []string{}
	var headings []string
	walk(t, render(t, p), func(n *html.Node) {
		if n.Data == "h3" && attribute(n.Parent, "class") == "claim-kind" {
			headings = append(headings, strings.Join(strings.Fields(text(n))[:2], " "))
		}
		if n.Data == "tr" && n.Parent.Parent != nil && attribute(n.Parent.Parent, "id") == "counts" {
			var cells []string
			for c := range n.ChildNodes() {
				cells = append(cells, strings.TrimSpace(text(c)))
			}
			rows = append(rows, strings.Join(cells, " "))
		}
	})
	if want := "What experiments; Bounds of; True by"; strings.Join(headings, "; ") != want {
		t.Errorf("headings %q, want %q", headings, want)
	}
	if want := "Verdict Experiments Bounds Identities; ✓ reproduced 0 1 0; ✗ not reproduced 1 0 0; ≈ inconclusive 1 0 0; – not run 0 0 1"; strings.Join(rows, "; ") != want {
		t.Errorf("the table counts %q, want %q", rows, want)
	}
}

// The row of a claim, closed, has its outcome, the statement, what decided, the
// caveats, and whether that was on made-up data.
func TestRowsOfClaimsSayWhatMatters(t *testing.T) {
	t.Parallel()
	rows := map[string]string{}
	shows := map[string]string{}
	p := fixture()
	// Of a claim on real data alone the part on made-up data is not judged.
	p.Experiments[0].Verdicts[2].Parts[1].StandIn, p.Experiments[0].Verdicts[2].Parts[1].Outcome = true, claims.NotRun
	walk(t, render(t, p), func(n *html.Node) {
		if n.Data == "summary" && attribute(n.Parent, "class") == "claim" {
			rows[attribute(n.Parent, "id")] = strings.Join(strings.Fields(text(n)), " ")
		}
		if n.Data == "ul" && attribute(n, "class") == "shows" {
			within := n.Parent
			for attribute(within, "data-kind") == "" {
				within = within.Parent
			}
			shows[attribute(within, "id")] = strings.Join(strings.Fields(text(n)), " ")
		}
	})
	for id, want := range map[string]string{
		"c-second": "✗ not reproduced the claim second holds ⚠ judged on stand-in data what decided second Caveats: judged on stand-in data",
		"c-third":  "≈ inconclusive the claim third holds what decided third",
	} {
		if rows[id] != want {
			t.Errorf("the row of %s says %q, want %q", id, rows[id], want)
		}
	}
	// Figures and tables show theirs.
	for id, want := range map[string]string{
		"f-alpha-fig-digits": "✓ reproduced the claim first holds", "f-alpha-fig-speech": "✗ not reproduced the claim second holds",
		"t-alpha-tab-end": "≈ inconclusive the claim third holds", "f-beta-fig-forest": "– not run the claim fourth holds",
	} {
		if shows[id] != want {
			t.Errorf("%s shows %q, want %q", id, shows[id], want)
		}
	}
	var long string
	walk(t, render(t, manyClaims()), func(n *html.Node) {
		if n.Data == "details" && attribute(n, "class") == "shows-all" && long == "" {
			long = strings.Join(strings.Fields(text(n.FirstChild)), " ")
		}
	})
	if want := "13 claims: ✓ 13 reproduced"; long != want {
		t.Errorf("a figure of many claims says %q, want %q", long, want)
	}
}

func TestGroupsOfClaimsOpen(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, manyClaims())
	b.load(url)
	open := func() string {
		return eval[string](b, `[...document.querySelectorAll(".claim-group")].filter((g) => !g.hidden).map((g) => g.id + " " + g.open).join(" ")`)
	}
	click := func(selector string) {
		t.Helper()
		eval[bool](b, fmt.Sprintf(`(document.querySelector(%q).click(), true)`, selector))
	}
	const closed = "g-alpha false g-beta false"
	b.want("at first", open()+b.seen("claim"), closed)

	// A filter opens what it leaves, once, and without it all is as it was.
	click(".chip.not-reproduced")
	b.want("filtered", open()+": "+b.seen("claim"), "g-alpha true: c-second")
	b.want("its counts", eval[string](b, `[...document.querySelectorAll("#g-alpha .tallies .outcome:not(.zero)")].map((n) => n.textContent.replace(/\s+/g, " ").trim()).join()`), "✗ 1 not reproduced")
	click("#g-alpha > summary")
	click(".chip.inconclusive")
	b.want("closed by the reader", open(), "g-alpha false")
	click("#clear")
	b.want("without the filter", open(), closed)

	// A link to a claim opens it and what it is in.
	click(`#f-alpha-fig-digits .shows a[href="#c-first"]`)
	b.want("linked", open()+" "+eval[string](b, `document.getElementById("c-first").open + " " + document.activeElement.id`), "g-alpha true g-beta false true c-first")
	b.await(`Math.abs(document.getElementById("c-first").getBoundingClientRect().top - document.querySelector(".top").offsetHeight) < 60`)

	label := func() string {
		return eval[string](b, `document.getElementById("fold-claims").textContent + " " + document.getElementById("fold-claims").getAttribute("aria-expanded")`)
	}
	b.want("button", label(), "Open all false")
	click("#fold-claims")
	b.want("all", open()+" "+label(), "g-alpha true g-beta true Close all true")
	click("#fold-claims")
	b.want("none", open()+" "+label(), closed+" Open all false")
	b.check(url)
}
