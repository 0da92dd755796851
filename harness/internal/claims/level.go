package claims

import (
	"slices"

	"stochopt/internal/observe"
)

// Level: a reading, on average over repeats, lies between two numbers. The average is the
// geometric mean of readings that are all positive, such as costs and most errors, which may be
// spread over decades; else it is the arithmetic mean.
type Level struct {
	Reading `yaml:",inline"`
	// Per names a parameter or a fact that the reading is divided by, such as k.
	Per     string     `yaml:"per,omitempty" json:"per,omitempty"`
	Between []*float64 `yaml:"between,flow" json:"between" jsonschema:"minItems=2,maxItems=2"`
}

func (l *Level) name(metric string) string {
	name := l.Series + ", " + l.Reading.words(metric)
	if l.Per != "" {
		name += " / " + l.Per
	}
	return name
}

// quantities reads a reading, for its mean over replicates: the geometric one where all are positive.
func (l *Level) quantities(p *part) []observe.Quantity {
	per := p.constant(1)
	if l.Per != "" {
		per = p.facts(l.Series, l.Per)
	}
	of, statistic := p.read(l.Reading), observe.GeometricMean
	if slices.ContainsFunc(of, func(v observe.Value) bool { return !(v.Number > 0) }) {
		statistic = observe.Mean
	}
	return p.quotients(observe.Quantity{
		Key: "level", Name: l.name(p.metric("")), Statistic: statistic, Between: between(l.Between),
		Alike: l.Read == readCost,
	}, of, per)
}
