package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/results/record"
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

// vectorsOf lists the vectors that a kind of illustration needs.
var vectorsOf = map[string][]string{
	DrawFunction: {vectorZ, vectorValue},
	drawLevel:    {vectorPositive, vectorNegative},
	drawShare:    {vectorPositive, vectorNegative},
	drawNegative: {vectorPositive, vectorNegative},
	drawPositive: {vectorPositive, vectorNegative},
}

// factsFor lists the facts that it needs.
var factsFor = map[string][]string{
	drawLevel:    {factLevel},
	drawShare:    {factLevel},
	drawNegative: {factLevel, factBias},
	drawPositive: {factLevel, factBias},
}

// illustrates reports whether the panel shows vectors of a record, not curves.
func (c *pane) illustrates() bool { return c.panel.Draw != "" && !c.tradesOff() }

// hasVectors reports whether the record has what an illustration needs.
func hasVectors(r *record.Run, draw string) bool {
	for _, name := range vectorsOf[draw] {
		if r.Curve.Vectors[name] == nil {
			return false
		}
	}
	for _, name := range factsFor[draw] {
		if _, ok := r.Facts[name]; !ok {
			return false
		}
	}
	if draw == DrawFunction {
		z, value := r.Curve.Vectors[vectorZ], r.Curve.Vectors[vectorValue]
		return len(z) > 1 && len(z) == len(value) && slices.IsSorted(z)
	}
	return len(r.Curve.Vectors[vectorPositive])+len(r.Curve.Vectors[vectorNegative]) > 0
}

// basin is what holds the water: the responses in increasing order.
type basin struct {
	// level is that of the water, covered the number of responses below it.
	level   float64
	covered int
	total   int
}

// illustration completes the curve of an illustration from the first repeat.
func (o *content) illustration(cv curve, c *pane, runs []record.Run) (curve, bool) {
	r := slices.MinFunc(runs, func(a, b record.Run) int { return cmp.Compare(a.Repeat, b.Repeat) })
	if c.panel.Draw == DrawFunction {
		cv.mean = ChartCurve{X: r.Curve.Vectors[vectorZ], Y: r.Curve.Vectors[vectorValue], N: 1}
		return cv, true
	}
	heights, what := heightsOf(&r, c.panel.Draw)
	w := newBasin(&r, heights)
	cv.water = w
	for i, h := range heights {
		cv.mean.X, cv.mean.Y = append(cv.mean.X, float64(i+1)), append(cv.mean.Y, h)
	}
	if c.panel.Draw == drawShare {
		cv.mean = w.share()
	}
	cv.mean.N = 1
	switch c.panel.Draw {
	case drawLevel:
		o.notes = append(o.notes, note(&r, w.counts(what)+" examples"))
	case drawNegative: // for both
		other, whatOther := heightsOf(&r, drawPositive)
		o.notes = append(o.notes, note(&r, w.counts(what)+" and "+newBasin(&r, other).counts(whatOther)+" examples"))
	}
	return cv, len(heights) > 0
}

// newBasin fills the heights, in increasing order, up to the level on record.
func newBasin(r *record.Run, heights []float64) *basin {
	w := &basin{level: r.Facts[factLevel], total: len(heights)}
	w.covered, _ = slices.BinarySearch(heights, w.level)
	if w.covered == 0 && len(heights) > 0 {
		// Without water all the weight is on the least responses.
		w.covered, _ = slices.BinarySearchFunc(heights, heights[0], func(h, least float64) int {
			if h <= least {
				return -1
			}
			return 1
		})
	}
	return w
}

// heightsOf returns the responses of an illustration in increasing order, and
// what they are of, "" for all.
func heightsOf(r *record.Run, draw string) (heights []float64, what string) {
	positive, negative, b := r.Curve.Vectors[vectorPositive], r.Curve.Vectors[vectorNegative], r.Facts[factBias]
	shifted := func(c []float64, by float64) []float64 {
		h := make([]float64, len(c))
		for i, v := range c {
			h[i] = v + by
		}
		return h
	}
	switch draw {
	case drawNegative:
		heights, what = shifted(negative, -b), "negative"
	case drawPositive:
		heights, what = shifted(positive, b), "positive"
	default:
		heights = slices.Concat(positive, negative)
	}
	slices.Sort(heights)
	return heights, what
}

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
func note(r *record.Run, covered string) string {
	s := fmt.Sprintf("%s on %s: %s under water, %s", DisplayName(r.Series), r.Dataset, covered, glue("level γ = "+shown(r.Facts[factLevel])))
	if b, ok := r.Facts[factBias]; ok {
		s += ", " + glue("b = "+shown(b))
	}
	if v, ok := r.Facts[factVolume]; ok {
		s += ", " + glue("volume nν = "+shown(v))
	}
	return s
}

// shown writes a number with the minus sign of the axes.
func shown(v float64) string { return strings.ReplaceAll(significant(v, 3), "-", "−") }

// Quantities on the axes of illustrations.
const (
	quantityMargin   = "margin"
	quantityRank     = "rank of response"
	quantityLoss     = "loss"
	quantityResponse = "response"
	quantityShare    = "share"
)

func xQuantity(draw string) string {
	if draw == DrawFunction {
		return quantityMargin
	}
	return quantityRank
}

func yQuantity(draw string) string {
	switch draw {
	case DrawFunction:
		return quantityLoss
	case drawShare:
		return quantityShare
	}
	return quantityResponse
}

// illustrationLabels are the labels of the axes by kind.
var illustrationLabels = map[string][2]string{
	DrawFunction: {"Margin z = y g(x)", "Loss"},
	drawLevel:    {"Examples in order of their response", "Response c_{i}"},
	drawShare:    {"Examples in order of their response", "p*_{i}"},
	drawNegative: {"Negative examples in order", "Height c_{i} − b"},
	drawPositive: {"Positive examples in order", "Height c_{i} + b"},
}

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

// fill adds the water between the responses and its level to a panel.
func (w *basin) fill(out *ChartPanel, responses ChartCurve) {
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
}

// illustrate shows an illustration in a panel: what is filled, and the curves.
func (c *pane) illustrate(looks looks) {
	out := c.out
	out.Low = c.panel.Draw == drawShare
	// The first is on top: where functions are equal the dashes show.
	for _, cv := range slices.Backward(c.curves) {
		c.leaves = c.leaves || cv.leaves(c.x, c.y)
		cv.mean.Look = looks.style(cv)
		switch {
		case cv.water == nil:
			for _, piece := range cv.mean.steps() {
				out.add(piece, looks.key(cv))
			}
			continue
		case c.panel.Draw == drawShare:
			// What is below the distribution p*.
			s := cv.water.share()
			out.Areas = append(out.Areas, ChartArea{X: s.X[:2], Lo: []float64{0, 0}, Hi: s.Y[:2], Color: waterColor})
			cv.mean.Look = Style{Color: waterInk, Width: 1.2, Glyph: cv.mean.Look.Glyph}
		default:
			cv.water.fill(out, cv.mean)
		}
		out.add(cv.mean, looks.key(cv))
	}
}
