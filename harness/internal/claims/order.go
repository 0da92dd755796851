package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Values of Order.Over.
const (
	overMean  = "mean"
	overEnd   = "end"
	overEvery = "every"
)

// everyCosts is the number of costs of "every".
const everyCosts = 10

// order estimates the ratio of the metric of a series to that of each other.
func (p *part) order(o *Order) ([]Estimate, error) {
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
		ids, err := p.pair(first, other)
		if err != nil {
			return nil, err
		}
		of, err := p.against(first, other, ids, sp, o.Over)
		if err != nil {
			return nil, err
		}
		for i, q := range of {
			name := fmt.Sprintf("%s / %s, %s", first.series, other.series, first.shows())
			if o.Over == overEvery {
				at := costs(sp(ids[0]), first.get(ids[0]), other.get(ids[0]))
				name = fmt.Sprintf("%s / %s, %s at %s %s", first.series, other.series, first.curve.Metric, costText(at[i]), first.curve.Cost)
			}
			estimates = append(estimates, p.estimate(name, q, w, interval{ratios: true, tries: len(of) * (len(all) - 1), strict: true}))
		}
	}
	return estimates, nil
}

// wanted is where the ratio has to be.
func (o *Order) wanted() wanted {
	switch {
	case o.Least == 0:
		return atMost(cmp.Or(o.Ratio, 1))
	case o.Ratio == 0:
		return atLeast(o.Least)
	}
	return wanted{o.Least, o.Ratio}
}

// against returns the ratios of the curves of two series, by cost and replicate.
func (p *part) against(a, b *lines, ids []int, sp spans, over string) ([][]quantity, error) {
	var out [][]quantity
	add := func(i int, v float64) {
		for len(out) <= i {
			out = append(out, nil)
		}
		out[i] = append(out[i], quantity{v: v})
	}
	for _, id := range ids {
		la, lb, s := a.get(id), b.get(id), sp(id)
		ratio := func(x float64) (float64, error) {
			u, v := max(la.at(x), la.floor), max(lb.at(x), lb.floor)
			if !(u > 0) || !(v > 0) {
				return 0, fmt.Errorf("%s is not positive at %s %s, where ratios say nothing", a.curve.Metric, costText(x), a.curve.Cost)
			}
			return math.Log(u / v), nil
		}
		var at []float64
		switch over {
		case overEnd:
			at = []float64{s.hi}
		case overEvery:
			at = costs(s, la, lb)
		default:
			m, err := meanOver(ratio, s.positive(la, lb), la, lb)
			if err != nil {
				return nil, err
			}
			add(0, math.Exp(m))
			continue
		}
		for i, x := range at {
			r, err := ratio(x)
			if err != nil {
				return nil, err
			}
			add(i, math.Exp(r))
		}
	}
	return out, nil
}

// positive is the range from the first positive cost that both curves have on
// record.
func (s span) positive(a, b *line) span {
	if s.lo > 0 {
		return s
	}
	for _, l := range []*line{a, b} {
		if i := slices.IndexFunc(l.x, func(x float64) bool { return x > 0 }); i >= 0 {
			s.lo = max(s.lo, l.x[i])
		}
	}
	s.lo = min(s.lo, s.hi)
	return s
}

// costs returns ten costs of equal ratio from end to end of a range.
func costs(s span, a, b *line) []float64 {
	s = s.positive(a, b)
	if !(s.lo > 0) || s.lo == s.hi {
		return []float64{s.hi}
	}
	at := make([]float64, everyCosts)
	for i := range at {
		at[i] = s.lo * math.Pow(s.hi/s.lo, float64(i)/(everyCosts-1))
	}
	at[everyCosts-1] = s.hi
	return at
}

// meanOver averages over a range in the logarithm of the cost.
func meanOver(of func(x float64) (float64, error), s span, a, b *line) (float64, error) {
	at := []float64{s.lo, s.hi}
	for _, l := range []*line{a, b} {
		for _, x := range l.x {
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
