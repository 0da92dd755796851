package cli

import (
	"strings"
	"testing"

	"stochopt/plots/table"
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

// What is wrong with a search is found before anything runs, and what only a run
// can find is its record.
func TestSparseBadInput(t *testing.T) {
	svmHome(t)
	for _, test := range []struct{ old, new, want string }{
		{"[0.25, 0.5]", "[0.25, 0]", `bad.yaml:10:32: algorithms.sparsify.with.eta: must be more than 0, got 0`},
		{"[0.25, 0.5]", "[0.25, 0.5], epsilon: -0.5", `bad.yaml:10:54: algorithms.sparsify.with.epsilon: must be more than 0, got -0.5`},
		{"id: perceptron", "id: perceptron, with: {support: 61}", `bad.yaml:12:5: algorithm "perceptron" on dataset "b" (bad.yaml:8:5): support = 61 is more than the 60 training points; lower it`},
		{", C: 1", "", `bad.yaml:10:5: algorithms.sparsify: no regularisation is given: give one of C, lambda, nu, R (dataset "b")` + "\n" +
			`bad.yaml:11:5: algorithms.rsvm: no regularisation is given: give one of C, lambda, nu, R (dataset "b")`},
	} {
		write(t, "bad.yaml", edit(t, sparseSmall, test.old, test.new))
		wantOutcome(t, stochopt(t, "plan", "bad.yaml"), exitUsage, test.want)
	}
	// Points that cannot be told apart: w = 0, and no point is on the right side.
	write(t, "train.svm", strings.Repeat("+1 1:1\n-1 1:1\n", 10))
	write(t, "test.svm", "+1 1:1\n-1 1:1\n")
	write(t, "bad.yaml", edit(t, sparseSmall[:strings.Index(sparseSmall, "  - {id: rsvm")]+"select: {by: halvings, tune: [eta]}\n", "bias: true", "bias: false"))
	o := stochopt(t, "run", "bad.yaml")
	if o.code != exitFailed {
		t.Errorf("exit %d\n%s%s", o.code, o.out, o.err)
	}
	wantText(t, "status", ok(t, "status", "results/small").out, "2 failed", "sparse: sparsify: the reference classifies none of the n = 20 training points correctly; ")
}

// The list fits a terminal, and may be that of one task.
func TestAlgorithmsList(t *testing.T) {
	all, sparse := ok(t, "algorithms", "list").out, ok(t, "algorithms", "list", "--task", "svm-sparse").out
	for line := range strings.Lines(all) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > table.Width {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
	if !strings.Contains(sparse, "sparsify-aggressive") || strings.Contains(sparse, "capped-msg") || !strings.Contains(all, "capped-msg") {
		t.Errorf("the list of a task is\n%s", sparse)
	}
	if list := parseJSON[[]map[string]any](t, ok(t, "algorithms", "list", "--task", "svm-sparse", "--json").out); list[0]["id"] != "sparsify" {
		t.Errorf("the list begins with %v", list[0])
	}
	wantOutcome(t, stochopt(t, "algorithms", "list", "--task", "svn"), exitUsage, `stochopt: unknown task "svn" (did you mean "svm"?)`)
}

// An id that two tasks have is shown for both, and asked for one at a time.
func TestAlgorithmsOfSeveralTasks(t *testing.T) {
	both := ok(t, "algorithms", "show", "perceptron").out
	wantText(t, "show", both, "task svm, version", "task svm-sparse, version")
	one := ok(t, "algorithms", "show", "perceptron", "--task", "svm-sparse").out
	wantText(t, "show --task", one, "task svm-sparse, version", "the classifier of this method has none, even if its reference has one")
	if strings.Contains(one, "task svm, ") {
		t.Error("both are shown")
	}
	wantOutcome(t, stochopt(t, "algorithms", "show", "perceptron", "--json"), exitUsage, "stochopt: perceptron is an algorithm of the tasks svm and svm-sparse; choose one with --task")
	wantText(t, "JSON", ok(t, "algorithms", "show", "perceptron", "--json", "--task", "svm").out, `"task": "svm"`)
	wantOutcome(t, stochopt(t, "algorithms", "show", "sparsify", "--task", "svm"), exitUsage, `stochopt: the task svm has no algorithm "sparsify" (known: sbp, sgd, pegasos, sdca, smo, decomposition, perceptron, rff, linear-sdca, linear-pegasos, simba, libsvm)`)
	wantOutcome(t, stochopt(t, "algorithms", "show", "sparsify", "--task", "svn"), exitUsage, `stochopt: unknown task "svn" (did you mean "svm"?)`)
}
