package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// Names of what illustrations are drawn from: vectors of Run.Curve and entries
// of Run.Facts.
const (
	vectorZ        = "z"
	vectorValue    = "value"
	vectorPositive = "responses_positive"
	vectorNegative = "responses_negative"
	factLevel      = "water_gamma"
	factBias       = "water_bias"
	factVolume     = "water_volume"
)

// illustration is a kind of panel that shows vectors of a record, not curves along a run.
type illustration struct {
	// vectors and facts are what it needs of the record.
	vectors, facts []string
	x, y           illustrated
	// static: only the drawing has all of it. low: its panels are less high than others.
	static, low bool
	// curve returns what is shown of a record, and note, if it is not nil, says it in
	// numbers.
	curve func(r *record.Run) curve
	note  func(r *record.Run) string
	// show puts that into a panel.
	show func(out *ChartPanel, cv curve, key string)
}

// illustrated is what an axis of an illustration shows, with the label.
type illustrated struct{ name, label string }

const (
	quantityMargin = "margin"
	quantityLoss   = "loss"
)

// illustrations are the kinds of illustration by Panel.Draw.
var illustrations = map[string]illustration{
	DrawFunction: {
		vectors: []string{vectorZ, vectorValue},
		x:       illustrated{quantityMargin, "Margin z = y g(x)"}, y: illustrated{quantityLoss, "Loss"},
		curve: functionOf, show: showFunction,
	},
	drawLevel: {
		vectors: []string{vectorPositive, vectorNegative}, facts: []string{factLevel}, static: true,
		x: illustrated{"rank of response", "Examples in order of their response"}, y: illustrated{"response", "Response c_{i}"},
		curve: basinOf(heights), show: showBasin,
		note: func(r *record.Run) string { return newBasin(r, heights(r)).counts("") + " examples" },
	},
	drawShare: {
		vectors: []string{vectorPositive, vectorNegative}, facts: []string{factLevel}, static: true, low: true,
		x: illustrated{"rank of response", "Examples in order of their response"}, y: illustrated{"share", "p*_{i}"},
		curve: shareOf, show: showShare,
	},
	drawNegative: {
		vectors: []string{vectorPositive, vectorNegative}, facts: []string{factLevel, factBias}, static: true,
		x: illustrated{"rank of response", "Negative examples in order"}, y: illustrated{"response", "Height c_{i} − b"},
		curve: basinOf(negativeHeights), show: showBasin,
		note: func(r *record.Run) string { // for both
			negative, positive := newBasin(r, negativeHeights(r)), newBasin(r, positiveHeights(r))
			return negative.counts("negative") + " and " + positive.counts("positive") + " examples"
		},
	},
	drawPositive: {
		vectors: []string{vectorPositive, vectorNegative}, facts: []string{factLevel, factBias}, static: true,
		x: illustrated{"rank of response", "Positive examples in order"}, y: illustrated{"response", "Height c_{i} + b"},
		curve: basinOf(positiveHeights), show: showBasin,
	},
}

// illustrates reports whether the panel shows vectors of a record, not curves, and kind
// which.
func (c *pane) illustrates() bool {
	_, ok := illustrations[c.panel.Draw]
	return ok
}

func (c *pane) kind() illustration { return illustrations[c.panel.Draw] }

// has reports whether the record has what an illustration needs.
func (k illustration) has(r *record.Run) bool {
	some := false
	for _, name := range k.vectors {
		v, ok := r.Measured().Vectors[name]
		if !ok || v == nil {
			return false
		}
		some = some || len(v) > 0
	}
	for _, name := range k.facts {
		if _, ok := r.Facts[name]; !ok {
			return false
		}
	}
	if !k.static {
		z, value := r.Measured().Vectors[vectorZ], r.Measured().Vectors[vectorValue]
		return len(z) > 1 && len(z) == len(value) && slices.IsSorted(z)
	}
	return some
}

// illustration completes the curve of an illustration from the first repeat.
func (c *pane) illustration(cv curve, runs []record.Run) (curve, bool) {
	r := slices.MinFunc(runs, func(a, b record.Run) int { return cmp.Compare(a.Repeat, b.Repeat) })
	k := c.kind()
	shown := k.curve(&r)
	cv.mean, cv.water = shown.mean, shown.water
	cv.mean.N = 1
	if k.note != nil {
		c.notes = append(c.notes, note(c.in.Name(r.Series), &r, k.note(&r)))
	}
	return cv, len(cv.mean.X) > 0
}

func functionOf(r *record.Run) curve {
	return curve{mean: ChartCurve{X: r.Measured().Vectors[vectorZ], Y: r.Measured().Vectors[vectorValue]}}
}

// basin is what holds the water: the responses in increasing order.
type basin struct {
	// level is that of the water, covered the number of responses below it.
	level   float64
	covered int
	total   int
}

// newBasin fills the heights, in increasing order, up to the level on record.
func newBasin(r *record.Run, heights []float64) *basin {
	w := &basin{level: r.Facts[factLevel], total: len(heights)}
	w.covered, _ = slices.BinarySearch(heights, w.level)
	if w.covered == 0 && len(heights) > 0 {
		// Without water all the weight is on the least responses.
		w.covered, _ = slices.BinarySearch(heights, math.Nextafter(heights[0], math.Inf(1)))
	}
	return w
}

