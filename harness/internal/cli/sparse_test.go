package cli

import (
	"strings"
	"testing"
)

// sparseSmall is a spec of runs on blobs.
const sparseSmall = `version: 1
name: small
task: svm-sparse
seed: 7
budget: {iterations: 60}
record: {points: 10}
datasets:
  - {id: b, path: train.svm, test: test.svm, format: libsvm, problem: {sigma2: 2, C: 1, bias: true}}
algorithms:
  - {id: sparsify, with: {eta: [0.25, 0.5]}}
  - {id: rsvm, with: {ratio: [0.1, 0.3]}}
  - {id: perceptron}
select: {by: halvings, halvings: 20, tune: [eta, ratio]}
`

// The lists fit a terminal, and that of algorithms may be of one task.
func TestLists(t *testing.T) {
	wantNarrow(t, ok(t, "algorithms", "list").out)
	wantNarrow(t, ok(t, "datasets", "list").out)
	for _, a := range parseJSON[[]struct{ ID, Task string }](t, ok(t, "algorithms", "list", "--task", "svm-sparse", "--json").out) {
		if a.ID == "" || a.Task != "svm-sparse" {
			t.Errorf("the list of a task has %+v", a)
		}
	}
}

// An ID that two tasks have is shown for both, and one at a time where JSON is asked for.
func TestAlgorithmsOfSeveralTasks(t *testing.T) {
	wantText(t, "show", ok(t, "algorithms", "show", "perceptron").out, "task svm, version", "task svm-sparse, version")
	wantOutcome(t, stochopt(t, "algorithms", "show", "perceptron", "--json"), exitUsage,
		"stochopt: perceptron is an algorithm of the tasks svm and svm-sparse; choose one with --task")
	one := parseJSON[struct{ Task string }](t, ok(t, "algorithms", "show", "perceptron", "--json", "--task", "svm-sparse").out)
	if one.Task != "svm-sparse" {
		t.Errorf("show --task: %+v", one)
	}
	for _, test := range []string{"show sparsify --task svm", "show sparsify --task svn"} {
		if o := stochopt(t, append([]string{"algorithms"}, strings.Fields(test)...)...); o.code != exitUsage {
			t.Errorf("%s: exit %d: %s", test, o.code, o.err)
		}
	}
}
