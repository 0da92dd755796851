package cli

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// specsOf reads the specs that match a pattern. The name of each must be that of its file.
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

// Each claim in configs has a unique ID, a sentence and a section. Each claim of an investigation is a unique
// reading of one of them, from the same section, and docs/claims.md mentions the original claim.
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
	doc := read(t, "../../../docs/claims.md")
	readings := make(map[[2]string]string)
	for file, s := range specsOf(t, "../../../configs/investigations/*.yaml") {
		if len(s.Claims) == 0 {
			t.Errorf("%s: no claims", file)
		}
		for i := range s.Claims {
			c := &s.Claims[i]
			unique(file, c)
			if source, ok := sources[c.Of]; !ok || source != c.Source {
				t.Errorf("%s: %s is a reading of %q from %q: want a claim in configs, whose source is %q", file, c.ID, c.Of, c.Source, source)
			}
			key := [2]string{c.Of, c.Reading}
			if before, ok := readings[key]; ok {
				t.Errorf("%s: %s and %s are both the reading %q of %s", file, before, c.ID, c.Reading, c.Of)
			}
			readings[key] = c.ID
			wantText(t, "docs/claims.md", doc, "`"+c.Of+"`")
		}
	}
}

// A range with all possible values of a quantity would make a claim true without a test. Bounds of theorems are
// not checked, because they omit such points.
func TestClaimsCanBeContradicted(t *testing.T) {
	t.Parallel()
	contains := func(b []*float64, lo, hi float64) bool {
		return (b[0] == nil || *b[0] <= lo) && (b[1] == nil || *b[1] >= hi)
	}
	limits := func(r claims.Reading, per string) (lo, hi float64) {
		switch {
		case r.Read == "cost" || r.Read == "cost-to":
			return 0, math.Inf(1)
		case r.Metric == "rank" && (per == "" || per == "k"): // the rank is at least k
			return 1, math.Inf(1)
		case per == "" && slices.Contains([]string{"error", "slant"}, r.Metric):
			return 0, 1
		}
		return 0, math.Inf(1)
	}
	for _, pattern := range []string{"../../../configs/*.yaml", "../../../configs/investigations/*.yaml"} {
		for file, s := range specsOf(t, pattern) {
			for _, c := range s.Claims {
				vacuous := false
				switch check := c.Check; {
				case check.Level != nil:
					lo, hi := limits(check.Level.Reading, check.Level.Per)
					vacuous = contains(check.Level.Between, lo, hi)
				case check.Ratio != nil:
					lo, hi := 0.0, math.Inf(1)
					of, to := check.Ratio.Of, check.Ratio.To
					switch same := of.Series == to.Series && of.Metric == to.Metric; {
					case same && to.Read == "most":
						hi = 1
					case same && to.Read == "least":
						lo = 1
					}
					vacuous = contains(check.Ratio.Between, lo, hi)
				case check.Stays != nil:
					above := check.Stays.Above
					lo, _ := limits(claims.Reading{Curve: check.Stays.Curve}, "")
					vacuous = above.Is != nil && *above.Is <= lo || above.Fact == "k" && above.Plus <= 0
				case check.Reaches != nil:
					_, hi := limits(claims.Reading{Curve: check.Reaches.Curve}, "")
					vacuous = check.Reaches.Value.Is != nil && *check.Reaches.Value.Is >= hi
				}
				if vacuous {
					t.Errorf("%s: no values contradict %s", file, c.ID)
				}
			}
		}
	}
}
