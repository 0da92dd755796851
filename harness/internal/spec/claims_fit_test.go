package spec

import (
	"strings"
	"testing"
)

// What a claim is restricted to has to be there at the profiles it is judged at.
func TestClaimsFitTheirProfile(t *testing.T) {
	t.Parallel()
	const profiles = "profiles:\n  smoke: {datasets: [{id: mnist, problem: {C: 1}}]}\n  quick: {}\n  paper: {datasets: [{id: mnist, problem: {C: [1, 2, 3]}}]}\n"
	claim := func(from, value string) string {
		return claiming + "  - {id: c, says: t, " + from + "datasets: [mnist], where: {C: " + value + "}, check: {stays: {series: sbp, above: 0.1}}}\n" + profiles
	}
	for _, tt := range []struct {
		name, profile, from, value string
		recorded                   bool
		want                       string
	}{
		{"one of two there", "quick", "", "[2, 7]", false, ""},
		{"not at smoke, of which it is not judged", "smoke", "", "2", false, ""},
		{"not at smoke", "smoke", "from: smoke, ", "2", false, "it has 1"},
		{"of paper at quick", "quick", "from: paper, ", "3", false, ""},
		{"of paper", "paper", "from: paper, ", "3", false, ""},
		{"not at quick", "quick", "", "3", false, "it has 1, 2"},
		{"recorded", "", "from: smoke, ", "9", true, ""},
		{"of a profile that is not asked for", "", "from: smoke, ", "9", false, ""},
		{"without a profile", "", "", "3", false, "it has 1, 2"},
	} {
		_, err := parseSpec(claim(tt.from, tt.value), LoadOptions{Profile: tt.profile, Recorded: tt.recorded, Catalog: &labelCatalog})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), "claims.c.where.C: no run of sbp has this value: "+tt.want)):
			t.Errorf("%s: %v; want %q", tt.name, err, tt.want)
		}
	}
}

// There are no passes over what is drawn without end.
func TestClaimedPasses(t *testing.T) {
	t.Parallel()
	endless := fakeCatalog
	endless.Sources = []Source{{Name: "simulated-gaussian", Params: simulated, Distribution: true}}
	for _, tt := range []struct{ check, want string }{
		{"level: {series: incremental, passes: [0, 1], between: [0, 1]}", "s.yaml:9:67: claims.c.check.level.passes: d is a distribution without passes: give from and to, or after and until"},
		{"level: {series: incremental, between: [0, 1]}", ""},
	} {
		text := "version: 1\nname: base\ntask: pca\nbudget: {iterations: 10}\ndatasets:\n  - {id: d, source: simulated-gaussian, with: {gap: 1}}\nalgorithms: [{id: incremental, with: {k: 1}}]\nclaims:\n  - {id: c, says: t, check: {" + tt.check + "}}\n"
		_, err := parseSpec(text, LoadOptions{Catalog: &endless})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.check, got, tt.want)
		}
	}
}

// Data without labels that have no split are the population; with one they are held
// out.
func TestClaimsOnSplits(t *testing.T) {
	t.Parallel()
	const text = `version: 1
name: base
task: pca
budget: {iterations: 10}
datasets:
  - {id: whole, source: mnist}
  - {id: held, source: mnist, split: {train: 0.5, test: 0.5}}
algorithms:
  - {id: incremental, with: {k: 1}}
claims:
`
	for _, tt := range []struct{ datasets, split, want string }{
		{"whole", "population", ""},
		{"whole", "test", `s.yaml:11:85: claims.c.check.level.split: the claim's datasets have no split "test": name population`},
		{"held", "test", ""},
		{"held", "validation", `the claim's datasets have no split "validation": name test`},
		{"held", "population", "name test"},
		{"whole, held", "population", ""},
		{"whole, held", "train", "name population or test"},
	} {
		claim := "  - {id: c, says: t, datasets: [" + tt.datasets + "], check: {level: {series: incremental, split: " + tt.split + ", between: [0, 1]}}}\n"
		_, err := parseText(text+claim, "")
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.split, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v; want %q", tt.split, err, tt.want)
		}
	}
}
