package claims

import "stochopt/internal/observe"

// Stays: the metric of a series is above a value all along the range. The quantity is the
// least metric along it.
type Stays struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	Above  Value `yaml:"above" json:"above"`
}

// quantities reads the least metric of a series along the range, over what it stays above.
func (s *Stays) quantities(p *part) []observe.Quantity {
	ls := p.lines(s.Series, s.Curve)
	return []observe.Quantity{p.least(ls, p.span(s.Range, ls), s.Above)}
}

// least compares the least value of each curve with what it must be above.
func (p *part) least(ls *lines, within []span, above Value) observe.Quantity {
	limit := p.value(above, ls.series)
	least := p.each(func(i int) observe.Value {
		v := ls.of[i].reduce(readLeast, within[i], 0)
		if limit[i].Number > 0 {
			v = v.Raised(ls.of[i].Floor)
		}
		return v
	})
	return p.compared(ls, "above", ls.shows(), least, limit, observe.AtLeast)
}
