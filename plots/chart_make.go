package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg/draw"
)

// Chart returns the figure as data.
func (c *Composition) Chart() *Chart {
	ch := &Chart{
		ID: c.fig.ID, Title: c.sheet.title, Caption: c.sheet.caption,
		Remarks: plainTexts(unique(c.in.Notes)), Notes: plainTexts(c.notes),
	}
	if c.facts.standIns != nil {
		ch.Alarms = []string{plainText(c.facts.alarm())}
	}
	for i, row := range c.sheet.frames {
		var panels []*ChartPanel
		for j, f := range row {
			panels = append(panels, c.panel(&c.cells[i][j], c.contents[i][j], f))
		}
		ch.Panels = append(ch.Panels, panels)
	}
	ch.Keys = c.keys()
	return ch
}

// keys are the entries of the legend, those that only explain dashes left out.
func (c *Composition) keys() []ChartKey {
	var curves []curve
	references := false
	for _, row := range c.contents {
		for _, ct := range row {
			curves = append(curves, ct.curves...)
			references = references || len(ct.references) > 0 && len(ct.curves) > 0
		}
	}
	var keys []ChartKey
	for _, cv := range c.looks.sort(curves) {
		name := c.looks.key(cv)
		i := slices.IndexFunc(keys, func(k ChartKey) bool { return k.Key == name })
		if i < 0 {
			i = len(keys)
			keys = append(keys, chartKey(name, c.looks.style(cv)))
			keys[i].Series = cv.series.series
		}
		if cv.epoch > 0 { // the dashes say something else
			keys[i].Dash = nil
		}
	}
	if references {
		keys = append(keys, chartKey(referenceName, referenceStyle))
	}
	return keys
}

// key is what a chart calls the look of a curve.
func (l looks) key(cv curve) string { return plainText(l.label(cv)) }

func chartKey(name string, s Style) ChartKey {
	k := ChartKey{Key: name, Label: name, Color: htmlColor(s.Color), Width: float64(s.Width), Glyph: glyphName(s.Glyph)}
	for _, d := range s.Dashes {
		k.Dash = append(k.Dash, float64(d))
	}
	return k
}

func htmlColor(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

type namedGlyph struct {
	glyph draw.GlyphDrawer
	name  string
}

// glyphNames are the values of ChartKey.Glyph.
var glyphNames = []namedGlyph{
	{draw.CircleGlyph{}, "disc"}, {draw.RingGlyph{}, "ring"},
	{draw.BoxGlyph{}, "box"}, {draw.SquareGlyph{}, "square"},
	{draw.PyramidGlyph{}, "pyramid"}, {draw.TriangleGlyph{}, "triangle"},
	{draw.PlusGlyph{}, "plus"}, {draw.CrossGlyph{}, "cross"}, {boldCross{}, "bold-cross"},
}

func glyphName(g draw.GlyphDrawer) string {
	for _, known := range glyphNames {
		if known.glyph == g {
			return known.name
		}
	}
	return ""
}

func plainTexts(texts []string) []string {
	var plain []string
	for _, t := range texts {
		plain = append(plain, unglue(plainText(t)))
	}
	return plain
}

// panel describes the panel c, which the frame f draws.
func (c *Composition) panel(of *cell, ct content, f frame) *ChartPanel {
	p := &ChartPanel{
		Title: unglue(plainText(f.title)), X: f.x.chart(of.xLabel()), Y: f.y.chart(of.yLabel()), Empty: unglue(plainText(f.empty)),
		Static: of.illustrates() && of.panel.Draw != DrawFunction, StandIn: standIn(of.runs),
	}
	for _, v := range distinct(of.runs, varDataset) {
		p.Datasets = append(p.Datasets, format(v))
	}
	for _, r := range ct.references {
		if len(ct.curves) == 0 {
			break
		}
		p.Lines = append(p.Lines,
			ChartLine{Key: referenceName, X: &r.support, Label: joinParts(", ", referenceName+": support vectors", r.what)},
			ChartLine{Key: referenceName, Y: &r.error, Label: joinParts(", ", referenceName+": test error", r.what)})
	}
	curves := slices.Clone(ct.curves)
	if of.tradesOff() || of.illustrates() { // the first on top
		slices.Reverse(curves)
	}
	var above []ChartCurve
	for _, cv := range curves {
		p.Curves = append(p.Curves, c.thin(of, cv)...)
		above = append(above, c.mean(of, cv, f)...)
	}
	p.Curves = append(p.Curves, above...)
	return p
}

func (s scale) chart(label string) ChartAxis {
	return ChartAxis{Label: unglue(plainText(label)), Log: s.log, Min: s.min, Max: s.max, Percent: s.percent, Floor: s.floor}
}

// thin returns the thin lines of a curve: the repeats, or the eigenvalues.
func (c *Composition) thin(of *cell, cv curve) []ChartCurve {
	name := "run"
	if of.panel.Y == ySpectrum {
		name = "eigenvalue"
	}
	var lines []ChartCurve
	for i, l := range cv.thin {
		t := chartCurve(l, nil, nil)
		if len(t.X) == 0 {
			continue
		}
		t.Key, t.N, t.Thin, t.Points = c.looks.key(cv), 1, true, len(t.X) == 1
		t.Label = fmt.Sprintf("%s %d of %d", name, i+1, len(cv.thin))
		if name == "eigenvalue" {
			t.Label = name // lines with gaps are cut: the number is not its rank
		}
		lines = append(lines, t)
	}
	return lines
}

// mean returns the curve itself with its band; a function is cut at its jumps.
func (c *Composition) mean(of *cell, cv curve, f frame) []ChartCurve {
	pieces := []polyline{cv.mean}
	if of.illustrates() && cv.water == nil {
		pieces = cv.mean.steps()
	}
	var curves []ChartCurve
	for _, l := range pieces {
		out := chartCurve(l, cv.lo, cv.hi)
		if len(out.X) == 0 {
			continue
		}
		out.Key, out.N, out.Points = c.looks.key(cv), cv.repeats, len(out.X) == 1
		if n := len(cv.pieces(Style{})); n > 1 {
			out.Dashed = &cv.epoch
		}
		out.Done = !of.illustrates() && cv.endsBefore(f.x.max)
		curves = append(curves, out)
	}
	return curves
}

// chartCurve takes the points of a curve that are numbers.
func chartCurve(l polyline, lo, hi []float64) ChartCurve {
	var c ChartCurve
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	for i := range l.x {
		if !finite(l.x[i]) || !finite(l.y[i]) || lo != nil && !(finite(lo[i]) && finite(hi[i])) {
			continue
		}
		c.X, c.Y = append(c.X, l.x[i]), append(c.Y, l.y[i])
		if lo != nil {
			c.Lo, c.Hi = append(c.Lo, lo[i]), append(c.Hi, hi[i])
		}
	}
	return c
}
