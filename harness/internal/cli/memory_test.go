package cli

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
)

const wideSpec = `version: 1
name: wide
task: pca
repeats: 2
budget: {iterations: 20}
datasets:
  - {id: far, path: far.svm, problem: {k: 1}}
  - {id: easy, source: simulated-gaussian, with: {dim: 20, gap: 3}, problem: {k: 2}}
algorithms:
  - {id: warmuth-kuzmin, step: {schedule: inverse-sqrt, c: 1}}
figures:
  - {id: curves, x: iterations, y: suboptimality}
`

// Runs on a file whose rows are few and far apart are skipped each time, and the other data have
// their figures.
func TestDataThatDoNotFit(t *testing.T) {
	home(t)
	write(t, "far.svm", "+1 1:1 1000000:1\n-1 2:1\n+1 3:1\n")
	write(t, "wide.yaml", wideSpec)
	for range 2 {
		o := stochopt(t, "run", "wide.yaml", "--memory", "64MB")
		if o.code != exitFailed {
			t.Errorf("exit %d", o.code)
		}
		wantText(t, "run", o.err, `warning: wide.yaml:`, `dataset "far"`, "stochopt: 2 runs skipped for lack of memory; the same command ")
	}
	read(t, "results", "wide", "figures", "curves.svg")
	ok(t, "verify", "results/wide", "--all")
	// Only run fails.
	for verb, code := range map[string]int{"validate": exitOK, "plan": exitOK, "run": exitFailed} {
		if o := stochopt(t, verb, "wide.yaml", "--memory", "64MB"); o.code != code || o.err == "" {
			t.Errorf("%s: exit %d: %s", verb, o.code, o.err)
		}
	}
}

// Specs whose data fit one at a time run together.
func TestDataThatFitOneByOne(t *testing.T) {
	home(t)
	var rows strings.Builder
	for i := range 2000 {
		for j := range 100 {
			fmt.Fprintf(&rows, "%d,", (i*j)%7)
		}
		fmt.Fprintln(&rows, i%5)
	}
	for _, name := range []string{"one", "two"} {
		write(t, name+".csv", rows.String())
		write(t, name+".yaml", fmt.Sprintf(`version: 1
name: %s
task: svm
budget: {iterations: 20}
record: {reference: false}
datasets:
  - {id: own, path: %s.csv, label: 101, positive: 1, split: {train: 0.5, test: 0.5}, problem: {sigma2: 10, C: 1}}
algorithms:
  - {id: sdca}
`, name, name))
	}
	want := ""
	for _, memory := range []string{"1GB", "5900KB"} {
		remove(t, "results")
		ok(t, "run", "one.yaml", "two.yaml", "--memory", memory)
		runs := exported(t, "results/one") + exported(t, "results/two")
		if want = cmp.Or(want, runs); runs != want {
			t.Errorf("with --memory %s other records", memory)
		}
	}
}
