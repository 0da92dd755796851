package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"

	"gopkg.in/yaml.v3"
)

func TestManualIsUpToDate(t *testing.T) {
	docs, err := filepath.Abs("../../../docs")
	if err != nil {
		t.Fatal(err)
	}
	home(t)
	if err := os.Mkdir("pages", 0o777); err != nil {
		t.Fatal(err)
	}
	ok(t, "manual", "pages")
	for path, want := range rawFiles(t, "pages") {
		name := filepath.Base(path)
		if read(t, docs, name) != want {
			t.Errorf("docs/%s is not up to date: run make docs", name)
		}
	}
}

// manualBases has a spec of each task. The examples of the manual replace its keys.
var manualBases = map[string]string{
	"pca": `version: 1
name: base
task: pca
repeats: 2
budget: {iterations: 500}
datasets:
  - {id: easy, source: simulated-gaussian, with: {dim: 50, gap: 3}, problem: {k: [1, 3]}}
algorithms:
  - {id: msg, step: {c: {pow2: [-6, 3]}}}
  - {id: incremental}
select: {by: oracle, metric: suboptimality, over: mean-over-curve}
`,
	"svm": `version: 1
name: base
task: svm
budget: {passes: 1}
datasets:
  - {id: adult, source: adult, problem: {sigma2: 10, C: 1}}
algorithms:
  - {id: sbp}
`,
	"svm-sparse": `version: 1
name: base
task: svm-sparse
budget: {iterations: 20000}
datasets:
  - {id: adult, source: adult, with: {variant: a8a}, problem: {gamma: 0.1, C: 1, bias: true}}
algorithms:
  - {id: sparsify-aggressive, with: {eta: {pow4: [-3, 0]}, epsilon: {pow2: [-3, -1]}}}
select: {by: halvings, tune: [eta, epsilon]}
`,
}

// The examples are valid in a whole spec, and all are on the page.
func TestManualExamples(t *testing.T) {
	t.Parallel()
	all, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		whole := make(map[string]any)
		for _, text := range []string{manualBases[e.Task], e.Text} {
			if err := yaml.Unmarshal([]byte(text), &whole); err != nil {
				t.Fatal(err)
			}
		}
		text, err := yaml.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := spec.Parse("example.yaml", text, spec.LoadOptions{Catalog: registry.Catalog()}); err != nil {
			t.Errorf("%q: %v\n%s", e.Path, err, text)
		}
	}
	var page bytes.Buffer
	if err := specPage(&page); err != nil {
		t.Fatal(err)
	}
	if shown := strings.Count(page.String(), "```yaml"); shown != len(all) {
		t.Errorf("%d of %d examples are on the page; is a path wrong?", shown, len(all))
	}
}
