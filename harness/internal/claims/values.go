package claims

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// replicated holds something of each replicate: of each repeat, or each halving.
type replicated[T any] map[int]T

// ids returns the replicates, in order.
func (of replicated[T]) ids() []int { return slices.Sorted(maps.Keys(of)) }

// get returns the value of a replicate; if there is only one value, it holds for all.
func (of replicated[T]) get(id int) T {
	if len(of) == 1 {
		id = of.ids()[0]
	}
	return of[id]
}

// checkCommon fails if too few of several replicates are left. A single one must not be mistaken
// for the single run of a method without randomness.
func (p *part) checkCommon(left, of int) {
	if left < min(max(of, 1), 2) {
		p.fail("the series have %s in common, too few to decide", words.Count(left, "repeat"))
	}
}

// pair returns the replicates that all have. What has only one, such as a constant or the run of a
// method without randomness, is paired with each of the others'. After a failure there are none.
func (p *part) pair(all ...[]int) []int {
	most := slices.MaxFunc(all, func(a, b []int) int { return len(a) - len(b) })
	ids := most
	for _, of := range all {
		if len(of) > 1 {
			ids = both(ids, of)
		}
		if len(of) > 1 && len(ids) < max(len(most), len(of)) {
			p.remark(unpaired)
		}
	}
	if p.checkCommon(len(ids), len(most)); p.failed() {
		return nil
	}
	return ids
}

type values = replicated[observe.Value]

func constant(v float64) values { return values{0: {Number: v}} }

// value resolves a number of the specification; facts are those of the series.
func (p *part) value(v Value, series string) values {
	var of values
	switch {
	case v.Is != nil:
		of = constant(*v.Is)
	case v.Of != nil:
		of = p.read(*v.Of)
	default:
		of = p.facts(series, v.Fact)
	}
	for id, n := range of {
		of[id] = n.Scaled(cmp.Or(v.Times, 1), v.Plus)
	}
	return of
}

// facts returns a fact, or a parameter, of the runs of a series, by replicate.
func (p *part) facts(series, name string) values {
	of, distinct := make(values), make(map[float64]bool)
	for _, r := range p.samples[series].runs {
		v, ok := r.Facts[name]
		if !ok {
			v, ok = record.Number(r.Params[name])
		}
		if !ok {
			p.fail("%s has no fact or parameter %s", series, name)
		}
		of[r.Repeat] = observe.Value{Number: v}
		distinct[v] = true
	}
	if len(distinct) == 1 {
		return constant(slices.Collect(maps.Keys(distinct))[0])
	}
	return of
}

// Values of Reading.Read.
const (
	readFinal  = "final"
	readBest   = "best"
	readMean   = "mean"
	readLeast  = "least"
	readMost   = "most"
	readCost   = "cost"
	readCostTo = "cost-to"
)

// read reduces the curves of a series, by default over the whole of each.
func (p *part) read(r Reading) values {
	ls := p.lines(r.Series, r.Curve)
	within := make(replicated[span])
	for id, l := range ls.of {
		within[id] = span{l.first(), l.last()}
	}
	if r.ranged() {
		within = p.span(r.Range, ls)
	}
	var target values
	if r.Target != nil {
		target = p.value(*r.Target, r.Series)
	}
	out := make(values, len(ls.of))
	for id, l := range ls.of {
		if _, ok := target[id]; !ok && len(target) > 1 {
			p.remark(unpaired)
			continue
		}
		out[id] = l.reduce(r.Read, within.get(id), target.get(id).Number)
	}
	p.checkCommon(len(out), len(ls.of))
	return out
}

func (l *line) reduce(read string, s span, target float64) observe.Value {
	x, y := l.Within(s.lo, s.hi)
	switch read {
	case readBest, readLeast:
		return observe.Value{Number: slices.Min(y)}
	case readMost:
		return observe.Value{Number: slices.Max(y)}
	case readMean:
		return observe.Value{Number: l.MeanOver(s.lo, s.hi)}
	case readCost:
		return observe.Value{Number: l.last()}
	case readCostTo:
		if at, ok := (observe.Curve{X: x, Y: y}).FirstAt(target); ok {
			return observe.Value{Number: at}
		}
		return observe.Value{Number: s.hi, AtLeast: true}
	}
	return observe.Value{Number: y[len(y)-1]}
}

type span struct{ lo, hi float64 }

func (r Range) ranged() bool {
	return r.From != 0 || r.To != 0 || r.After != 0 || r.Until != 0 || r.Passes != nil
}

