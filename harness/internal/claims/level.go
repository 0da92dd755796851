package claims

import "fmt"

// level estimates a reading, by its arithmetic mean over replicates.
func (p *part) level(l *Level) ([]Estimate, error) {
	of, err := p.read(l.Reading)
	if err != nil {
		return nil, err
	}
	name, per := l.Series+", "+p.describe(l.Reading), constant(1)
	if l.Per != "" {
		if per, err = p.facts(l.Series, l.Per); err != nil {
			return nil, err
		}
		name += " / " + l.Per
	}
	ids, err := p.pair(of, per)
	if err != nil {
		return nil, err
	}
	var levels []quantity
	for _, id := range ids {
		by := per.get(id)
		if !(by.v > 0) {
			return nil, fmt.Errorf("%s is %s, which nothing can be divided by here", l.Per, short(by.v))
		}
		levels = append(levels, of.get(id).over(by))
	}
	return []Estimate{p.estimate(name, levels, between(l.Between), interval{alike: l.Read == readCost})}, nil
}
