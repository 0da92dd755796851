package spec

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// fakeCatalog knows a few algorithms and sources.
type fakeCatalog struct{}

func (fakeCatalog) Tasks() []string { return []string{"pca"} }

func (fakeCatalog) Algorithms(string) []string {
	return []string{"incremental", "power", "msg", "capped-msg"}
}

func (fakeCatalog) Params(_, algorithm string) []Param {
	one := 1.0
	zero := 0.0
	k := Param{Name: "k", Kind: "int", Required: true, Min: &one}
	schedule := Param{Name: "step.schedule", Kind: "string", Default: "inverse-sqrt", Choices: []string{"inverse-sqrt", "inverse"}}
	theory := Param{Name: "step.schedule", Kind: "string", Default: "inverse-sqrt", Choices: []string{"inverse-sqrt", "inverse", "theory"}}
	c := Param{Name: "step.c", Kind: "float", Min: &zero, Tunable: true}
	iterate := Param{Name: "iterate", Kind: "string", Default: "last", Choices: []string{"last", "average"}}
	start := Param{Name: "start", Kind: "string", Default: "uniform", Choices: []string{"uniform", "random-low-rank"}}
	switch algorithm {
	case "incremental":
		return []Param{k}
	case "power":
		return []Param{k, schedule, c}
	case "msg":
		return []Param{k, theory, c, iterate, start}
	case "capped-msg":
		return []Param{k, theory, c, {Name: "cap", Kind: "int", Min: &one}, {Name: "raise", Kind: "bool", Default: false}}
	}
	panic("Params of the unknown algorithm " + algorithm)
}

func (fakeCatalog) Sources() []string {
	return []string{"simulated-gaussian", "simulated-orthogonal", "mnist", "rotated"}
}

func (fakeCatalog) SourceParams(source string) []Param {
	hundred := 100.0
	switch source {
	case "simulated-gaussian", "simulated-orthogonal":
		return []Param{{Name: "dim", Kind: "int", Default: 32, Max: &hundred}, {Name: "gap", Kind: "float"}}
	case "csv":
		return []Param{{Name: "header", Kind: "string", Default: "auto", Choices: []string{"auto", "yes", "no"}}}
	case "rotated":
		return []Param{{Name: "angle", Kind: "float", Required: true}}
	}
	return nil
}

func (fakeCatalog) Prepares() []string { return []string{"center", "unit-expected-norm"} }

func (fakeCatalog) Check(_, _ string, params map[string]any) error {
	limit, ok := params["cap"].(int64)
	if k := params["k"].(int64); ok && limit < k {
		return fmt.Errorf("cap = %d must be at least k = %d", limit, k)
	}
	return nil
}

var _ Catalog = fakeCatalog{}

// base is a right specification that tests spoil.
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

// with returns base after replacing old, which must occur once, by new.
func with(t *testing.T, old, new string) string {
	t.Helper()
	if strings.Count(base, old) != 1 {
		t.Fatalf("%q occurs %d times in base", old, strings.Count(base, old))
	}
	return strings.Replace(base, old, new, 1)
}

func parseText(text, profile string, sets ...string) (*Spec, error) {
	return parseSpec(text, LoadOptions{Profile: profile, Sets: sets, Catalog: fakeCatalog{}})
}

func mustParse(t *testing.T, text, profile string, sets ...string) *Spec {
	t.Helper()
	s, err := parseText(text, profile, sets...)
	if err != nil {
		t.Fatalf("unexpected error:\n%v", err)
	}
	return s
}

// checkMessage compares an error with the lines wanted.
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
