package claims

import "fmt"

// ratio estimates one reading over another.
func (p *part) ratio(r *Ratio) ([]Estimate, error) {
	of, err := p.read(r.Of)
	if err != nil {
		return nil, err
	}
	to, err := p.read(r.To)
	if err != nil {
		return nil, err
	}
	ids, err := p.pair(of, to)
	if err != nil {
		return nil, err
	}
	var ratios []quantity
	for _, id := range ids {
		a, b := of.get(id), to.get(id)
		if !(a.v > 0) || !(b.v > 0) {
			return nil, fmt.Errorf("a ratio of %s to %s says nothing", short(a.v), short(b.v))
		}
		ratios = append(ratios, a.over(b))
	}
	halves := r.Of.Series == r.To.Series && (r.Of.Split == splitValidation) != (r.To.Split == splitValidation)
	return []Estimate{p.estimate(p.ratioName(r), ratios, between(r.Between), interval{ratios: true, halves: halves, alike: r.Of.Read == readCost && r.To.Read == readCost})}, nil
}

// ratioName names the ratio in short: what both readings have in common once.
func (p *part) ratioName(r *Ratio) string {
	of, to := p.describe(r.Of), p.describe(r.To)
	switch {
	case of == to:
		return fmt.Sprintf("%s / %s, %s", r.Of.Series, r.To.Series, of)
	case r.Of.Series == r.To.Series:
		return fmt.Sprintf("%s, %s / %s", r.Of.Series, of, to)
	}
	return fmt.Sprintf("%s of %s / %s of %s", of, r.Of.Series, to, r.To.Series)
}
