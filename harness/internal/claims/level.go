package claims

import (
	"slices"

	"stochopt/internal/observe"
)

// Level states that the average of a reading over repeats lies between two numbers. If all readings are
// positive, as costs and most errors are, the average is the geometric mean, because they may span decades.
// Otherwise it is the arithmetic mean.
type Level struct {
	Reading `yaml:",inline"`
	// Per is a parameter or a fact by which the reading is divided, such as k.
	Per string `yaml:"per,omitempty" json:"per,omitempty"`
	// Between is [least, most]; null means no bound.
	Between []*float64 `yaml:"between,flow" json:"between" jsonschema:"minItems=2,maxItems=2"`
}

// quantities returns the reading of each replicate, with the kind of mean.
func (l *Level) quantities(p *part) []observe.Quantity {
	name, per := l.Series+", "+l.Reading.words(p.metric("")), p.constant(1)
	if l.Per != "" {
		name += " / " + l.Per
		per = p.facts(l.Series, l.Per)
	}
	of, statistic := p.read(l.Reading), observe.GeometricMean
	if slices.ContainsFunc(of, func(v observe.Value) bool { return !(v.Number > 0) }) {
		statistic = observe.Mean
	}
	return p.quotients(observe.Quantity{
		Key: "level", Name: name, Statistic: statistic, Between: between(l.Between),
		Alike: l.Read == readCost,
	}, of, per)
}
