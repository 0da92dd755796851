package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// referenceName is what legends and notes call the classifier that is not sparse.
const referenceName = "Reference SVM"

var referenceStyle = Style{Color: "#303030", Dash: []float64{1, 2.2}, Width: 1.1, Glyph: GlyphCross}

// looks assigns the curves of a figure their styles and legend labels: the
// same look means the same thing in every panel.
type looks struct {
	Catalog
	// color is the variable that colours stand for.
	color string
	// order lists the series, values the values of the colour variable.
	order  []seriesID
	values []any
	// styles holds the styles of series, byValue those of the colour variable's values.
	styles, byValue map[string]Style
}

// looksOf takes all the curves of a figure into account.
func looksOf(c Catalog, color string, curves []*ChartCurve) looks {
	l := looks{Catalog: c, color: color, byValue: make(map[string]Style)}
	for _, cv := range curves {
		if !slices.Contains(l.order, cv.series) {
			l.order = append(l.order, cv.series)
		}
		if l.position(cv.color) < 0 {
			l.values = append(l.values, cv.color)
		}
	}
	slices.SortFunc(l.order, c.compare)
	l.styles = c.stylesOf(l.order)
	slices.SortFunc(l.values, func(a, b any) int { return cmp.Or(compareNumbers(a, b), strings.Compare(format(a), format(b))) })
	for i, v := range l.values {
		l.byValue[format(v)] = sequential(i, len(l.values))
	}
	return l
}

// position is the index of a value of the colour variable.
func (l looks) position(value any) int {
	return slices.IndexFunc(l.values, func(v any) bool { return format(v) == format(value) })
}

// base is the look that the series and the colour's value ask for. Where the
// colour stands for another variable than the series, the dashes tell series
// apart.
func (l looks) base(id identity) Style {
	if l.color == varSeries {
		return l.styles[id.series.series]
	}
	s := l.byValue[format(id.color)]
	if len(l.order) > 1 {
		s.Dash = l.styles[id.series.series].Dash
	}
	return s
}

// label returns what the legend calls a curve.
func (l looks) labelOf(id identity) string {
	label := l.Name(id.series.series)
	if l.color != varSeries && id.color != nil {
		value := l.label(l.color, id.color)
		if len(l.order) == 1 {
			label = value
		} else {
			label += ", " + value
		}
	}
	return joinParts(", ", label, id.extra)
}

// newKey is an entry of the legend.
func newKey(label, series string, style Style) ChartKey {
	return ChartKey{Key: plainText(label), Label: Text(label), Series: series, Style: style}
}

// keys returns the entries of the legend by series, then by value of the colour variable,
// then by what else tells curves apart. Every label has a look of its own. The first of
// each series and value gets the one that those ask for; where that is taken, and for the
// others, the dashes change, and when these run out the colour darkens.
func (l looks) keys(curves []*ChartCurve) []ChartKey {
	var variants []identity
	for _, cv := range curves {
		same := func(id identity) bool { return l.labelOf(id) == l.labelOf(cv.identity) }
		if !slices.ContainsFunc(variants, same) {
			variants = append(variants, cv.identity)
		}
	}
	slices.SortStableFunc(variants, func(a, b identity) int {
		return cmp.Or(slices.Index(l.order, a.series)-slices.Index(l.order, b.series), l.position(a.color)-l.position(b.color))
	})
	keys := make([]ChartKey, len(variants))
	taken := make(map[string]bool)
	for _, first := range []bool{true, false} {
		for i, id := range variants {
			is := i == 0 || variants[i-1].series != id.series || format(variants[i-1].color) != format(id.color)
			if is != first {
				continue
			}
			s := l.base(id)
			for k := 0; taken[s.look()] && k < 4*len(extraDashes); k++ {
				s.Dash = extraDashes[k%len(extraDashes)]
				if k > 0 && k%len(extraDashes) == 0 {
					s.Color = darker(s.Color)
				}
			}
			taken[s.look()] = true
			keys[i] = newKey(l.labelOf(id), id.series.series, s)
		}
	}
	return keys
}

// look is what tells lines apart.
func (s Style) look() string { return fmt.Sprint(s.Color, s.Dash) }

// wear gives a curve the look of its entry of the legend. Single runs and eigenvalues are
// fainter and finer, and some curves have a look of their own.
func (cv *ChartCurve) wear(key ChartKey, eigenvalue bool) {
	cv.Key = key.Key
	switch {
	case cv.Look.Color != "":
	case eigenvalue:
		cv.Look = Style{Color: key.Color, Width: 0.8, Glyph: key.Glyph, Radius: 0.7}
	case cv.Thin:
		cv.Look = Style{Color: faded(key.Color, 0x70), Width: 0.5, Glyph: key.Glyph, Radius: 1.5}
	default:
		cv.Look = key.Style
	}
}

// legend gives all curves their looks and lists these once each, and the references'.
func (l layout) legend(catalog Catalog, color string) []ChartKey {
	var curves []*ChartCurve
	references := false
	for c := range l.all() {
		first := len(curves)
		for i := range c.Curves {
			curves = append(curves, &c.Curves[i])
		}
		if c.tradesOff() || c.illustrates() { // the first is on top
			slices.Reverse(curves[first:])
		}
		references = references || len(c.Lines) > 0 && len(c.Curves) > 0
	}
	looks := looksOf(catalog, color, curves)
	keys := looks.keys(curves)
	lone := make([]int, len(keys)) // the number of curves that are lone points, -1 if another is not
	for c := range l.all() {
		for i := range c.Curves {
			cv := &c.Curves[i]
			label := Text(looks.labelOf(cv.identity))
			k := slices.IndexFunc(keys, func(key ChartKey) bool { return key.Label == label })
			cv.wear(keys[k], c.spec.Y == ySpectrum)
			switch {
			case cv.Thin && c.spec.Y != ySpectrum:
			case cv.Thin || !cv.lone():
				lone[k] = -1
			case lone[k] >= 0:
				lone[k]++
			}
			keys[k].Glyphs = keys[k].Glyphs || cv.Marked || cv.lone() && !cv.Thin
			keys[k].Epochs = keys[k].Epochs || cv.Dashed != nil
		}
	}
	for k := range keys {
		keys[k].Bare = lone[k] > 0
		if keys[k].Epochs { // the dashes say something else
			keys[k].Dash = nil
		}
	}
	if references {
		keys = append(keys, newKey(referenceName, "", referenceStyle))
	}
	return keys
}
