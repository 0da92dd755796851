package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/registry"
)

// example is the method that a README adds to its package: a file, a line in the
// table of the registry, a function and a line in the conformance test, and, if
// there is one, a spec.
type example struct {
	folder string
	// table is the file with the registry line, which comes after its text after.
	table, after string
	// conformance is the file with the conformance test, whose line comes after
	// its text cases.
	conformance, cases string
}

var examples = []example{
	{
		folder: "algorithms/svm",
		table:  "harness/internal/registry/svm_table.go", after: "var svmTable = []Algorithm{\n",
		conformance: "algorithms/svm/conformance_test.go", cases: "for _, c := range []svmtest.Case{\n",
	},
	{
		folder: "algorithms/sparse",
		table:  "harness/internal/registry/sparse_table.go", after: "var sparseOwn = []Algorithm{\n",
		conformance: "algorithms/sparse/conformance_basis_test.go", cases: "sparsetest.Run(t,\n",
	},
}

// TestReadmeExamples builds each README's method as it says there, without
// touching the tree: it passes the conformance suite and the tests of the
// registry's table, and its spec runs.
func TestReadmeExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages anew")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		t.Run(filepath.Base(e.folder), func(t *testing.T) {
			text := read(t, root, e.folder, "README.md")
			code := fenced(text, "go")
			if len(code) != 3 {
				t.Fatalf("%d pieces of Go, want the method, the registry line and the conformance function", len(code))
			}
			line := regexp.MustCompile("a line in `(Test\\w+)`: `([^`]+)`").FindStringSubmatch(text)
			if line == nil {
				t.Fatal("no line of the conformance test")
			}
			dir := t.TempDir()
			replace := map[string]string{}
			put := func(path, text string) {
				replace[filepath.Join(root, path)] = write(t, filepath.Join(dir, "overlay", path), text)
			}
			insert := func(path, after, text string) string {
				old := read(t, root, path)
				if strings.Count(old, after) != 1 {
					t.Fatalf("%s has %q %d times, want once", path, after, strings.Count(old, after))
				}
				return strings.Replace(old, after, after+text+"\n", 1)
			}
			put(e.folder+"/mine.go", code[0])
			put(e.table, insert(e.table, e.after, code[1]))
			put(e.conformance, insert(e.conformance, e.cases, line[2])+"\n"+code[2])
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
			out := goTool("test", "-v", "-run", "^"+line[1]+"$/^mine$", "./"+e.folder)
			if !strings.Contains(out, "--- PASS: "+line[1]+"/mine") {
				t.Errorf("the conformance suite has not run on mine:\n%s", out)
			}
			goTool("test", "-run", "Table|Catalog|Algorithms", "./harness/internal/registry")
			for _, spec := range fenced(text, "yaml") {
				bin := filepath.Join(dir, "stochopt")
				goTool("build", "-o", bin, "./harness")
				cmd := exec.Command(bin, "run", write(t, filepath.Join(dir, "mine.yaml"), spec), "--stand-in", "only", "--out", filepath.Join(dir, "results"))
				cmd.Env = append(os.Environ(), "HARNESS_MIRROR=", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("the spec: %v\n%s", err, out)
				}
				for _, path := range []string{"selection.csv", "figures/fig-mine.svg", "models/mine-100.model.json"} {
					if text := read(t, dir, "results/mine", path); !strings.Contains(text, "mine") && filepath.Ext(path) != ".svg" {
						t.Errorf("%s does not mention mine", path)
					}
				}
			}
		})
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

// TestReadmeLinks: what a README links to is there, and the names that a table links
// to a file are declared in that file.
func TestReadmeLinks(t *testing.T) {
	for _, folder := range []string{"algorithms/svm", "algorithms/sparse", "algorithms/kernel"} {
		for line := range strings.Lines(read(t, "..", folder, "README.md")) {
			inTable := strings.HasPrefix(strings.TrimSpace(line), "|")
			for _, m := range regexp.MustCompile(`\[([^\]]+)\]\(([^):#]+)\)`).FindAllStringSubmatch(line, -1) {
				path := filepath.Join("..", folder, filepath.FromSlash(m[2]))
				if _, err := os.Stat(path); err != nil {
					t.Errorf("%s: a link to %s, which is not there", folder, m[2])
					continue
				}
				if !inTable || filepath.Ext(path) != ".go" {
					continue
				}
				source := read(t, path)
				for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(m[1], -1) {
					if !regexp.MustCompile(`(?m)^(func|type) ` + name[1] + `\b`).MatchString(source) {
						t.Errorf("%s: %s does not declare %s", folder, m[2], name[1])
					}
				}
			}
		}
	}
}

// TestReadmeOfSparseListsMethods: its table has the methods of the registry in
// their order, with their needs and what a grid may choose.
func TestReadmeOfSparseListsMethods(t *testing.T) {
	text := read(t, "..", "algorithms/sparse/README.md")
	rows := map[string][]string{}
	var order, want []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
		if len(cells) != 8 || !strings.HasPrefix(line, "| `") {
			continue
		}
		id := strings.Trim(cells[1], " `")
		rows[id] = cells
		order = append(order, id)
	}
	problem := registry.ProblemParams()
	for _, e := range registry.Algorithms(registry.TaskSparse) {
		want = append(want, e.ID)
		cells, ok := rows[e.ID]
		if !ok {
			continue
		}
		algorithm, err := registry.Lookup(registry.TaskSparse, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		n := algorithm.Needs(algorithm.Resolve(map[string]any{"bias": true, "C": 1.0, "gamma": 1.0}))
		var needs, tuned []string
		for _, need := range []struct {
			name string
			has  bool
		}{{"reference", n.Reference}, {"C", n.Lambda}, {"nu", n.Nu}, {"R", n.R}, {"inputs", n.Inputs}} {
			if need.has {
				needs = append(needs, need.name)
			}
		}
		if got, want := strings.TrimSpace(cells[3]), strings.Join(needs, ", "); got != want {
			t.Errorf("%s needs %q, want %q", e.ID, got, want)
		}
		for _, p := range e.Params {
			if p.Tunable && !slices.Contains(problem, p.Name) {
				tuned = append(tuned, fmt.Sprintf("`%s`", p.Name))
			}
		}
		if got, want := strings.TrimSpace(cells[6]), strings.Join(tuned, ", "); got != want {
			t.Errorf("%s tunes %q, want %q", e.ID, got, want)
		}
	}
	if !slices.Equal(order, want) {
		t.Errorf("the methods are %v, want %v", order, want)
	}
}
