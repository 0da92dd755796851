package claims

import (
	"fmt"

	"stochopt/internal/observe"
)

// Plateau: along the range the metric of a series falls by less than a factor.
type Plateau struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	// Falls is the least ratio of the metric at the end of the range to that at its
	// beginning that counts as a plateau, such as 0.9.
	Falls float64 `yaml:"falls" json:"falls" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Above, if given, is what the metric must stay above besides.
	Above *Value `yaml:"above,omitempty" json:"above,omitempty"`
}

// quantities reads the ratio of the metric at the end of the range to that at its beginning.
func (pl *Plateau) quantities(p *part) []observe.Quantity {
	ls := p.lines(pl.Series, pl.Curve)
	within := p.span(pl.Range, ls)
	end := p.each(func(i int) observe.Value { return observe.Value{Number: ls.of[i].at(within[i].hi)} })
	begin := p.each(func(i int) observe.Value { return observe.Value{Number: ls.of[i].at(within[i].lo)} })
	all := p.quotients(observe.Quantity{
		Key: "fall", Name: fmt.Sprintf("%s, end / beginning of %s", pl.Series, ls.shows()),
		Statistic: observe.GeometricMean, Between: observe.AtLeast(pl.Falls),
	}, end, begin)
	if pl.Above != nil {
		all = append(all, p.least(ls, within, *pl.Above))
	}
	return all
}
