package page

import (
	"fmt"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
)

// manyClaims returns a page with enough claims that groups are initially closed.
func manyClaims() *Page {
	p := fixture()
	for i, e := range p.Experiments {
		for j := range fewClaims {
			e.addVerdicts([]claims.Verdict{verdictOf(fmt.Sprintf("more-%d-%d", i, j), claims.Reproduced, e.Exhibits[0].ID, []string{"fast"})})
		}
	}
	return p
}

// Claims are grouped by chapter and kind, or by experiment if they concern no chapter. Claims that are not reproduced
// come first.
func TestGroupsOfClaims(t *testing.T) {
	t.Parallel()
	describe := func(p *Page) string {
		var groups []string
		for _, g := range p.groups() {
			text := fmt.Sprint(g.Kind, ", ", g.Chapter, " ", g.Open, " ", g.Counts)
			for _, c := range g.Claims {
				text += " " + c.ID
			}
			groups = append(groups, text)
		}
		return strings.Join(groups, "; ")
	}
	want := "experiments, chapters 1 and 2, kernel SVM training true [1 1 1 0] second third first; bounds of theorems, The second experiment true [0 0 0 1] fourth"
	if got := describe(fixture()); got != want {
		t.Errorf("the groups are %q, want %q", got, want)
	}
	for _, g := range manyClaims().groups() {
		if g.Open {
			t.Errorf("the group %s of many claims is open", g.Chapter)
		}
	}
}

func TestFilterOfClaims(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	url := serve(t, manyClaims())
	b.load(url)
	choose := func(name, value string) string {
		b.Helper()
		return eval[string](b, fmt.Sprintf(`(() => {
			const form = document.getElementById("filter"), visible = [...document.querySelectorAll(".claim")];
			form.elements[%q].value = %q;
			form.dispatchEvent(new Event("change"));
			return visible.filter((n) => n.checkVisibility()).map((n) => n.id).join(" ") + ": " + form.querySelector("output").textContent;
		})()`, name, value))
	}
	b.want("at first", choose("outcome", ""), ": 28 claims")
	b.want("by outcome", choose("outcome", "not-reproduced"), "c-second: 1 claim")
	b.want("by both", choose("chapter", "The second experiment"), ": 0 claims")
	b.want("by chapter", choose("outcome", "")[:8], "c-fourth")

	// A link to a hidden claim shows and opens it.
	eval[bool](b, `(document.querySelector('.shows a[href="#c-first"]').click(), true)`)
	b.await(`document.getElementById("c-first").open && document.getElementById("c-first").checkVisibility()`)
	b.check(url)
}

// A page with many verdicts states how many may be wrong by chance.
func TestErrorsByChance(t *testing.T) {
	t.Parallel()
	p := manyClaims()
	for _, e := range p.Experiments {
		for _, c := range e.Claims {
			c.P = 0.001
		}
	}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	if want := "are expected to be wrong by chance"; !strings.Contains(b.String(), want) {
		t.Errorf("the page lacks %q", want)
	}
}
