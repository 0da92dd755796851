package spec

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"stochopt/internal/record"
)

// Catalog holds the names that a specification may use. It must not be changed.
type Catalog struct {
	Tasks   []Task
	Sources []Source
	// Formats holds the parameters of each file format ("libsvm", "csv", "idx", "npy").
	Formats map[string][]Param
	// Prepares lists the preparation steps.
	Prepares []string
	// FormatOf returns the format of a file with the given name, or "" if it is unknown.
	FormatOf func(path string) string
}

// Task is a kind of problem.
type Task struct {
	Name       string
	Algorithms []Algorithm
	// Costs are the cost counters, the x axes of figures.
	Costs []string
	// Metrics are the y axes of figures, without "spectrum". The first is the default metric of selection.
	Metrics []string
	// Facts are the numbers that a run records besides its curve.
	Facts []string
	// Supervised tasks learn labels. Their runs may record vectors and be compared with a reference optimum.
	Supervised bool
	// Sparse tasks seek classifiers with few support vectors. Their runs record the test errors of each classifier,
	// which selection by halvings needs, and may have limits of time and memory.
	Sparse bool
	// External has the parameters of an external algorithm in addition to those of its program. ExternalCheck
	// reports a wrong combination of them. Both are nil if the task has no external algorithms.
	External      []Param
	ExternalCheck func(params map[string]any) error
}

// Algorithm describes an algorithm to users.
type Algorithm struct {
	// ID is the name in a specification, Title the name in prose.
	ID    string `json:"id"`
	Title string `json:"title"`
	Task  string `json:"task"`
	// Source cites the definition.
	Source string `json:"source"`
	// Update is the formula of a step, StepCost the cost of a step. Losses have neither.
	Update   string `json:"update,omitempty"`
	StepCost string `json:"step_cost,omitempty"`
	// Version is part of the run key. Increase it when the results change.
	Version int `json:"version"`
	// Deterministic algorithms use no random numbers, so on one split they run once for all repeats.
	Deterministic bool `json:"deterministic,omitempty"`
	// Params includes the parameters of the problem, such as "k", and of the step size, such as "step.c".
	Params []Param `json:"params"`
	// Check reports a wrong combination of valid parameters. If it is nil, all combinations are allowed.
	Check func(params map[string]any) error `json:"-"`
}

// Source is a named origin of data.
type Source struct {
	Name   string
	Params []Param
	// Simulated means that a generator makes the data.
	Simulated bool
}

// Task returns the task with the given name, or an empty task.
func (c *Catalog) Task(name string) *Task {
	return cmp.Or(find(c.Tasks, name, func(t Task) string { return t.Name }), &Task{})
}

// TaskNames returns the names of the tasks.
func (c *Catalog) TaskNames() []string { return names(c.Tasks, func(t Task) string { return t.Name }) }

// IDs returns the ids of the task's algorithms.
func (t *Task) IDs() []string { return names(t.Algorithms, func(a Algorithm) string { return a.ID }) }

// Algorithm returns the algorithm with the given id, or an empty algorithm.
func (t *Task) Algorithm(id string) *Algorithm {
	return cmp.Or(find(t.Algorithms, id, func(a Algorithm) string { return a.ID }), &Algorithm{})
}

// measures reports whether runs of the task record the metric or cost with the given name.
func (t *Task) measures(name string) bool {
	return slices.Contains(t.Metrics, name) || slices.Contains(t.Costs, name)
}

// SourceParams returns the parameters of a source, or of a file format.
func (c *Catalog) SourceParams(name string) []Param {
	if s := c.source(name); s != nil {
		return s.Params
	}
	return c.Formats[name]
}

func (c *Catalog) source(name string) *Source {
	return find(c.Sources, name, func(s Source) string { return s.Name })
}

// find returns the item with the given name, or nil.
func find[T any](items []T, name string, nameOf func(T) string) *T {
	for i := range items {
		if nameOf(items[i]) == name {
			return &items[i]
		}
	}
	return nil
}

// each yields the indices of a list and pointers to its items.
func each[T any](items []T) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := range items {
			if !yield(i, &items[i]) {
				return
			}
		}
	}
}

