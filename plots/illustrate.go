package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/results/record"
	"stochopt/results/words"
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
func (c *cell) illustrates() bool { return c.panel.Draw != "" && !c.tradesOff() }

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
func (o *content) illustration(cv curve, c *cell, runs []record.Run) (curve, bool) {
	r := slices.MinFunc(runs, func(a, b record.Run) int { return cmp.Compare(a.Repeat, b.Repeat) })
	cv.repeats = 1
	if c.panel.Draw == DrawFunction {
		cv.mean = polyline{r.Curve.Vectors[vectorZ], r.Curve.Vectors[vectorValue]}
		return cv, true
	}
	heights, what := heightsOf(&r, c.panel.Draw)
	w := newBasin(&r, heights)
	cv.water = w
	for i, h := range heights {
		cv.mean.x, cv.mean.y = append(cv.mean.x, float64(i+1)), append(cv.mean.y, h)
	}
	if c.panel.Draw == drawShare {
		cv.mean = w.share()
	}
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
func (w *basin) share() polyline {
	n, k, p := float64(w.total), float64(w.covered), 1/float64(max(w.covered, 1))
	return polyline{[]float64{1, k + 0.5, k + 0.5, n}, []float64{p, p, 0, 0}}
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
func shown(v float64) string { return strings.ReplaceAll(words.Significant(v, 3), "-", "−") }

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
func (l polyline) steps() []polyline {
	if len(l.y) == 0 {
		return nil
	}
	least := jump * (slices.Max(l.y) - slices.Min(l.y))
	start := 0
	var pieces []polyline
	for i := 1; i <= len(l.x); i++ {
		if i == len(l.x) || least > 0 && math.Abs(l.y[i]-l.y[i-1]) > least {
			pieces = append(pieces, polyline{l.x[start:i], l.y[start:i]})
			start = i
		}
	}
	return pieces
}

// illustrate fills the frame with the layers of an illustration.
func (f *frame) illustrate(c *cell, content content, look func(curve) Style) {
	f.layers = []layer{grid{}}
	f.narrow = c.panel.Draw == drawShare
	// The first is on top: where functions are equal the dashes show.
	for _, cv := range slices.Backward(content.curves) {
		st := look(cv)
		f.leaves = f.leaves || cv.leaves(f.x, f.y)
		if cv.water != nil && c.panel.Draw != drawShare {
			f.layers = append(f.layers, cv.water.fill(cv.mean), level{cv.water.level, float64(cv.water.covered) + 1})
		}
		if c.panel.Draw == drawShare {
			pts, _ := placeLine(cv.mean, f.x, f.y)
			f.layers = append(f.layers, cv.water.weights(), line{pts, Style{Color: waterInk, Width: 1.2, Glyph: st.Glyph}, 2.5})
			continue
		}
		pieces := cv.mean.steps()
		if cv.water != nil {
			pieces = []polyline{cv.mean}
		}
		for i, p := range pieces {
			pts, _ := placeLine(p, f.x, f.y)
			f.layers = append(f.layers, line{pts, st, 2.5})
			if i > 0 {
				f.layers = append(f.layers, riser{pieces[i-1].last(), p.first(), st})
			}
		}
	}
}

func (l polyline) first() point { return point{l.x[0], l.y[0]} }
func (l polyline) last() point  { return point{l.x[len(l.x)-1], l.y[len(l.y)-1]} }
