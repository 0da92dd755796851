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

// A recipe changes the code as a document says: what it adds where, the tests that pass
// then, with what the first prints, and, if there is one, a spec that runs then.
type recipe struct {
	title  string
	steps  []step
	tests  []string
	prints string
	specs  []string
	// makes lists files that the spec makes, which mention "mine" unless they are drawings.
	makes []string
}

// A step adds code after what a file has once; without that at its end, or as a new file.
type step struct{ path, after, code string }

// followed is the tree with the code of all recipes, which leave each other alone. They
// are built together, because each alone would rebuild most packages.
type followed struct{ root, overlay, dir string }

func follow(t *testing.T, recipes []recipe) followed {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	f := followed{root: root, dir: t.TempDir()}
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
		replace[filepath.Join(root, path)] = write(t, filepath.Join(f.dir, "overlay", path), text)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	f.overlay = write(t, filepath.Join(f.dir, "overlay.json"), string(overlay))
	f.goTool(t, "build", "-o", f.binary(), "./harness")
	return f
}

func (f followed) binary() string { return filepath.Join(f.dir, "stochopt") }

func (f followed) goTool(t *testing.T, verb string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{verb, "-overlay", f.overlay}, args...)...)
	cmd.Dir = f.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

// works runs the tests and specs of a recipe.
func (f followed) works(t *testing.T, r recipe) {
	for i, line := range r.tests {
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		if out := f.goTool(t, args[1], append([]string{"-vet=off"}, args[2:]...)...); i == 0 && !strings.Contains(out, r.prints) {
			t.Errorf("%s does not print %q:\n%s", line, r.prints, out)
		}
	}
	for _, spec := range r.specs {
		dir := t.TempDir()
		cmd := exec.Command(f.binary(), "run", write(t, filepath.Join(dir, "mine.yaml"), spec), "--stand-in", "only", "--out", filepath.Join(dir, "results"))
		cmd.Env = append(os.Environ(), "HARNESS_MIRROR=", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("the spec: %v\n%s", err, out)
		}
		for _, path := range r.makes {
			var text string
			if path == record.DatabaseFile {
				text = (&site{t: t, dir: dir}).exported("results/mine")
			} else {
				text = read(t, dir, "results/mine", path)
			}
			if !strings.Contains(text, "mine") && filepath.Ext(path) != ".svg" {
				t.Errorf("%s does not mention mine", path)
			}
		}
	}
}

// TestRecipes builds what the READMEs of algorithms and docs/architecture.md add to the
// code, exactly as written there, without touching the tree.
func TestRecipes(t *testing.T) {
	if testing.Short() {
		t.Skip("it rebuilds packages")
	}
	t.Parallel()
	recipes := append(readmeRecipes(t), extendingRecipes(t)...)
	f := follow(t, recipes)
	for _, r := range recipes {
		t.Run(r.title, func(t *testing.T) { f.works(t, r) })
	}
}

// readmeRecipes are those of algorithms: a file, a line in the table of the registry, a
// function and a line in the conformance test. They pass the conformance suite and the
// tests of the registry's table.
func readmeRecipes(t *testing.T) []recipe {
	t.Helper()
	var out []recipe
	for _, e := range []struct {
		folder string
		// table is the file with the registry line, which comes after its text after.
		table, after string
		// conformance is the file with the conformance test, whose line comes after
		// its text cases.
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
			prints: "--- PASS: " + line[1] + "/mine",
			specs:  fenced(text, "yaml"),
			makes:  []string{"selection.csv", "figures/fig-mine.svg"},
		})
	}
	return out
}

var (
	section = regexp.MustCompile(`(?m)^## (.+)$`)
	piece   = regexp.MustCompile("(?ms)^ *(?:\\d+\\. )?(?:A file `([^`]+)`|In `([^`]+)`, after `([^`]+)`)[^\n]*:\n\n( *)```go\n(.*?)^ *```$")
)

// extendingRecipes are those of docs/architecture.md that say how many places they take.
func extendingRecipes(t *testing.T) []recipe {
	t.Helper()
	most := map[string]int{"A metric": 3, "A predicate of claims": 2}
	text := read(t, "..", "docs", "architecture.md")
	var out []recipe
	at := section.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		body := text[m[1]:end]
		r := recipe{title: text[m[2]:m[3]], specs: fenced(body, "yaml"), makes: []string{record.DatabaseFile}}
		if _, ok := most[r.title]; !ok {
			continue
		}
		places := map[string]bool{}
		for _, p := range piece.FindAllStringSubmatch(body, -1) {
			code := regexp.MustCompile("(?m)^"+p[4]).ReplaceAllString(p[5], "")
			r.steps = append(r.steps, step{path: p[1] + p[2], after: p[3], code: code})
			places[p[1]+p[2]] = true
		}
		for _, sh := range fenced(body, "sh") {
			for line := range strings.Lines(sh) {
				r.tests = append(r.tests, strings.TrimSpace(line))
			}
		}
		if strings.Contains(body, "fig-mine") {
			r.makes = append(r.makes, "figures/fig-mine.svg")
		}
		if n := most[r.title]; len(places) == 0 || len(places) > n || len(r.tests)+len(r.specs) == 0 {
			t.Errorf("%s: %d places, at most %d; %d tests, %d specs", r.title, len(places), n, len(r.tests), len(r.specs))
		}
		delete(most, r.title)
		out = append(out, r)
	}
	if len(most) > 0 {
		t.Errorf("docs/architecture.md has no section %v", most)
	}
	return out
}

// fenced returns the code in a language, without the indent of its list item.
func fenced(text, language string) []string {
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^( *)```"+language+"\n(.*?)^ *```$").FindAllStringSubmatch(text, -1) {
		out = append(out, regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[2], ""))
	}
	return out
}
