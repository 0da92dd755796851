package claims

import (
	"cmp"
	"fmt"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// Curve says which curve of a run is read. Between recorded points it is linear; the mean of
// an order follows lines in the logarithms of cost and metric. An error
// below half an example of its split counts as that, and a suboptimality below the gap that
// its reference is certified to counts as that gap, at least 1e-12.
type Curve struct {
	// Metric is a metric of the task; by default the one that selection uses.
	Metric string `yaml:"metric,omitempty" json:"metric,omitempty"`
	// Split is by default "test", else "population", "validation", "train"; metrics of the
	// state need none. Of a trade-off, "validation" is the half of the test set that
	// the parameters were chosen on, not the data set's split of that name.
	Split string `yaml:"split,omitempty" json:"split,omitempty" jsonschema:"enum=train,enum=validation,enum=test,enum=population"`
	// Cost is the abscissa: a counter, by default "iterations"; "cpu_seconds", the
	// processor time; or "support" for the trade-off of a selection by halvings.
	Cost string `yaml:"cost,omitempty" json:"cost,omitempty"`
}

// Range is the range of costs that a check looks at. The default is the range that all
// runs of the check have on record; for a reading, the whole of each run.
type Range struct {
	// From and To are fractions of the largest cost that all runs of the check, or
	// the reading, reach; 0 and 1 by default.
	From float64 `yaml:"from,omitempty" json:"from,omitempty" jsonschema:"minimum=0,maximum=1"`
	To   float64 `yaml:"to,omitempty" json:"to,omitempty" jsonschema:"minimum=0,maximum=1"`
	// After and Until are costs, in place of fractions. Runs are not extended to
	// Until; a trade-off is, with its last value.
	After float64 `yaml:"after,omitempty" json:"after,omitempty" jsonschema:"minimum=0"`
	Until float64 `yaml:"until,omitempty" json:"until,omitempty" jsonschema:"minimum=0"`
	// At is the only cost to look at, such as 1000, in place of a range.
	At float64 `yaml:"at,omitempty" json:"at,omitempty" jsonschema:"exclusiveMinimum=0"`
	// Passes restricts it to a range of passes over the training data, by the
	// iterations of the first series, each of which counts as one example: [0, 1] is
	// the first pass, [1, 10] the next nine.
	Passes []float64 `yaml:"passes,omitempty,flow" json:"passes,omitempty" jsonschema:"minItems=2,maxItems=2"`
}

// Value is a number: given, or read from a series. In a specification a plain number
// stands for one that is given.
type Value struct {
	// Is is the number.
	Is *float64 `yaml:"is,omitempty" json:"is,omitempty"`
	// Of reads it, repeat by repeat. It is multiplied by Times, if given, and Plus
	// is added.
	Of    *Reading `yaml:"of,omitempty" json:"of,omitempty"`
	Times float64  `yaml:"times,omitempty" json:"times,omitempty"`
	Plus  float64  `yaml:"plus,omitempty" json:"plus,omitempty"`
	// Fact names a fact of the runs, such as "reference_error", or a parameter, of the
	// series that the check is about.
	Fact string `yaml:"fact,omitempty" json:"fact,omitempty"`
}

// Reading reduces each run of a series to a number.
type Reading struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	// Read is "final" (default), "best", "mean", "least" or "most": of the metric within
	// the range, the mean over the cost, and of the rank over all iterations. "cost" is the
	// cost at the end of the run, and "cost-to" the cost at which the metric is first at or
	// below Target; for a run that never gets there, at least the cost at its end.
	Read   string `yaml:"read,omitempty" json:"read,omitempty" jsonschema:"enum=final,enum=best,enum=mean,enum=least,enum=most,enum=cost,enum=cost-to"`
	Target *Value `yaml:"target,omitempty" json:"target,omitempty"`
}

// words names what a curve shows, such as "validation error"; metric is the metric of
// curves that name none.
func (c Curve) words(metric string) string {
	metric = cmp.Or(c.Metric, metric)
	if c.Split != "" && c.Split != record.SplitTest {
		return c.Split + " " + metric
	}
	return metric
}

// cost names what the curve is over.
func (c Curve) cost() string { return cmp.Or(c.Cost, record.CostIterations) }

// words names what is read, without its series.
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

// words names a number of the specification.
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

// words says what range it is, in brackets, "" for all.
func (r Range) words() string {
	switch {
	case r.At > 0:
		return " (at " + plain(r.At) + ")"
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

// plain writes a number that something is compared with.
func plain(v float64) string { return words.Whole(v, 1e6) }

// between is the range of a specification, [least, most].
func between(b []*float64) observe.Between { return observe.Between{Least: b[0], Most: b[1]} }
