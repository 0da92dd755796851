package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/finite"
	"stochopt/internal/words"
)

// referenceName is what legends and notes call the classifier that is not sparse.
const referenceName = "Reference SVM"

var referenceStyle = Style{Color: "#303030", Dash: []float64{1, 2.2}, Width: 1.1, Glyph: GlyphCross}

// lay makes the panel of the chart and notes what there is to be said of it. It warns of
// a panel without a curve in sight and of values moved to the floor of the y axis.
func (c *pane) lay(looks looks) (warning string) {
	title := c.title
	if c.panel.Y == ySpectrum && !c.illustrates() && len(c.curves) > 0 {
		title = joinParts(" · ", title, "one run")
	}
	if standIn(c.runs) {
		title = joinParts(" · ", title, "stand-in data")
	}
	out := &ChartPanel{
		Title: Text(title), X: c.x, Y: c.y, StandIn: standIn(c.runs),
		Static: c.kind().static,
	}
	c.out, out.X.Label, out.Y.Label = out, Text(c.xLabel()), Text(c.yLabel())
	switch {
	case len(c.curves) == 0:
		out.Empty = Text("no data: " + c.why)
		return ""
	case c.illustrates():
		c.illustrate(looks)
		return ""
	}
	for _, r := range c.references {
		line := func(what string) ChartLine {
			return ChartLine{Key: referenceName, Label: joinParts(", ", referenceName+": "+what, r.what), Look: referenceStyle}
		}
		vertical, horizontal := line("support vectors"), line("test error")
		vertical.X, horizontal.Y = &r.support, &r.error
		out.Lines = append(out.Lines, vertical, horizontal)
	}
	curves := slices.Clone(c.curves)
	if c.tradesOff() { // the first series on top
		slices.Reverse(curves)
	}
	for i := range curves {
		c.addThin(&curves[i], looks)
	}
	for i := range curves {
		c.addMean(&curves[i], looks)
	}
	if !slices.ContainsFunc(c.curves, func(cv curve) bool { return cv.inView(c.x, c.y) }) {
		out.Empty = Text("no curve lies within " + limitsOf(c.panel))
		return string(out.Empty)
	}
	if c.floored {
		warning = fmt.Sprintf("values below %g are drawn at the floor of the logarithmic axis", c.y.Floor)
	}
	return warning
}

// addThin adds the thin lines of a curve: the repeats, or the eigenvalues.
func (c *pane) addThin(cv *curve, looks looks) {
	key := looks.byLabel[looks.labelOf(*cv)]
	for i, l := range cv.thin {
		c.floored = c.floored || l.floored(c.x, c.y)
		l.N, l.Thin, l.Label = 1, true, fmt.Sprintf("run %d of %d", i+1, len(cv.thin))
		l.Look = Style{Color: faded(key.Color, 0x70), Width: 0.5, Glyph: key.Glyph, Radius: 1.5}
		if c.panel.Y == ySpectrum {
			l.Label = "eigenvalue" // lines with gaps are cut: the number is not its rank
			l.Look = Style{Color: key.Color, Width: 0.8, Glyph: key.Glyph, Radius: 0.7}
		}
		c.out.add(l, key.Key)
	}
}

// addMean adds the curve itself.
func (c *pane) addMean(cv *curve, looks looks) {
	l := cv.mean
	c.floored = c.floored || l.floored(c.x, c.y)
	l.Look, l.Done = looks.style(*cv), cv.endsBefore(c.x.Max)
	c.out.add(l, looks.key(*cv))
	leaves := cv.leaves(c.x, c.y)
	c.stops, c.leaves = c.stops || l.Done, c.leaves || leaves
	switch {
	case !c.tradesOff():
	case !cv.inView(c.x, c.y):
		c.hidden = append(c.hidden, fmt.Sprintf("%s lies outside its panel (%s): its least error is %s",
			c.in.Name(cv.series.series), cmp.Or(c.title, c.where), words.Percent(slices.Min(l.Y))))
	default:
		c.seen++
		if name := looks.labelOf(*cv); leaves && !slices.Contains(c.cut, name) {
			c.cut = append([]string{name}, c.cut...)
		}
	}
}

// add puts a curve on top of the others, without points that are no numbers.
func (p *ChartPanel) add(c ChartCurve, key string) {
	c = c.finite()
	if len(c.X) > 0 {
		c.Key, c.Points = key, len(c.X) == 1
		p.Curves = append(p.Curves, c)
	}
}

// finite leaves out the points of which anything is not a number.
func (c ChartCurve) finite() ChartCurve {
	x, y, lo, hi := c.X, c.Y, c.Lo, c.Hi
	c.X, c.Y, c.Lo, c.Hi = nil, nil, nil, nil
	for i := range x {
		if !finite.Is(x[i]) || !finite.Is(y[i]) || lo != nil && !(finite.Is(lo[i]) && finite.Is(hi[i])) {
			continue
		}
		c.X, c.Y = append(c.X, x[i]), append(c.Y, y[i])
		if lo != nil {
			c.Lo, c.Hi = append(c.Lo, lo[i]), append(c.Hi, hi[i])
		}
	}
	return c
}

// floored reports whether any value is drawn at the floor of the y axis.
func (c ChartCurve) floored(x, y ChartAxis) bool {
	if y.Floor <= 0 {
		return false
	}
	for i := range c.X {
		if _, moved, ok := x.Place(c.X[i]); !ok || moved {
			continue
		}
		for _, column := range [][]float64{c.Y, c.Lo, c.Hi} {
			if column == nil {
				continue
			}
			if _, moved, ok := y.Place(column[i]); ok && moved {
				return true
			}
		}
	}
	return false
}

// limitsOf names the ends of the axes that the panel was given.
func limitsOf(p Panel) string {
	var parts []string
	if p.Xlim != nil {
		parts = append(parts, fmt.Sprintf("xlim [%v, %v]", p.Xlim[0], p.Xlim[1]))
	}
	if p.Ylim != nil {
		parts = append(parts, fmt.Sprintf("ylim [%v, %v]", p.Ylim[0], p.Ylim[1]))
	}
	if parts == nil {
		return "the axes"
	}
	return strings.Join(parts, " and ")
}