func names[T any](items []T, nameOf func(T) string) []string {
	names := make([]string, len(items))
	for i := range items {
		names[i] = nameOf(items[i])
	}
	return names
}

// Param is a parameter of an algorithm or of a dataset source.
type Param struct {
	// Name is flat: "cap", "step.c".
	Name string `json:"name"`
	// Kind is "int", "float", "string", "bool" or "any".
	Kind string `json:"kind"`
	// Required parameters have no default.
	Required bool `json:"required,omitempty"`
	// Default is the default value. A parameter with a nil default may be absent.
	Default any `json:"default,omitempty"`
	// Choices lists the allowed values of a string; nil allows any.
	Choices []string `json:"choices,omitempty"`
	// Min and Max are inclusive bounds, Above is an exclusive lower bound; nil means no bound.
	Min   *float64 `json:"min,omitempty"`
	Max   *float64 `json:"max,omitempty"`
	Above *float64 `json:"above,omitempty"`
	// Doc describes the parameter in a phrase.
	Doc string `json:"doc"`
	// Tunable parameters may be selected.
	Tunable bool `json:"tunable,omitempty"`
}

// maxInt bounds the absolute value of integer parameters without their own bounds.
const maxInt = math.MaxInt32

// kindNames has the names of kinds in messages.
var kindNames = map[string]string{"int": "an integer", "float": "a number", "bool": "true or false", "string": "text"}

// Coerce converts v to the kind of the parameter: int64, float64, string or bool. The error does not name the
// parameter.
func (p Param) Coerce(v any) (any, error) {
	v = normaliseScalar(v)
	x, isNumber := record.Number(v)
	_, isInt := v.(int64)
	_, isBool := v.(bool)
	text, isText := v.(string)
	valid := p.Kind == "int" && isInt || p.Kind == "float" && isNumber || p.Kind == "bool" && isBool ||
		p.Kind == "string" && isText || p.Kind == "any" && v != nil
	least, most := p.Min, p.Max
	if p.Kind == "int" && least == nil && p.Above == nil {
		least = new(float64(-maxInt))
	}
	if p.Kind == "int" && most == nil {
		most = new(float64(maxInt))
	}
	switch {
	case !valid:
		return nil, fmt.Errorf("want %s, got %s", kindNames[p.Kind], describe(v))
	case isText && len(p.Choices) > 0 && !slices.Contains(p.Choices, text):
		return nil, fmt.Errorf("unknown value %q%s", text, Hint(text, p.Choices))
	case isNumber && least != nil && x < *least:
		return nil, fmt.Errorf("must be at least %v, got %v", normaliseScalar(*least), v)
	case isNumber && p.Above != nil && x <= *p.Above:
		return nil, fmt.Errorf("must be more than %v, got %v", normaliseScalar(*p.Above), v)
	case isNumber && most != nil && x > *most:
		return nil, fmt.Errorf("must be at most %v, got %v", normaliseScalar(*most), v)
	case p.Kind == "float":
		return x, nil
	}
	return v, nil
}

// external returns the external algorithm of an entry. Its parameters are those in t.External, and those that the
// entry and the problems of its datasets set. The program checks the latter when it starts.
func (t *Task) external(s *Spec, a *AlgorithmEntry) *Algorithm {
	e := &Algorithm{ID: a.ID, Params: slices.Clone(t.External), Check: t.ExternalCheck}
	given := make(map[string]Grid)
	maps.Copy(given, a.With)
	for _, d := range each(s.Datasets) {
		if a.RunsOn(d.ID) {
			maps.Copy(given, d.Problem)
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(given), compareNames) {
		if findParam(t.External, name) == nil {
			e.Params = append(e.Params, Param{Name: name, Kind: "any", Tunable: true, Doc: "a parameter of the program"})
		}
	}
	return e
}

const stepPrefix = "step."

func paramNames(params []Param) []string {
	return names(params, func(p Param) string { return p.Name })
}

func findParam(params []Param, name string) *Param {
	return find(params, name, func(p Param) string { return p.Name })
}

// withNames returns the names of the parameters that belong in "with".
func withNames(params []Param) []string {
	return slices.DeleteFunc(paramNames(params), func(name string) bool {
		return strings.HasPrefix(name, stepPrefix)
	})
}
