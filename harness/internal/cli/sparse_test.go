package cli

import (
	"strings"
	"testing"

	"stochopt/internal/record"
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

// What only a run can find is its record: points that nothing tells apart.
func TestSparseRunThatFails(t *testing.T) {
	svmHome(t)
	write(t, "train.svm", strings.Repeat("+1 1:1\n-1 1:1\n", 10))
	write(t, "test.svm", "+1 1:1\n-1 1:1\n")
	write(t, "bad.yaml", edit(t, sparseSmall[:strings.Index(sparseSmall, "  - {id: rsvm")]+"select: {by: halvings, tune: [eta]}\n", "bias: true", "bias: false"))
	if o := stochopt(t, "run", "bad.yaml"); o.code != exitFailed {
		t.Errorf("exit %d\n%s%s", o.code, o.out, o.err)
	}
	r := parseJSON[[]progressReport](t, ok(t, "status", "results/small", "--json").out)[0]
	if r.Failed != 2 || len(r.Problems) != 2 || r.Problems[0].Status != record.StatusFailed {
		t.Errorf("status: %+v", r)
	}
}

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
