package claims

import (
	"fmt"
	"math"

	"stochopt/internal/observe"
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

// quantities reads the least metric of a series within a cost, over the value that is to be reached.
func (r *Reaches) quantities(p *part) []observe.Quantity {
	ls, value, limit := p.lines(r.Series, r.Curve), p.value(r.Value, r.Series), constant(math.Inf(1))
	if r.Within != nil {
		limit = p.value(*r.Within, r.Series)
	}
	var least, target, within []observe.Value
	reached, ended, shows := 0, 0, ls.curve.Metric
	for _, id := range p.pair(ls.of.ids(), value.ids(), limit.ids()) {
		l, to, end := ls.of.get(id), value.get(id), limit.get(id)
		if end.Number < l.first() {
			p.fail("the first record of %s is at %s %s, later than the limit of %s",
				r.Series, words.Cost(l.first()), ls.curve.cost(), words.Cost(end.Number))
		}
		v := l.reduce(readLeast, span{l.first(), min(end.Number, l.last())}, 0)
		if to.Number >= 0 {
			v, to = v.Raised(l.Floor), to.Raised(l.Floor)
		}
		if v.Number <= to.Number {
			reached++
		} else if r.Within != nil && end.Number > l.last() && !l.Finished {
			v.AtMost = true
			ended++
		}
		v.Row = id
		least, target, within = append(least, v), append(target, to), append(within, end)
	}
	if p.failed() {
		return nil
	}
	if r.Within != nil {
		shows += fmt.Sprintf(" within %s %s", words.Cost(mean(within)), ls.curve.cost())
	}
	q := ls.compared("least", shows, least, target, observe.AtMost)
	p.because("reached in %d of %s", reached, words.Count(len(least), replicate(p.table)))
	if ended > 0 {
		q.Remarks = append(q.Remarks, doubt("%s of %s ended before that cost", words.Count(ended, "run"), r.Series))
	}
	return []observe.Quantity{q}
}
