package claims

import (
	"fmt"
	"math"

	"stochopt/internal/observe"
	"stochopt/internal/words"
)

// Reaches states that the metric of a series is at or below a value within a cost. The quantity is the smallest
// metric within the cost.
type Reaches struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	// Value is the target.
	Value Value `yaml:"value" json:"value"`
	// Within is the cost; the default is the cost at the end of the run.
	Within *Value `yaml:"within,omitempty" json:"within,omitempty"`
}

// quantities reads the smallest metric of a series within a cost, relative to the target.
func (r *Reaches) quantities(p *part) []observe.Quantity {
	ls, target, within := p.lines(r.Series, r.Curve), p.value(r.Value, r.Series), p.constant(math.Inf(1))
	shows := ls.curve.Metric
	if r.Within != nil {
		within = p.value(*r.Within, r.Series)
	}
	if p.failed() {
		return nil
	}
	if r.Within != nil {
		shows += fmt.Sprintf(" within %s %s", words.Cost(mean(within)), ls.curve.cost())
	}
	reached, ended := 0, 0
	least := p.each(func(i int) observe.Value {
		l, end := ls.of[i], within[i].Number
		if end < l.first() {
			p.fail("the first record of %s is at %s %s, later than the limit of %s",
				r.Series, words.Cost(l.first()), ls.curve.cost(), words.Cost(end))
		}
		v := l.reduce(readLeast, span{l.first(), min(end, l.last())}, 0)
		if target[i].Number >= 0 {
			v, target[i] = v.Raised(l.Floor), target[i].Raised(l.Floor)
		}
		if v.Number <= target[i].Number {
			reached++
		} else if r.Within != nil && end > l.last() && !l.Finished {
			v.AtMost = true
			ended++
		}
		return v
	})
	q := p.compared(ls, "least", shows, least, target, observe.AtMost)
	p.addReason("reached in %d of %s", reached, words.Count(len(least), replicate(p.table)))
	if ended > 0 {
		q.Remarks = append(q.Remarks, doubt("%s of %s ended before that cost", words.Count(ended, "run"), r.Series))
	}
	return []observe.Quantity{q}
}
