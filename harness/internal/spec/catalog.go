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

// Catalog holds the names that a specification may use. It is not to be changed.
type Catalog struct {
	// Tasks are the kinds of problems, Sources what data come from.
	Tasks   []Task
	Sources []Source
	// Formats holds the parameters of the formats of files ("libsvm", "csv", "idx", "npy").
	Formats map[string][]Param
	// Prepares are the names of the known preparation steps.
	Prepares []string
	// FormatOf tells the format of a file by its name, "" where the name does not
	// tell.
	FormatOf func(path string) string
}

// Task is a kind of problem, and what runs of it can record.
type Task struct {
	Name       string
	Algorithms []Algorithm
	// Costs are the cost counters, the x axes of figures.
	Costs []string
	// Metrics are the y axes of figures, without "spectrum". The first is what is
	// selected by unless the specification says otherwise.
	Metrics []string
	// Facts are put on record besides the parameters.
	Facts []string
	// Supervised tasks learn labels. Their datasets may say which label is positive,
	// what part is for testing and how many rows are kept, and their runs may record
	// vectors and be compared with a reference optimum.
	Supervised bool
	// Sparse tasks seek classifiers of few expansion vectors. Their runs record which
	// test examples each classifier errs on, so that selection may be by halvings;
	// and they may be limited in time and memory.
	Sparse bool
	// External are the parameters that an external algorithm of the task can have besides
	// those of its program, and ExternalCheck reports wrong combinations of them; both are nil
	// if there are no external algorithms.
	External      []Param
	ExternalCheck func(params map[string]any) error
}

// Algorithm is what a user may know of an algorithm.
type Algorithm struct {
	// ID is the name in a specification, Title the name in prose, Task the task it solves.
	ID    string `json:"id"`
	Title string `json:"title"`
	Task  string `json:"task"`
	// Source cites the definition.
	Source string `json:"source"`
	// Update is a step as a formula, StepCost the charge for a step and its complexity.
	// Losses have neither.
	Update   string `json:"update,omitempty"`
	StepCost string `json:"step_cost,omitempty"`
	// Version is part of every run key: raise it when the bits change.
	Version int `json:"version"`
	// Deterministic algorithms use no random numbers: on one split all repeats are equal,
	// and one run stands for them.
	Deterministic bool `json:"deterministic,omitempty"`
	// Params lists the parameters, including those of the problem, such as "k", and of the
	// step size, such as "step.c".
	Params []Param `json:"params"`
	// Check reports what is wrong with a combination of parameters that are each right by
	// themselves; nil allows all. It does not change params.
	Check func(params map[string]any) error `json:"-"`
}

// Source is a named origin of data.
type Source struct {
	Name   string
	Params []Param
	// Distribution: examples are drawn from it without end.
	Distribution bool
	// Simulated: a generator makes the data.
	Simulated bool
}

// Task returns the task of a name, or an empty one.
func (c *Catalog) Task(name string) *Task {
	return cmp.Or(find(c.Tasks, name, func(t Task) string { return t.Name }), &Task{})
}

// TaskNames returns the names of the tasks.
func (c *Catalog) TaskNames() []string { return names(c.Tasks, func(t Task) string { return t.Name }) }

// IDs returns the ids of the task's algorithms.
func (t *Task) IDs() []string { return names(t.Algorithms, func(a Algorithm) string { return a.ID }) }

// Algorithm returns the algorithm of an id, or an empty one.
func (t *Task) Algorithm(id string) *Algorithm {
	return cmp.Or(find(t.Algorithms, id, func(a Algorithm) string { return a.ID }), &Algorithm{})
}

// measures reports whether runs of the task record a metric or cost.
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

// find returns the item of a name, or nil.
func find[T any](items []T, name string, nameOf func(T) string) *T {
	for i := range items {
		if nameOf(items[i]) == name {
			return &items[i]
		}
	}
	return nil
}

// each yields the items of a list, by reference, with their indices.
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

// Param is one parameter of an algorithm or of a dataset source.
type Param struct {
	// Name is flat: "cap", "step.c".
	Name string `json:"name"`
	// Kind is "int", "float", "string" or "bool", or "any" of those.
	Kind string `json:"kind"`
	// Required parameters must be given; they have no default.
	Required bool `json:"required,omitempty"`
	// Default is the value of a parameter that is not given; nil leaves it out.
	Default any `json:"default,omitempty"`
	// Choices, if any, lists the values that a string may have.
	Choices []string `json:"choices,omitempty"`
	// Min and Max bound numbers, both inclusive; nil means no bound. Above is
	// a lower bound that is itself out of range.
	Min   *float64 `json:"min,omitempty"`
	Max   *float64 `json:"max,omitempty"`
	Above *float64 `json:"above,omitempty"`
	// Doc is a phrase for the user.
	Doc string `json:"doc"`
	// Tunable parameters may be chosen by selection.
	Tunable bool `json:"tunable,omitempty"`
}

// Coerce returns v as the parameter's kind: int64, float64, string or bool. The
// error says what is wrong with v, without the name of the parameter.
func (p Param) Coerce(v any) (any, error) { return p.coerce(v, describe(v)) }

// mostInt bounds the integers of a parameter that names no other bound. What is read from a file
// is bounded by that.
const mostInt = math.MaxInt32

// wants says what each kind of value is called.
var wants = map[string]string{"int": "an integer", "float": "a number", "bool": "true or false", "string": "text"}

// coerce is Coerce with a description of the value.
func (p Param) coerce(v any, described string) (any, error) {
	v = normaliseScalar(v)
	x, number := record.Number(v)
	_, whole := v.(int64)
	_, truth := v.(bool)
	text, isText := v.(string)
	right := p.Kind == "int" && whole || p.Kind == "float" && number || p.Kind == "bool" && truth ||
		p.Kind == "string" && isText || p.Kind == "any" && v != nil
	least, most := p.Min, p.Max
	if p.Kind == "int" && least == nil && p.Above == nil {
		least = new(float64(-mostInt))
	}
	if p.Kind == "int" && most == nil {
		most = new(float64(mostInt))
	}
	switch {
	case !right:
		return nil, fmt.Errorf("want %s, got %s", wants[p.Kind], described)
	case isText && len(p.Choices) > 0 && !slices.Contains(p.Choices, text):
		return nil, fmt.Errorf("unknown value %q%s", text, Hint(text, p.Choices))
	case number && least != nil && x < *least:
		return nil, fmt.Errorf("must be at least %v, got %v", normaliseScalar(*least), v)
	case number && p.Above != nil && x <= *p.Above:
		return nil, fmt.Errorf("must be more than %v, got %v", normaliseScalar(*p.Above), v)
	case number && most != nil && x > *most:
		return nil, fmt.Errorf("must be at most %v, got %v", normaliseScalar(*most), v)
	case p.Kind == "float":
		return x, nil
	}
	return v, nil
}

// external returns what may be said of an entry's external algorithm: the parameters that
// those of the task have, and whatever else the entry, or the problem of a dataset that it
// runs on, gives. The program has the last word on that, when it is started.
func (t *Task) external(s *Spec, a *AlgorithmEntry) *Algorithm {
	e := &Algorithm{ID: a.ID, Params: slices.Clone(t.External), Check: t.ExternalCheck}
	given := maps.Clone(a.With)
	if given == nil {
		given = make(map[string]Grid)
	}
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

// withNames returns the names of the parameters that are given in "with".
func withNames(params []Param) []string {
	return slices.DeleteFunc(paramNames(params), func(name string) bool {
		return strings.HasPrefix(name, stepPrefix)
	})
}
