package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// Each spec of an investigation is called as its file is, and each of its claims is a
// reading of one of the project's, from the same place of the thesis; no reading of a
// claim is there twice, and docs/readings.md has all of them.
func TestInvestigationsOfTheProject(t *testing.T) {
	load := func(pattern string) map[string]*spec.Spec {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s (%v)", pattern, err)
		}
		specs := make(map[string]*spec.Spec)
		for _, file := range files {
			s, err := spec.Load(file, spec.LoadOptions{Profile: "quick", Catalog: registry.Catalog()})
			if err != nil {
				t.Fatal(err)
			}
			specs[file] = s
		}
		return specs
	}
	sources := make(map[string]string)
	ids := make(map[string]string)
	for file, s := range load("../../../configs/*.yaml") {
		for _, c := range s.Claims {
			sources[c.ID], ids[c.ID] = c.Source, file
			if c.Of != "" {
				t.Errorf("%s: %s is a reading: want it among the investigations", file, c.ID)
			}
		}
	}
	doc, err := os.ReadFile("../../../docs/readings.md")
	if err != nil {
		t.Fatal(err)
	}
	readings := make(map[[2]string]string)
	for file, s := range load("../../../configs/investigations/*.yaml") {
		if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); s.Name != name {
			t.Errorf("%s: the name is %q", file, s.Name)
		}
		if len(s.Claims) == 0 {
			t.Errorf("%s: no claims", file)
		}
		for _, c := range s.Claims {
			if before, ok := ids[c.ID]; ok {
				t.Errorf("%s: the claim %q is in %s too", file, c.ID, before)
			}
			ids[c.ID] = file
			if source, ok := sources[c.Of]; !ok || source != c.Source {
				t.Errorf("%s: %s is a reading of %q from %q: want a claim of the project, whose source is %q", file, c.ID, c.Of, c.Source, source)
			}
			key := [2]string{c.Of, c.Reading}
			if before, ok := readings[key]; ok {
				t.Errorf("%s: %s and %s are both the reading %q of %s", file, before, c.ID, c.Reading, c.Of)
			}
			readings[key] = c.ID
			if !strings.Contains(string(doc), "### "+c.Of+"\n") || !strings.Contains(string(doc), "| "+c.Reading+" |") {
				t.Errorf("docs/readings.md does not have the reading %q of %s: measure it", c.Reading, c.Of)
			}
		}
	}
}
