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
		of[id] = n.Scaled(cmp.Or(v.Times, 1), v.Plus)
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
		if known, ok := of[r.Repeat]; ok && known.Number != v {
			return nil, fmt.Errorf("the runs of %s differ in %s", series, name)
		}
		of[r.Repeat] = observe.Value{Row: r.Repeat, Number: v}
		same = same && v == of[runs[0].Repeat].Number
	}
	if same {
		return constant(of[runs[0].Repeat].Number), nil
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
				p.remark(unpaired)
				continue
			}
		}
		out[id] = l.reduce(r.Read, sp.get(id), target.get(id).Number)
	}
	switch {
	case len(out) == 0:
		return nil, errNoneInCommon
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

// fact returns a fact of a run, or a parameter.
func fact(r *record.Run, name string) (float64, bool) {
	if v, ok := r.Facts[name]; ok {
		return v, true
	}
	return record.Number(r.Params[name])
}
