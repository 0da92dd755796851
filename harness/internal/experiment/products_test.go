package experiment

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/plots"
)

// folder creates a folder with runs of three step sizes.
func folder(t *testing.T) *Folder {
	t.Helper()
	var runs []record.Run
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
		runs = append(runs, r.WithTiming(record.Timing{StepSeconds: 1}))
	}
	return stored(t, runs)
}

// stored creates a folder with runs and a plan, without a spec.
func stored(t *testing.T, runs []record.Run) *Folder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "exp")
	var ids []record.ID
	for _, r := range runs {
		ids = append(ids, r.ID())
	}
	addRuns(t, dir, ids, runs...)
	return &Folder{Dir: dir, Manifest: Manifest{Spec: "exp", Profile: "quick"}}
}

// writeProducts writes products of a folder for a spec.
func writeProducts(t *testing.T, f *Folder, s *spec.Spec, kinds Kinds) *Products {
	t.Helper()
	p, err := tryWrite(f, s, kinds)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tryWrite(f *Folder, s *spec.Spec, kinds Kinds) (*Products, error) {
	d, err := f.Derive(s)
	if err != nil {
		return nil, err
	}
	return d.Write(kinds)
}

// content returns the content of a file of a folder.
func content(t *testing.T, f *Folder, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(f.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func exampleSpec() *spec.Spec {
	return &spec.Spec{
		Version: 1, Name: "exp", Title: "An experiment", Task: "pca", Seed: 7, Repeats: 2,
		Select:  selection.Rule{By: "oracle", Metric: "suboptimality", Over: "final", Tune: []string{"step.c"}},
		Figures: []plots.Figure{{ID: "fig", Panel: plots.Panel{X: "iterations", Y: "suboptimality"}}},
		Tables:  []plots.Table{{ID: "tab", Columns: []string{"k", "final_suboptimality"}}},
	}
}

func TestWriteKinds(t *testing.T) {
	t.Parallel()
	for _, what := range []Kinds{AllKinds, {Data: true}, {Tables: true}, {Figures: true}, {}} {
		f := folder(t)
		p := writeProducts(t, f, exampleSpec(), what)
		for name, wanted := range map[string]bool{
			"selection.csv": what.Data, "curves.csv": what.Data, "tables/tab.md": what.Tables, "tables/tab.csv": what.Tables,
			"figures/fig.svg": what.Figures, "figures/fig.pdf": what.Figures, "figures/fig.png": what.Figures,
		} {
			info, err := os.Stat(filepath.Join(f.Dir, name))
			listed := slices.ContainsFunc(p.Files, func(f File) bool { return f.Name == name })
			if wanted != (err == nil && info.Size() > 0) || wanted != listed || !wanted && !os.IsNotExist(err) {
				t.Errorf("%+v: %s: %v, listed: %v", what, name, err, listed)
			}
		}
		if what.Tables != (len(p.Tables) == 1) {
			t.Errorf("%+v: %d tables", what, len(p.Tables))
		}
	}
}

// Figures, tables and curves show only the selected step size. The selection has all candidates.
func TestProductsAreOfTheSelectedRuns(t *testing.T) {
	t.Parallel()
	f := folder(t)
	writeProducts(t, f, exampleSpec(), AllKinds)
	curves, err := csv.NewReader(strings.NewReader(content(t, f, "curves.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range curves[1:] {
		if row[4] == "msg" && row[slices.Index(curves[0], "step.c")] != "4" {
			t.Errorf("curves.csv has another step: %q", row)
		}
	}
	candidates, err := csv.NewReader(strings.NewReader(content(t, f, "selection.csv"))).ReadAll()
	if err != nil || len(candidates) != 4 {
		t.Errorf("the selection is %q, %v, want three candidates", candidates, err)
	}
	if table := content(t, f, "tables/tab.csv"); !strings.Contains(table, "0.1") {
		t.Errorf("the table has another step:\n%s", table)
	}
}

// A figure without data gives a warning. A figure with too many panels fails.
func TestFiguresThatFail(t *testing.T) {
	t.Parallel()
	f := folder(t)
	s := exampleSpec()
	s.Figures[0].Where = map[string]any{"k": int64(9)}
	s.Figures = append(s.Figures, plots.Figure{ID: "many", Facet: plots.Facet{Cols: "repeat"}, Panels: make([]plots.Panel, 200)})
	p := writeProducts(t, f, s, Kinds{Figures: true})
	if len(p.Failed) != 1 || len(p.Files) != 5 {
		t.Errorf("%d files, failed: %v", len(p.Files), p.Failed)
	}
	if n := len(p.Warnings); n < 2 || !strings.Contains(p.Warnings[0], "end of its grid") || !strings.Contains(p.Warnings[n-1], "no runs of k = 9") {
		t.Errorf("warnings are %q", p.Warnings)
	}
}

func TestDescribeAndReadBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := Manifest{
		Tool: ThisTool(), Spec: "exp", Profile: "quick", Seed: 1<<64 - 1, Planned: 6,
		Datasets: []Dataset{{ID: "a", Title: "A", Hash: "h", StandIn: true, Reason: "why"}, {ID: "b", Title: "B", Hash: "i"}},
	}
	if err := Describe(dir, exampleSpec(), want); err != nil {
		t.Fatal(err)
	}
	back, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	sealed := back.Manifest
	want.SpecSHA256, want.SHA256 = sealed.SpecSHA256, sealed.SHA256
	if len(sealed.SpecSHA256) != 64 || len(sealed.SHA256) != 64 || !reflect.DeepEqual(sealed, want) {
		t.Fatalf("the folder reads back as %+v, %v, want the manifest %+v", back, err, want)
	}
	if ids := back.Manifest.StandIns(); !slices.Equal(ids, []string{"a"}) {
		t.Errorf("stand-ins are %v, want a", ids)
	}
	text, err := back.SpecText()
	if err != nil || !strings.Contains(string(text), "name: exp\n") {
		t.Errorf("the resolved spec is %s, %v", text, err)
	}
	// Changes are detected.
	manifest := []byte(content(t, back, ManifestFile))
	if !sealed.Intact(manifest) || !sealed.Describes(text) || sealed.Describes(append(text, '\n')) {
		t.Error("the manifest is not intact, or the wrong spec matches")
	}
	twice := strings.Replace(string(manifest), "  \"profile\": \"quick\",\n", "  \"profile\": \"quick\",\n  \"profile\": \"quick\",\n", 1)
	if sealed.Intact([]byte(twice)) || twice == string(manifest) {
		t.Error("a duplicate line is not detected")
	}
	sealed.Tool.CPUs++
	if sealed.Intact(manifest) || (Manifest{}).Intact(manifest) {
		t.Error("another manifest, or one without a checksum, is intact")
	}
}

func TestNamesOfTools(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		tool  Tool
		name  string
		fuses bool
	}{
		{Tool{Version: "v1", Revision: "abc", GOAMD64: "v1"}, "v1 abc", false},
		{Tool{Version: "v1", Revision: "abc", Dirty: true, GOAMD64: "v3"}, "v1 abc (modified)", true},
	} {
		if test.tool.String() != test.name || test.tool.Fuses() != test.fuses {
			t.Errorf("%+v is called %q and fuses: %v", test.tool, test.tool, test.tool.Fuses())
		}
	}
}

func TestProductsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]Kinds{"figures": AllKinds, "tables": {Tables: true}, "curves.csv/x": {Data: true}} {
		f := folder(t)
		put(t, f, name, "")
		p, err := tryWrite(f, exampleSpec(), what)
		if name == "figures" && err == nil { // other products are written
			content(t, f, "curves.csv")
			err = errors.Join(p.Failed...)
		}
		if !errors.As(err, new(*fs.PathError)) && !errors.As(err, new(*os.LinkError)) {
			t.Errorf("%s: error is %v, want a file error", name, err)
		}
	}
}

// A manifest lists all builds that may have made records, even unknown ones, and those of processes that share the
// folder.
func TestFoldersOfSeveralBuilds(t *testing.T) {
	t.Parallel()
	v1, v2, devel := Tool{Version: "v1"}, Tool{Version: "v2"}, Tool{Version: "(devel)", Revision: unknown}
	clean, modified := Tool{Version: "(devel)", Revision: "a"}, Tool{Version: "(devel)", Revision: "a", Dirty: true}
	for _, c := range []struct {
		describe    func(string, *spec.Spec, Manifest) error
		tools, want []Tool
	}{
		{Describe, []Tool{v1, devel, v2}, []Tool{v1, devel}},
		{Describe, []Tool{v1, v2, devel}, []Tool{v1, v2}},
		{Describe, []Tool{clean, modified}, []Tool{clean}},
		{Describe, []Tool{devel, v1, devel}, []Tool{v1}},
		{Describe, []Tool{v1, v1}, nil},
		{describeShared, []Tool{v1, v2, v1}, []Tool{v1}},
	} {
		dir := t.TempDir()
		for i, tool := range c.tools {
			tool.CPUs = i // the same build on another machine
			if err := c.describe(dir, exampleSpec(), Manifest{Tool: tool, Earlier: otherBuilds(dir, tool)}); err != nil {
				t.Fatal(err)
			}
		}
		f, err := Open(dir)
		if err != nil || !slices.EqualFunc(f.Manifest.Earlier, c.want, Tool.sameBuild) {
			t.Errorf("after %v: %v, %v, want %v", c.tools, f.Manifest.Earlier, err, c.want)
		}
	}
}

func TestManifestsThatCannotBeReadOrWritten(t *testing.T) {
	t.Parallel()
	f := &Folder{Dir: t.TempDir()}
	none := filepath.Join(f.Dir, "none")
	if _, err := Open(none); err == nil {
		t.Error("a folder that does not exist is opened")
	}
	if err := Describe(none, exampleSpec(), Manifest{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that does not exist: %v", err)
	}
	put(t, f, ManifestFile, "[]")
	if _, err := Open(f.Dir); !errors.As(err, new(*json.UnmarshalTypeError)) {
		t.Errorf("a damaged manifest: %v", err)
	}
	if _, err := Open(filepath.Join(f.Dir, ManifestFile)); !errors.As(err, new(*fs.PathError)) {
		t.Errorf("a file instead of a folder: %v", err)
	}
	if v, err := decodeVerdicts([]byte(`{"schema": 2, "claims": []}`)); err == nil {
		t.Errorf("verdicts of another schema are read: %+v", v)
	}
}
