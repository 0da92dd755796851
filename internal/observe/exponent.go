package observe

import (
	"cmp"
	"slices"

	"stochopt/internal/record"
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
	Over string `yaml:"over" jsonschema:"minLength=1"`
	// With lists what else varies in the law. What it leaves out, such as n or a
	// parameter, is chosen so that the cost is least.
	With []string `yaml:"with,omitempty" jsonschema:"minLength=1,uniqueItems=true"`
	// Of is what the law is of: by default the cost, else a metric of the state
	// when that cost was paid, such as "support".
	Of string `yaml:"of,omitempty"`
	// Metric is "error" by default, Split "test", Cost "kernel_evals"; "support"
	// in its place is the number of support vectors.
	Metric string `yaml:"metric,omitempty"`
	Split  string `yaml:"split,omitempty"`
	Cost   string `yaml:"cost,omitempty"`
	// Targets are the excesses epsilon over the floor of the metric: the fact "l_star",
	// or 0 without it.
	Targets []float64 `yaml:"targets" jsonschema:"minItems=1,uniqueItems=true,exclusiveMinimum=0"`
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
	// factNorm is the norm of the reference classifier, which the bounds call R.
	factNorm = "u_norm"
	// factFloor is what an error is measured from.
	factFloor = "l_star"
)

// WithDefaults fills in what is left out.
func (e Exponent) WithDefaults() Exponent {
	e.ID = e.Column()
	e.Metric, e.Split, e.Cost = cmp.Or(e.Metric, record.MetricError), cmp.Or(e.Split, record.SplitTest), cmp.Or(e.Cost, record.CostKernelEvals)
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
	case factNorm, "reference_norm":
		return "R"
	}
	return name
}

// OfState reports whether what is kept low is no counter but a property of the
// state, which is what it is at the first record too.
func (e Exponent) OfState() bool { return e.Cost == CostSupport }

// Recorded reports whether any of the runs records what the law is of.
func (e Exponent) Recorded(runs []record.Run) bool {
	return e.Of == "" || slices.ContainsFunc(runs, func(r record.Run) bool { return r.Records(record.SplitState, e.Of) })
}
