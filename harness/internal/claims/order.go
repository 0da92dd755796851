package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"stochopt/internal/observe"
)

// Order states that, at equal cost, the metric of a series is below the metric of other series. The quantity
// is the ratio of the metrics in each repeat. Its interval is for the geometric mean over repeats.
type Order struct {
	Series string `yaml:"series" json:"series"`
	// Below lists the other series. The series must be below each of them.
	Below []string `yaml:"below,flow" json:"below" jsonschema:"minItems=1,uniqueItems=true"`
	// Best compares with only the best of the other series: the one with the smallest mean over repeats and
	// over the range that it shares with the series. Intervals account for the choice of the best.
	Best  bool `yaml:"best,omitempty" json:"best,omitempty"`
	Curve `yaml:",inline"`
	Range `yaml:",inline"`
	// Over is "mean" (default), the geometric mean of the ratios over the range on a logarithmic scale of
	// cost, or "end", the ratio at the last cost.
	Over string `yaml:"over,omitempty" json:"over,omitempty" jsonschema:"enum=mean,enum=end"`
	// Ratio is the upper bound on the ratio: 1 by default (a tie is inconclusive), 0.9 for "at least a tenth
	// less", 1.1 for "no more than a tenth above". There is no default if least is given.
	Ratio float64 `yaml:"ratio,omitempty" json:"ratio,omitempty" jsonschema:"exclusiveMinimum=0"`
	// Least is the lower bound on the ratio, if there is one: 1.05 for "worse"; 0.9, with a ratio of 1.1, for
	// "similar".
	Least float64 `yaml:"least,omitempty" json:"least,omitempty" jsonschema:"minimum=0"`
}

func (o *Order) examine(at place) {
	if i := slices.Index(o.Below, o.Series); i >= 0 {
		at.in("below").in(strconv.Itoa(i)).fail("%s cannot be below itself", o.Series)
	}
	if o.Ratio > 0 && o.Least >= o.Ratio {
		at.in("least").fail("no ratio is at least %v and below %v: make ratio larger than least, or leave it out for no upper limit", o.Least, o.Ratio)
	}
}

const overEnd = "end"

// quantities reads the ratio of the metric of a series to the metric of each other series. The ratio to the best
// one is the largest. With best, each ratio is over the range that both series cover, so that a rival with short
// runs does not shorten the range of the others.
func (o *Order) quantities(p *part) []observe.Quantity {
	all := []*lines{p.lines(o.Series, o.Curve)}
	for _, name := range o.Below {
		all = append(all, p.lines(name, o.Curve))
	}
	if p.failed() {
		return nil
	}
	p.table.Best = o.Best
	within := p.span(o.Range, all...)
	start := 0.0 // a positive cost that all curves cover
	for _, ls := range all {
		for _, l := range ls.of {
			start = max(start, l.Start())
		}
	}
	var out []observe.Quantity
	for _, other := range all[1:] {
		q := observe.Quantity{
			Key: other.series, Name: fmt.Sprintf("%s / %s, %s", o.Series, other.series, other.shows()),
			Statistic: observe.GeometricMean, Between: o.wanted(),
		}
		if o.Best {
			within = p.span(o.Range, all[0], other)
		}
		q.Values = p.each(func(i int) observe.Value {
			a, b, s := all[0].of[i], other.of[i], within[i]
			if s.lo <= 0 {
				s.lo = start
			}
			if o.Over == overEnd || !(0 < s.lo && s.lo < s.hi) {
				s.lo = s.hi
			}
			for _, l := range []*line{a, b} {
				if _, y := l.Within(s.lo, s.hi); !(max(slices.Min(y), l.Floor) > 0) {
					p.fail("%s is not positive on the whole range, so it has no ratio", other.curve.Metric)
				}
			}
			return observe.Value{Number: ratio(a, b, s)}
		})
		out = append(out, q)
	}
	return out
}

func (o *Order) wanted() observe.Between {
	var w observe.Between
	if o.Least > 0 {
		w.Least = &o.Least
	}
	if o.Ratio > 0 || o.Least == 0 {
		w.Most, w.Below = new(cmp.Or(o.Ratio, 1)), true
	}
	return w
}

// ratio returns the geometric mean of the ratio of two curves over a range, on a logarithmic scale of cost, or
// the ratio at a single cost. The mean is a ratio of two numbers that belong to one run each.
func ratio(a, b *line, s span) float64 {
	if s.lo == s.hi {
		return math.Exp(math.Log(a.at(s.hi) / b.at(s.hi)))
	}
	return math.Exp(a.logMean(s) - b.logMean(s))
}
