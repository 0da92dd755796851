package claims

import (
	"fmt"
	"math"

	"stochopt/results/record"
)

// span is a range of costs.
type span struct{ lo, hi float64 }

// spans gives the range that a check looks at, by replicate.
type spans func(id int) span

// span returns the range of curves of the same cost: first those whose passes
// count.
func (p *part) span(r Range, all ...*lines) (spans, error) {
	lo, hi, level := math.Inf(-1), math.Inf(1), true
	for _, ls := range all {
		for _, l := range ls.of {
			lo, hi = max(lo, l.first()), min(hi, l.last())
			level = level && l.level
		}
	}
	cost := all[0].curve.Cost
	if lo > hi {
		return nil, fmt.Errorf("the curves have no range of %s in common: one begins at %s, one ends at %s", cost, costText(lo), costText(hi))
	}
	if r.Passes != nil {
		return p.passes(r.Passes, all[0], span{lo, hi})
	}
	s := span{lo, hi}
	given := r.ranged()
	s.lo = max(s.lo, r.From*hi, r.After)
	if r.To > 0 {
		s.hi = r.To * hi
	}
	if r.Until > 0 {
		if s.hi = min(s.hi, r.Until); level {
			s.hi = r.Until
		} else if r.Until > hi {
			p.caveat(fmt.Sprintf("the runs end at %s %s, not %s", costText(hi), cost, costText(r.Until)))
		}
	}
	if s.lo > s.hi || given && s.lo == s.hi {
		return nil, fmt.Errorf("the runs go from %s to %s %s, which is not the range in question", costText(lo), costText(hi), cost)
	}
	return func(int) span { return s }, nil
}

// passes returns the range of passes over the training data, by the iterations of
// the first curves.
func (p *part) passes(of []float64, first *lines, all span) (spans, error) {
	by := make(map[int]span, len(first.of))
	for id, l := range first.of {
		n := l.run.Rows[splitTrain]
		counts := l.run.Curve.Cost[costIterations]
		if n == 0 || len(counts) != len(l.x) {
			return nil, fmt.Errorf("no record of the passes of %s over the training data", first.series)
		}
		iterations := make([]float64, len(counts))
		for i, c := range counts {
			iterations[i] = float64(c)
		}
		through := line{x: iterations, y: l.x}
		s := span{max(all.lo, through.at(of[0]*float64(n))), min(all.hi, through.at(of[1]*float64(n)))}
		end := iterations[len(iterations)-1] / float64(n)
		switch {
		case of[0] >= end:
			return nil, fmt.Errorf("the runs of %s end after %s passes", first.series, short(end))
		case s.lo >= s.hi:
			return nil, fmt.Errorf("the runs go from %s to %s %s, which passes %s to %s of %s are not within",
				costText(all.lo), costText(all.hi), first.curve.Cost, short(of[0]), short(of[1]), first.series)
		}
		if of[1] > end*(1+1e-9) {
			p.caveat(fmt.Sprintf("%s ends after %s passes, not %s", first.series, short(end), short(of[1])))
		}
		by[id] = s
	}
	return func(id int) span {
		if s, ok := by[id]; ok || len(by) > 1 {
			return s
		}
		for _, s := range by {
			return s
		}
		return span{}
	}, nil
}

// fact returns a fact of a run, or a parameter.
func fact(r *record.Run, name string) (float64, bool) {
	if v, ok := r.Facts[name]; ok {
		return v, true
	}
	return record.Number(r.Params[name])
}
