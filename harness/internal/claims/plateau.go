package claims

import (
	"fmt"

	"stochopt/internal/observe"
)

// Plateau states that the metric of a series falls by less than a factor on the range.
type Plateau struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	// Falls is the smallest ratio that counts as a plateau, such as 0.9: the metric at the end of the range,
	// divided by the metric at the beginning.
	Falls float64 `yaml:"falls" json:"falls" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Above is a value that the metric must also stay above, if given.
	Above *Value `yaml:"above,omitempty" json:"above,omitempty"`
}

// quantities reads the ratio of the metric at the end of the range to the metric at the beginning.
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
