package output

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/spec"
	"stochopt/plots"
	"stochopt/results/record"
)

// experiment stores runs of two step sizes in a folder of its own.
func experiment(t *testing.T) *record.Experiment {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "exp")
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	journal, err := store.Writer(0)
	if err != nil {
		t.Fatal(err)
	}
	var ids []record.ID
	for i := range 6 {
		r := record.Run{
			Schema: record.Schema, Key: fmt.Sprint("key", i), Extent: "100/log:2", Task: "pca",
			Dataset: "d", DatasetHash: "h", Series: "msg", Algorithm: "msg", Version: 1,
			Params: record.Params{"k": int64(2), "step.c": []float64{1, 2, 4}[i/2]}, Repeat: i % 2,
			Status: record.StatusFinished, Reason: "budget of 100 iterations",
			Curve: record.Curve{
				Cost: map[string][]int64{"iterations": {1, 100}, "sum_kt2": {4, 400}},
				Metrics: map[string]map[string][]float64{
					"state":      {"rank": {2, 2}, "orthonormality": {0, 0}},
					"population": {"objective": {0.1, 0.4}, "suboptimality": {0.4, 0.1 * float64(1+(i/2+1)%3)}},
				},
			},
		}
		if err := journal.Append(r, record.Timing{StepSeconds: 1}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID())
	}
	if err := store.Compact(ids); err != nil {
		t.Fatal(err)
	}
	e, err := record.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func exampleSpec() *spec.Spec {
	return &spec.Spec{
		Version: 1, Name: "exp", Title: "An experiment", Task: "pca", Seed: 7, Repeats: 2,
		Select:  spec.Select{By: "oracle", Metric: "suboptimality", Over: "final", Tune: []string{"step.c"}},
		Figures: []plots.Figure{{ID: "fig", Panel: plots.Panel{X: "iterations", Y: "suboptimality"}}},
		Tables:  []plots.Table{{ID: "tab", Columns: []string{"k", "final_suboptimality"}}},
	}
}

func TestWriteMakesWhatIsAsked(t *testing.T) {
	data := []string{"selection.csv", "curves.csv"}
	tables := []string{"tables/tab.md", "tables/tab.csv"}
	figures := []string{"figures/fig.svg", "figures/fig.pdf", "figures/fig.png"}
	for _, test := range []struct {
		what       What
		made, none []string
	}{
		{All, slices.Concat(data, tables, figures), nil},
		{What{Data: true}, data, slices.Concat(tables, figures)},
		{What{Tables: true}, tables, slices.Concat(data, figures)},
		{What{Figures: true}, figures, slices.Concat(data, tables)},
		{What{}, nil, slices.Concat(data, tables, figures)},
	} {
		e := experiment(t)
		p, err := Write(e, exampleSpec(), "quick", test.what)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range test.made {
			path := filepath.Join(e.Dir, name)
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Errorf("%+v: %s is missing or empty: %v", test.what, name, err)
			}
			if !slices.Contains(p.Files, path) {
				t.Errorf("%+v: %s is not among the files %v", test.what, name, p.Files)
			}
		}
		for _, name := range test.none {
			if _, err := os.Stat(filepath.Join(e.Dir, name)); !os.IsNotExist(err) {
				t.Errorf("%+v: %s was made: %v", test.what, name, err)
			}
		}
		if len(p.Tables) != map[bool]int{true: 1}[test.what.Tables] {
			t.Errorf("%+v: %d tables", test.what, len(p.Tables))
		}
	}
}

