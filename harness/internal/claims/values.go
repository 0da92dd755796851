package claims

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// value resolves a number of the specification; facts are those of the series.
func (p *part) value(v Value, series string) (of values, err error) {
	switch {
	case v.Is != nil:
		of = constant(*v.Is)
	case v.Of != nil:
		of, err = p.read(*v.Of)
	default:
		of, err = p.facts(series, v.Fact)
	}
	for id, n := range of {
		of[id] = n.times(cmp.Or(v.Times, 1), v.Plus)
	}
	return of, err
}

// facts returns a fact of the runs of a series, by replicate.
func (p *part) facts(series, name string) (values, error) {
	runs := p.samples[series].runs
	if len(runs) == 0 {
		return nil, fmt.Errorf("no runs of series %s", series)
	}
	of, same := make(values, len(runs)), true
	for _, r := range runs {
		v, ok := fact(r, name)
		if !ok {
			return nil, fmt.Errorf("%s has no fact or parameter %s", series, name)
		}
		if q, ok := of[r.Repeat]; ok && q.v != v {
			return nil, fmt.Errorf("the runs of %s differ in %s", series, name)
		}
		of[r.Repeat] = quantity{v: v}
		same = same && of[r.Repeat] == of[runs[0].Repeat]
	}
	if same {
		return constant(of[runs[0].Repeat].v), nil
	}
	return of, nil
}

// read reduces the curves of a series.
func (p *part) read(r Reading) (values, error) {
	ls, err := p.lines(r.Series, r.Curve)
	if err != nil {
		return nil, err
	}
	sp := make(replicated[span])
	for id, l := range ls.of {
		sp[id] = span{l.first(), l.last()}
	}
	if r.ranged() {
		if sp, err = p.span(r.Range, ls); err != nil {
			return nil, err
		}
	}
	var target values
	if r.Target != nil {
		if target, err = p.value(*r.Target, r.Series); err != nil {
			return nil, err
		}
	}
	out := make(values, len(ls.of))
	for id, l := range ls.of {
		if r.Read == readCostTo && len(target) > 1 {
			if _, ok := target[id]; !ok {
				p.caveat(Remark{Kind: unpaired})
				continue
			}
		}
		out[id] = l.reduce(r.Read, sp.get(id), target.get(id).v)
	}
	switch {
	case len(out) == 0:
		return nil, fmt.Errorf("the series have no repeat in common")
	case len(out) == 1 && len(ls.of) > 1:
		return nil, errOneInCommon
	}
	return out, nil
}

// ranged reports whether a range is given.
func (r Range) ranged() bool {
	return r.From != 0 || r.To != 0 || r.After != 0 || r.Until != 0 || r.Passes != nil
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

// reduce reads a number off a curve.
func (l *line) reduce(read string, s span, target float64) quantity {
	x, y := l.within(s)
	switch read {
	case readBest, readLeast:
		return quantity{v: slices.Min(y)}
	case readMost:
		return quantity{v: slices.Max(y)}
	case readMean:
		if s.hi == s.lo {
			return quantity{v: y[0]}
		}
		var sum float64
		for i := range x[1:] {
			sum += (x[i+1] - x[i]) * (y[i] + y[i+1]) / 2
		}
		return quantity{v: sum / (s.hi - s.lo)}
	case readCost:
		return quantity{v: l.last()}
	case readCostTo:
		if at, ok := (observe.Curve{X: x, Y: y}).FirstAt(target); ok {
			return quantity{v: at}
		}
		return quantity{v: s.hi, atLeast: true}
	}
	return quantity{v: y[len(y)-1]}
}

// fact returns a fact of a run, or a parameter.
func fact(r *record.Run, name string) (float64, bool) {
	if v, ok := r.Facts[name]; ok {
		return v, true
	}
	return record.Number(r.Params[name])
}
