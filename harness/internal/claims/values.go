package claims

import (
	"cmp"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// pair pairs the runs of the series by repeat. The single run of a deterministic method is paired with each
// repeat of the others.
func (p *part) pair() {
	all := make([][]int, len(p.series))
	for i, name := range p.series {
		for _, r := range p.samples[name].runs {
			all[i] = append(all[i], r.Repeat)
		}
	}
	most := slices.MaxFunc(all, func(a, b []int) int { return len(a) - len(b) })
	p.rows = most
	single := func(i int) bool { return len(all[i]) == 1 && !p.random(p.series[i]) }
	for i, repeats := range all {
		if !single(i) {
			p.rows = both(p.rows, repeats)
		}
	}
	for i, repeats := range all {
		if !single(i) && len(p.rows) < len(repeats) {
			p.addRemark(unpaired)
		}
		s := p.samples[p.series[i]]
		for _, id := range p.rows {
			k := slices.IndexFunc(s.runs, func(r *record.Run) bool { return single(i) || r.Repeat == id })
			s.paired = append(s.paired, s.runs[k])
		}
	}
	if len(p.rows) < min(len(most), 2) {
		p.fail("the series have %s in common, too few to decide", words.Count(len(p.rows), "repeat"))
	}
}

// each returns a value for each row. It returns nil after a failure.
func (p *part) each(of func(i int) observe.Value) []observe.Value {
	var values []observe.Value
	for i, row := range p.rows {
		if p.failed() {
			return nil
		}
		v := of(i)
		v.Row = row
		values = append(values, v)
	}
	return values
}

func (p *part) constant(v float64) []observe.Value {
	return p.each(func(int) observe.Value { return observe.Value{Number: v} })
}

// value returns a number of the spec for each row. Facts are facts of the series.
func (p *part) value(v Value, series string) []observe.Value {
	var of []observe.Value
	switch {
	case v.Is != nil:
		of = p.constant(*v.Is)
	case v.Of != nil:
		of = p.read(*v.Of)
	default:
		of = p.facts(series, v.Fact)
	}
	return p.each(func(i int) observe.Value { return of[i].Scaled(cmp.Or(v.Times, 1), v.Plus) })
}

// facts returns a fact or a parameter of the runs of a series.
func (p *part) facts(series, name string) []observe.Value {
	return p.each(func(i int) observe.Value {
		r := p.samples[series].paired[i]
		v, ok := r.Number(name)
		if !ok {
			p.fail("%s has no fact or parameter %s", series, name)
		}
		return observe.Value{Number: v}
	})
}

// Values of Reading.Read.
const (
	readFinal  = "final"
	readMean   = "mean"
	readLeast  = "least"
	readMost   = "most"
	readCost   = "cost"
	readCostTo = "cost-to"
)

// read reduces each curve of a series to a number, by default over the whole curve.
func (p *part) read(r Reading) []observe.Value {
	before := p.table.Criteria
	ls := p.lines(r.Series, r.Curve)
	if r.Read == readCost { // the metric is not judged
		p.table.Criteria = before
	}
	var within []span
	if r.ranged() {
		within = p.span(r.Range, ls)
	}
	target := p.constant(0)
	if r.Target != nil {
		target = p.value(*r.Target, r.Series)
	}
	return p.each(func(i int) observe.Value {
		s := span{ls.of[i].first(), ls.of[i].last()}
		if within != nil {
			s = within[i]
		}
		return ls.of[i].reduce(r.Read, s, target[i].Number)
	})
}

func (l *line) reduce(read string, s span, target float64) observe.Value {
	x, y := l.Within(s.lo, s.hi)
	switch read {
	case readLeast:
		return observe.Value{Number: slices.Min(y)}
	case readMost:
		return observe.Value{Number: slices.Max(y)}
	case readMean:
		return observe.Value{Number: l.mean(s)}
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

// span returns the range of each row for curves of the same cost. The first curves define the passes.
func (p *part) span(r Range, all ...*lines) []span {
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
	ranges := slices.Repeat([]Range{r}, len(p.rows))
	if r.Passes != nil {
		ranges = p.passes(r.Passes, all[0], hi)
	}
	out := make([]span, len(p.rows))
	for i, r := range ranges {
		s := span{max(lo, r.From*hi, r.After), hi}
		switch {
		case r.To > 0:
			s.hi = r.To * hi
		case r.Until > hi && !stays:
			p.addRemark(note("the runs end at %s %s, not %s", words.Cost(hi), cost, words.Cost(r.Until)))
		case r.Until > 0:
			s.hi = r.Until
		}
		if s.lo > s.hi || r.ranged() && s.lo == s.hi {
			p.fail("the runs cover %s to %s %s, outside the range of the claim", words.Cost(lo), words.Cost(hi), cost)
		}
		out[i] = s
	}
	return out
}

// passes converts a range of passes over the training data to costs, at most most. The iterations of the
// curves define the passes.
func (p *part) passes(of []float64, first *lines, most float64) []Range {
	out := make([]Range, len(p.rows))
	for i, l := range first.of {
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
			p.addRemark(note("%s ends after %s passes, not %s", first.series, words.Rounded(end), words.Rounded(of[1])))
		}
		through := observe.Curve{X: iterations, Y: l.X}
		out[i] = Range{After: through.LineAt(of[0] * n), Until: min(most, through.LineAt(of[1]*n))}
	}
	return out
}

// quotients returns the quantity q with the quotients of two numbers for each row.
func (p *part) quotients(q observe.Quantity, of, to []observe.Value) []observe.Quantity {
	q.Values = p.each(func(i int) observe.Value {
		switch {
		case q.Statistic != observe.GeometricMean && !(to[i].Number > 0):
			p.fail("%s: cannot divide by %s, which must be positive", q.Name, words.Rounded(to[i].Number))
		case q.Statistic == observe.GeometricMean && !(of[i].Number > 0 && to[i].Number > 0):
			p.fail("%s / %s is not a ratio of positive numbers", words.Rounded(of[i].Number), words.Rounded(to[i].Number))
		}
		return of[i].Over(to[i])
	})
	return []observe.Quantity{q}
}

// compared compares the least values of curves with other numbers: by their ratios if all are positive,
// otherwise by their differences. If all other numbers are equal, it compares the values themselves with
// that number.
func (p *part) compared(
	ls *lines, key, shows string, of, to []observe.Value, between func(end float64) observe.Between,
) observe.Quantity {
	q := observe.Quantity{Key: key, Name: ls.series + ", least " + shows, Statistic: observe.Mean, Values: of}
	if p.failed() {
		return q
	}
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
		q.Values = p.each(func(i int) observe.Value { return over(of[i], to[i]) })
		q.Name += sign + words.Rounded(mean(to))
	} else {
		level = to[0].Number
	}
	if text := tooLarge(q.Name, level); text != "" {
		p.fail("%s", text)
	}
	q.Between = between(level)
	return q
}

// mean returns the mean of numbers. It is exact if all are equal.
func mean(of []observe.Value) float64 {
	v := make([]float64, len(of))
	for i, n := range of {
		v[i] = n.Number
	}
	return stats.MeanOfRepeats(v, confidence).Value
}
