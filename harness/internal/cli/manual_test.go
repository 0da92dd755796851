package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// The pages of docs/ that are generated are what the program would write.
func TestManualIsUpToDate(t *testing.T) {
	t.Parallel()
	pages, err := manualPages(&app{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer), getenv: os.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pages {
		path := filepath.Join("..", "..", "..", "docs", name)
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s is not up to date (%v): run make docs", name, err)
		}
	}
}

// manualBases are whole specs of a task, of which the examples of the manual replace
// parts.
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

// Every part of a spec that has keys has an example, and each is valid in a whole spec.
func TestExamplesOfTheManualAreValid(t *testing.T) {
	t.Parallel()
	all, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		text := e.Text
		if e.Path != "" {
			text = replaceKeys(manualBases[e.Task], e.Text)
		}
		if _, err := spec.Parse("example.yaml", []byte(text), spec.LoadOptions{Catalog: registry.Catalog()}); err != nil {
			t.Errorf("%q: %v\n%s", e.Path, err, text)
		}
	}
	var page bytes.Buffer
	if err := specPage(&page); err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(page.String(), "\n## ")[1:]
	shown := 0
	for _, section := range sections {
		if strings.Contains(section, "```yaml") {
			shown++
		}
	}
	if shown != len(all) {
		t.Errorf("%d of %d examples are on the page: a path is not that of a part", shown, len(all))
	}
}

// replaceKeys returns a spec with the top-level keys of another text in place of its own.
func replaceKeys(base, text string) string {
	with := topLevel(text)
	var out strings.Builder
	for _, part := range topLevel(base) {
		key, _, _ := strings.Cut(part, ":")
		replaced := false
		for _, w := range with {
			replaced = replaced || strings.HasPrefix(w, key+":")
		}
		if !replaced {
			out.WriteString(part)
		}
	}
	return out.String() + text
}

// topLevel divides YAML into its top-level keys, each with its value.
func topLevel(text string) (parts []string) {
	for line := range strings.Lines(text) {
		if line[0] != ' ' {
			parts = append(parts, "")
		}
		parts[len(parts)-1] += line
	}
	return parts
}
