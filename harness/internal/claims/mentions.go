package claims

import (
	"slices"
	"strconv"
)

// Kinds of what a claim mentions.
const (
	KindSeries    = "series"
	KindMetric    = "metric"
	KindSplit     = "split"
	KindCost      = "cost"
	KindDataset   = "dataset"
	KindParameter = "parameter"
	// KindFact is a fact of the runs, or a parameter.
	KindFact = "fact"
	// KindShown is the id of a figure or a table, KindTable that of a table.
	KindShown = "shown"
	KindTable = "table"
	// KindBound is one of Bounds.
	KindBound = "bound"
	// KindPasses is a range in passes over the training data.
	KindPasses = "passes"
	// KindColumn is a column of the table that the mention before it names.
	KindColumn = "column"
)

// Mention is a name that a claim uses.
type Mention struct {
	// Path leads to it from the claim: the keys of maps, and the indices of lists,
	// such as "check", "order", "below", "0". For a parameter that Where restricts
	// it is the key itself that is named.
	Path []string
	// Kind is one of the kinds above.
	Kind string
	Name string
}

// Mentions lists the names that the claim uses, in the order of its fields. Names
// that are left out, and so have their default, are not listed.
func (c Claim) Mentions() []Mention {
	m := &mentions{}
	m.add(KindShown, c.Shown, "shown")
	for i, d := range c.Datasets {
		m.add(KindDataset, d, "datasets", strconv.Itoa(i))
	}
	for _, name := range sortedKeys(c.Where) {
		if name == "dataset" || name == "group" || name == "series" || name == "algorithm" {
			continue
		}
		m.add(KindParameter, name, "where", name)
	}
	m.check(c.Check)
	return m.list
}

type mentions struct{ list []Mention }

func (m *mentions) add(kind, name string, path ...string) {
	if name != "" {
		m.list = append(m.list, Mention{slices.Clone(path), kind, name})
	}
}

func (m *mentions) check(c Check) {
	at := func(name string) under { return under{m, []string{"check", name}} }
	if p := c.Order; p != nil {
		u := at("order")
		u.add(KindSeries, p.Series, "series")
		for i, s := range p.Below {
			u.add(KindSeries, s, "below", strconv.Itoa(i))
		}
		u.curve(p.Curve)
		u.span(p.Range)
	}
	if p := c.Reaches; p != nil {
		u := at("reaches")
		u.add(KindSeries, p.Series, "series")
		u.curve(p.Curve)
		u.value(&p.Value, "value")
		u.value(p.Within, "within")
	}
	if p := c.Stays; p != nil {
		u := at("stays")
		u.add(KindSeries, p.Series, "series")
		u.curve(p.Curve)
		u.span(p.Range)
		u.value(p.Above, "above")
		u.value(p.Below, "below")
	}
	if p := c.Ratio; p != nil {
		u := at("ratio")
		u.in("of").reading(p.Of)
		u.in("to").reading(p.To)
	}
	if p := c.Level; p != nil {
		u := at("level")
		u.reading(p.Reading)
		u.add(KindFact, p.Per, "per")
	}
	if p := c.Plateau; p != nil {
		u := at("plateau")
		u.add(KindSeries, p.Series, "series")
		u.curve(p.Curve)
		u.span(p.Range)
		u.value(p.Above, "above")
	}
	if p := c.Bound; p != nil {
		u := at("bound")
		u.add(KindBound, p.Name, "name")
		u.add(KindSeries, p.Series, "series")
		u.span(p.Range)
	}
	if p := c.Exponent; p != nil {
		u := at("exponent")
		u.add(KindSeries, p.Series, "series")
		u.add(KindTable, p.Table, "table")
		u.add(KindColumn, p.Column, "column")
	}
}

// under adds mentions below a path.
type under struct {
	m    *mentions
	path []string
}

func (u under) in(name string) under { return under{u.m, append(slices.Clone(u.path), name)} }

func (u under) add(kind, name string, path ...string) {
	u.m.add(kind, name, append(slices.Clone(u.path), path...)...)
}

func (u under) curve(c Curve) {
	u.add(KindMetric, c.Metric, "metric")
	u.add(KindSplit, c.Split, "split")
	u.add(KindCost, c.Cost, "cost")
}

func (u under) span(r Range) {
	if r.Passes != nil {
		u.add(KindPasses, "passes", "passes")
	}
}

func (u under) reading(r Reading) {
	u.add(KindSeries, r.Series, "series")
	u.curve(r.Curve)
	u.span(r.Range)
	u.value(r.Target, "target")
}

func (u under) value(v *Value, name string) {
	if v == nil {
		return
	}
	in := u.in(name)
	if v.Of != nil {
		in.in("of").reading(*v.Of)
	}
	in.add(KindFact, v.Fact, "fact")
}
