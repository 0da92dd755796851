package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/report"
	"stochopt/plots"
	"stochopt/results/analysis"
	"stochopt/results/record"

	"golang.org/x/net/html"
)

func render(t *testing.T, p *report.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, p); err != nil {
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
		case "iframe", "object", "embed", "base", "img", "audio", "video", "source":
			t.Errorf("the page has a <%s>", n.Data)
		case "a":
			links = append(links, attribute(n, "href"))
		case "link":
			if attribute(n, "href") != "data:," {
				t.Errorf("the page links to %s", attribute(n, "href"))
			}
		}
		if src := attribute(n, "src"); src != "" {
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
			t.Errorf("a link leads to #%s, which is nowhere", id)
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
	if policy != want || len(sums) != 3 {
		t.Errorf("the policy is\n%s, want\n%s", policy, want)
	}
}

func TestRenderIsDeterministic(t *testing.T) {
	t.Parallel()
	first := render(t, fixture())
	for range 3 {
		if render(t, fixture()) != first {
			t.Fatal("the same page has other bytes")
		}
	}
}

// TestNamesAreText puts markup wherever a name, a reason or a file's text may stand.
func TestNamesAreText(t *testing.T) {
	t.Parallel()
	const evil = `</script><img src=x onerror=alert(1)><b class=evil>"'&` + "`{{.}}" + `--><style>`
	p := fixture()
	p.Title, p.Tool.Version = evil, evil
	p.Warnings, p.Broken = []string{evil}, []report.Broken{{Dir: evil, Reason: evil}}
	e := &p.Experiments[0]
	e.Name, e.Title, e.Task, e.Dir, e.Spec, e.SelectedBy = evil, evil, evil, evil, evil, evil
	e.Notes, e.Warnings = []string{evil}, []string{evil, evil, evil, evil}
	e.Manifest.Profile, e.Manifest.Tool.CPU, e.Manifest.Spec = evil, evil, evil
	e.Links[0].Name, e.Links[0].Href = evil, "javascript:alert(1)//"+evil
	e.Series[0] = report.Series{ID: evil, Label: evil, Color: evil}
	e.Datasets[0].ID, e.Datasets[0].Title, e.Datasets[0].Hash = evil, evil, evil
	e.Datasets[1].Reason = evil
	f := &e.Figures[0]
	f.ID, f.Title, f.Caption, f.Mirrors, f.Warnings = evil, evil, evil, evil, []string{evil}
	f.Datasets, f.Series = []string{evil}, []string{evil}
	c := f.Chart
	c.Title, c.Lead, c.Alarms, c.Remarks, c.Notes = evil, evil, []plots.Text{evil}, []plots.Text{evil}, []plots.Text{evil}
	c.Keys[0] = plots.ChartKey{Key: "Fast", Label: evil, Style: plots.Style{Color: evil, Glyph: evil}}
	c.Panels[0][0].Title, c.Panels[0][0].X.Label, c.Panels[0][0].Curves[0].Label, c.Panels[0][0].Empty = evil, evil, evil, evil
	g := e.Tables[0]
	g.ID, g.Title, g.Remarks, g.Notes, g.Warnings, g.Columns[0].Title, g.Rows[0][0].Text = evil, evil, []plots.Remark{{Text: evil}}, []string{evil}, []string{evil}, evil, evil
	s := &e.Selection[0]
	s.Dataset, s.Series, s.Params, s.Chosen, s.Edge, s.Tuned, s.Warnings = evil, evil, record.Params{"k": evil}, record.Params{evil: evil}, evil, evil, []string{evil}
	s.Candidates[1].Problems, s.Candidates[0].Params = []string{evil}, record.Params{"c": evil}
	e.Selection[1].BySize[0].Params = evil
	e.Problems[0] = report.Problem{Problem: record.Problem{Dataset: evil, Series: evil, Params: evil, Status: evil, Reason: evil}}
	v := &e.Verdicts[0]
	v.ID, v.Source, v.Says, v.Shown, v.Outcome, v.Reason, v.Caveats = evil, evil, evil, evil, evil, evil, []claims.Caveat{{Remark: claims.Remark{What: evil}}}
	v.Parts = []claims.Part{{Dataset: evil, Setting: evil, Outcome: evil, Reason: evil, Caveats: v.Caveats,
		Estimates: []claims.Estimate{{Name: evil, Exact: evil, Wanted: evil, Outcome: evil}}}}

	seen := 0
	walk(t, render(t, p), func(n *html.Node) {
		if n.Data == "img" || attribute(n, "class") == "evil" {
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

func TestChartsThatDoNotFitAreErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want   string
		change func(*plots.Chart)
	}{
		{"not in the legend", func(c *plots.Chart) { c.Panels[0][0].Curves[0].Key = "other" }},
		{"different lengths", func(c *plots.Chart) { c.Panels[0][0].Curves[0].Y = []float64{1} }},
		{"different lengths", func(c *plots.Chart) { c.Panels[0][0].Curves[0].Lo = []float64{1} }},
	} {
		p := fixture()
		c.change(p.Experiments[0].Figures[0].Chart)
		if err := Render(&bytes.Buffer{}, p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want an error with %q, got %v", c.want, err)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disc is full") }

func TestWriteErrorsAreReturned(t *testing.T) {
	t.Parallel()
	if err := Render(failing{}, fixture()); err == nil || err.Error() != "the disc is full" {
		t.Error(err)
	}
}

func TestPageSaysWhatMustNotBeMissed(t *testing.T) {
	t.Parallel()
	p := fixture()
	p.Broken = []report.Broken{{Dir: "results/broken", Reason: "it has no manifest"}}
	p.Experiments[1].Missing, p.Experiments[1].Notes = 3, []string{"PARTIAL: 5 of 8 runs"}
	var alarms, texts []string
	headings := []int{}
	walk(t, render(t, p), func(n *html.Node) {
		if strings.Contains(attribute(n, "class"), "alarm") && n.Data == "p" {
			alarms = append(alarms, strings.TrimSpace(text(n)))
		}
		if n.Data == "main" {
			texts = append(texts, text(n))
		}
		if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
			headings = append(headings, int(n.Data[1]-'0'))
		}
		if n.Data == "th" && attribute(n, "scope") == "" {
			t.Errorf("the header %q has no scope", text(n))
		}
	})
	for _, want := range []string{
		"made up; what is shown of them is not a result on the real data: speech (alpha)", "results/broken: it has no manifest",
		"speech was not available and is made up; what is shown of it is not a result on the real data (there is no network)",
		"speech could not be had and was made up; this is no result on it", "STAND-IN DATA: speech was made up",
	} {
		if !strings.Contains(strings.Join(alarms, "\n"), want) {
			t.Errorf("no alarm says %q: %q", want, alarms)
		}
	}
	all := strings.Join(strings.Fields(strings.Join(texts, " ")), " ")
	for _, want := range []string{
		"18 runs of 20 finished", "1 failed", "1 diverged", "3 missing", "PARTIAL: 5 of 8 runs", "c is at the high end of its grid: widen it",
		"at the upper end of the grid", "1 at the edge of the grid", "iteration 12 leaves the finite range", "1, 3", "redraws the thesis's fig-digits",
		"with changes that are in no revision", "root seed 7", "100 of 60,000 train, 50 test", "sha256:00", "A CPU, 2 CPUs", "name: alpha", "curves.csv (2.0 kB)",
		"0.83 [0.79, 0.87] at 95 %, n = 10", "Wanted: at most 1", "judged on stand-in data",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(all, "For CSV") {
		t.Error("the page has a column that is for CSV alone")
	}
	for i, h := range headings {
		if i == 0 && h != 1 || i > 0 && h > headings[i-1]+1 {
			t.Errorf("the headings go %v", headings)
			break
		}
	}
}

func TestPagesWithLittle(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*report.Page{
		"empty":    {Title: "Empty"},
		"bare":     {Experiments: []report.Experiment{{Name: "bare"}}},
		"twice":    {Experiments: []report.Experiment{{Name: "same"}, {Name: "same"}}},
		"no chart": {Experiments: []report.Experiment{{Name: "a", Figures: []report.Figure{{ID: "f", SVG: svg("f", "f")}}}}},
		"no numbers": {Experiments: []report.Experiment{{Name: "a", Selection: []report.Choice{{Tuned: "c", Choice: analysis.Choice{
			Candidates: []analysis.Candidate{{Params: record.Params{"c": 1.0}}, {Params: record.Params{"c": 2.0}}}}}}}}},
	} {
		page := render(t, p)
		if !strings.Contains(page, "</html>") {
			t.Errorf("%s: half a page", name)
		}
		if name == "twice" && (!strings.Contains(page, `id="x-same"`) || !strings.Contains(page, `id="x-same-2"`)) {
			t.Error("experiments of one name share an id")
		}
	}
}

func TestLibraryHasItsLicences(t *testing.T) {
	t.Parallel()
	data, err := files.ReadFile("vendor/plot.min.js")
	if err != nil {
		t.Fatal(err)
	}
	page := render(t, fixture())
	for _, want := range []string{"@observablehq/plot 0.6.17 (ISC)", "Copyright 2020-2025 Observable, Inc.", "d3-scale 4.0.3 (ISC)", "Permission to use, copy, modify, and/or distribute this software"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if n := len(data); n > 600_000 {
		t.Errorf("the library has %d bytes", n)
	}
	for name, content := range map[string]string{"library": string(data), "script": mustLoad(t).script} {
		if regexp.MustCompile(`(?i)</script|<!--`).MatchString(content) {
			t.Errorf("the %s ends the script that it is in", name)
		}
	}
}

func mustLoad(t *testing.T) *assets {
	t.Helper()
	a, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Whether the thesis holds is asked of experiments that redraw it.
func TestHeadingOfClaims(t *testing.T) {
	t.Parallel()
	p := fixture()
	for i := range p.Experiments {
		p.Experiments[i].Mirrors = nil
	}
	if page := render(t, p); !strings.Contains(page, "<h2>Claims</h2>") || strings.Contains(page, "Does the thesis hold?") {
		t.Error("of claims of one's own it is asked whether the thesis holds")
	}
	p.Experiments[0].Mirrors = []string{"fig-digits"}
	if page := render(t, p); !strings.Contains(page, "<h2>Does the thesis hold?</h2>") {
		t.Error("of claims of the thesis it is not asked whether it holds")
	}
}
