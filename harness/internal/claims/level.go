package claims

import (
	"stochopt/internal/observe"
	"stochopt/internal/words"
)

// Level: a reading, on average over repeats, lies between two numbers.
type Level struct {
	Reading `yaml:",inline"`
	// Per names a parameter or a fact that the reading is divided by, such as k.
	Per     string     `yaml:"per,omitempty" json:"per,omitempty"`
	Between []*float64 `yaml:"between,flow" json:"between" jsonschema:"minItems=2,maxItems=2"`
}

func (l *Level) examine(at place) {
	at.reading(&l.Reading)
	at.mention(KindFact, l.Per, "per")
	at.between(l.Between)
	if l.Read != readCost && l.Read != readCostTo {
		return
	}
	if len(l.Between) == 2 && l.Between[1] != nil && !(*l.Between[1] > 0) {
		at.in("between").fail("%v cannot bound a cost, which is positive", *l.Between[1])
	}
}

func (l *Level) words(metric string) string {
	return l.name(metric) + ": " + between(l.Between).String()
}

func (l *Level) observe(j *observing) []observe.Table { return j.tables(false, l.quantities) }

func (l *Level) name(metric string) string {
	name := l.Series + ", " + l.Reading.words(metric)
	if l.Per != "" {
		name += " / " + l.Per
	}
	return name
}

// quantities reads a reading, for its arithmetic mean over replicates.
func (l *Level) quantities(p *part) []observe.Quantity {
	of, per := p.read(l.Reading), constant(1)
	if l.Per != "" {
		per = p.facts(l.Series, l.Per)
	}
	q := observe.Quantity{
		Key: "level", Name: l.name(p.metric("")), Statistic: observe.Mean, Between: between(l.Between), Alike: l.Read == readCost,
	}
	for _, id := range p.pair(of.ids(), per.ids()) {
		by := per.get(id)
		if !(by.Number > 0) {
			p.fail("cannot divide by %s: it is %s, and must be positive", l.Per, words.Rounded(by.Number))
		}
		q.Add(id, of.get(id).Over(by))
	}
	return []observe.Quantity{q}
}
