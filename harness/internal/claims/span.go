package claims

import (
	"fmt"
	"math"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// span is a range of costs.
type span struct{ lo, hi float64 }

// span returns the range of curves of the same cost: first those whose passes
// count.
func (p *part) span(r Range, all ...*lines) (replicated[span], error) {
	lo, hi, stays := math.Inf(-1), math.Inf(1), true
	for _, ls := range all {
		for _, l := range ls.of {
			lo, hi = max(lo, l.first()), min(hi, l.last())
			stays = stays && l.Stays
		}
	}
	cost := all[0].curve.cost()
	if lo > hi {
		return nil, fmt.Errorf("the curves do not overlap in %s: one begins at %s, another ends at %s", cost, words.Cost(lo), words.Cost(hi))
	}
	if r.Passes != nil {
		return p.passes(r.Passes, all[0], span{lo, hi})
	}
	s := r.of(span{lo, hi})
	if r.Until > 0 && stays {
		s.hi = r.Until
	} else if r.Until > hi {
		p.remark(note("the runs end at %s %s, not %s", words.Cost(hi), cost, words.Cost(r.Until)))
	}
	if s.lo > s.hi || r.ranged() && s.lo == s.hi {
		return nil, fmt.Errorf("the runs cover %s to %s %s, which the range of the claim is not within", words.Cost(lo), words.Cost(hi), cost)
	}
	return replicated[span]{everyone: s}, nil
}

// linesAlong returns the curves of a series with the range that a check looks at.
func (p *part) linesAlong(series string, c Curve, r Range) (*lines, replicated[span], error) {
	ls, err := p.lines(series, c)
	if err != nil {
		return nil, nil, err
	}
	sp, err := p.span(r, ls)
	return ls, sp, err
}

// of returns the part of a range of costs.
func (r Range) of(all span) span {
	s := span{max(all.lo, r.From*all.hi, r.After), all.hi}
	if r.To > 0 {
		s.hi = r.To * all.hi
	}
	if r.Until > 0 {
		s.hi = min(s.hi, r.Until)
	}
	return s
}

// passes returns the range of passes over the training data, by the iterations of
// the first curves.
func (p *part) passes(of []float64, first *lines, all span) (replicated[span], error) {
	by := make(replicated[span], len(first.of))
	for id, l := range first.of {
		n := l.run.Rows[record.SplitTrain]
		iterations, _ := l.run.Measured().Along(record.CostIterations)
		if n == 0 || len(iterations) != len(l.X) {
			return nil, fmt.Errorf("the passes of %s over the training data are not on record", first.series)
		}
		through := observe.Curve{X: iterations, Y: l.X}
		s := span{max(all.lo, through.LineAt(of[0]*float64(n))), min(all.hi, through.LineAt(of[1]*float64(n)))}
		end := iterations[len(iterations)-1] / float64(n)
		switch {
		case of[0] >= end:
			return nil, fmt.Errorf("the runs of %s end after %s passes", first.series, words.Rounded(end))
		case s.lo >= s.hi:
			return nil, fmt.Errorf("the runs cover %s to %s %s, which passes %s to %s of %s are not within",
				words.Cost(all.lo), words.Cost(all.hi), first.curve.cost(), words.Rounded(of[0]), words.Rounded(of[1]), first.series)
		}
		if of[1] > end*(1+1e-9) {
			p.remark(note("%s ends after %s passes, not %s", first.series, words.Rounded(end), words.Rounded(of[1])))
		}
		by[id] = s
	}
	return by, nil
}
