package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/words"

	"gonum.org/v1/gonum/stat"
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

func (o *Order) observe(j *observing) []observe.Table { return j.byPart(o.quantities) }

// Values of Order.Over.
const (
	overMean = "mean"
	overEnd  = "end"
)

// quantities reads the ratio of the metric of a series to that of each other.
func (o *Order) quantities(p *part) ([]observe.Quantity, error) {
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
	if o.Over != overEnd {
		fromPositive(sp, all)
	}
	var out []observe.Quantity
	for _, other := range all[1:] {
		ids, err := p.pair(first.of, other.of)
		if err != nil {
			return nil, err
		}
		q := observe.Quantity{
			Key: other.series, Name: fmt.Sprintf("%s / %s, %s", first.series, other.series, first.shows()),
			Statistic: observe.GeometricMean, Between: o.wanted(), Values: make([]observe.Value, len(ids)), Tries: len(all) - 1,
		}
		for i, id := range ids {
			if q.Values[i].Number, err = o.ratio(first, other, id, sp.get(id)); err != nil {
				return nil, err
			}
		}
		q.SetRows(ids)
		out = append(out, q)
	}
	return out, nil
}

// wanted is where the ratio has to be.
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

// ratio returns the ratio of two curves: the geometric mean over the range, on a logarithmic scale of
// cost, or that at the end of the range. The mean is a ratio of numbers that each belong to one run.
func (o *Order) ratio(a, b *lines, id int, s span) (float64, error) {
	if o.Over == overEnd || !(0 < s.lo && s.lo < s.hi) {
		s.lo = s.hi
	}
	var y, mean [2]float64
	for i, ls := range []*lines{a, b} {
		l := ls.of.get(id)
		costs, values := l.Within(s.lo, s.hi)
		for k, v := range values {
			if !(max(v, l.Floor) > 0) {
				return 0, fmt.Errorf("%s is not positive at %s %s, so it has no ratio there", ls.curve.Metric, words.Cost(costs[k]), ls.curve.cost())
			}
		}
		if y[i] = l.at(s.hi); s.lo < s.hi {
			mean[i] = observe.NewLogCurve(l.Curve).Mean(s.lo, s.hi, true)
		}
	}
	if s.lo == s.hi {
		return math.Exp(math.Log(y[0] / y[1])), nil
	}
	return math.Exp(mean[0] - mean[1]), nil
}

// fromPositive lets ranges of costs begin at a positive cost that all curves have on record.
func fromPositive(sp replicated[span], all []*lines) {
	var least float64
	for _, ls := range all {
		for _, l := range ls.of {
			if i := slices.IndexFunc(l.X, func(x float64) bool { return x > 0 }); i >= 0 {
				least = max(least, l.X[i])
			}
		}
	}
	for id, s := range sp {
		if s.lo <= 0 {
			sp[id] = span{min(least, s.hi), s.hi}
		}
	}
}

// best returns the curve of the best of several series: at each cost that of which
// the geometric mean over replicates is the least. To choose replicate by replicate
// would take the luck of one for its merit. A series counts where it is on record; a
// trade-off from its least support on. beside has costs at which the curve has to
// have points too.
func (p *part) best(beside *lines, of []*lines) (*lines, error) {
	all := []interface{ ids() []int }{beside.of}
	names := make([]string, len(of))
	for i, ls := range of {
		all, names[i] = append(all, ls.of), ls.series
	}
	ids, err := p.pair(all...)
	if err != nil {
		return nil, err
	}
	var costs []float64
	for _, id := range ids {
		for _, ls := range append([]*lines{beside}, of...) {
			costs = append(costs, ls.of.get(id).X...)
		}
	}
	slices.Sort(costs)
	out := &lines{series: "best of " + strings.Join(names, ", "), curve: of[0].curve, of: make(replicated[*line])}
	for _, id := range ids {
		l := of[0].of.get(id)
		out.of[id] = &line{observe.Curve{Floor: l.Floor, Stays: true}, true, l.run}
		for _, ls := range of {
			out.of[id].done = out.of[id].done && ls.of.get(id).done
			out.of[id].Stays = out.of[id].Stays && ls.of.get(id).Stays
		}
	}
	for _, x := range slices.Compact(costs) {
		var chosen *lines
		least := math.Inf(1)
		for _, ls := range of {
			if v, ok := ls.meanAt(x, ids); ok && v < least {
				chosen, least = ls, v
			}
		}
		if chosen == nil {
			continue
		}
		for _, id := range ids {
			l := out.of[id]
			l.X, l.Y = append(l.X, x), append(l.Y, chosen.of.get(id).LineAt(x))
		}
	}
	return out, nil
}

// meanAt returns the mean over replicates of the logarithm of the metric at a cost,
// if all have it on record.
func (ls *lines) meanAt(x float64, ids []int) (mean float64, ok bool) {
	logs := make([]float64, len(ids))
	for i, id := range ids {
		l := ls.of.get(id)
		if x < l.first() || x > l.last() && !l.Stays {
			return 0, false
		}
		logs[i] = math.Log(l.at(x))
	}
	return stat.Mean(logs, nil), true
}
