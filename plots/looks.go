package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"
)

// looks assigns the curves of a figure their styles and legend labels: the
// same look means the same thing in every panel.
type looks struct {
	color   string
	series  map[string]Style
	order   []seriesID
	values  []any
	numeric bool
	byValue map[string]Style
	// extras lists, by series and value, what else tells curves apart.
	extras map[string][]string
	// byLabel holds the result, by legend label.
	byLabel map[string]Style
}

// newLooks takes all the curves of a figure into account; color is its colour
// variable.
func newLooks(color string, curves []curve) looks {
	l := looks{
		color: color, numeric: true,
		byValue: make(map[string]Style), byLabel: make(map[string]Style), extras: make(map[string][]string),
	}
	for _, cv := range curves {
		if k := cv.kind(); !slices.Contains(l.extras[k], cv.extra) {
			l.extras[k] = append(l.extras[k], cv.extra)
		}
		if !slices.Contains(l.order, cv.series) {
			l.order = append(l.order, cv.series)
		}
		if !slices.ContainsFunc(l.values, func(v any) bool { return format(v) == format(cv.color) }) {
			l.values = append(l.values, cv.color)
			_, isNumber := number(cv.color)
			l.numeric = l.numeric && (isNumber || cv.color == nil)
		}
	}
	slices.SortFunc(l.order, func(a, b seriesID) int {
		return cmp.Or(compareSeries(a, b), strings.Compare(a.algorithm, b.algorithm))
	})
	l.series = assignStyles(l.order)
	if color != varSeries {
		l.assignValues()
	}
	l.resolve(l.sort(curves))
	return l
}

// assignValues gives the values of the colour variable their looks.
func (l *looks) assignValues() {
	if l.numeric {
		slices.SortFunc(l.values, compareNumbers)
		for i, v := range l.values {
			l.byValue[format(v)] = sequential(i, len(l.values))
		}
		return
	}
	slices.SortFunc(l.values, func(a, b any) int { return strings.Compare(format(a), format(b)) })
	ids := make([]seriesID, len(l.values))
	for i, v := range l.values {
		ids[i] = seriesID{series: format(v)}
	}
	l.byValue = assignStyles(ids)
}

// style returns the look of a curve.
func (l looks) style(cv curve) Style { return l.byLabel[l.label(cv)] }

// resolve gives every curve, told from others by its label, a look of its own.
// The first of each series and value gets the one that those ask for; where
// that is taken, and for the others, the dashes change, and when these run out
// the colour darkens.
func (l looks) resolve(curves []curve) {
	taken := make(map[string]bool)
	look := func(s Style) string { return fmt.Sprint(s.Color, s.Dashes) }
	for _, first := range []bool{true, false} {
		for _, cv := range curves {
			if _, done := l.byLabel[l.label(cv)]; done || first != (l.variant(cv) == 0) {
				continue
			}
			s := l.base(cv)
			for i := 0; taken[look(s)] && i < 4*len(extraDashes); i++ {
				s.Dashes = extraDashes[i%len(extraDashes)]
				if i > 0 && i%len(extraDashes) == 0 {
					s.Color = darker(s.Color)
				}
			}
			taken[look(s)] = true
			l.byLabel[l.label(cv)] = s
		}
	}
}

// base is the look that the series and the colour's value ask for. Where the
// colour stands for another variable than the series, the dashes tell series
// apart.
func (l looks) base(cv curve) Style {
	if l.color == varSeries {
		return l.series[cv.series.series]
	}
	s := l.byValue[format(cv.color)]
	if len(l.order) > 1 {
		s.Dashes = l.series[cv.series.series].Dashes
	}
	return s
}

func darker(c color.NRGBA) color.NRGBA {
	return color.NRGBA{R: c.R / 3 * 2, G: c.G / 3 * 2, B: c.B / 3 * 2, A: c.A}
}

// variant counts the curves of one series and colour.
func (l looks) variant(cv curve) int { return slices.Index(l.extras[cv.kind()], cv.extra) }

// kind identifies the series and colour of a curve.
func (cv curve) kind() string { return strconv.Quote(cv.series.series) + format(cv.color) }

// label returns what the legend calls a curve.
func (l looks) label(cv curve) string {
	series := DisplayName(cv.series.series)
	if l.color == varSeries {
		return joinParts(", ", series, cv.extra)
	}
	value := series
	if cv.color != nil {
		value = label(l.color, cv.color)
		if len(l.order) > 1 {
			value = series + ", " + value
		}
	}
	return joinParts(", ", value, cv.extra)
}

// sort puts curves in the order of the legend: by series, then by value of the
// colour variable, then by what else tells them apart.
func (l looks) sort(curves []curve) []curve {
	position := func(cv curve) int {
		return slices.IndexFunc(l.values, func(v any) bool { return format(v) == format(cv.color) })
	}
	sorted := slices.Clone(curves)
	slices.SortStableFunc(sorted, func(a, b curve) int {
		return cmp.Or(
			slices.Index(l.order, a.series)-slices.Index(l.order, b.series),
			position(a)-position(b),
			l.variant(a)-l.variant(b))
	})
	return sorted
}

// legend lists the curves once each.
func (l looks) legend(curves []curve) legend {
	var entries legend
	for _, cv := range l.sort(curves) {
		lone := cv.lone()
		e := legendEntry{l.label(cv), l.style(cv), lone || cv.marked, lone}
		i := slices.IndexFunc(entries, func(f legendEntry) bool { return f.label == e.label })
		if i < 0 {
			entries = append(entries, e)
		} else {
			entries[i].glyph = entries[i].glyph || e.glyph
			entries[i].bare = entries[i].bare && e.bare
		}
	}
	return entries
}
