package page

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/plots"

	"golang.org/x/net/html"
)

const repository = "../../../"

// Every figure and table that the shipped specs redraw has a number, in the order of the thesis.
func TestNumbersOfTheThesis(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(repository + "configs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		s, err := spec.Load(file, spec.LoadOptions{Catalog: registry.Catalog()})
		if err != nil {
			t.Fatal(err)
		}
		var own []string
		for _, f := range s.Figures {
			own = append(own, f.ID)
		}
		for _, table := range s.Tables {
			own = append(own, table.ID)
		}
		for _, id := range own {
			numbered := numberOf(s.Name, id) != ""
			if numbered {
				found++
			}
			if slices.Contains(s.Mirrors, id) && !numbered {
				t.Errorf("%s redraws %s, which has no number", s.Name, id)
			}
		}
	}
	if found != len(redrawn) {
		t.Errorf("the specs have %d figures and tables with numbers, want %d", found, len(redrawn))
	}
	if !slices.IsSortedFunc(redrawn, func(a, b struct{ Experiment, ID, Number string }) int {
		_, x, _ := strings.Cut(a.Number, " ")
		_, y, _ := strings.Cut(b.Number, " ")
		return strings.Compare(x[:1], y[:1])
	}) {
		t.Error("the chapters are out of order")
	}
}

// Headings have the numbers of the thesis and titles, in its order, and no ids of files.
func TestOrderOfThePage(t *testing.T) {
	t.Parallel()
	var got []string
	walk(t, render(t, fixture()), func(n *html.Node) {
		if n.Data == "h2" || n.Data == "h3" && attribute(n.Parent, "class") == "exhibit" {
			got = append(got, text(n))
		}
	})
	want := []string{
		"Verdicts on the claims", "Figures and tables of the thesis", "Table 1.2: Errors at the end", "Figure 2.3: Error on digits",
		"Figure 6.1: Error on forest", "Other figures and tables", "Error on speech", "Costs", "A picture", "Experiments",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the headings are %q, want %q", got, want)
	}
}

// Each claim of the thesis is linked to what the documentation says of it.
func TestDocumentationOfClaims(t *testing.T) {
	t.Parallel()
	results, err := os.ReadFile(repository + "docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range claims.Subjects() {
		title := strings.NewReplacer(" ", "-", ":", "").Replace(chapterHeadings[subject])
		anchor := func(line string) bool {
			heading, ok := strings.CutPrefix(line, "## ")
			return ok && strings.NewReplacer(" ", "-", ":", "").Replace(strings.ToLower(heading)) == title
		}
		if !slices.ContainsFunc(strings.Split(string(results), "\n"), anchor) {
			t.Errorf("docs/claims.md has no heading #%s", title)
		}
	}
	ours, own := &claim{}, &claim{}
	ours.ID, ours.Source = "none", "chapter 3"
	for _, c := range []struct {
		claim      *claim
		out        string
		name, href string
	}{
		{ours, repository + "results/a/report.html", "docs/claims.md", "../../docs/claims.md#chapter-3-sparse-svms"},
		{ours, repository + "report.html", "docs/claims.md", "docs/claims.md#chapter-3-sparse-svms"},
		{ours, filepath.Join(t.TempDir(), "report.html"), "docs/claims.md#chapter-3-sparse-svms", ""},
		{own, repository + "report.html", "", ""},
	} {
		if name, href := documentationOf(c.claim, findDocumentation(c.out)); name != c.name || href != c.href {
			t.Errorf("%s from %s: %s, %s", c.claim.ID, c.out, name, href)
		}
	}
}

// The banner is about stand-ins that something on the page is made from.
func TestBannerAboutStandIns(t *testing.T) {
	t.Parallel()
	p := fixture()
	if got := p.StandIns(); !slices.Equal(got, []string{"speech"}) {
		t.Errorf("stand-ins %q", got)
	}
	e := p.Experiments[0]
	e.Claims = nil
	e.Exhibits = slices.DeleteFunc(e.Exhibits, (*Exhibit).madeUp)
	if got := p.StandIns(); len(e.Exhibits) != 2 || got != nil {
		t.Errorf("stand-ins %q of which nothing is shown, %d figures and tables", got, len(e.Exhibits))
	}
	e.addTable(&Table{Grid: &plots.Grid{ID: "t"}, Markdown: "> STAND-IN DATA: speech."})
	if len(p.StandIns()) != 1 {
		t.Error("a table that was written before says that its data are made up")
	}
}
