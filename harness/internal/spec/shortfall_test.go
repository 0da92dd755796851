package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
)

// scaled is a specification at full scale.
const scaled = `version: 1
name: base
task: svm-sparse
repeats: 10
budget: {passes: 10}
datasets:
  - {id: mnist, source: mnist, positive: 0, problem: {C: [1, 2]}}
  - {id: own, path: a.svm, test: b.svm, format: libsvm, split: {train: 0.75, validation: 0.25}, problem: {C: 1}}
algorithms:
  - {id: sparsify, with: {eta: {pow2: [-2, 3]}}}
  - {id: sparsify, as: fixed, with: {eta: 0.75}, datasets: [mnist]}
  - {id: rsvm, with: {ratio: 0.5}, limit: {seconds: 600, memory: 2GB}, budget: {iterations: 100}}
select: {by: halvings, halvings: 50, tune: [eta]}
profiles:
  paper: {repeats: 20}
`

func shortText(list []claims.Shortfall) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, fmt.Sprintf("%s/%s: %s", s.Dataset, s.Series, s.Text))
	}
	return strings.Join(parts, "\n")
}

func TestShortfalls(t *testing.T) {
	t.Parallel()
	o := LoadOptions{Catalog: &labelCatalog, Profile: "paper"}
	full, err := parseSpec(scaled, o)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]int64{"mnist": {"train": 60000, "test": 10000}}
	for _, test := range []struct {
		name string
		sets []string
		want string
	}{
		{"nothing", nil, ""},
		{"more", []string{"repeats=30", "budget.passes=20", "algorithms.sparsify.with.eta={pow2: [-3, 4]}", "algorithms.rsvm.limit.seconds=700"}, ""},
		{"halvings", []string{"select.halvings=5"}, "/: 5 of 50 halvings"},
		{"common budget", []string{"budget.passes=2.5"}, "/: 2.5 of 10 passes"},
		{"budget of one", []string{"algorithms.rsvm.budget.iterations=10"}, "/rsvm: 10 of 100 iterations"},
		{"budgets in other units", []string{"algorithms.rsvm.budget={passes: 1}"}, "/rsvm: budget = 1 pass in place of 100 iterations"},
		{"subset of rows known", []string{"datasets.mnist.subset={train: 4000, test: 10000}"}, "mnist/: 4000 of 60000 training rows"},
		{"subset of rows unknown", []string{"datasets.own.subset={train: 4000, test: 500}"}, "own/: at most 4000 training rows, at most 500 test rows"},
		{"grid", []string{"algorithms.sparsify.with.eta={pow2: [-2, 3, 2]}"}, "/sparsify: 3 of 6 values of eta"},
		{"grid of other values", []string{"algorithms.sparsify.with.eta=[3, 5]"}, "/sparsify: none of the 6 values of eta"},
		{"parameter", []string{"algorithms.rsvm.with.ratio=0.25"}, "/rsvm: ratio = 0.25 in place of 0.5"},
		{"parameter left to its default", []string{"algorithms.fixed.with={}", "defaults.with.eta=3"}, "/fixed: eta = 3 in place of 0.75"},
		{"problem", []string{"datasets.mnist.problem.C=2"}, "mnist/: 1 of 2 values of C"},
		{"memory", []string{"algorithms.rsvm.limit.memory=1GB"}, "/rsvm: at most 953.7 MiB a run"},
		{"new limit", []string{"algorithms.sparsify.limit={seconds: 5, memory: 1MB}"}, "/sparsify: at most 5 seconds a run\n/sparsify: at most 976.6 KiB a run"},
		{"split", []string{"datasets.own.split={train: 0.5, validation: 0.5}"}, "own/: split = [0.5 0.5 0] in place of [0.75 0.25 0]"},
		{"parameter of a source", []string{"datasets.mnist.with.part=test"}, "mnist/: part = test in place of all"},
		{"file", []string{"datasets.own.path=c.svm"}, "own/: data = c.svm in place of a.svm"},
		{"dataset", []string{"datasets=[{id: mnist, source: mnist, positive: 0, problem: {C: [1, 2]}}]", "repeats=5"}, "/: 5 of 20 repeats\nown/: left out"},
		{"series", []string{"algorithms=[{id: sparsify, with: {eta: {pow2: [-2, 3]}}}, {id: sparsify, as: fixed, with: {eta: 0.75}, datasets: [mnist]}]"}, "/rsvm: left out"},
		{"series of one dataset", []string{"algorithms.sparsify.datasets=[mnist]"}, "/sparsify: left out"},
		{"all", []string{"budget={passes: 1}", "algorithms.rsvm.budget={passes: 1}", "algorithms.sparsify.with.eta=0.5"},
			"/: 1 of 10 passes\n/sparsify: 1 of 6 values of eta\n/rsvm: budget = 1 pass in place of 100 iterations"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := o
			o.Sets = test.sets
			s, err := parseSpec(scaled, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := shortText(Shortfalls(s, full, rows)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	// If the full scale is a subset, its size counts.
	o.Sets = []string{"datasets.mnist.subset={train: 5000}"}
	part, err := parseSpec(scaled, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Sets = []string{"datasets.mnist.subset={train: 1000}"}
	less, err := parseSpec(scaled, o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shortText(Shortfalls(less, part, rows)), "mnist/: 1000 of 5000 training rows"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFullScale(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, test := range []struct {
		name, text string
		repeats    int
	}{
		{"with the profile", scaled, 20},
		{"with none", strings.Split(scaled, "profiles:")[0], 10},
		{"with others", strings.Replace(scaled, "  paper: {", "  smoke: {", 1), 10},
	} {
		file := filepath.Join(dir, "s.yaml")
		if err := os.WriteFile(file, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := FullScale(file, &labelCatalog)
		if err != nil || s.Repeats != test.repeats {
			t.Errorf("%s: %v, %v", test.name, s, err)
		}
	}
}
