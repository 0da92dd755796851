package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/plots"

	"golang.org/x/net/html"
)

func render(t testing.TB, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// walk calls f for every element of a page.
func walk(t *testing.T, page string, f func(n *html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			f(n)
		}
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func TestPageIsSelfContained(t *testing.T) {
	t.Parallel()
	page := render(t, fixture())
	if n := len(page); n > 500_000 {
		t.Errorf("a page of two experiments has %d bytes", n)
	}
	ids := map[string]bool{}
	var links []string
	walk(t, page, func(n *html.Node) {
		if id := attribute(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("the id %q occurs twice", id)
			}
			ids[id] = true
		}
		switch n.Data {
		case "iframe", "object", "embed", "base", "audio", "video", "source":
			t.Errorf("the page has a <%s>", n.Data)
		case "a":
			links = append(links, attribute(n, "href"))
		case "link":
			if attribute(n, "href") != "data:," {
				t.Errorf("the page links to %s", attribute(n, "href"))
			}
		}
		if src := attribute(n, "src"); src != "" && !(n.Data == "img" && strings.HasPrefix(src, "data:image/svg+xml,")) {
			t.Errorf("<%s> loads %s", n.Data, src)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s> has %s", n.Data, a.Key)
			}
		}
	})
	for _, l := range links {
		if id, ok := strings.CutPrefix(l, "#"); ok && !ids[id] {
			t.Errorf("a link leads to #%s, which does not exist", id)
		} else if !ok && l != "results/alpha/curves.csv" {
			t.Errorf("a link leads to %s", l)
		}
	}
	if m := regexp.MustCompile(`@import|url\((['"]?)https?:`).FindString(page); m != "" {
		t.Errorf("the style loads %s", m)
	}
}

func TestPolicyAllowsThePagesScriptsAndNoOthers(t *testing.T) {
	t.Parallel()
	var policy string
	var sums []string
	walk(t, render(t, fixture()), func(n *html.Node) {
		if n.Data == "meta" && attribute(n, "http-equiv") == "Content-Security-Policy" {
			policy = attribute(n, "content")
		}
		if n.Data == "script" && attribute(n, "type") == "" {
			sum := sha256.Sum256([]byte(text(n)))
			sums = append(sums, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		}
	})
	want := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; script-src " + strings.Join(sums, " ")
	if policy != want || len(sums) != 2 {
		t.Errorf("the policy is\n%s, want\n%s", policy, want)
	}
}

// Markup in names, reasons and texts of files is shown as text.
func TestNamesAreText(t *testing.T) {
	t.Parallel()
	const evil = `</script><img src=x onerror=alert(1)><b class=evil>"'&` + "`{{.}}" + `--><style>`
	p := fixture()
	p.Title, p.Tool.Version = evil, evil
	p.Warnings, p.Broken = []string{evil}, []Broken{{Dir: evil, Reason: evil}}
	e := p.Experiments[0]
	e.Name, e.Title, e.Task, e.Dir, e.Spec, e.SelectedBy = evil, evil, evil, evil, evil, evil
	e.Notes, e.Warnings = []string{evil}, []string{evil, evil, evil, evil}
	e.Manifest.Profile, e.Manifest.Tool.CPU, e.Manifest.Spec = evil, evil, evil
	e.Links[0].Name, e.Links[0].Href = evil, "javascript:alert(1)//"+evil
	d := e.Manifest.Datasets
	d[0].ID, d[0].Title, d[0].Hash, d[1].ID, d[1].Reason = evil, evil, evil, evil, evil
	f := e.Exhibits[0].Figure
	e.Exhibits[0].Number, f.ID, f.Warnings = evil, evil, []string{evil}
	f.Title, f.Lead, f.Alarms, f.Remarks, f.Notes = evil, evil, []string{evil}, []string{evil}, []string{evil}
	f.Keys[0] = plots.ChartKey{Key: "Fast", Label: evil, Style: plots.Style{Color: evil, Glyph: evil}}
	f.Panels[0][0].Title, f.Panels[0][0].X.Label, f.Panels[0][0].Curves[0].Label, f.Panels[0][0].Empty = evil, evil, evil, evil
	g := e.Exhibits[2].Table
	g.ID, g.Title, g.Remarks, g.Notes, g.Columns[0].Title, g.Rows[0][0].Text = evil, evil, []string{evil}, []string{evil}, evil, evil
	e.Selection[0] = selectionRow{Dataset: evil, Params: record.Params{"k": evil}, Label: evil, Chosen: evil, Score: evil, Remarks: []string{evil}}
	e.Selection[1].Sizes[0].Params = evil
	e.Problems[0] = problem{Problem: experiment.Problem{Dataset: evil, Series: evil, Params: evil, Status: evil, Reason: evil}}
	v := &e.Claims[0].Verdict
	v.ID, v.Source, v.Says, v.Shown, v.Outcome, v.Reason, v.Caveats = evil, evil, evil, evil, evil, evil, []claims.Caveat{{Remark: observe.Remark{Text: evil}}}
	v.Parts = []claims.Part{{Dataset: evil, Setting: evil, Outcome: evil, Reason: evil, Caveats: v.Caveats,
		Estimates: []claims.Estimate{{Name: evil, Exact: evil, Wanted: evil, Outcome: evil}}}}

	seen := 0
	walk(t, render(t, p), func(n *html.Node) {
		if n.Data == "img" && attribute(n, "src") == "x" || attribute(n, "class") == "evil" {
			t.Errorf("a name has become an element: <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("a name has become the attribute %s of <%s>", a.Key, n.Data)
			}
		}
		if strings.HasPrefix(strings.ToLower(attribute(n, "href")), "javascript") {
			t.Errorf("a link runs a script: %s", attribute(n, "href"))
		}
		if len(n.Data) < 4 && strings.Contains(text(n), evil) {
			seen++
		}
	})
	if seen < 40 {
		t.Errorf("only %d elements show the names", seen)
	}
}

func TestPagesWithLittle(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*Page{
		"empty":    {Title: "Empty"},
		"bare":     {Experiments: []*Experiment{{Name: "bare"}}},
		"twice":    {Experiments: []*Experiment{{Name: "same"}, {Name: "same"}}},
		"no panel": {Experiments: []*Experiment{{Name: "a", Exhibits: []*Exhibit{{In: &Experiment{}, Figure: &Figure{Chart: &plots.Chart{ID: "f"}}}}}}},
	} {
		page := render(t, p)
		ids := map[string]bool{}
		walk(t, page, func(n *html.Node) { ids[attribute(n, "id")] = true })
		if want := name == "twice"; ids["x-same"] != want || ids["x-same-2"] != want {
			t.Errorf("%s: ids %v", name, ids)
		}
	}
}

func TestLibraryHasItsLicences(t *testing.T) {
	t.Parallel()
	page := render(t, fixture())
	for _, want := range []string{"@observablehq/plot 0.6.17 (ISC)", "Copyright 2020-2025 Observable, Inc.", "d3-scale 4.0.3 (ISC)", "Permission to use, copy, modify, and/or distribute this software"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if n := len(library); n > 600_000 {
		t.Errorf("the library has %d bytes", n)
	}
	for name, content := range map[string]string{"library": library, "script": script} {
		if regexp.MustCompile(`(?i)</script|<!--`).MatchString(content) {
			t.Errorf("the %s ends its script element", name)
		}
	}
}
