package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Parameters of the test catalogs.
var (
	zero, one, hundred = 0.0, 1.0, 100.0

	paramK     = Param{Name: "k", Kind: "int", Required: true, Min: &one}
	schedule   = Param{Name: "step.schedule", Kind: "string", Default: "inverse-sqrt", Choices: []string{"inverse-sqrt", "inverse"}}
	theory     = Param{Name: "step.schedule", Kind: "string", Default: "inverse-sqrt", Choices: []string{"inverse-sqrt", "inverse", "theory"}}
	paramStepC = Param{Name: "step.c", Kind: "float", Min: &zero, Tunable: true}
	iterate    = Param{Name: "iterate", Kind: "string", Default: "last", Choices: []string{"last", "average"}}
	start      = Param{Name: "start", Kind: "string", Default: "uniform", Choices: []string{"uniform", "random-low-rank"}}
	simulated  = []Param{{Name: "dim", Kind: "int", Default: 32, Max: &hundred}, {Name: "gap", Kind: "float"}}
	paramC     = Param{Name: "C", Kind: "float", Above: &zero, Tunable: true}
	margin     = []Param{paramC, {Name: "bias", Kind: "bool", Default: false}}
)

func checkCap(params map[string]any) error {
	limit, ok := params["cap"].(int64)
	if k := params["k"].(int64); ok && limit < k {
		return fmt.Errorf("cap = %d must be at least k = %d", limit, k)
	}
	return nil
}

// Tasks of the test catalogs.
var (
	pcaTask = Task{
		Name: "pca",
		Algorithms: []Algorithm{
			{ID: "incremental", Params: []Param{paramK}},
			{ID: "power", Params: []Param{paramK, schedule, paramStepC}},
			{ID: "msg", Params: []Param{paramK, theory, paramStepC, iterate, start}},
			{ID: "capped-msg", Check: checkCap, Params: []Param{paramK, theory, paramStepC,
				{Name: "cap", Kind: "int", Min: &one}, {Name: "raise", Kind: "bool", Default: false}}},
		},
		Costs:   []string{"iterations", "sum_kt2"},
		Metrics: []string{"suboptimality", "objective", "rank", "orthonormality"},
	}
	svmTask = Task{
		Name:       "svm",
		Algorithms: []Algorithm{{ID: "sbp", Params: margin}, {ID: "perceptron", Params: margin}},
		Costs:      []string{"iterations", "kernel_evals"},
		Metrics:    []string{"error", "hinge"},
		Facts:      []string{"reference_error", "u_norm"},
		Supervised: true,
	}
	sparseTask = Task{
		Name: "svm-sparse",
		Algorithms: []Algorithm{
			{ID: "sparsify", Params: []Param{paramC, {Name: "eta", Kind: "float", Above: &zero, Tunable: true, Default: 0.5},
				{Name: "epsilon", Kind: "float", Above: &zero, Tunable: true, Default: 0.5}}},
			{ID: "rsvm", Params: []Param{paramC, {Name: "ratio", Kind: "float", Above: &zero, Max: &one, Tunable: true}}},
		},
		Costs:      []string{"iterations", "sum_kt2"},
		Metrics:    []string{"error", "slant"},
		Facts:      svmTask.Facts,
		Supervised: true, Sparse: true,
	}
)

// fakeCatalog has a few algorithms and sources.
var fakeCatalog = Catalog{
	Tasks: []Task{pcaTask},
	Sources: []Source{
		{Name: "simulated-gaussian", Params: simulated},
		{Name: "simulated-orthogonal", Params: simulated},
		{Name: "mnist"},
		{Name: "rotated", Params: []Param{{Name: "angle", Kind: "float", Required: true}}},
	},
	Formats: map[string][]Param{
		"csv": {{Name: "header", Kind: "bool", Default: false}},
	},
	Prepares: []string{"center", "unit-expected-norm"},
	FormatOf: func(string) string { return "" },
}

// labelCatalog also has the tasks svm and svm-sparse.
var labelCatalog = Catalog{
	Tasks: []Task{pcaTask, svmTask, sparseTask},
	Sources: append(slices.Clone(fakeCatalog.Sources[:2]),
		Source{Name: "mnist", Params: []Param{{Name: "part", Kind: "string", Choices: []string{"train", "test", "all"}}}},
		fakeCatalog.Sources[3]),
	Formats:  fakeCatalog.Formats,
	Prepares: fakeCatalog.Prepares,
	FormatOf: fakeCatalog.FormatOf,
}

// base is a valid specification that tests change.
const base = `version: 1
name: base
task: pca
repeats: 2
budget: {iterations: 100}
datasets:
  - {id: gaussian, source: simulated-gaussian, with: {dim: 8}, problem: {k: 4}}
  - id: mnist
    source: mnist
    prepare: [center]
    split: {train: 0.4, validation: 0.2, test: 0.4}
algorithms:
  - {id: incremental, datasets: [gaussian]}
  - id: msg
    step: {schedule: inverse, c: [1, 2]}
    datasets: [gaussian]
figures:
  - {id: fig, x: iterations, y: rank}
profiles:
  smoke: {repeats: 1}
`

// with returns base after replacing the only occurrence of old by new.
func with(t *testing.T, old, new string) string {
	t.Helper()
	return change(t, base, old, new)
}

// change returns a text after replacing the only occurrence of old by new.
func change(t *testing.T, text, old, new string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q occurs %d times in\n%s", old, strings.Count(text, old), text)
	}
	return strings.Replace(text, old, new, 1)
}

// parseSpec is Parse of the file s.yaml.
func parseSpec(text string, o LoadOptions) (*Spec, error) { return Parse("s.yaml", []byte(text), o) }

func parseText(text, profile string, sets ...string) (*Spec, error) {
	return parseSpec(text, LoadOptions{Profile: profile, Sets: sets, Catalog: &fakeCatalog})
}

func mustParse(t *testing.T, text, profile string, sets ...string) *Spec {
	t.Helper()
	s, err := parseText(text, profile, sets...)
	if err != nil {
		t.Fatalf("unexpected error:\n%v", err)
	}
	return s
}

// checkMessage compares the text of an error.
func checkMessage(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want\n%s", want)
	}
	var list Errors
	if !errors.As(err, &list) {
		t.Errorf("error is a %T, want Errors", err)
	}
	if err.Error() != want {
		t.Errorf("got\n%s\nwant\n%s", err, want)
	}
}