// Only the selected step size is drawn and written as a curve; every candidate
// is in the selection.
func TestProductsAreOfTheSelectedRuns(t *testing.T) {
	e := experiment(t)
	if _, err := Write(e, exampleSpec(), "", All); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(e.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if curves := read("curves.csv"); !strings.Contains(curves, "step.c=4") || strings.Contains(curves, "step.c=1,") || strings.Contains(curves, "step.c=2,") {
		t.Errorf("curves.csv is not of step.c = 4:\n%s", curves)
	}
	selection := read("selection.csv")
	for _, c := range []string{"step.c=1", "step.c=2", "step.c=4"} {
		if !strings.Contains(selection, c) {
			t.Errorf("selection.csv does not have %s:\n%s", c, selection)
		}
	}
	if table := read("tables/tab.md"); !strings.Contains(table, "0.1") {
		t.Errorf("the table is not of step.c = 4:\n%s", table)
	}
	if svg := read("figures/fig.svg"); !strings.Contains(svg, "An experiment") {
		t.Error("the figure does not have the title of the experiment")
	}
}

func TestWhatCannotBeDrawnIsAWarning(t *testing.T) {
	e := experiment(t)
	s := exampleSpec()
	s.Figures[0].Where = map[string]any{"k": int64(9)}
	p, err := Write(e, s, "", What{Figures: true})
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(p.Warnings, "\n"); !strings.Contains(all, "figure fig: no data: no runs of k = 9") || !strings.Contains(all, "widen the grid") {
		t.Errorf("warnings are %q", p.Warnings)
	}
}

func TestProductsThatCannotBeWritten(t *testing.T) {
	for name, what := range map[string]What{"figures": {Figures: true}, "tables": {Tables: true}, "curves.csv": {Data: true}} {
		e := experiment(t)
		blocked := filepath.Join(e.Dir, name)
		if name == "curves.csv" {
			if err := os.MkdirAll(blocked, 0o755); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(blocked, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Write(e, exampleSpec(), "", what); err == nil || !strings.Contains(err.Error(), blocked) {
			t.Errorf("%s: error is %v, want one that names %s", name, err, blocked)
		}
	}
}

func TestDescribeAndReadBack(t *testing.T) {
	dir := t.TempDir()
	want := Manifest{
		Tool: ThisTool(), Spec: "exp", Profile: "quick", Seed: 1<<64 - 1, Planned: 6,
		Datasets: []Dataset{{ID: "a", Title: "A", Hash: "h", StandIn: true, Reason: "why"}, {ID: "b", Title: "B", Hash: "i"}},
	}
	if err := Describe(dir, exampleSpec(), want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadManifest(dir)
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("manifest reads back as %+v, %v, want %+v", got, err, want)
	}
	if ids := got.StandIns(); !slices.Equal(ids, []string{"a"}) {
		t.Errorf("stand-ins are %v, want a", ids)
	}
	text, err := os.ReadFile(filepath.Join(dir, SpecFile))
	if err != nil || !strings.Contains(string(text), "name: exp\n") {
		t.Errorf("the resolved spec is %s, %v", text, err)
	}
}

func TestManifestsThatCannotBeReadOrWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	check := func(err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
	_, err := ReadManifest("none")
	check(err, "none is not a results folder, it has no manifest.json: name a folder that run has made, such as results/<name>")
	if err := os.WriteFile("manifest.json", []byte("[]"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = ReadManifest(".")
	check(err, "manifest.json is damaged: json: cannot unmarshal array into Go value of type output.Manifest; run the spec again, which writes it anew and repeats no run")
	_, err = ReadManifest("manifest.json")
	check(err, "cannot read the results folder manifest.json: open manifest.json/manifest.json: not a directory")
	if err := Describe("none", exampleSpec(), Manifest{}); err == nil || !strings.HasPrefix(err.Error(), "cannot write none/spec.yaml: ") || !strings.HasSuffix(err.Error(), "; free space or use another --out") {
		t.Errorf("error is %v", err)
	}
}

func TestThisTool(t *testing.T) {
	tool := ThisTool()
	if !strings.HasPrefix(tool.Go, "go1.") || tool.CPUs < 1 || !strings.Contains(tool.Platform, "/") || tool.Version == "" || tool.Revision == "" || tool.CPU == "" {
		t.Errorf("this tool is %+v", tool)
	}
}
