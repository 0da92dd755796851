package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"stochopt/results/record"
)

// Exponent describes an exponent of a power law to be fitted: what it costs at
// best to bring the excess of a metric over its floor down to a target, against
// what varies.
type Exponent struct {
	// ID names the column, by default exponent_<over>.
	ID string `yaml:"id,omitempty"`
	// Over is what the exponent is of: "epsilon" (the law is in 1/epsilon,
	// epsilon being the target), "n" (the number of training rows), or else a
	// fact or a parameter of the records, such as "u_norm".
	Over string `yaml:"over"`
	// With lists what else varies in the law. What it leaves out, such as n or a
	// parameter, is chosen so that the cost is least.
	With []string `yaml:"with,omitempty"`
	// Of is what the law is of: by default the cost, else a metric of the state
	// when that cost was paid, such as "support".
	Of string `yaml:"of,omitempty"`
	// Metric is "error" by default, Split "test", Cost "kernel_evals"; "support"
	// in its place is the number of support vectors.
	Metric string `yaml:"metric,omitempty"`
	Split  string `yaml:"split,omitempty"`
	Cost   string `yaml:"cost,omitempty"`
	// Targets are the excesses epsilon over the floor.
	Targets []float64 `yaml:"targets"`
	// Values gives the values of Over, by data set, in place of what is recorded.
	Values map[string]float64 `yaml:"values,omitempty"`
	// Floor gives the floor of the metric, by data set; without it that is the
	// fact "l_star", or 0.
	Floor map[string]float64 `yaml:"floor,omitempty"`
	// Where restricts the runs, besides the table's own conditions.
	Where map[string]any `yaml:"where,omitempty"`
}

// Names of Exponent.Over that are neither facts nor parameters.
const (
	OverEpsilon = "epsilon"
	OverN       = "n"
)

// CostSupport as Exponent.Cost stands for the number of support vectors, no
// counter but a property of the classifier.
const CostSupport = record.MetricSupport

const (
	// FactNorm is the norm of the reference classifier, which the bounds call R.
	FactNorm = "u_norm"
	// factFloor is what an error is measured from where no floor is given.
	factFloor = "l_star"
	trainRows = "train"
)

// WithDefaults fills in what is left out.
func (e Exponent) WithDefaults() Exponent {
	e.ID = e.Column()
	e.Metric, e.Split, e.Cost = cmp.Or(e.Metric, record.MetricError), cmp.Or(e.Split, record.SplitTest), cmp.Or(e.Cost, "kernel_evals")
	return e
}

// Column returns the id of the exponent's column.
func (e Exponent) Column() string { return cmp.Or(e.ID, "exponent_"+e.Over) }

// Variables returns what varies in the law, Over first.
func (e Exponent) Variables() []string { return append([]string{e.Over}, e.With...) }

// Variable names what a law is a power of.
func Variable(name string) string {
	switch name {
	case OverEpsilon:
		return "1/ε"
	case FactNorm, "reference_norm":
		return "R"
	}
	return name
}

// OfState reports whether what is kept low is no counter but a property of the
// state, which is what it is at the first record too.
func (e Exponent) OfState() bool { return e.Cost == CostSupport }

// Recorded reports whether any of the runs records what the law is of.
func (e Exponent) Recorded(runs []record.Run) bool {
	return e.Of == "" || slices.ContainsFunc(runs, func(r record.Run) bool { return len(r.Curve.Metrics[record.SplitState][e.Of]) > 0 })
}

// Validate reports what makes the exponent impossible to fit whatever the
// records hold.
func (e Exponent) Validate() error {
	switch {
	case e.Over == "":
		return errors.New("say over what the power law is: epsilon, n, a fact such as u_norm, or a parameter")
	case len(e.Targets) == 0:
		return errors.New("it has no targets: list some excesses epsilon")
	}
	variables := e.Variables()
	for i, v := range variables {
		switch {
		case v == "":
			return errors.New("with lists an empty name")
		case slices.Contains(variables[:i], v):
			return fmt.Errorf("%q varies once only: drop it from with", v)
		case v == OverEpsilon && len(e.Targets) < 2:
			return errors.New("a power law in epsilon needs more than one target")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Values)) {
		if v := e.Values[name]; !(v > 0) {
			return fmt.Errorf("the value of %s is %v, which is not positive", name, v)
		}
	}
	for i, v := range e.Targets {
		if !(v > 0) {
			return fmt.Errorf("target %v is not positive", v)
		}
		if slices.Contains(e.Targets[:i], v) {
			return fmt.Errorf("target %v is listed twice", v)
		}
	}
	if len(e.Targets) > 1 && !slices.Contains(variables, OverEpsilon) {
		return errors.New("several targets are several values of epsilon: add epsilon to with, or keep one of them")
	}
	return nil
}
