package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// A recipe is a change of the code in a document. Then its tests must pass and its specs must run.
type recipe struct {
	title string
	steps []step
	tests []string
	// output is a part of the output of the first test.
	output string
	specs  []string
	// products lists files that a spec writes. They contain "mine", except for SVG files.
	products []string
}

// A step adds code after a text that a file has exactly once. If the text is empty, it adds the code at the end of
// the file, which may be new.
type step struct{ path, after, code string }

// overlay is the tree with the code of all recipes, which are independent. One build is faster than one per recipe.
type overlay struct{ root, file, dir string }

func newOverlay(t *testing.T, recipes []recipe) overlay {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	o := overlay{root: root, dir: t.TempDir()}
	texts := map[string]string{}
	for _, r := range recipes {
		for _, s := range r.steps {
			text, ok := texts[s.path]
			if _, err := os.Stat(filepath.Join(root, s.path)); err == nil && !ok {
				text = read(t, root, s.path)
			}
			switch n := strings.Count(text, s.after); {
			case s.after == "":
				text += "\n" + s.code
			case n == 1:
				text = strings.Replace(text, s.after, s.after+"\n"+s.code, 1)
			default:
				t.Fatalf("%s: %s has %q %d times, want once", r.title, s.path, s.after, n)
			}
			texts[s.path] = text
		}
	}
	replace := map[string]string{}
	for path, text := range texts {
		replace[filepath.Join(root, path)] = write(t, filepath.Join(o.dir, "overlay", path), text)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	o.file = write(t, filepath.Join(o.dir, "overlay.json"), string(text))
	o.goTool(t, "build", "-o", o.binary(), "./harness")
	return o
}

func (o overlay) binary() string { return filepath.Join(o.dir, "stochopt") }

func (o overlay) goTool(t *testing.T, verb string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{verb, "-overlay", o.file}, args...)...)
	cmd.Dir = o.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

// check runs the tests and specs of a recipe.
func (o overlay) check(t *testing.T, r recipe) {
	for i, line := range r.tests {
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		if out := o.goTool(t, args[1], append([]string{"-vet=off"}, args[2:]...)...); i == 0 && !strings.Contains(out, r.output) {
			t.Errorf("%s does not print %q:\n%s", line, r.output, out)
		}
	}
	for _, spec := range r.specs {
		dir := t.TempDir()
		cmd := exec.Command(o.binary(), "run", write(t, filepath.Join(dir, "mine.yaml"), spec), "--stand-in", "only", "--out", filepath.Join(dir, "results"))
		cmd.Env = append(os.Environ(), "HARNESS_MIRROR=", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("the spec: %v\n%s", err, out)
		}
		for _, path := range r.products {
			var text string
			if path == record.DatabaseFile {
				text = (&site{t: t, dir: dir}).exported("results/mine")
			} else {
				text = read(t, dir, "results/mine", path)
			}
			if !strings.Contains(text, "mine") && filepath.Ext(path) != ".svg" {
				t.Errorf("%s does not contain mine", path)
			}
		}
	}
}

// TestRecipes builds and tests the code of the READMEs of algorithms and of docs/architecture.md, exactly as written
// there, without a change of the tree.
func TestRecipes(t *testing.T) {
	if testing.Short() {
		t.Skip("it rebuilds packages")
	}
	t.Parallel()
	recipes := append(readmeRecipes(t), extendingRecipes(t)...)
	o := newOverlay(t, recipes)
	for _, r := range recipes {
		t.Run(r.title, func(t *testing.T) { o.check(t, r) })
	}
}

