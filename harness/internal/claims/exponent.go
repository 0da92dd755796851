package claims

import (
	"cmp"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Exponent: the exponent of a power law lies between two numbers, or how much more it is
// than that of another series. It is fitted to all data sets at once, and has its interval
// from leaving out one problem at a time, of both series at once.
type Exponent struct {
	Series string `yaml:"series" json:"series"`
	// Than names a series whose exponent is subtracted.
	Than string `yaml:"than,omitempty" json:"than,omitempty"`
	// Table and Column name an exponent of a table of the specification.
	Table   string     `yaml:"table" json:"table"`
	Column  string     `yaml:"column" json:"column"`
	Between []*float64 `yaml:"between,flow" json:"between" jsonschema:"minItems=2,maxItems=2"`
}

func (x *Exponent) examine(at place) {
	if x.Than == x.Series && x.Than != "" {
		at.in("than").fail("than is the series itself: the difference of %s from itself is 0", x.Than)
	}
}

func (x *Exponent) name() string {
	name := x.Series
	if x.Than != "" {
		name += " - " + x.Than
	}
	return name + ", " + x.Column
}

func (x *Exponent) scope() scope { return everything }

// quantities reads the points of the power law that a table of the specification fits.
func (x *Exponent) quantities(p *part) []observe.Quantity {
	i := slices.IndexFunc(p.in.Laws, func(l observe.PowerLaws) bool { return l.Table == x.Table })
	if i < 0 {
		p.fail("the specification has no table %s", x.Table)
		return nil
	}
	var runs []record.Run
	for _, s := range p.samples {
		for _, r := range s.all {
			runs = append(runs, *r)
		}
	}
	slices.SortStableFunc(runs, func(a, b record.Run) int {
		return cmp.Or(strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Series, b.Series),
			strings.Compare(a.Params.String(), b.Params.String()), a.Repeat-b.Repeat, strings.Compare(a.Key, b.Key))
	})
	all, err := p.in.Laws[i].Observe(x.Column, p.series, runs)
	if err != nil {
		p.fail("%s", err)
		return nil
	}
	q := observe.Quantity{Key: "exponent", Name: x.name(), Statistic: observe.PowerLaw, Between: between(x.Between)}
	for i, o := range all {
		q.Points = append(q.Points, o.Points)
		if len(o.Points) < o.Wanted {
			q.Missing = max(q.Missing, 1-float64(len(o.Points))/float64(o.Wanted))
			q.Remarks = append(q.Remarks, doubt("targets left out bias the exponent of %s: %s", p.series[i], o))
		}
	}
	return []observe.Quantity{q}
}
