package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/registry"
)

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
