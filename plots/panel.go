package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"stochopt/results/analysis"

	"stochopt/results/words"

	"gonum.org/v1/plot/vg/draw"
)

// axisLabel returns the name of a counter or metric.
func axisLabel(name string) string { return analysis.Label(name) }

// xLabel is axisLabel, or the label of an illustration.
func (c *cell) xLabel() string {
	if c.illustrates() {
		return illustrationLabels[c.panel.Draw][0]
	}
	return axisLabel(c.panel.X)
}

// yLabel is axisLabel, or the label of an illustration, but names the rank of Warmuth & Kuzmin's iterates for
// what it counts: their W has full rank.
func (c *cell) yLabel() string {
	if c.illustrates() {
		return illustrationLabels[c.panel.Draw][1]
	}
	if c.panel.Y == yRank && len(c.runs) > 0 {
		for i := range c.runs {
			if c.runs[i].Algorithm != "warmuth-kuzmin" {
				return axisLabel(yRank)
			}
		}
		return "Uncapped eigenvalues k′_{t}"
	}
	if c.panel.Y == yError || c.panel.Y == yHinge {
		return c.lossLabel()
	}
	return axisLabel(c.panel.Y)
}

// lossLabel names the split that a loss is measured on, if all runs have it on
// the same one.
func (c *cell) lossLabel() string {
	var split string
	for i := range c.runs {
		s, ok := splitOf(&c.runs[i], c.panel.Split, c.panel.Y)
		if !ok {
			continue
		}
		if split != "" && s != split {
			return axisLabel(c.panel.Y)
		}
		split = s
	}
	adjective := map[string]string{"test": "Test", "train": "Training", "validation": "Validation"}[split]
	if adjective == "" {
		return axisLabel(c.panel.Y)
	}
	return adjective + " " + strings.ToLower(axisLabel(c.panel.Y))
}

// axisKey identifies panels that share an axis: those of one row (for y) or
// column (for x) that show the same quantity on the same kind of scale.
type axisKey struct {
	line     int
	quantity string
	log      bool
	// apart tells axes of one quantity apart that differ in their ends.
	apart string
}

func (c *cell) xKey() axisKey {
	if c.illustrates() {
		return axisKey{line: c.col, quantity: xQuantity(c.panel.Draw), apart: c.datasets()}
	}
	k := axisKey{c.col, c.panel.X, c.panel.logX(), ""}
	if c.tradesOff() {
		k.apart = c.datasets()
	}
	if c.panel.Xlim != nil {
		k.apart += fmt.Sprint(c.panel.Xlim)
	}
	return k
}

func (c *cell) yKey() axisKey {
	k := axisKey{c.row, c.panel.Y, c.panel.logY(), ""}
	switch {
	case c.illustrates():
		k = axisKey{line: c.row, quantity: yQuantity(c.panel.Draw), apart: c.datasets()}
	case c.panel.Y == yError:
		// The errors that are within reach depend on the data.
		k.apart = c.datasets()
	}
	if c.tradesOff() {
		k.apart += DrawTradeoff
	}
	if c.panel.Ylim != nil {
		k.apart += fmt.Sprint(c.panel.Ylim)
	}
	return k
}

// datasets names the data of the panel's runs.
func (c *cell) datasets() string { return fmt.Sprint(distinct(c.runs, varDataset)) }

// scales returns the shared axes of all panels.
func scales(cells [][]cell, contents [][]content) (xs, ys map[axisKey]scale) {
	xv, yv := make(map[axisKey][]float64), make(map[axisKey][]float64)
	ends := make(map[axisKey]curveEnds)
	xlimits, limits := make(map[axisKey][]float64), make(map[axisKey][]float64)
	for i := range cells {
		for j := range cells[i] {
			c := &cells[i][j]
			kx, ky := c.xKey(), c.yKey()
			if _, ok := xv[kx]; !ok {
				xv[kx] = nil // an empty panel has axes too
			}
			if _, ok := yv[ky]; !ok {
				yv[ky] = nil
			}
			xlimits[kx], limits[ky] = c.panel.Xlim, c.panel.Ylim
			for _, r := range contents[i][j].references {
				xv[kx], yv[ky] = append(xv[kx], r.support), append(yv[ky], r.error)
				ends[ky] = ends[ky].withReference(r)
			}
			ends[ky] = ends[ky].withConstant(contents[i][j].constant)
			for _, cv := range contents[i][j].curves {
				if c.tradesOff() {
					ends[ky] = ends[ky].withTradeoff(cv)
				} else {
					ends[ky] = ends[ky].with(cv)
				}
				for _, l := range append([]polyline{cv.mean}, cv.thin...) {
					xv[kx] = append(xv[kx], l.x...)
					yv[ky] = append(yv[ky], l.y...)
				}
				yv[ky] = append(append(yv[ky], cv.lo...), cv.hi...)
				if cv.water != nil && c.panel.Draw != drawShare {
					yv[ky] = append(yv[ky], cv.water.level)
				}
			}
		}
	}
	xs, ys = make(map[axisKey]scale), make(map[axisKey]scale)
	for k, v := range xv {
		if k.log {
			v = positive(v)
		}
		xs[k] = newScale(v, k.log)
		if s := xs[k]; !k.log && len(v) > 0 && k.quantity != quantityMargin {
			// A curve ends at the edge of its panel.
			s.max = math.Max(s.max-0.04/1.04*(s.max-s.min), s.min+1)
			xs[k] = s
		}
	}
	for k, lim := range xlimits {
		if lim != nil {
			xs[k] = scale{log: k.log, min: lim[0], max: lim[1], clip: true}
		}
	}
	for k, v := range yv {
		s := newScale(v, k.log)
		switch {
		case k.quantity == yError:
			s = errorScale(s, ends[k])
		case k.quantity == quantityLoss:
			s.min = math.Min(s.min, -0.03*s.max) // a loss of 0 is seen above the axis
		case k.quantity == ySpectrum && !k.log:
			s = scale{min: -0.02, max: 1.02}
		}
		if lim := limits[k]; lim != nil {
			s = scale{log: k.log, min: lim[0], max: lim[1], percent: s.percent, clip: true}
		}
		ys[k] = s
	}
	enterAll(cells, contents, xs, ys, xlimits)
	clearPoints(cells, contents, xs, xlimits)
	liftMarks(cells, contents, xs, ys, limits)
	alike(xs)
	return xs, ys
}

