package spec

import (
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

// Algorithm is what a specification may say of an algorithm.
type Algorithm struct {
	ID string
	// Params are its parameters, problem parameters such as "k" and step size
	// parameters such as "step.c" among them.
	Params []Param
	// Deterministic algorithms use no random numbers.
	Deterministic bool
	// Check reports what is wrong with a combination of parameters that are each
	// right by themselves; nil if all are allowed. It does not change params.
	Check func(params map[string]any) error
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

// Task returns the task of a name, an empty one if there is none.
func (c *Catalog) Task(name string) *Task {
	if t := find(c.Tasks, name, func(t Task) string { return t.Name }); t != nil {
		return t
	}
	return &Task{}
}

// TaskNames returns the names of the tasks.
func (c *Catalog) TaskNames() []string { return names(c.Tasks, func(t Task) string { return t.Name }) }

// IDs returns the ids of the task's algorithms.
func (t *Task) IDs() []string { return names(t.Algorithms, func(a Algorithm) string { return a.ID }) }

// Algorithm returns the algorithm of an id, an empty one if there is none.
func (t *Task) Algorithm(id string) *Algorithm {
	if a := find(t.Algorithms, id, func(a Algorithm) string { return a.ID }); a != nil {
		return a
	}
	return &Algorithm{}
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

// find returns the item of a name, nil if there is none.
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

// coerce is Coerce with a description of the value.
func (p Param) coerce(v any, described string) (any, error) {
	v, err := coerce(p.Kind, v, described)
	if err != nil {
		return nil, err
	}
	if s, ok := v.(string); ok && len(p.Choices) > 0 && !slices.Contains(p.Choices, s) {
		return nil, fmt.Errorf("unknown value %q%s", s, Hint(s, p.Choices))
	}
	if x, ok := record.Number(v); ok {
		return v, inRange(x, p.least(), p.Above, p.most())
	}
	return v, nil
}

// mostInt bounds the integers of a parameter that names no other bound.
const mostInt = math.MaxInt32

// least and most are the bounds of the parameter's numbers: integers that it does not bound
// are at most mostInt in size. What is read from a file is bounded by that.
func (p Param) least() *float64 {
	if p.Min == nil && p.Above == nil && p.Kind == "int" {
		return new(float64(-mostInt))
	}
	return p.Min
}

func (p Param) most() *float64 {
	if p.Max == nil && p.Kind == "int" {
		return new(float64(mostInt))
	}
	return p.Max
}

// wants says what each kind of value is called.
var wants = map[string]string{"int": "an integer", "float": "a number", "bool": "true or false", "string": "text"}

// coerce returns a value as a kind, or says that it is not what is described.
func coerce(kind string, v any, described string) (any, error) {
	v = normaliseScalar(v)
	ok := false
	switch kind {
	case "int":
		_, ok = v.(int64)
	case "float":
		v, ok = record.Number(v)
	case "bool":
		_, ok = v.(bool)
	case "string":
		_, ok = v.(string)
	case "any":
		ok = v != nil
	default:
		return nil, fmt.Errorf("the catalog gives this parameter the unknown kind %q", kind)
	}
	if !ok {
		return nil, fmt.Errorf("want %s, got %s", wants[kind], described)
	}
	return v, nil
}

// inRange reports a number that is less than the least, not above a bound, or more than
// the most; nil is no bound.
func inRange(x float64, least, above, most *float64) error {
	switch {
	case least != nil && x < *least:
		return fmt.Errorf("must be at least %v, got %v", normaliseScalar(*least), normaliseScalar(x))
	case above != nil && x <= *above:
		return fmt.Errorf("must be more than %v, got %v", normaliseScalar(*above), normaliseScalar(x))
	case most != nil && x > *most:
		return fmt.Errorf("must be at most %v, got %v", normaliseScalar(*most), normaliseScalar(x))
	}
	return nil
}

// coerceAll reports the first value of a grid that is wrong.
func (p Param) coerceAll(g Grid) error {
	for _, v := range g {
		if _, err := p.Coerce(v); err != nil {
			return err
		}
	}
	return nil
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
