package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
)

// looks assigns the curves of a figure their styles and legend labels: the
// same look means the same thing in every panel.
type looks struct {
	Catalog
	color   string
	series  map[string]Style
	order   []seriesID
	values  []any
	numeric bool
	byValue map[string]Style
	// extras lists, by series and value, what else tells curves apart.
	extras map[string][]string
	// byLabel holds the result, by the labels of curves.
	byLabel map[string]ChartKey
}

// newLooks takes all the curves of a figure into account; color is its colour
// variable.
func newLooks(c Catalog, color string, curves []curve) looks {
	l := looks{
		Catalog: c, color: color, numeric: true,
		byValue: make(map[string]Style), byLabel: make(map[string]ChartKey), extras: make(map[string][]string),
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
			_, isNumber := record.Number(cv.color)
			l.numeric = l.numeric && (isNumber || cv.color == nil)
		}
	}
	slices.SortFunc(l.order, l.compare)
	l.series = l.styles(l.order)
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
	l.byValue = l.styles(ids)
}

// style returns the look of a curve, and key the key of the legend's entry on it.
func (l looks) style(cv curve) Style { return l.byLabel[l.labelOf(cv)].Style }
func (l looks) key(cv curve) string  { return l.byLabel[l.labelOf(cv)].Key }

// resolve gives every curve, told from others by its label, a look of its own.
// The first of each series and value gets the one that those ask for; where
// that is taken, and for the others, the dashes change, and when these run out
// the colour darkens.
func (l looks) resolve(curves []curve) {
	taken := make(map[string]bool)
	look := func(s Style) string { return fmt.Sprint(s.Color, s.Dash) }
	for _, first := range []bool{true, false} {
		for _, cv := range curves {
			if _, done := l.byLabel[l.labelOf(cv)]; done || first != (l.variant(cv) == 0) {
				continue
			}
			s := l.base(cv)
			for i := 0; taken[look(s)] && i < 4*len(extraDashes); i++ {
				s.Dash = extraDashes[i%len(extraDashes)]
				if i > 0 && i%len(extraDashes) == 0 {
					s.Color = darker(s.Color)
				}
			}
			taken[look(s)] = true
			l.byLabel[l.labelOf(cv)] = newKey(l.labelOf(cv), cv.series.series, s)
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
		s.Dash = l.series[cv.series.series].Dash
	}
	return s
}

// variant counts the curves of one series and colour.
func (l looks) variant(cv curve) int { return slices.Index(l.extras[cv.kind()], cv.extra) }

// kind identifies the series and colour of a curve.
func (cv curve) kind() string { return strconv.Quote(cv.series.series) + format(cv.color) }

// labelOf returns what the legend calls a curve.
func (l looks) labelOf(cv curve) string {
	series := l.Name(cv.series.series)
	if l.color == varSeries {
		return joinParts(", ", series, cv.extra)
	}
	value := series
	if cv.color != nil {
		value = l.label(l.color, cv.color)
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

// newKey is an entry of the legend.
func newKey(label, series string, style Style) ChartKey {
	return ChartKey{Key: plainText(label), Label: Text(label), Series: series, Style: style}
}

// legend lists the looks of all curves once each, and the references'.
func (l looks) legend(panes layout) []ChartKey {
	var curves []curve
	references := false
	for c := range panes.all() {
		curves = append(curves, c.curves...)
		references = references || len(c.references) > 0 && len(c.curves) > 0
	}
	var keys []ChartKey
	for _, cv := range l.sort(curves) {
		k := l.byLabel[l.labelOf(cv)]
		i := slices.IndexFunc(keys, func(o ChartKey) bool { return o.Key == k.Key })
		if i < 0 {
			i, k.Bare = len(keys), true
			keys = append(keys, k)
		}
		own := &keys[i]
		own.Glyphs = own.Glyphs || cv.lone() || cv.mean.Marked
		own.Bare = own.Bare && cv.lone()
		if cv.mean.Dashed != nil { // the dashes say something else
			own.Epochs, own.Dash = true, nil
		}
	}
	if references {
		keys = append(keys, newKey(referenceName, "", referenceStyle))
	}
	return keys
}