// positive returns the values a logarithmic x axis has a place for: a counter
// starts at zero.
func positive(v []float64) []float64 {
	var p []float64
	for _, x := range v {
		if x > 0 {
			p = append(p, x)
		}
	}
	return p
}

// layer is something drawn into the data area of a panel, on its axes.
type layer interface {
	draw(c draw.Canvas, x, y scale)
}

// newFrame builds a panel. It warns of a panel without a curve in sight and of
// values moved to the floor of the y axis, which the frame then marks as clipped.
func newFrame(c *cell, content content, sx, sy scale, look looks) (f frame, warning string) {
	f = frame{title: c.title, titleStyle: frameTitle, x: sx, y: sy, xLabel: c.xLabel(), yLabel: c.yLabel()}
	if c.panel.Y == ySpectrum && !c.illustrates() && len(content.curves) > 0 {
		f.title = joinParts(" · ", c.title, "one run")
	}
	if standIn(c.runs) {
		f.title = joinParts(" · ", f.title, "stand-in data")
		f.titleStyle.Color = alarm
	}
	if len(content.curves) == 0 {
		f.empty = "no data: " + content.why
		f.layers = []layer{remark{f.empty}}
		return f, ""
	}
	if c.illustrates() {
		f.illustrate(c, content, look.style)
		return f, ""
	}
	var bands, thin, lines []layer
	curves := content.curves
	if c.tradesOff() { // the first series on top
		curves = slices.Clone(curves)
		slices.Reverse(curves)
	}
	for i, cv := range curves {
		st := look.style(cv)
		if cv.lo != nil {
			below, above, moved := placeBand(cv.mean.x, cv.lo, cv.hi, sx, sy)
			bands = append(bands, area{below, above, faded(st.Color, 0x30)})
			f.clipped = f.clipped || moved
		}
		for _, l := range cv.thin {
			pts, moved := placeLine(l, sx, sy)
			fine := line{pts, Style{Color: faded(st.Color, 0x70), Width: 0.5, Glyph: st.Glyph}, 1.5}
			if c.panel.Y == ySpectrum {
				fine = line{pts, Style{Color: st.Color, Width: 0.8, Glyph: st.Glyph}, 0.7}
			}
			thin = append(thin, fine)
			f.clipped = f.clipped || moved
		}
		for _, piece := range cv.pieces(st) {
			pts, moved := placeLine(piece.polyline, sx, sy)
			lines = append(lines, line{pts, piece.style, loneRadius})
			f.clipped = f.clipped || moved
		}
		if cv.marked {
			lines = append(lines, marks{cv.mean, st, float64(i) / float64(len(curves))})
		}
		if cv.endsBefore(sx.max) {
			lines = append(lines, endMark{point{cv.end().x, cv.end().y}, st})
			f.stops = true
		}
		f.leaves = f.leaves || cv.leaves(sx, sy)
		if c.tradesOff() && cv.inView(sx, sy) {
			f.curves++
			if name := look.label(cv); cv.leaves(sx, sy) && !slices.Contains(f.cut, name) {
				f.cut = append([]string{name}, f.cut...)
			}
		} else if c.tradesOff() {
			f.hidden = append(f.hidden, fmt.Sprintf("%s is beyond its panel (%s): its least error is %s",
				DisplayName(cv.series.series), cmp.Or(c.title, c.where), words.Percent(slices.Min(cv.mean.y))))
		}
	}
	var crosses []layer
	for _, r := range content.references {
		crosses = append(crosses, cross{r})
	}
	f.layers = slices.Concat([]layer{grid{}}, crosses, bands, thin, lines)
	if !slices.ContainsFunc(content.curves, func(cv curve) bool { return cv.inView(sx, sy) }) {
		f.empty = "no curve lies within " + limitsOf(c.panel)
		f.layers = append(f.layers, remark{f.empty})
		return f, f.empty
	}
	if f.clipped {
		warning = fmt.Sprintf("values below %g are drawn at the floor of the logarithmic axis", sy.floor)
	}
	return f, warning
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

// floorNote explains the dotted lines of all panels; it is empty if there are
// none.
func floorNote(frames [][]frame) string {
	var floors []float64
	for _, row := range frames {
		for _, f := range row {
			if f.clipped {
				floors = append(floors, f.y.floor)
			}
		}
	}
	slices.Sort(floors)
	var texts []string
	for _, v := range slices.Compact(floors) {
		texts = append(texts, power(v))
	}
	switch n := len(texts); {
	case n == 0:
		return ""
	case n > 3:
		return "values below a dotted line, zero and negative ones too, are drawn on it"
	default:
		return "values below " + strings.Join(texts, " or ") + ", zero and negative ones too, are drawn on the dotted line"
	}
}

// power writes a power of ten.
func power(v float64) string { return "10^{" + exponent(int(math.Round(math.Log10(v)))) + "}" }

func faded(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}
