package page

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/plots"
)

func TestPageOfOneFolder(t *testing.T) {
	t.Parallel()
	dir := testFolder{name: "exp", runs: -1, change: func(i int, r *record.Run) {
		if i == 4 || i == 5 {
			r.Status, r.Reason = record.StatusDiverged, "overflow"
		}
	}}.create(t, t.TempDir())
	p := collect(t, options(), dir)
	if p.Title != DefaultTitle || !p.Made.Equal(made) || len(p.Experiments) != 1 || p.Warnings != nil || p.Broken != nil {
		t.Fatalf("page %+v", p)
	}
	e := p.Experiments[0]
	if e.Name != "exp" || e.Title != "An experiment" || e.Task != "pca" || e.Dir != dir || !e.Manifest.Tool.Dirty || e.Spec == "" {
		t.Errorf("experiment %+v", e)
	}
	if e.Planned != 8 || e.Runs != 8 || e.Finished != 6 || e.Diverged != 2 || e.Missing != 0 || e.Seconds != 8 || !slices.Equal(e.Notes, []string{oracleNote}) {
		t.Errorf("%d planned, %d runs, %d finished, %d diverged, %d missing, %v s, notes %q", e.Planned, e.Runs, e.Finished, e.Diverged, e.Missing, e.Seconds, e.Notes)
	}
	if len(e.Manifest.Datasets) != 1 || e.Manifest.Datasets[0].ID != "g" {
		t.Errorf("datasets %+v", e.Manifest.Datasets)
	}
	wantProblem := []problem{{Problem: experiment.Problem{Dataset: "g", Series: "msg", Params: testRun(4).Params.String(), Status: "diverged", Reason: "overflow"}, Repeats: []int{0, 1}}}
	if !reflect.DeepEqual(e.Problems, wantProblem) {
		t.Errorf("problems %+v, want %+v", e.Problems, wantProblem)
	}
	if len(e.Claims) != 1 || e.Claims[0].ID != "exp-rank" || e.Claims[0].Experiment != "exp" || e.Claims[0].Profile != "quick" {
		t.Errorf("claims %+v", e.Claims)
	}
	if v := e.Claims[0]; len(v.Caveats) == 0 {
		t.Errorf("caveats %q", v.Caveats)
	}
	if own, added := ids(p.Others()), ids(p.Profiles()); !slices.Equal(own, []string{"fig-sub", "fig-rank", "tab"}) ||
		!slices.Equal(added, []string{plots.DrawRuntime, plots.DrawPerformance}) {
		t.Fatalf("figures and tables %q, and by default %q", own, added)
	}
	if table := e.Exhibits[2].Table; len(table.Rows) != 2 {
		t.Errorf("table %+v", table)
	}
	if shows := e.Exhibits[1].Shows; len(e.Exhibits[0].Shows) != 0 || len(shows) != 1 || shows[0] != e.Claims[0] || shows[0].ShownBy != e.Exhibits[1] {
		t.Errorf("the figures show %v and %v", e.Exhibits[0].Shows, shows)
	}
	sub := e.Exhibits[0].Figure
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
	if want := []string{record.DatabaseFile, "spec.yaml", "manifest.json"}; !slices.Equal(files, want) {
		t.Errorf("files %q, want %q", files, want)
	}
}

func TestFolderOfFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"b", "a"} {
		testFolder{name: name, runs: -1}.create(t, root)
	}
	testFolder{name: "deep", runs: -1}.create(t, filepath.Join(root, "reference"))
	write(t, "image", root, "gallery", "fig.png")
	write(t, "text", root, "README")
	if got := namesOf(collect(t, options(), root)); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("experiments %q", got)
	}
	// A pattern of the shell may match folders without results.
	p := collect(t, options(), filepath.Join(root, "a"), filepath.Join(root, "gallery"), filepath.Join(root, "reference"))
	if got := namesOf(p); !slices.Equal(got, []string{"a", "deep"}) || len(p.Warnings) != 1 {
		t.Errorf("experiments %q, warnings %q", got, p.Warnings)
	}
	testFolder{name: "a", runs: 3}.create(t, filepath.Join(root, "reference"))
	p = collect(t, options(), filepath.Join(root, "a"), filepath.Join(root, "reference"))
	if got := namesOf(p); !slices.Equal(got, []string{"a", "a", "deep"}) || len(p.Warnings) != 1 {
		t.Errorf("experiments %q, warnings %q", got, p.Warnings)
	}
	if _, err := Collect([]string{filepath.Join(root, "README")}, options()); err == nil {
		t.Error("a file counts as a folder of results")
	}
}

// oracleNote is the note on experiments that show the selection metric of oracle selection.
const oracleNote = "oracle selection: the parameters were chosen by the suboptimality shown"

func TestPartialExperiments(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testFolder{name: "half", runs: 5}.create(t, root)
	testFolder{name: "planned", runs: 0}.create(t, root)
	p := collect(t, options(), root)
	half, planned := p.Experiments[0], p.Experiments[1]
	if half.Runs != 5 || half.Missing != 3 || !slices.Equal(half.Notes, []string{"PARTIAL: 5 of 8 runs", oracleNote}) || len(figures(half)) != 2 {
		t.Errorf("%d runs, %d missing, notes %q, %d figures", half.Runs, half.Missing, half.Notes, len(figures(half)))
	}
	if c := half.Exhibits[0].Figure.Chart; len(c.Remarks) != 1 || c.Remarks[0] != half.Notes[0] {
		t.Errorf("remarks %q, caption %q", c.Remarks, c.Caption)
	}
	if planned.Runs != 0 || planned.Missing != 8 || !slices.Equal(planned.Notes, []string{"PARTIAL: 0 of 8 runs"}) || len(figures(planned)) != 0 || len(planned.Exhibits) != 1 {
		t.Errorf("%+v", planned)
	}
}

// Only curves with very many points are thinned.
func TestLongCurvesAreThinned(t *testing.T) {
	t.Parallel()
	for n, most := range map[int]int{200: 200, 5000: dataPoints} {
		r := testRun(0)
		r.Curve = record.Curve{Cost: map[string][]int64{"iterations": nil}, Metrics: map[string]map[string][]float64{"population": {"suboptimality": nil}}}
		for i := range n {
			r.Curve.Cost["iterations"] = append(r.Curve.Cost["iterations"], int64(i+1))
			r.Curve.Metrics["population"]["suboptimality"] = append(r.Curve.Metrics["population"]["suboptimality"], 1/float64(i+1))
		}
		f, err := newFigure(plots.Figure{ID: "f"}, plots.Input{Choice: selection.All([]record.Run{r})})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(f.Chart.Panels[0][0].Curves[0].X); got > most || got < min(n, most/2) {
			t.Errorf("%d points of %d", got, n)
		}
	}
}

func TestPagesAreReproducible(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testFolder{name: "a", runs: 7}.create(t, root)
	testFolder{name: "b", runs: -1}.create(t, root)
	first, second := render(t, collect(t, options(), root)), render(t, collect(t, options(), root))
	if first != second {
		t.Error("the same records give different pages")
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
		t.Errorf("a page without a path links to %q", got[0].Href)
	}
}