// span returns the range of curves of the same cost: first those whose passes count.
func (p *part) span(r Range, all ...*lines) replicated[span] {
	lo, hi, stays := math.Inf(-1), math.Inf(1), true
	for _, ls := range all {
		for _, l := range ls.of {
			lo, hi = max(lo, l.first()), min(hi, l.last())
			stays = stays && l.Stays
		}
	}
	cost := all[0].curve.cost()
	if lo > hi {
		p.fail("the curves do not overlap in %s: one begins at %s, another ends at %s", cost, words.Cost(lo), words.Cost(hi))
	}
	ranges := replicated[Range]{0: r}
	if r.Passes != nil {
		ranges = p.passes(r.Passes, all[0], hi)
	}
	out := make(replicated[span])
	for id, r := range ranges {
		s := span{max(lo, r.From*hi, r.After), hi}
		switch {
		case r.To > 0:
			s.hi = r.To * hi
		case r.Until > hi && !stays:
			p.remark(note("the runs end at %s %s, not %s", words.Cost(hi), cost, words.Cost(r.Until)))
		case r.Until > 0:
			s.hi = r.Until
		}
		if s.lo > s.hi || r.ranged() && s.lo == s.hi {
			p.fail("the runs cover %s to %s %s, outside the range of the claim", words.Cost(lo), words.Cost(hi), cost)
		}
		out[id] = s
	}
	return out
}

// passes returns a range of passes over the training data in costs, up to the largest, by the
// iterations of curves.
func (p *part) passes(of []float64, first *lines, most float64) replicated[Range] {
	out := make(replicated[Range], len(first.of))
	for id, l := range first.of {
		n := float64(l.run.Rows[record.SplitTrain])
		iterations, _ := l.run.Measured().Along(record.CostIterations)
		if n == 0 || len(iterations) != len(l.X) {
			p.fail("the passes of %s over the training data are not on record", first.series)
			break
		}
		end := iterations[len(iterations)-1] / n
		if of[0] >= end {
			p.fail("the runs of %s end after %s passes", first.series, words.Rounded(end))
		} else if of[1] > end*(1+1e-9) {
			p.remark(note("%s ends after %s passes, not %s", first.series, words.Rounded(end), words.Rounded(of[1])))
		}
		through := observe.Curve{X: iterations, Y: l.X}
		out[id] = Range{After: through.LineAt(of[0] * n), Until: min(most, through.LineAt(of[1]*n))}
	}
	return out
}

// quotients adds to a quantity the quotients of numbers, by replicate.
func (p *part) quotients(q observe.Quantity, of, to values) []observe.Quantity {
	for _, id := range p.pair(of.ids(), to.ids()) {
		a, b := of.get(id), to.get(id)
		if !(b.Number > 0) || q.Statistic == observe.GeometricMean && !(a.Number > 0) {
			p.fail("%s / %s is not a ratio of positive numbers", words.Rounded(a.Number), words.Rounded(b.Number))
		}
		q.Add(id, a.Over(b))
	}
	return []observe.Quantity{q}
}

// compared sets the least values of curves against others: by their ratios where all are positive,
// else by their differences. Where all others are the same number, that is the end of the range of
// the values themselves.
func (ls *lines) compared(
	key, shows string, of, to []observe.Value, between func(end float64) observe.Between,
) observe.Quantity {
	q := observe.Quantity{Key: key, Name: ls.series + ", least " + shows, Statistic: observe.Mean, Values: of}
	floor := math.Inf(1)
	for _, l := range ls.of {
		floor = min(floor, l.Floor)
	}
	if floor > 0 && !slices.ContainsFunc(of, func(v observe.Value) bool { return v.Number > floor }) {
		q.Name += " (at the floor)"
	}
	level, sign, over := 0.0, " - ", observe.Value.Minus
	other := func(v observe.Value) bool { return !(v.Number > 0) || math.IsInf(v.Number, 0) }
	if !slices.ContainsFunc(slices.Concat(of, to), other) {
		q.Statistic, level, sign, over = observe.GeometricMean, 1, " / ", observe.Value.Over
	}
	if slices.ContainsFunc(to, func(v observe.Value) bool { return v.Number != to[0].Number || v.AtLeast || v.AtMost }) {
		q.Values = make([]observe.Value, len(of))
		for i := range of {
			q.Values[i] = over(of[i], to[i])
		}
		q.Name += sign + words.Rounded(mean(to))
	} else {
		level = to[0].Number
	}
	q.Between = between(level)
	return q
}

// mean returns the mean of numbers, without rounding where they are all the same.
func mean(of []observe.Value) float64 {
	v := make([]float64, len(of))
	for i, n := range of {
		v[i] = n.Number
	}
	return stats.MeanOfRepeats(v, confidence).Value
}