// basinOf returns the curve of heights with the water in it.
func basinOf(heights func(*record.Run) []float64) func(*record.Run) curve {
	return func(r *record.Run) curve {
		cv := curve{mean: ChartCurve{Y: heights(r)}}
		for i := range cv.mean.Y {
			cv.mean.X = append(cv.mean.X, float64(i+1))
		}
		cv.water = newBasin(r, cv.mean.Y)
		return cv
	}
}

func shareOf(r *record.Run) curve {
	h := heights(r)
	if len(h) == 0 {
		return curve{}
	}
	return curve{mean: newBasin(r, h).share()}
}

// heights returns the responses in increasing order.
func heights(r *record.Run) []float64 {
	return slices.Sorted(slices.Values(slices.Concat(r.Measured().Vectors[vectorPositive], r.Measured().Vectors[vectorNegative])))
}

// heightsOf returns those of a class, with so many times the bias.
func heightsOf(class string, times float64) func(*record.Run) []float64 {
	return func(r *record.Run) []float64 {
		h := slices.Clone(r.Measured().Vectors[class])
		for i := range h {
			h[i] += times * r.Facts[factBias]
		}
		slices.Sort(h)
		return h
	}
}

var negativeHeights, positiveHeights = heightsOf(vectorNegative, -1), heightsOf(vectorPositive, 1)

// share is the minimax optimal distribution: uniform on what is under water.
func (w *basin) share() ChartCurve {
	n, k, p := float64(w.total), float64(w.covered), 1/float64(max(w.covered, 1))
	return ChartCurve{X: []float64{1, k + 0.5, k + 0.5, n}, Y: []float64{p, p, 0, 0}}
}

// counts says how many of the responses, those of a class if it is given, are
// under water.
func (w *basin) counts(class string) string {
	return strings.TrimSpace(fmt.Sprintf("%d of %d %s", w.covered, w.total, class))
}

// note says in numbers what is drawn.
func note(name string, r *record.Run, covered string) string {
	s := fmt.Sprintf("%s on %s: %s under water, %s", name, r.Dataset, covered, glue("level γ = "+shown(r.Facts[factLevel])))
	if b, ok := r.Facts[factBias]; ok {
		s += ", " + glue("b = "+shown(b))
	}
	if v, ok := r.Facts[factVolume]; ok {
		s += ", " + glue("volume nν = "+shown(v))
	}
	return s
}

// shown writes a number with the minus sign of the axes.
func shown(v float64) string { return strings.ReplaceAll(words.Significant(v, 3), "-", "−") }

// jump is the share of a function's range that two neighbours must differ by to
// be the two sides of a jump.
const jump = 0.5

// steps cuts a function at its jumps.
func (c ChartCurve) steps() []ChartCurve {
	if len(c.Y) == 0 {
		return nil
	}
	least := jump * (slices.Max(c.Y) - slices.Min(c.Y))
	start := 0
	var pieces []ChartCurve
	for i := 1; i <= len(c.X); i++ {
		if i == len(c.X) || least > 0 && math.Abs(c.Y[i]-c.Y[i-1]) > least {
			piece := c
			piece.X, piece.Y, piece.Jump = c.X[start:i], c.Y[start:i], start > 0
			pieces = append(pieces, piece)
			start = i
		}
	}
	return pieces
}

const (
	waterColor = "#a6cee3"
	waterInk   = "#0072b2"
)

var surfaceStyle = Style{Color: waterInk, Width: 0.8, Dash: []float64{4, 2}}

// showFunction shows a function in pieces.
func showFunction(out *ChartPanel, cv curve, key string) {
	for _, piece := range cv.mean.steps() {
		out.add(piece, key)
	}
}

// showShare shows the distribution p*, and fills what is below.
func showShare(out *ChartPanel, cv curve, key string) {
	l := cv.mean
	out.Areas = append(out.Areas, ChartArea{X: l.X[:2], Lo: []float64{0, 0}, Hi: l.Y[:2], Color: waterColor})
	l.Look = Style{Color: waterInk, Width: 1.2, Glyph: l.Look.Glyph}
	out.add(l, key)
}

// showBasin shows the responses, and the water between them and its level.
func showBasin(out *ChartPanel, cv curve, key string) {
	w, responses := cv.water, cv.mean
	area := ChartArea{Color: waterColor}
	add := func(x, lo float64) {
		area.X, area.Lo, area.Hi = append(area.X, x), append(area.Lo, lo), append(area.Hi, w.level)
	}
	for i := range w.covered {
		if responses.Y[i] > w.level {
			break
		}
		add(responses.X[i], responses.Y[i])
	}
	// To where the surface meets the basin.
	if n := len(area.X); n > 0 && n < len(responses.Y) {
		x, y := area.X[n-1], area.Lo[n-1]
		if next := responses.Y[n]; next > y {
			add(x+(w.level-y)/(next-y)*(responses.X[n]-x), w.level)
		}
	}
	out.Areas = append(out.Areas, area)
	out.Levels = append(out.Levels, ChartLevel{
		Y: w.level, Shore: float64(w.covered) + 1, Text: Text("γ = " + shown(w.level)), Look: surfaceStyle,
	})
	out.add(responses, key)
}

// illustrate shows an illustration in a panel.
func (c *pane) illustrate(looks looks) {
	k := c.kind()
	c.out.Low = k.low
	// The first is on top: where functions are equal the dashes show.
	for _, cv := range slices.Backward(c.curves) {
		c.leaves = c.leaves || cv.leaves(c.x, c.y)
		cv.mean.Look = looks.style(cv)
		k.show(c.out, cv, looks.key(cv))
	}
}
