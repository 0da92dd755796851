package cli

import (
	"path/filepath"
	"regexp"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// specsOf reads the specs that a pattern names, each of which has the name of its file.
func specsOf(t *testing.T, pattern string) map[string]*spec.Spec {
	t.Helper()
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
		if s.Name+".yaml" != filepath.Base(file) {
			t.Errorf("%s: the name is %q", file, s.Name)
		}
		specs[file] = s
	}
	return specs
}

var (
	statement = regexp.MustCompile(`^\P{Ll}.*[^.]$`)
	source    = regexp.MustCompile(`^(section|chapter)[^;]*$`)
)

// Every claim of the project has an ID of its own, is a sentence, and names its section. Each claim of an
// investigation is a reading of one of them, from the same section, and docs/readings.md has it.
func TestClaimsOfTheProject(t *testing.T) {
	t.Parallel()
	sources, ids := make(map[string]string), make(map[string]string)
	unique := func(file string, c *claims.Claim) {
		if before, ok := ids[c.ID]; ok {
			t.Errorf("%s: the claim %q is in %s too", file, c.ID, before)
		}
		ids[c.ID] = file
	}
	for file, s := range specsOf(t, "../../../configs/*.yaml") {
		for i := range s.Claims {
			c := &s.Claims[i]
			unique(file, c)
			sources[c.ID] = c.Source
			if c.Of != "" || !statement.MatchString(c.Says) || !source.MatchString(c.Source) {
				t.Errorf("%s: %s of %q: %q from %q", file, c.ID, c.Of, c.Says, c.Source)
			}
		}
	}
	doc := read(t, "../../../docs/readings.md")
	readings := make(map[[2]string]string)
	for file, s := range specsOf(t, "../../../configs/investigations/*.yaml") {
		if len(s.Claims) == 0 {
			t.Errorf("%s: no claims", file)
		}
		for i := range s.Claims {
			c := &s.Claims[i]
			unique(file, c)
			if source, ok := sources[c.Of]; !ok || source != c.Source {
				t.Errorf("%s: %s is a reading of %q from %q: want a claim of the project, whose source is %q", file, c.ID, c.Of, c.Source, source)
			}
			key := [2]string{c.Of, c.Reading}
			if before, ok := readings[key]; ok {
				t.Errorf("%s: %s and %s are both the reading %q of %s", file, before, c.ID, c.Reading, c.Of)
			}
			readings[key] = c.ID
			wantText(t, "docs/readings.md", doc, "### "+c.Of+"\n", "| "+c.Reading+" |")
		}
	}
}
