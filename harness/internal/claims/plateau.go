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

func (pl *Plateau) examine(at place) {
	at.reading(&Reading{Series: pl.Series, Curve: pl.Curve, Range: pl.Range})
	at.in("above").threshold(pl.Above, pl.Metric)
}

func (pl *Plateau) words(metric string) string {
	text := fmt.Sprintf("%s of %s along %s: its end is at least %v times its beginning%s",
		pl.Curve.words(metric), pl.Series, pl.cost(), pl.Falls, pl.Range.words())
	if pl.Above != nil {
		text += ", and above " + pl.Above.words(metric)
	}
	return text
}

func (pl *Plateau) observe(j *observing) []observe.Table { return j.tables(false, pl.quantities) }

// quantities reads the ratio of the metric at the end of the range to that at its beginning.
func (pl *Plateau) quantities(p *part) []observe.Quantity {
	ls := p.lines(pl.Series, pl.Curve)
	within := p.span(pl.Range, ls)
	fall := observe.Quantity{
		Key: "fall", Name: fmt.Sprintf("%s, end / beginning of %s", pl.Series, ls.shows()),
		Statistic: observe.GeometricMean, Between: observe.AtLeast(pl.Falls),
	}
	for _, id := range ls.of.ids() {
		l, s := ls.of[id], within.get(id)
		from, to := l.at(s.lo), l.at(s.hi)
		if !(from > 0) || !(to > 0) {
			p.fail("%s is not positive on the whole range, so it has no ratios", ls.curve.Metric)
		}
		fall.Add(id, observe.Value{Number: to / from})
	}
	if pl.Above == nil {
		return []observe.Quantity{fall}
	}
	return []observe.Quantity{fall, p.least(ls, within, *pl.Above)}
}