// readmeRecipes returns the recipes for algorithms: a file, a line in the table of the registry, and a function and
// a line in the conformance test. They must pass the conformance suite and the tests of the table.
func readmeRecipes(t *testing.T) []recipe {
	t.Helper()
	var out []recipe
	for _, e := range []struct {
		folder string
		// The registry line is added to the file table after the text after.
		table, after string
		// The line of the conformance test is added to the file conformance after the text cases.
		conformance, cases string
	}{
		{
			folder: "algorithms/svm",
			table:  "harness/internal/registry/svm_table.go", after: "var svmTable = []Algorithm{",
			conformance: "algorithms/svm/conformance_test.go", cases: "for _, c := range []svmtest.Case{",
		},
		{
			folder: "algorithms/sparse",
			table:  "harness/internal/registry/sparse_table.go", after: "var sparseTable = []Algorithm{",
			conformance: "algorithms/sparse/conformance_test.go", cases: "cases := []sparsetest.Case{",
		},
	} {
		text := read(t, "..", e.folder, "README.md")
		code := fenced(text, "go")
		if len(code) != 3 {
			t.Fatalf("%s: %d pieces of Go, want the method, the registry line and the conformance function", e.folder, len(code))
		}
		line := regexp.MustCompile("a line in `(Test\\w+)`: `([^`]+)`").FindStringSubmatch(text)
		if line == nil {
			t.Fatalf("%s: no line of the conformance test", e.folder)
		}
		out = append(out, recipe{
			title: e.folder,
			steps: []step{
				{path: e.folder + "/mine.go", code: code[0]},
				{path: e.table, after: e.after, code: code[1]},
				{path: e.conformance, after: e.cases, code: line[2]},
				{path: e.conformance, code: code[2]},
			},
			tests: []string{
				"go test -v -run ^" + line[1] + "$/^mine$ ./" + e.folder,
				"go test -run Table|Catalog|Algorithms ./harness/internal/registry",
			},
			output:   "--- PASS: " + line[1] + "/mine",
			specs:    fenced(text, "yaml"),
			products: []string{"selection.csv", "figures/fig-mine.svg"},
		})
	}
	return out
}

var (
	section = regexp.MustCompile(`(?m)^## (.+)$`)
	piece   = regexp.MustCompile("(?ms)^ *(?:\\d+\\. )?(?:A file `([^`]+)`|In `([^`]+)`, after `([^`]+)`)[^\n]*:\n\n( *)```go\n(.*?)^ *```$")
)

// extendingRecipes returns the recipes of docs/architecture.md. It checks the number of files that each changes.
func extendingRecipes(t *testing.T) []recipe {
	t.Helper()
	maxFiles := map[string]int{"A metric": 3, "A predicate of claims": 2}
	text := read(t, "..", "docs", "architecture.md")
	var out []recipe
	at := section.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		body := text[m[1]:end]
		r := recipe{title: text[m[2]:m[3]], specs: fenced(body, "yaml"), products: []string{record.DatabaseFile}}
		if _, ok := maxFiles[r.title]; !ok {
			continue
		}
		files := map[string]bool{}
		for _, p := range piece.FindAllStringSubmatch(body, -1) {
			code := regexp.MustCompile("(?m)^"+p[4]).ReplaceAllString(p[5], "")
			r.steps = append(r.steps, step{path: p[1] + p[2], after: p[3], code: code})
			files[p[1]+p[2]] = true
		}
		for _, sh := range fenced(body, "sh") {
			for line := range strings.Lines(sh) {
				r.tests = append(r.tests, strings.TrimSpace(line))
			}
		}
		if strings.Contains(body, "fig-mine") {
			r.products = append(r.products, "figures/fig-mine.svg")
		}
		if n := maxFiles[r.title]; len(files) == 0 || len(files) > n || len(r.tests)+len(r.specs) == 0 {
			t.Errorf("%s: %d files, at most %d; %d tests, %d specs", r.title, len(files), n, len(r.tests), len(r.specs))
		}
		delete(maxFiles, r.title)
		out = append(out, r)
	}
	if len(maxFiles) > 0 {
		t.Errorf("docs/architecture.md has no section %v", maxFiles)
	}
	return out
}

// fenced returns the code blocks of a language, without the indent of list items.
func fenced(text, language string) []string {
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^( *)```"+language+"\n(.*?)^ *```$").FindAllStringSubmatch(text, -1) {
		out = append(out, regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[2], ""))
	}
	return out
}
