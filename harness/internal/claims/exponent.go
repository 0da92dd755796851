package claims

import (
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Exponent states that the exponent of a power law, or its difference from the exponent of another series, lies
// between two numbers. It is fitted to all datasets together. Its interval comes from the jackknife: one problem
// at a time is left out, for both series.
type Exponent struct {
	Series string `yaml:"series" json:"series"`
	// Than is a series whose exponent is subtracted.
	Than string `yaml:"than,omitempty" json:"than,omitempty"`
	// Table is the id of a table of the spec.
	Table string `yaml:"table" json:"table"`
	// Column is a column of the table with an exponent.
	Column string `yaml:"column" json:"column"`
	// Between is [least, most]; null means no bound.
	Between []*float64 `yaml:"between,flow" json:"between" jsonschema:"minItems=2,maxItems=2"`
}

func (x *Exponent) examine(at place) {
	if x.Than == x.Series && x.Than != "" {
		at.in("than").fail("than is the series itself: the difference of %s from itself is 0", x.Than)
	}
}

func (x *Exponent) scope() scope { return everything }

// quantities reads the points of the power law in the table.
func (x *Exponent) quantities(p *part) []observe.Quantity {
	i := slices.IndexFunc(p.in.Laws, func(l observe.PowerLaws) bool { return l.Table == x.Table })
	var runs []record.Run
	for _, series := range p.series {
		for _, r := range p.samples[series].all {
			runs = append(runs, *r)
		}
	}
	all, err := p.in.Laws[i].Observe(x.Column, p.series, runs)
	if err != nil {
		p.fail("%s", err)
		return nil
	}
	name := strings.Join(p.series, " - ") + ", " + x.Column
	q := observe.Quantity{Key: "exponent", Name: name, Statistic: observe.PowerLaw, Between: between(x.Between)}
	for i, o := range all {
		q.Points = append(q.Points, o.Points)
		if len(o.Points) < o.Requested {
			q.Missing = max(q.Missing, 1-float64(len(o.Points))/float64(o.Requested))
			q.Remarks = append(q.Remarks, doubt("targets left out bias the exponent of %s: %s", p.series[i], o))
		}
	}
	return []observe.Quantity{q}
}
