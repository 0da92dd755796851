package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/plots"
	"stochopt/results/record"
)

func TestPageOfOneFolder(t *testing.T) {
	t.Parallel()
	dir := madeUp{name: "exp", runs: -1, change: func(i int, r *record.Run) {
		if i == 4 || i == 5 {
			r.Status, r.Reason = record.StatusDiverged, "overflow"
		}
	}}.make(t, t.TempDir())
	p := collect(t, options(), dir)
	if p.Title != DefaultTitle || !p.Made.Equal(made) || len(p.Experiments) != 1 || p.Warnings != nil || p.Broken != nil {
		t.Fatalf("page %+v", p)
	}
	e := p.Experiments[0]
	if e.Name != "exp" || e.Title != "An experiment" || e.Task != "pca" || e.Dir != dir || !e.Manifest.Tool.Dirty || !strings.Contains(e.Spec, "name: exp") {
		t.Errorf("experiment %+v", e)
	}
	if e.Planned != 8 || e.Runs != 8 || e.Finished != 6 || e.Diverged != 2 || e.Missing != 0 || e.Seconds != 8 || len(e.Notes) != 0 {
		t.Errorf("%d planned, %d runs, %d finished, %d diverged, %d missing, %v s, notes %q", e.Planned, e.Runs, e.Finished, e.Diverged, e.Missing, e.Seconds, e.Notes)
	}
	if len(e.Datasets) != 1 || e.Datasets[0].ID != "g" || e.Datasets[0].Rows["train"] != 50 {
		t.Errorf("data sets %+v", e.Datasets)
	}
	wantSeries := []Series{{"incremental", "Incremental", "incremental", "#009e73"}, {"msg", "MSG", "msg", "#0072b2"}}
	if !slices.Equal(e.Series, wantSeries) {
		t.Errorf("series %+v, want %+v", e.Series, wantSeries)
	}
	wantProblem := []Problem{{Problem: record.Problem{Dataset: "g", Series: "msg", Params: run(4).Params.String(), Status: "diverged", Reason: "overflow"}, Repeats: []int{0, 1}}}
	if !reflect.DeepEqual(e.Problems, wantProblem) {
		t.Errorf("problems %+v, want %+v", e.Problems, wantProblem)
	}
	if len(e.Tables) != 1 || e.Tables[0].ID != "tab" || len(e.Tables[0].Rows) != 2 || e.Costs == nil || len(e.Costs.Rows) != 2 {
		t.Errorf("tables %+v, costs %+v", e.Tables, e.Costs)
	}
	if len(e.Verdicts) != 1 || e.Verdicts[0].ID != "exp-rank" || e.Verdicts[0].Experiment != "exp" || e.Verdicts[0].Profile != "quick" {
		t.Errorf("verdicts %+v", e.Verdicts)
	}
	if v := e.Verdicts[0]; !strings.Contains(strings.Join(claims.Texts(v.Caveats), "; "), "2 of 10 repeats") {
		t.Errorf("caveats %q", v.Caveats)
	}
	if got := ids(e.Figures); !slices.Equal(got, []string{"fig-rank", "fig-sub"}) {
		t.Fatalf("figures %q", got)
	}
	sub, rank := e.Figures[0], e.Figures[1]
	if sub.Mirrors != "" || rank.Mirrors != "fig-rank" || e.Verdicts[0].ID != "exp-rank" || e.Verdicts[0].Shown != "fig-rank" {
		t.Errorf("mirrors %q and %q, the first verdict %+v", sub.Mirrors, rank.Mirrors, e.Verdicts[0])
	}
	if !slices.Equal(rank.Series, []string{"msg"}) || !slices.Equal(rank.Datasets, []string{"g"}) || rank.Caption != rank.Chart.Caption || !strings.Contains(rank.Caption, "Data: g") {
		t.Errorf("series %q, data sets %q, caption %q", rank.Series, rank.Datasets, rank.Caption)
	}
	if c := sub.Chart.Panels[0][0].Curves; len(c) != 2 || c[0].X[0] != 1 || c[0].X[1] != 100 {
		t.Errorf("curves %+v", c)
	}
	var files []string
	for _, l := range e.Links {
		files = append(files, l.Name)
		if l.Href != "" || l.Bytes == 0 {
			t.Errorf("link %+v", l)
		}
	}
	if want := []string{"runs.jsonl", "timings.jsonl", "spec.yaml", "manifest.json"}; !slices.Equal(files, want) {
		t.Errorf("files %q, want %q", files, want)
	}
}

func TestFolderOfFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"b", "a"} {
		madeUp{name: name, runs: -1}.make(t, root)
	}
	madeUp{name: "deep", runs: -1}.make(t, filepath.Join(root, "reference"))
	write(t, "a picture", root, "gallery", "fig.png")
	write(t, "words", root, "README")
	if got := names(collect(t, options(), root)); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("experiments %q", got)
	}
	// Each once, in the order asked for.
	if got := names(collect(t, options(), filepath.Join(root, "b"), root, filepath.Join(root, "a", "..", "b"))); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("experiments %q", got)
	}
	// As patterns of the shell have it.
	p := collect(t, options(), filepath.Join(root, "a"), filepath.Join(root, "gallery"), filepath.Join(root, "reference"))
	if got := names(p); !slices.Equal(got, []string{"a", "deep"}) || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "gallery is not a results folder") {
		t.Errorf("experiments %q, warnings %q", got, p.Warnings)
	}
	madeUp{name: "a", runs: 3}.make(t, filepath.Join(root, "reference"))
	p = collect(t, options(), filepath.Join(root, "a"), filepath.Join(root, "reference"))
	if got := names(p); !slices.Equal(got, []string{"a", "a", "deep"}) || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "both experiments called a") {
		t.Errorf("experiments %q, warnings %q", got, p.Warnings)
	}
	for _, dir := range []string{filepath.Join(root, "gallery"), filepath.Join(root, "nowhere"), filepath.Join(root, "README")} {
		_, err := Collect([]string{dir}, options())
		var none *experiment.NoResultsError
		if !errors.As(err, &none) || none.Dir != dir || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// The ids of all figures of a page differ, and what refers to an id finds it.
func TestIdsOfFiguresDiffer(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	madeUp{name: "a", runs: -1}.make(t, root)
	madeUp{name: "b", runs: -1}.make(t, root)
	p := collect(t, options(), root)
	seen := make(map[string]bool)
	n := 0
	for _, e := range p.Experiments {
		for _, f := range e.Figures {
			n++
			for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(string(f.SVG), -1) {
				if seen[m[1]] || !strings.HasPrefix(m[1], f.SVGPrefix) {
					t.Errorf("the id %s occurs twice, or does not begin with %s", m[1], f.SVGPrefix)
				}
				seen[m[1]] = true
			}
			for _, m := range regexp.MustCompile(` aria-\w+="([^"]*)"`).FindAllStringSubmatch(string(f.SVG), -1) {
				if !seen[m[1]] {
					t.Errorf("nothing has the id %s", m[1])
				}
			}
		}
	}
	if n != 4 || len(seen) != 2*n {
		t.Errorf("%d figures with %d ids", n, len(seen))
	}
}

func TestPartialExperiments(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	madeUp{name: "half", runs: 5}.make(t, root)
	madeUp{name: "planned", runs: 0}.make(t, root)
	p := collect(t, options(), root)
	half, planned := p.Experiments[0], p.Experiments[1]
	if half.Runs != 5 || half.Missing != 3 || !slices.Equal(half.Notes, []string{"PARTIAL: 5 of 8 runs"}) || len(half.Figures) != 2 {
		t.Errorf("%d runs, %d missing, notes %q, %d figures", half.Runs, half.Missing, half.Notes, len(half.Figures))
	}
	if c := half.Figures[0].Chart; len(c.Remarks) != 1 || c.Remarks[0].String() != half.Notes[0] || len(half.Notes) != 1 || !strings.Contains(c.Caption, half.Notes[0]) {
		t.Errorf("remarks %q, caption %q", c.Remarks, c.Caption)
	}
	if len(half.Series) != 2 || half.Series[0].ID != "incremental" {
		t.Errorf("series %+v: the incremental algorithm is planned", half.Series)
	}
	if planned.Runs != 0 || planned.Missing != 8 || !slices.Equal(planned.Notes, []string{"PARTIAL: 0 of 8 runs"}) || len(planned.Figures) != 0 || len(planned.Datasets) != 1 || len(planned.Series) != 2 {
		t.Errorf("%+v", planned)
	}
}

// Curves of the usual length keep their points; those of very long ones are thinned.
func TestFiguresHaveThePointsThatReadersNeed(t *testing.T) {
	t.Parallel()
	for n, most := range map[int]int{200: 200, 5000: reduction.Points} {
		r := run(0)
		r.Curve = record.Curve{Cost: map[string][]int64{"iterations": nil}, Metrics: map[string]map[string][]float64{"population": {"suboptimality": nil}}}
		for i := range n {
			r.Curve.Cost["iterations"] = append(r.Curve.Cost["iterations"], int64(i+1))
			r.Curve.Metrics["population"]["suboptimality"] = append(r.Curve.Metrics["population"]["suboptimality"], 1/float64(i+1))
		}
		f, err := figure(plots.Figure{ID: "f"}, plots.Input{Runs: []record.Run{r}}, "x-")
		if err != nil {
			t.Fatal(err)
		}
		if got := len(f.Chart.Panels[0][0].Curves[0].X); got > most || got < min(n, most/2) {
			t.Errorf("%d points of %d", got, n)
		}
	}
}

func TestPagesAreReproducibleJSON(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	madeUp{name: "a", runs: 7}.make(t, root)
	madeUp{name: "b", runs: -1}.make(t, root)
	var pages [][]byte
	for range 2 {
		data, err := json.Marshal(collect(t, options(), root))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, data)
	}
	if !bytes.Equal(pages[0], pages[1]) {
		t.Error("the same records make two pages")
	}
	var back Page
	if err := json.Unmarshal(pages[0], &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(back); err != nil || !bytes.Equal(again, pages[0]) {
		t.Errorf("what is decoded is not what was encoded (%v)", err)
	}
}

func TestLinksAreRelativeToThePage(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, test := range []struct{ dir, out, want string }{
		{"results/a b", "report.html", "results/a%20b/curves.csv"},
		{"results/x", "results/report.html", "x/curves.csv"},
		{"results/x", "results/x/report.html", "curves.csv"},
		{"results/x", "results/x/pages/report.html", "../curves.csv"},
		{"results/a:b", "results/a:b/../report.html", "./a:b/curves.csv"},
		{"results/x", "elsewhere/report.html", ""},
		{"results/x", "results/xy/report.html", ""},
	} {
		dir, out := filepath.Join(root, test.dir), filepath.Join(root, test.out)
		write(t, "a,b\n", dir, "curves.csv")
		got := links(dir, out)
		if len(got) != 1 || got[0].Href != test.want || got[0].Name != "curves.csv" || got[0].Bytes != 4 {
			t.Errorf("%s from %s: %+v, want %q", test.dir, test.out, got, test.want)
		}
	}
	if got := links(filepath.Join(root, "results/x"), ""); got[0].Href != "" {
		t.Errorf("a page without a place links to %q", got[0].Href)
	}
}

func TestFoldersWithoutResults(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprint(&experiment.NoResultsError{Dir: "d"}); !strings.Contains(got, "manifest.json") {
		t.Error(got)
	}
}
