package spec

import (
	"strings"
	"testing"
)

const labelled = `version: 1
name: base
task: svm
budget: {passes: 10}
datasets:
  - {id: mnist, source: mnist, positive: 0, problem: {C: 1}}
  - {id: own, path: a.svm, test: b.svm, format: libsvm, problem: {C: 1}}
algorithms:
  - {id: sbp}
  - {id: perceptron, datasets: [mnist]}
  - {id: perceptron, datasets: [own], budget: {passes: 100}}
`

func parseLabelled(text string) (*Spec, error) {
	return parseSpec(text, LoadOptions{Catalog: &labelCatalog})
}

func TestLabelledDefaults(t *testing.T) {
	t.Parallel()
	text := change(t, labelled, "positive: 0,", "positive: 0, split: {train: 0.8, validation: 0.2},")
	text = change(t, text, "format: libsvm,", "format: libsvm, split: {train: 0.6, validation: 0.2, test: 0.2},")
	if _, err := parseLabelled(text + "select: {by: validation, tune: [C]}\n"); err == nil {
		t.Fatal("C is tuned although the datasets give it")
	}
	text = strings.ReplaceAll(text, ", problem: {C: 1}", "") + "defaults: {with: {C: [1, 2]}}\nselect: {by: validation, tune: [C]}\n"
	s, err := parseLabelled(text)
	if err != nil {
		t.Fatal(err)
	}
	if s.Select.Metric != "error" || !s.Record.UsesReference() {
		t.Errorf("selected by %s, reference %v", s.Select.Metric, s.Record.Reference)
	}
	mnist, own := s.Datasets[0], s.Datasets[1]
	if mnist.With["part"] != "all" || mnist.Positive == nil || *mnist.Positive != 0 || mnist.Sample != "" {
		t.Errorf("got %+v", mnist)
	}
	if own.With != nil || own.Test != "b.svm" || own.Positive != nil {
		t.Errorf("got %+v", own)
	}
	for i, want := range []float64{10, 10, 100} {
		if got := s.BudgetOf(&s.Algorithms[i]).Passes; got != want {
			t.Errorf("%s has %v passes, want %v", s.Algorithms[i].ID, got, want)
		}
	}

	// An explicit part is kept.
	s, err = parseLabelled(change(t, labelled, "positive: 0", "positive: 0, with: {part: test}"))
	if err != nil || s.Datasets[0].With["part"] != "test" {
		t.Errorf("got %v, %v", s, err)
	}
	// Tasks without labels have other defaults.
	pca := mustParse(t, base, "")
	if pca.Record.Reference != nil || pca.Select.Metric != "" || pca.Datasets[1].With != nil {
		t.Errorf("got %+v", pca)
	}
}

func TestLabelledBadInput(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, old, new, want string }{
		{"sample", labelled, "positive: 0", "sample: uniform", `s.yaml:6:32: datasets.mnist.sample: in the task svm the order is a parameter of the algorithms: give them with: {order: uniform}`},
		{"spectrum", labelled, "budget: {passes: 10}", "budget: {passes: 10}\nrecord: {spectrum: true}", `s.yaml:5:10: record.spectrum: classifiers have no spectrum; the task is svm`},
		{"test of a source", labelled, "positive: 0", "test: b.svm", `s.yaml:6:32: datasets.mnist.test: needs a dataset with path instead of source`},
		{"test is the training file", labelled, "test: b.svm", "test: ./a.svm", `s.yaml:7:34: datasets.own.test: this is also the training file: name another file, or remove test and add a split`},
		{"empty test", labelled, "test: b.svm", `test: ""`, `s.yaml:7:34: datasets.own.test: must not be empty`},
		{"budget of an entry", labelled, "{passes: 100}", "{passes: 100, iterations: 9}", `s.yaml:11:47: algorithms.perceptron.budget: give either iterations or passes`},
		{"series on one dataset", labelled, "datasets: [mnist]", "datasets: [mnist, own]", `s.yaml:11:5: algorithms.perceptron: series "perceptron" is used twice (first at s.yaml:10:5): give one entry another name with "as"`},
		{"metric", labelled, "algorithms:", "select: {by: oracle, metric: rank, tune: [C]}\nalgorithms:", `s.yaml:8:30: select.metric: unknown metric "rank" (known: error, hinge)` + "\n" +
			`s.yaml:8:43: select.tune[0]: "C" is in the problem of dataset "mnist" and cannot be tuned: move its grid to defaults.with` + "\n" +
			`s.yaml:8:43: select.tune[0]: "C" is in the problem of dataset "own" and cannot be tuned: move its grid to defaults.with`},
		{"positive without labels", base, "prepare: [center]", "positive: 8", `s.yaml:10:5: datasets.mnist.positive: needs a task with labels; the task is pca`},
		{"reference without labels", base, "repeats: 2", "record: {reference: false}", `s.yaml:4:10: record.reference: applies only to classifiers; the task is pca`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseLabelled(change(t, test.text, test.old, test.new))
			checkMessage(t, err, test.want)
		})
	}
}
