package claims

import "fmt"

// plateau estimates the ratio of the metric at the end of the range to that at its
// beginning.
func (p *part) plateau(pl *Plateau) ([]Estimate, error) {
	ls, err := p.lines(pl.Series, pl.Curve)
	if err != nil {
		return nil, err
	}
	sp, err := p.span(pl.Range, ls)
	if err != nil {
		return nil, err
	}
	var ratios []quantity
	for _, id := range ls.ids() {
		l, s := ls.of[id], sp(id)
		from, to := max(l.at(s.lo), l.floor), max(l.at(s.hi), l.floor)
		if !(from > 0) || !(to > 0) {
			return nil, fmt.Errorf("%s is not positive along the range, where ratios say nothing", ls.curve.Metric)
		}
		ratios = append(ratios, quantity{v: to / from})
	}
	name := fmt.Sprintf("%s, end / beginning of %s", pl.Series, ls.shows())
	estimates := []Estimate{p.estimate(name, ratios, atLeast(pl.Falls), interval{ratios: true})}
	if pl.Above != nil {
		e, err := p.beyond(ls, sp, *pl.Above, true)
		if err != nil {
			return nil, err
		}
		estimates = append(estimates, e)
	}
	return estimates, nil
}
