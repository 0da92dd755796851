package propose

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// Names from files are quoted in the spec, whatever they contain.
func TestRenderQuotesNames(t *testing.T) {
	s := &Sweep{
		Name: "a", Task: record.TaskSVM, ID: "d", Rows: 100, Gamma: []string{"1"},
		Ref: datasets.Ref{Path: "a: b\n#c.csv", Label: `x"{y`, With: map[string]any{"delimiter": "|"}},
	}
	text, err := s.Render()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := spec.Parse("s.yaml", text, spec.LoadOptions{Catalog: registry.Catalog()})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if d := parsed.Datasets[0]; d.Path != s.Ref.Path || string(d.Label) != s.Ref.Label || d.With["delimiter"] != "|" {
		t.Errorf("read back as %+v", d)
	}
	if got := Quoted("a\nb"); got != `"a\nb"` {
		t.Errorf("in a comment: %s", got)
	}
}

// Features of different scales are prepared, unless zeros would be stored. Sweeps over rare classes keep
// enough of their rows.
func TestNew(t *testing.T) {
	dir := t.TempDir()
	var uneven, rare, sparse strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&uneven, "%d,%d,%d\n", 1000*(i%7), i%5, i%2)
		fmt.Fprintf(&rare, "%d,%d,%d\n", i%7, i%5, (i%100+1)/100)
		fmt.Fprintf(&sparse, "%d %d:1 10:%d\n", i%2, 1+i%9, 500*(i%3))
	}
	for name, text := range map[string]string{
		"uneven.csv": uneven.String(), "rare.csv": rare.String(), "sparse.svm": sparse.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		task, file, prepare, why string
		kept                     int
	}{
		{record.TaskSVM, "uneven.csv", "[standardize-unit-expected-norm]", "The ranges of features differ by a factor of 1500, so wide features would dominate the kernel. This scales all to the same variance.", 2500},
		{record.TaskSparse, "uneven.csv", "[standardize-unit-expected-norm]", "The ranges of features differ by a factor of 1500, " +
			"so wide features would dominate the kernel. This scales all to the same variance.", 2500},
		{record.TaskSVM, "rare.csv", "[]", "", 3000},
		{record.TaskSVM, "sparse.svm", "[]", "The ranges of features differ by a factor of 1000, so wide features dominate the kernel. For a better classifier, scale " +
			"the columns of the file.", 2500},
		{record.TaskPCA, "uneven.csv", "[standardize-unit-expected-norm]", "The ranges of features differ by a factor of 6000, so they are centred and scaled to the same variance.", 0},
		{record.TaskPCA, "rare.csv", "[center unit-expected-norm]", "Centred and scaled to an average norm of 1, which suits the grids of step sizes.", 0},
	} {
		s, err := New(t.Context(), test.task, test.file, datasets.InspectOptions{Options: datasets.Options{Dir: dir}})
		if err != nil {
			t.Errorf("%s, %s: %v", test.task, test.file, err)
		} else if fmt.Sprint(s.Ref.Prepare) != test.prepare || s.PrepareReason != test.why || s.Kept != test.kept {
			t.Errorf("%s, %s: %v, %q, %d rows kept", test.task, test.file, s.Ref.Prepare, s.PrepareReason, s.Kept)
		}
	}
}
