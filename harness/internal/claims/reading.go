package claims

import (
	"cmp"
	"fmt"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// Curve selects a curve of a run. It is interpolated linearly between recorded points; the mean of order
// interpolates in the logarithms of cost and metric. An error below half an example of its split counts as
// half an example. A suboptimality below the certified gap of its reference, or below 1e-12, counts as the
// larger of these two.
type Curve struct {
	// Metric is a metric of the task; the default is the metric of the selection.
	Metric string `yaml:"metric,omitempty" json:"metric,omitempty"`
	// Split is the split of the metric. The default is the first of "test", "population", "validation" and
	// "train" that has the metric. Metrics of the state have no split. For a trade-off, "validation" is the
	// half of the test set on which parameters were chosen, not the validation split of the dataset.
	Split string `yaml:"split,omitempty" json:"split,omitempty" jsonschema:"enum=train,enum=validation,enum=test,enum=population"`
	// Cost is the horizontal axis: a counter, by default "iterations"; "cpu_seconds", the CPU time; or
	// "support" for the trade-off of a selection by halvings.
	Cost string `yaml:"cost,omitempty" json:"cost,omitempty"`
}

// Range is the range of costs of a check. The default is the range that all runs of the check cover; for a
// reading, it is each whole run.
type Range struct {
	// From is the beginning of the range as a fraction of the largest cost that all runs of the check, or of
	// the reading, reach; the default is 0.
	From float64 `yaml:"from,omitempty" json:"from,omitempty" jsonschema:"minimum=0,maximum=1"`
	// To is the end of the range as a fraction of the same cost; the default is 1.
	To float64 `yaml:"to,omitempty" json:"to,omitempty" jsonschema:"minimum=0,maximum=1"`
	// After is the beginning of the range as a cost, instead of a fraction.
	After float64 `yaml:"after,omitempty" json:"after,omitempty" jsonschema:"minimum=0"`
	// Until is the end of the range as a cost, instead of a fraction. A trade-off is extended to it with its
	// last value; other curves are not extended.
	Until float64 `yaml:"until,omitempty" json:"until,omitempty" jsonschema:"minimum=0"`
	// Passes is a range of passes over the training data: [0, 1] is the first pass, [1, 10] the next nine.
	// They are counted by the iterations of the first series, one training example each.
	Passes []float64 `yaml:"passes,omitempty,flow" json:"passes,omitempty" jsonschema:"minItems=2,maxItems=2"`
}

// Value is a number, either given or read from a series. In a spec, a plain number is short for is.
type Value struct {
	// Is is the number.
	Is *float64 `yaml:"is,omitempty" json:"is,omitempty"`
	// Of reads the number from a series, repeat by repeat.
	Of *Reading `yaml:"of,omitempty" json:"of,omitempty"`
	// Times is a factor by which the number is multiplied, if given.
	Times float64 `yaml:"times,omitempty" json:"times,omitempty"`
	// Plus is added after the multiplication.
	Plus float64 `yaml:"plus,omitempty" json:"plus,omitempty"`
	// Fact is a fact, such as "reference_error", or a parameter of the runs of the check's series.
	Fact string `yaml:"fact,omitempty" json:"fact,omitempty"`
}

// Reading reduces each run of a series to a number.
type Reading struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	// Read is how the metric is reduced: "final" (default), "mean", "least" or "most" within the range.
	// The mean is over the cost, or for the rank over all iterations. For trade-offs it is the geometric
	// mean on a logarithmic scale of support. "cost" is the cost at the end of the run. "cost-to" is
	// the cost at which the metric is first at or below the target; if a run never reaches it, the number is
	// at least the cost at its end.
	Read string `yaml:"read,omitempty" json:"read,omitempty" jsonschema:"enum=final,enum=mean,enum=least,enum=most,enum=cost,enum=cost-to"`
	// Target is the target of "cost-to".
	Target *Value `yaml:"target,omitempty" json:"target,omitempty"`
}

// words describes a curve, such as "validation error". metric is the default metric.
func (c Curve) words(metric string) string {
	metric = cmp.Or(c.Metric, metric)
	if c.Split != "" && c.Split != record.SplitTest {
		return c.Split + " " + metric
	}
	return metric
}

// cost returns the cost of the curve.
func (c Curve) cost() string { return cmp.Or(c.Cost, record.CostIterations) }

// words describes the reading, without its series.
func (r *Reading) words(metric string) string {
	shown := r.Curve.words(metric)
	text := cmp.Or(r.Read, readFinal) + " " + shown
	switch r.Read {
	case readCost:
		text = r.cost()
	case readCostTo:
		text = fmt.Sprintf("%s to %s %s", r.cost(), shown, r.Target.words(metric))
	}
	return text + r.Range.words()
}

// words describes a number of the spec.
func (v *Value) words(metric string) string {
	text := v.Fact
	switch {
	case v.Is != nil:
		return plain(*v.Is*cmp.Or(v.Times, 1) + v.Plus)
	case v.Of != nil:
		text = v.Of.words(metric) + " of " + v.Of.Series
	}
	if v.Times != 0 && v.Times != 1 {
		text = plain(v.Times) + " × " + text
	}
	if v.Plus != 0 {
		text += " + " + plain(v.Plus)
	}
	return text
}

// words describes the range in parentheses. It is "" for the default range.
func (r Range) words() string {
	switch {
	case r.Passes != nil:
		return fmt.Sprintf(" (passes %s to %s)", plain(r.Passes[0]), plain(r.Passes[1]))
	case !r.ranged():
		return ""
	}
	ends := []string{"the beginning", "the end"}
	for i, end := range [][2]float64{{r.From, r.After}, {r.To, r.Until}} {
		switch fraction, cost := end[0], end[1]; {
		case fraction > 0:
			ends[i] = plain(100*fraction) + " %"
		case cost > 0:
			ends[i] = plain(cost)
		}
	}
	return " (" + strings.Join(ends, " to ") + ")"
}

// plain formats a number of the spec.
func plain(v float64) string { return words.Whole(v, 1e6) }

// between converts a range [least, most] of the spec.
func between(b []*float64) observe.Between { return observe.Between{Least: b[0], Most: b[1]} }
