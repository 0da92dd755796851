package claims

import (
	"fmt"

	"stochopt/internal/observe"
)

// Stays: the metric of a series is above a value all along the range. The quantity is the
// least metric along it.
type Stays struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	Above  Value `yaml:"above" json:"above"`
}

func (s *Stays) words(metric string) string {
	return fmt.Sprintf("%s of %s along %s stays above %s%s",
		s.Curve.words(metric), s.Series, s.cost(), s.Above.words(metric), s.Range.words())
}

// quantities reads the least metric of a series along the range, over what it stays above.
func (s *Stays) quantities(p *part) []observe.Quantity {
	ls := p.lines(s.Series, s.Curve)
	return []observe.Quantity{p.least(ls, p.span(s.Range, ls), s.Above)}
}

// least compares the least value of each curve with what it must be above.
func (p *part) least(ls *lines, within replicated[span], above Value) observe.Quantity {
	value := p.value(above, ls.series)
	var of, to []observe.Value
	for _, id := range p.pair(ls.of.ids(), value.ids()) {
		l, s, limit := ls.of.get(id), within.get(id), value.get(id)
		v := l.reduce(readLeast, s, 0)
		if limit.Number > 0 {
			v = v.Raised(l.Floor)
		}
		v.Row = id
		of, to = append(of, v), append(to, limit)
	}
	if p.failed() {
		return observe.Quantity{}
	}
	return ls.compared("above", ls.shows(), of, to, observe.AtLeast)
}
