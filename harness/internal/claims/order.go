package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/words"
)

// Order: at equal cost, the metric of a series is below that of others. The
// quantity is the ratio of the metrics, a repeat at a time, and its interval that of
// the geometric mean over repeats.
type Order struct {
	Series string `yaml:"series" json:"series"`
	// Below lists the series that it is below, each of them.
	Below []string `yaml:"below,flow" json:"below" jsonschema:"minItems=1,uniqueItems=true"`
	// Best compares with the best of them in place of each: at each cost, the one with the
	// least metric on average over repeats.
	Best  bool `yaml:"best,omitempty" json:"best,omitempty"`
	Curve `yaml:",inline"`
	Range `yaml:",inline"`
	// Over says at which costs: "mean" (default) takes the geometric mean of the ratios
	// over the range, on a logarithmic scale of cost; "end" the last cost.
	Over string `yaml:"over,omitempty" json:"over,omitempty" jsonschema:"enum=mean,enum=end"`
	// Ratio is what the ratio must be below: 1 by default (a tie is neither below nor
	// above), 0.9 for "at least a tenth less", 1.1 for "no more than a tenth above".
	// If Least is given there is no default.
	Ratio float64 `yaml:"ratio,omitempty" json:"ratio,omitempty" jsonschema:"exclusiveMinimum=0"`
	// Least, if given, is what the ratio must be at least: 1.05 for "worse"; 0.9, with a
	// Ratio of 1.1, for "similar".
	Least float64 `yaml:"least,omitempty" json:"least,omitempty" jsonschema:"minimum=0"`
}

func (o *Order) examine(at place) {
	at.series(o.Series)
	at.names(KindSeries, o.Below, "below")
	if i := slices.Index(o.Below, o.Series); i >= 0 {
		at.in("below", strconv.Itoa(i)).fail("%s cannot be below itself", o.Series)
	}
	at.curve(o.Curve)
	at.span(o.Range)
	if o.Ratio > 0 && o.Least >= o.Ratio {
		at.in("least").fail("no ratio is at least %v and below %v: make ratio larger than least, or leave it out for no upper limit", o.Least, o.Ratio)
	}
}

func (o *Order) words(metric string) string {
	over := map[string]string{"": "in the geometric mean", overMean: "in the geometric mean", overEnd: "at the end"}
	ends := fmt.Sprintf("below %v", cmp.Or(o.Ratio, 1))
	switch {
	case o.Least > 0 && o.Ratio > 0:
		ends += fmt.Sprintf(" and at least %v", o.Least)
	case o.Least > 0:
		ends = fmt.Sprintf("at least %v", o.Least)
	}
	others := strings.Join(o.Below, ", ")
	switch {
	case len(o.Below) == 1:
	case o.Best:
		others = "the best of " + others
	default:
		others = "each of " + others
	}
	return fmt.Sprintf("%s of %s over that of %s at equal %s: %s %s%s",
		o.Curve.words(metric), o.Series, others, o.cost(), ends, over[o.Over], o.Range.words())
}

func (o *Order) judge(j *judging) []Part { return j.byPart(o.estimate) }

// Values of Order.Over.
const (
	overMean = "mean"
	overEnd  = "end"
)

// estimate estimates the ratio of the metric of a series to that of each other.
func (o *Order) estimate(p *part) ([]Estimate, error) {
	first, err := p.lines(o.Series, o.Curve)
	if err != nil {
		return nil, err
	}
	all := []*lines{first}
	for _, name := range o.Below {
		ls, err := p.lines(name, o.Curve)
		if err != nil {
			return nil, err
		}
		all = append(all, ls)
	}
	if o.Best && len(all) > 2 {
		best, err := p.best(first, all[1:])
		if err != nil {
			return nil, err
		}
		all = []*lines{first, best}
	}
	sp, err := p.span(o.Range, all...)
	if err != nil {
		return nil, err
	}
	w := o.wanted()
	var estimates []Estimate
	for _, other := range all[1:] {
		ids, err := p.pair(first.of, other.of)
		if err != nil {
			return nil, err
		}
		of := make([]quantity, len(ids))
		for i, id := range ids {
			log, err := o.logRatio(first.curve, first.of.get(id), other.of.get(id), sp.get(id))
			if err != nil {
				return nil, err
			}
			of[i].v = math.Exp(log)
		}
		name := fmt.Sprintf("%s / %s, %s", first.series, other.series, first.shows())
		estimates = append(estimates, p.estimate(name, ids, of, w, interval{ratios: true, tries: len(all) - 1}))
	}
	return estimates, nil
}

// wanted is where the ratio has to be.
func (o *Order) wanted() Between {
	var w Between
	if o.Least > 0 {
		w.Least = &o.Least
	}
	if o.Ratio > 0 || o.Least == 0 {
		w.Most, w.Below = new(cmp.Or(o.Ratio, 1)), true
	}
	return w
}

// logRatio returns the logarithm of the ratio of two curves: its mean over a range, or its
// value at the end of the range.
func (o *Order) logRatio(shown Curve, a, b *line, s span) (float64, error) {
	ratio := func(x float64) (float64, error) {
		u, v := a.at(x), b.at(x)
		if !(u > 0) || !(v > 0) {
			return 0, fmt.Errorf("%s is not positive at %s %s, so it has no ratio there", shown.Metric, words.Cost(x), shown.cost())
		}
		return math.Log(u / v), nil
	}
	if o.Over == overEnd {
		return ratio(s.hi)
	}
	return meanOver(ratio, s.positive(a, b), a, b)
}

// positive is the range from the first positive cost that both curves have on
// record.
func (s span) positive(a, b *line) span {
	if s.lo > 0 {
		return s
	}
	for _, l := range []*line{a, b} {
		if i := slices.IndexFunc(l.X, func(x float64) bool { return x > 0 }); i >= 0 {
			s.lo = max(s.lo, l.X[i])
		}
	}
	s.lo = min(s.lo, s.hi)
	return s
}

// meanOver averages over a range in the logarithm of the cost.
func meanOver(of func(x float64) (float64, error), s span, a, b *line) (float64, error) {
	at := []float64{s.lo, s.hi}
	for _, l := range []*line{a, b} {
		for _, x := range l.X {
			if x > s.lo && x < s.hi {
				at = append(at, x)
			}
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if len(at) == 1 || !(s.lo > 0) {
		return of(s.hi)
	}
	var sum float64
	last, err := of(at[0])
	if err != nil {
		return 0, err
	}
	for i, x := range at[1:] {
		v, err := of(x)
		if err != nil {
			return 0, err
		}
		sum += math.Log(x/at[i]) * (last + v) / 2
		last = v
	}
	return sum / math.Log(s.hi/s.lo), nil
}
