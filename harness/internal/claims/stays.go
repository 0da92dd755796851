package claims

import "stochopt/internal/observe"

// Stays states that the metric of a series is above a value on the whole range. The quantity is the smallest
// metric on the range.
type Stays struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	Above  Value `yaml:"above" json:"above"`
}

// quantities reads the smallest metric of a series on the range, relative to the value.
func (s *Stays) quantities(p *part) []observe.Quantity {
	ls := p.lines(s.Series, s.Curve)
	within, limit := p.span(s.Range, ls), p.value(s.Above, s.Series)
	least := p.each(func(i int) observe.Value {
		v := ls.of[i].reduce(readLeast, within[i], 0)
		if limit[i].Number > 0 {
			v = v.Raised(ls.of[i].Floor)
		}
		return v
	})
	return []observe.Quantity{p.compared(ls, "above", ls.shows(), least, limit, observe.AtLeast)}
}
