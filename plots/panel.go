package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"
)

// axisLabels are the human names of counters and metrics.
var axisLabels = map[string]string{
	"iterations":            "Iterations",
	"sum_kt":                "Sum of ranks Σ k′_{t}",
	"sum_kt2":               "Estimated runtime Σ (k′_{t})^{2}",
	"kernel_evals":          "Kernel evaluations",
	"kernel_evals_moved":    "Kernel evaluations (moved coefficients)",
	"kernel_evals_computed": "Kernel evaluations (computed)",
	"inner_products":        "Inner products",
	"suboptimality":         "Suboptimality",
	"objective":             "Objective",
	"orthonormality":        "Orthonormality error",
	yRank:                   "Rank k′_{t}",
	ySpectrum:               "Eigenvalue",
}

// axisLabel returns the name of a counter or metric, its own, made readable,
// if it has none here.
func axisLabel(name string) string {
	if l, ok := axisLabels[name]; ok {
		return l
	}
	l := strings.ReplaceAll(name, "_", " ")
	if l == "" {
		return ""
	}
	return strings.ToUpper(l[:1]) + l[1:]
}

// yLabel is axisLabel, but names the rank of Warmuth & Kuzmin's iterates for
// what it counts: their W has full rank.
func (c *cell) yLabel() string {
	if c.panel.Y == yRank && len(c.runs) > 0 {
		for i := range c.runs {
			if c.runs[i].Algorithm != "warmuth-kuzmin" {
				return axisLabel(yRank)
			}
		}
		return "Uncapped eigenvalues k′_{t}"
	}
	return axisLabel(c.panel.Y)
}

// axisKey identifies panels that share an axis: those of one row (for y) or
// column (for x) that show the same quantity on the same kind of scale.
type axisKey struct {
	line     int
	quantity string
	log      bool
}

func (c *cell) xKey() axisKey { return axisKey{c.col, c.panel.X, c.panel.logX()} }
func (c *cell) yKey() axisKey { return axisKey{c.row, c.panel.Y, c.panel.logY()} }

// scales returns the shared axes of all panels.
func scales(cells [][]cell, contents [][]content) (xs, ys map[axisKey]scale) {
	xv, yv := make(map[axisKey][]float64), make(map[axisKey][]float64)
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
			for _, cv := range contents[i][j].curves {
				for _, l := range append([]polyline{cv.mean}, cv.thin...) {
					xv[kx] = append(xv[kx], l.x...)
					yv[ky] = append(yv[ky], l.y...)
				}
				yv[ky] = append(append(yv[ky], cv.lo...), cv.hi...)
			}
		}
	}
	xs, ys = make(map[axisKey]scale), make(map[axisKey]scale)
	for k, v := range xv {
		if k.log {
			v = positive(v)
		}
		xs[k] = newScale(v, k.log)
		if s := xs[k]; !k.log && len(v) > 0 {
			// A curve ends at the edge of its panel.
			s.max = math.Max(s.max-0.04/1.04*(s.max-s.min), s.min+1)
			xs[k] = s
		}
	}
	for k, v := range yv {
		ys[k] = newScale(v, k.log)
		if k.quantity == ySpectrum && !k.log {
			ys[k] = scale{min: -0.02, max: 1.02}
		}
	}
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

// newFrame builds a panel. It warns of values moved to the floor of the y axis,
// which the frame then marks as clipped.
func newFrame(c *cell, content content, sx, sy scale, look func(curve) Style) (f frame, warning string) {
	f = frame{title: c.title, titleStyle: frameTitle, x: sx, y: sy, xLabel: axisLabel(c.panel.X), yLabel: c.yLabel()}
	if c.panel.Y == ySpectrum && len(content.curves) > 0 {
		f.title = joinParts(" · ", c.title, "one run")
	}
	if standIn(c.runs) {
		f.title = joinParts(" · ", f.title, "stand-in data")
		f.titleStyle.Color = alarm
	}
	if len(content.curves) == 0 {
		f.layers = []layer{remark{"no data: " + content.why}}
		return f, ""
	}
	var bands, thin, lines []layer
	for _, cv := range content.curves {
		st := look(cv)
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
		pts, moved := placeLine(cv.mean, sx, sy)
		lines = append(lines, line{pts, st, 2.5})
		f.clipped = f.clipped || moved
	}
	f.layers = slices.Concat([]layer{grid{}}, bands, thin, lines)
	if f.clipped {
		warning = fmt.Sprintf("%s: values below %g are drawn at the floor of the logarithmic axis", c.where, sy.floor)
	}
	return f, warning
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
