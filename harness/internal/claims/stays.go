package claims

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
)

// Stays: the metric of a series is above, or below, a value all along the range. The
// quantity is the least, or the largest, metric along it.
type Stays struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	Above  *Value `yaml:"above,omitempty" json:"above,omitempty"`
	Below  *Value `yaml:"below,omitempty" json:"below,omitempty"`
}

func (s *Stays) examine(at place) {
	at.series(s.Series)
	at.curve(s.Curve)
	at.span(s.Range)
	if s.Above == nil && s.Below == nil {
		at.fail("above and below are missing: give at least one")
	}
	at.in("above").threshold(s.Above, s.Metric)
	at.in("below").threshold(s.Below, s.Metric)
	lo, isLo := s.Above.constant()
	hi, isHi := s.Below.constant()
	if isLo && isHi && lo >= hi {
		at.in("above").fail("above is %v and below is %v: above must be the smaller one", lo, hi)
	}
}

func (s *Stays) words(metric string) string {
	var sides []string
	if s.Above != nil {
		sides = append(sides, "above "+s.Above.words(metric))
	}
	if s.Below != nil {
		sides = append(sides, "below "+s.Below.words(metric))
	}
	return fmt.Sprintf("%s of %s along %s stays %s%s",
		s.Curve.words(metric), s.Series, s.cost(), strings.Join(sides, " and "), s.Range.words())
}

func (s *Stays) observe(j *observing) []observe.Table { return j.byPart(s.quantities) }

// quantities reads the least, or the largest, metric of a series along the range, over what it stays
// above, or below.
func (s *Stays) quantities(p *part) ([]observe.Quantity, error) {
	ls, sp, err := p.linesAlong(s.Series, s.Curve, s.Range)
	if err != nil {
		return nil, err
	}
	above, err := p.beyond(ls, sp, s.Above, true)
	if err != nil {
		return nil, err
	}
	below, err := p.beyond(ls, sp, s.Below, false)
	return append(above, below...), err
}

// beyond compares the extreme of each curve with a value, if it is given.
func (p *part) beyond(ls *lines, sp replicated[span], v *Value, above bool) ([]observe.Quantity, error) {
	if v == nil {
		return nil, nil
	}
	value, err := p.value(*v, ls.series)
	if err != nil {
		return nil, err
	}
	ids, err := p.pair(ls.of, value)
	if err != nil {
		return nil, err
	}
	extreme, extremeOf, key := "largest", slices.Max[[]float64], "below"
	if above {
		extreme, extremeOf, key = "least", slices.Min[[]float64], "above"
	}
	var of, to []observe.Value
	for _, id := range ids {
		l, s := ls.of.get(id), sp.get(id)
		_, y := l.Within(s.lo, s.hi)
		x, limit := observe.Value{Number: extremeOf(y)}, value.get(id)
		if limit.Number > 0 {
			x = x.Raised(l.Floor)
		}
		of, to = append(of, x), append(to, limit)
	}
	name := fmt.Sprintf("%s, %s %s%s", ls.series, extreme, ls.shows(), ls.floored(of))
	return []observe.Quantity{compared(key, name, ids, of, to, above)}, nil
}

// floored says that numbers, which were raised to the least that is told from 0, are
// all no more than that.
func (ls *lines) floored(of []observe.Value) string {
	for _, l := range ls.of {
		if !(l.Floor > 0) || slices.ContainsFunc(of, func(v observe.Value) bool { return v.Number > l.Floor }) {
			return ""
		}
	}
	return " (at the floor)"
}
