package claims

import (
	"fmt"
	"math"
	"slices"

	"stochopt/internal/words"
)

// Reaches: the metric of a series is at or below a value within a cost. The quantity
// is the least metric within it.
type Reaches struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	// Value is the target.
	Value Value `yaml:"value" json:"value"`
	// Within is the cost; without it the length of the run.
	Within *Value `yaml:"within,omitempty" json:"within,omitempty"`
}

func (r *Reaches) examine(at place) {
	at.series(r.Series)
	at.in("value").threshold(&r.Value, r.Metric)
	at.in("within").value(r.Within)
	if x, ok := r.Within.constant(); ok && !(x > 0) {
		at.in("within").fail("a cost must be positive, got %v", x)
	}
	at.curve(r.Curve)
}

func (r *Reaches) words(metric string) string {
	within := "by the end"
	if r.Within != nil {
		within = "within " + r.Within.words(metric)
		if r.Within.Of == nil {
			within += " " + r.cost()
		}
	}
	return fmt.Sprintf("%s of %s reaches %s %s", r.Curve.words(metric), r.Series, r.Value.words(metric), within)
}

func (r *Reaches) judge(j *judging) []Part { return j.byPart(r.estimate) }

// estimate estimates the least metric of a series within a cost, over the value
// that is to be reached.
func (r *Reaches) estimate(p *part) ([]Estimate, error) {
	ls, err := p.lines(r.Series, r.Curve)
	if err != nil {
		return nil, err
	}
	value, err := p.value(r.Value, r.Series)
	if err != nil {
		return nil, err
	}
	limit, what := constant(math.Inf(1)), ""
	if r.Within != nil {
		if limit, err = p.value(*r.Within, r.Series); err != nil {
			return nil, err
		}
	}
	ids, err := p.pair(ls.of, value, limit)
	if err != nil {
		return nil, err
	}
	var least, target, within []quantity
	reached, ended := 0, 0
	for _, id := range ids {
		l, to, end := ls.of.get(id), value.get(id), limit.get(id)
		if end.v < l.first() {
			return nil, fmt.Errorf("the first record of %s is at %s %s, later than the limit of %s", r.Series, words.Cost(l.first()), ls.curve.cost(), words.Cost(end.v))
		}
		_, y := l.within(span{l.first(), min(end.v, l.last())})
		q := quantity{v: slices.Min(y)}
		if to.v >= 0 {
			q, to = q.raised(l.Floor), to.raised(l.Floor)
		}
		if q.v <= to.v {
			reached++
		} else if r.Within != nil && end.v > l.last() && !l.done {
			q.atMost = true
			ended++
		}
		least, target, within = append(least, q), append(target, to), append(within, end)
	}
	if r.Within != nil {
		what = fmt.Sprintf(" within %s %s", words.Cost(mean(within)), ls.curve.cost())
	}
	e := p.compared(fmt.Sprintf("%s, least %s%s%s", r.Series, ls.curve.Metric, what, ls.floored(least)), ids, least, target, false)
	p.because(fmt.Sprintf("reached in %d of %s", reached, words.Count(len(ids), p.replicate())))
	if ended > 0 {
		p.caveat(Remark{Kind: endedBefore, Series: r.Series, N: ended})
	}
	return []Estimate{e}, nil
}
