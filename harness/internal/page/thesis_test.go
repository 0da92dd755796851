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

// Every figure and table of the thesis that a spec in configs/ reproduces has its number, in the order of the thesis.
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
				t.Errorf("%s reproduces %s, which has no number", s.Name, id)
			}
		}
	}
	if found != len(thesisExhibits) {
		t.Errorf("the specs have %d figures and tables with numbers, want %d", found, len(thesisExhibits))
	}
	if !slices.IsSortedFunc(thesisExhibits, func(a, b thesisExhibit) int {
		_, x, _ := strings.Cut(a.Number, " ")
		_, y, _ := strings.Cut(b.Number, " ")
		return strings.Compare(x[:1], y[:1])
	}) {
		t.Error("the chapters are out of order")
	}
}

// Headings have titles and the numbers of the thesis, in its order.
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

// The documentation has a section on the chapter of each claim.
func TestDocumentationOfClaims(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(repository + "docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	var anchors []string
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(line)), "## "); ok {
			anchors = append(anchors, strings.NewReplacer(" ", "-", ":", "", ",", "").Replace(heading))
		}
	}
	for _, subject := range claims.Subjects() {
		if heading := chapterHeadings[subject]; !slices.Contains(anchors, heading) {
			t.Errorf("docs/claims.md has no heading #%s", heading)
		}
	}
	thesis, other := &claim{}, &claim{}
	thesis.Source = "chapter 3"
	if a, b := thesis.Documentation(), other.Documentation(); a != "docs/claims.md#chapter-3-sparse-svms" || b != "" {
		t.Errorf("sections %q and %q", a, b)
	}
}

// The banner lists the stand-ins that the page shows.
func TestBannerAboutStandIns(t *testing.T) {
	t.Parallel()
	p := fixture()
	if got := p.StandIns(); !slices.Equal(got, []string{"speech"}) {
		t.Errorf("stand-ins %q", got)
	}
	e := p.Experiments[0]
	e.Claims = nil
	e.Exhibits = slices.DeleteFunc(e.Exhibits, (*Exhibit).usesStandIns)
	if got := p.StandIns(); len(e.Exhibits) != 2 || got != nil {
		t.Errorf("stand-ins %q, although none is shown; %d figures and tables", got, len(e.Exhibits))
	}
	e.addTable(&Table{Grid: &plots.Grid{ID: "t"}, Markdown: "> STAND-IN DATA: speech."})
	if len(p.StandIns()) != 1 {
		t.Error("a stand-in in a table read from a file is not reported")
	}
}
