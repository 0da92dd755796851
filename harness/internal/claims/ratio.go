package claims

import (
	"fmt"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Ratio states that the ratio of two readings lies between two numbers.
type Ratio struct {
	Of Reading `yaml:"of" json:"of"`
	To Reading `yaml:"to" json:"to"`
	// Between is [least, most]; null means no bound.
	Between []*float64 `yaml:"between,flow" json:"between" jsonschema:"minItems=2,maxItems=2"`
}

func (r *Ratio) examine(at place) {
	for _, b := range r.Between {
		if b != nil && !(*b > 0) {
			at.in("between").fail("%v cannot bound a ratio, which is positive; write null for no bound", *b)
		}
	}
}

// quantities returns the ratio of the readings.
func (r *Ratio) quantities(p *part) []observe.Quantity {
	isValidation := func(of Reading) bool { return of.Split == record.SplitValidation }
	return p.quotients(observe.Quantity{
		Key: "ratio", Name: r.name(p.metric("")), Statistic: observe.GeometricMean, Between: between(r.Between),
		Halves: r.Of.Series == r.To.Series && isValidation(r.Of) != isValidation(r.To),
		Alike:  r.Of.Read == readCost && r.To.Read == readCost,
	}, p.read(r.Of), p.read(r.To))
}

// name returns a short name of the ratio, which has the common parts of the readings only once.
func (r *Ratio) name(metric string) string {
	of, to := r.Of.words(metric), r.To.words(metric)
	switch {
	case of == to:
		return fmt.Sprintf("%s / %s, %s", r.Of.Series, r.To.Series, of)
	case r.Of.Series == r.To.Series:
		return fmt.Sprintf("%s, %s / %s", r.Of.Series, of, to)
	}
	return fmt.Sprintf("%s of %s / %s of %s", of, r.Of.Series, to, r.To.Series)
}
