package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Catalog knows the names that a specification may use.
type Catalog interface {
	// Tasks returns the known tasks.
	Tasks() []string
	// Algorithms returns the ids of the algorithms for a task.
	Algorithms(task string) []string
	// Params returns the parameters of an algorithm, problem parameters such
	// as "k" and step size parameters such as "step.c" among them.
	Params(task, algorithm string) []Param
	// Sources returns the names of the known dataset sources.
	Sources() []string
	// SourceParams returns the parameters of a dataset source, or of a file
	// format ("libsvm", "csv", "idx").
	SourceParams(source string) []Param
	// Prepares returns the names of the known preparation steps.
	Prepares() []string
	// Check reports what is wrong with a combination of parameters that are
	// each right by themselves. It must not change params.
	Check(task, algorithm string, params map[string]any) error
}

// Measures is an optional capability of a Catalog: it knows what runs of a
// task can record. Without it the names below are known.
type Measures interface {
	// Costs returns the cost counters, the x axes of figures.
	Costs(task string) []string
	// Metrics returns the metrics, the y axes of figures, without "spectrum".
	// The first is what is selected by unless the specification says otherwise.
	Metrics(task string) []string
}

// Supervision is an optional capability of a Catalog: it knows which tasks
// learn labels. Their datasets may say which label is positive, what part is
// for testing and how many rows are kept, and their runs may record vectors and
// be compared with a reference optimum. Without it no task does.
type Supervision interface {
	Supervised(task string) bool
}

// Sparsity is an optional capability of a Catalog: it knows which tasks seek
// classifiers of few expansion vectors. Their runs record which test examples
// each classifier errs on, so that selection may be by halvings; they may be
// limited in time and memory, and their classifiers may be saved as models.
// Without it no task does.
type Sparsity interface {
	Sparse(task string) bool
}

// Facts is an optional capability of a Catalog: it knows which facts runs of a task
// put on record besides their parameters. Without it none are known.
type Facts interface {
	Facts(task string) []string
}

// Determinism is an optional capability of a Catalog: it knows which algorithms use
// no random numbers. Without it none is known to.
type Determinism interface {
	Deterministic(task, algorithm string) bool
}

// Distributions is an optional capability of a Catalog: it knows which sources are
// distributions to draw from without end. Without it none is known to be.
type Distributions interface {
	Distribution(source string) bool
}

// Formats is an optional capability of a Catalog: it tells the format of a file
// by its name, "" where the name does not tell. Without it formats have to be
// given.
type Formats interface {
	FormatOf(path string) string
}

var (
	defaultCosts   = []string{"iterations", "sum_kt2"}
	defaultMetrics = []string{"suboptimality", "objective", "rank", "orthonormality"}
)

// Param is one parameter of an algorithm or of a dataset source.
type Param struct {
	// Name is flat: "cap", "step.c".
	Name string `json:"name"`
	// Kind is "int", "float", "string" or "bool".
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
func (p Param) Coerce(v any) (any, error) {
	v = normaliseScalar(v)
	switch p.Kind {
	case "int":
		i, ok := v.(int64)
		if !ok {
			return nil, fmt.Errorf("want an integer, got %s", describe(v))
		}
		return i, p.inRange(float64(i), v)
	case "float":
		x, ok := toFloat(v)
		if !ok {
			return nil, fmt.Errorf("want a number, got %s", describe(v))
		}
		return x, p.inRange(x, v)
	case "bool":
		if _, ok := v.(bool); !ok {
			return nil, fmt.Errorf("want true or false, got %s", describe(v))
		}
		return v, nil
	case "string":
		s, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("want text, got %s", describe(v))
		}
		if len(p.Choices) > 0 && !slices.Contains(p.Choices, s) {
			return nil, fmt.Errorf("unknown value %q%s", s, Hint(s, p.Choices))
		}
		return s, nil
	}
	return nil, fmt.Errorf("the catalog gives this parameter the unknown kind %q", p.Kind)
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

func (p Param) inRange(x float64, written any) error {
	switch {
	case p.Min != nil && x < *p.Min:
		return fmt.Errorf("must be at least %v, got %v", *p.Min, written)
	case p.Max != nil && x > *p.Max:
		return fmt.Errorf("must be at most %v, got %v", *p.Max, written)
	case p.Above != nil && x <= *p.Above:
		return fmt.Errorf("must be more than %v, got %v", *p.Above, written)
	}
	return nil
}

const stepPrefix = "step."

func paramNames(params []Param) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}

func findParam(params []Param, name string) (Param, bool) {
	i := slices.IndexFunc(params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		return Param{}, false
	}
	return params[i], true
}

// withNames returns the names of the parameters that are given in "with".
func withNames(params []Param) []string {
	return slices.DeleteFunc(paramNames(params), func(name string) bool {
		return strings.HasPrefix(name, stepPrefix)
	})
}
