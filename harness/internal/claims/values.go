package claims

import (
	"errors"
	"fmt"
	"slices"

	"stochopt/results/analysis"
)

// quantity is what a curve was reduced to.
type quantity struct {
	v float64
	// atLeast, atMost: v is a bound on the number, as the run ended before it was
	// known.
	atLeast, atMost bool
}

// values are numbers by replicate.
type values struct {
	of map[int]quantity
	// always holds, in place of those, a number that is the same for all.
	always *float64
}

func constant(v float64) values { return values{always: &v} }

// get returns the number of a replicate: of a single run that of all.
func (v values) get(id int) quantity {
	if v.always != nil {
		return quantity{v: *v.always}
	}
	if n, ok := v.of[id]; ok || len(v.of) != 1 {
		return n
	}
	for _, n := range v.of {
		return n
	}
	return quantity{}
}

// replicates is what may be paired.
type replicates interface{ replicates() []int }

func (v values) replicates() []int  { return slices.Sorted(mapKeys(v.of)) }
func (ls *lines) replicates() []int { return ls.ids() }
func (ls *lines) get(id int) *line {
	if l, ok := ls.of[id]; ok || len(ls.of) != 1 {
		return l
	}
	for _, l := range ls.of {
		return l
	}
	return nil
}

// errOneInCommon: of several repeats one is left, which is not to be taken for the run
// of a method without randomness.
var errOneInCommon = errors.New("the series have one repeat in common, which decides nothing")

// pair returns the replicates that all have: what has one only, such as the run of
// a method without randomness, goes with each of the others'.
func (p *part) pair(all ...replicates) ([]int, error) {
	var ids []int
	known := false
	most := 0
	for _, r := range all {
		most = max(most, len(r.replicates()))
	}
	for _, r := range all {
		of := r.replicates()
		if len(of) == 0 || len(of) == 1 && most > 1 {
			continue
		}
		if !known || most == 1 {
			ids, known = of, true
			continue
		}
		both := slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return !slices.Contains(of, id) })
		if len(both) < max(len(ids), len(of)) {
			p.caveat("repeats that not all series have are left out")
		}
		ids = both
	}
	if !known {
		return nil, fmt.Errorf("nothing to judge by")
	}
	switch {
	case len(ids) == 0:
		return nil, fmt.Errorf("the series have no repeat in common")
	case len(ids) == 1 && most > 1:
		return nil, errOneInCommon
	}
	return ids, nil
}

// value resolves a number of the specification; facts are those of the series.
func (p *part) value(v Value, series string) (values, error) {
	times := v.Times
	if times == 0 {
		times = 1
	}
	transform := func(n quantity) quantity {
		if times < 0 {
			n.atLeast, n.atMost = n.atMost, n.atLeast
		}
		n.v = n.v*times + v.Plus
		return n
	}
	var of values
	switch {
	case v.Is != nil:
		return constant(*v.Is*times + v.Plus), nil
	case v.Of != nil:
		read, err := p.read(*v.Of)
		if err != nil {
			return values{}, err
		}
		of = read
	default:
		facts, err := p.facts(series, v.Fact)
		if err != nil {
			return values{}, err
		}
		of = facts
	}
	if of.always != nil {
		return constant(*of.always*times + v.Plus), nil
	}
	for id, n := range of.of {
		of.of[id] = transform(n)
	}
	return of, nil
}

// facts returns a fact of the runs of a series, by replicate.
func (p *part) facts(series, name string) (values, error) {
	runs := p.samples[series].runs
	if len(runs) == 0 {
		return values{}, fmt.Errorf("no runs of series %s", series)
	}
	of := make(map[int]quantity, len(runs))
	same := true
	var first float64
	for i, r := range runs {
		v, ok := fact(r, name)
		if !ok {
			return values{}, fmt.Errorf("%s has no fact or parameter %s", series, name)
		}
		if i == 0 {
			first = v
		}
		same = same && v == first
		if q, ok := of[r.Repeat]; ok && q.v != v {
			return values{}, fmt.Errorf("the runs of %s differ in %s", series, name)
		}
		of[r.Repeat] = quantity{v: v}
	}
	if same {
		return constant(first), nil
	}
	return values{of: of}, nil
}

// read reduces the curves of a series.
func (p *part) read(r Reading) (values, error) {
	ls, err := p.lines(r.Series, r.Curve)
	if err != nil {
		return values{}, err
	}
	sp := func(id int) span { l := ls.of[id]; return span{l.first(), l.last()} }
	if r.ranged() {
		if sp, err = p.span(r.Range, ls); err != nil {
			return values{}, err
		}
	}
	var target values
	if r.Target != nil {
		if target, err = p.value(*r.Target, r.Series); err != nil {
			return values{}, err
		}
	}
	out := values{of: make(map[int]quantity, len(ls.of))}
	for id, l := range ls.of {
		if r.Read == readCostTo && target.always == nil && len(target.of) > 1 {
			if _, ok := target.of[id]; !ok {
				p.caveat("repeats that not all series have are left out")
				continue
			}
		}
		out.of[id] = l.reduce(r.Read, sp(id), target.get(id).v)
	}
	switch {
	case len(out.of) == 0:
		return values{}, fmt.Errorf("the series have no repeat in common")
	case len(out.of) == 1 && len(ls.of) > 1:
		return values{}, errOneInCommon
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
		if at, ok := (analysis.Curve{X: x, Y: y}).FirstAt(target); ok {
			return quantity{v: at}
		}
		return quantity{v: s.hi, atLeast: true}
	}
	return quantity{v: y[len(y)-1]}
}

// over divides.
func (n quantity) over(by quantity) quantity {
	return quantity{v: n.v / by.v, atLeast: n.atLeast || by.atMost, atMost: n.atMost || by.atLeast}
}

// minus subtracts.
func (n quantity) minus(by quantity) quantity {
	return quantity{v: n.v - by.v, atLeast: n.atLeast || by.atMost, atMost: n.atMost || by.atLeast}
}

// raised is no less than what is told from 0.
func (n quantity) raised(floor float64) quantity {
	n.v = max(n.v, floor)
	return n
}
