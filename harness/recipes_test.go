package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A recipe changes the code as a document says: what it adds where, the tests that pass
// then, with what they print, and, if there is one, a spec that runs then.
type recipe struct {
	title   string
	steps   []step
	tests   []string
	prints  string
	specs   []string
	makes   []string
	mention string
}

// A step adds code after what a file has once; without that at its end, or as a new file.
type step struct{ path, after, code string }

// build follows a recipe without touching the tree.
func (r recipe) build(t *testing.T) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	texts := map[string]string{}
	for _, s := range r.steps {
		text, ok := texts[s.path]
		if _, err := os.Stat(filepath.Join(root, s.path)); err == nil && !ok {
			text = read(t, root, s.path)
		}
		if n := strings.Count(text, s.after); s.after != "" && n != 1 {
			t.Fatalf("%s has %q %d times, want once", s.path, s.after, n)
		} else if s.after != "" {
			text = strings.Replace(text, s.after, s.after+"\n"+s.code, 1)
		} else {
			text += "\n" + s.code
		}
		texts[s.path] = text
	}
	replace := map[string]string{}
	for path, text := range texts {
		replace[filepath.Join(root, path)] = write(t, filepath.Join(dir, "overlay", path), text)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	goTool := func(verb string, args ...string) string {
		cmd := exec.Command("go", append([]string{verb, "-overlay", file}, args...)...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		return string(out)
	}
	for i, line := range r.tests {
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		if out := goTool(args[1], args[2:]...); i == 0 && !strings.Contains(out, r.prints) {
			t.Errorf("%s does not print %q:\n%s", line, r.prints, out)
		}
	}
	for _, spec := range r.specs {
		bin := filepath.Join(dir, "stochopt")
		goTool("build", "-o", bin, "./harness")
		cmd := exec.Command(bin, "run", write(t, filepath.Join(dir, "mine.yaml"), spec), "--stand-in", "only", "--out", filepath.Join(dir, "results"))
		cmd.Env = append(os.Environ(), "HARNESS_MIRROR=", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("the spec: %v\n%s", err, out)
		}
		for _, path := range r.makes {
			if text := read(t, dir, "results/mine", path); !strings.Contains(text, r.mention) && filepath.Ext(path) != ".svg" {
				t.Errorf("%s does not mention %s", path, r.mention)
			}
		}
	}
}

// TestReadmeExamples builds the method that a README adds to its package, by a file, a
// line in the table of the registry, a function and a line in the conformance test: it
// passes the conformance suite and the tests of the registry's table, and its spec runs.
func TestReadmeExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages anew")
	}
	t.Parallel()
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
			table:  "harness/internal/registry/sparse_table.go", after: "var sparseOwn = []Algorithm{",
			conformance: "algorithms/sparse/conformance_basis_test.go", cases: "sparsetest.Run(t,",
		},
	} {
		t.Run(filepath.Base(e.folder), func(t *testing.T) {
			t.Parallel()
			text := read(t, "..", e.folder, "README.md")
			code := fenced(text, "go")
			if len(code) != 3 {
				t.Fatalf("%d pieces of Go, want the method, the registry line and the conformance function", len(code))
			}
			line := regexp.MustCompile("a line in `(Test\\w+)`: `([^`]+)`").FindStringSubmatch(text)
			if line == nil {
				t.Fatal("no line of the conformance test")
			}
			recipe{
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
				makes:  []string{"selection.csv", "figures/fig-mine.svg", "models/mine-100.model.json"}, mention: "mine",
			}.build(t)
		})
	}
}

var (
	section = regexp.MustCompile(`(?m)^## (.+)$`)
	piece   = regexp.MustCompile("(?ms)^ *(?:\\d+\\. )?(?:A file `([^`]+)`|In `([^`]+)`, (?:after `([^`]+)`|at the end))[^\n]*:\n\n( *)```go\n(.*?)^ *```$")
)

// TestExtending builds each recipe of docs/extending.md as it is written there.
func TestExtending(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages anew")
	}
	t.Parallel()
	most := map[string]int{"A metric": 3, "A predicate of claims": 2, "A kind of drawing": 3}
	text := read(t, "..", "docs", "extending.md")
	at := section.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		body := text[m[1]:end]
		r := recipe{title: text[m[2]:m[3]], specs: fenced(body, "yaml"), makes: []string{"runs.jsonl"}, mention: "mine"}
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
		t.Run(r.title, func(t *testing.T) {
			t.Parallel()
			r.build(t)
		})
	}
	if len(most) > 0 {
		t.Errorf("docs/extending.md has no section %v", most)
	}
}

// fenced returns the code in a language, without the indent of its list item.
func fenced(text, language string) []string {
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^( *)```"+language+"\n(.*?)^ *```$").FindAllStringSubmatch(text, -1) {
		out = append(out, regexp.MustCompile("(?m)^"+m[1]).ReplaceAllString(m[2], ""))
	}
	return out
}
