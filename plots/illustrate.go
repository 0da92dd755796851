package plots

import (
	"fmt"
	"math"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// Names of vectors in Run.Curve and of entries in Run.Facts that illustrations show.
const (
	vectorZ        = "z"
	vectorValue    = "value"
	vectorPositive = "responses_positive"
	vectorNegative = "responses_negative"
	factLevel      = "water_gamma"
	factBias       = "water_bias"
	factVolume     = "water_volume"
)

// illustration is a kind of panel that shows vectors of a record instead of curves along a run.
type illustration struct {
	// vectors and facts lists the required entries of the record.
	vectors, facts []string
	x, y           axisQuantity
	// static is the value of ChartPanel.Static. Static panels show only one classifier.
	static bool
	// show adds the curves, lines, areas and notes of a record to the panel.
	show func(c *pane, r *record.Run)
}

// axisQuantity is the quantity on an axis of an illustration.
type axisQuantity struct{ name, label string }

const (
	quantityMargin = "margin"
	quantityLoss   = "loss"
)

var (
	exampleRank = axisQuantity{"rank of response", "Examples in order of their response"}
	responses   = []string{vectorPositive, vectorNegative}
)

// illustrations holds the kinds of illustration by Panel.Draw.
var illustrations = map[string]illustration{
	DrawFunction: {
		vectors: []string{vectorZ, vectorValue}, show: (*pane).showFunction,
		x: axisQuantity{quantityMargin, "Margin z = y g(x)"}, y: axisQuantity{quantityLoss, "Loss"},
	},
	drawLevel: {
		vectors: responses, facts: []string{factLevel}, static: true,
		x: exampleRank, y: axisQuantity{"response", "Response cᵢ"},
		show: func(c *pane, r *record.Run) {
			b := newResponseChart(r, 0, responses...)
			c.showResponses(b)
			c.noteWater(r, b.counts()+" examples")
		},
	},
	drawShare: {
		vectors: responses, facts: []string{factLevel}, static: true,
		x: exampleRank, y: axisQuantity{"share", "p*ᵢ"},
		show: func(c *pane, r *record.Run) { c.showShare(newResponseChart(r, 0, responses...)) },
	},
	drawNegative: {
		vectors: responses, facts: []string{factLevel, factBias}, static: true,
		x: axisQuantity{exampleRank.name, "Negative examples in order"}, y: axisQuantity{"response", "Height cᵢ − b"},
		show: func(c *pane, r *record.Run) {
			negative, positive := newResponseChart(r, -1, vectorNegative), newResponseChart(r, 1, vectorPositive)
			c.showResponses(negative)
			c.noteWater(r, negative.counts()+" negative and "+positive.counts()+" positive examples")
		},
	},
	drawPositive: {
		vectors: responses, facts: []string{factLevel, factBias}, static: true,
		x: axisQuantity{exampleRank.name, "Positive examples in order"}, y: axisQuantity{"response", "Height cᵢ + b"},
		show: func(c *pane, r *record.Run) { c.showResponses(newResponseChart(r, 1, vectorPositive)) },
	},
}

// illustrates reports whether the panel shows an illustration.
func (c *pane) illustrates() bool { return c.illustration().show != nil }

// illustration returns the kind of the panel, or an empty illustration for other panels.
func (c *pane) illustration() illustration { return illustrations[c.spec.Draw] }

// has reports whether a record has the data of the illustration.
func (k illustration) has(r *record.Run) bool {
	vectors := r.Measured().Vectors
	some := false
	for _, name := range k.vectors {
		if vectors[name] == nil {
			return false
		}
		some = some || len(vectors[name]) > 0
	}
	for _, name := range k.facts {
		if _, ok := r.Facts[name]; !ok {
			return false
		}
	}
	if !k.static {
		z := vectors[vectorZ]
		return len(z) > 1 && len(z) == len(vectors[vectorValue]) && slices.IsSorted(z)
	}
	return some
}

func (c *pane) showFunction(r *record.Run) {
	vectors := r.Measured().Vectors
	c.add(ChartCurve{X: vectors[vectorZ], Y: vectors[vectorValue], N: 1})
}

// responseChart holds responses in increasing order and the water level.
type responseChart struct {
	heights []float64
	level   float64
	// covered is the number of responses below the level, or of the smallest responses without a level.
	covered int
}

// newResponseChart returns the responses in the given vectors, plus biasFactor times the bias.
func newResponseChart(r *record.Run, biasFactor float64, vectors ...string) responseChart {
	b := responseChart{level: r.Facts[factLevel]}
	for _, name := range vectors {
		for _, h := range r.Measured().Vectors[name] {
			b.heights = append(b.heights, h+biasFactor*r.Facts[factBias])
		}
	}
	slices.Sort(b.heights)
	b.covered, _ = slices.BinarySearch(b.heights, b.level)
	if b.covered == 0 && len(b.heights) > 0 {
		// If no response is below the level, all weight is on the smallest responses.
		b.covered, _ = slices.BinarySearch(b.heights, math.Nextafter(b.heights[0], math.Inf(1)))
	}
	return b
}

// counts returns the number of covered responses as text: "n of m".
func (b responseChart) counts() string { return fmt.Sprintf("%d of %d", b.covered, len(b.heights)) }

const (
	waterColor = "#a6cee3"
	waterInk   = "#0072b2"
)

var surfaceStyle = Style{Color: waterInk, Width: 0.8, Dash: []float64{4, 2}}

// showShare shows the minimax optimal distribution, which is uniform on the covered responses.
func (c *pane) showShare(b responseChart) {
	n, k, p := float64(len(b.heights)), float64(b.covered), 1/float64(max(b.covered, 1))
	x, y := []float64{1, k + 0.5, k + 0.5, n}, []float64{p, p, 0, 0}
	c.Areas = append(c.Areas, ChartArea{X: x[:2], Lo: []float64{0, 0}, Hi: y[:2], Color: waterColor})
	c.add(ChartCurve{X: x, Y: y, N: 1, Style: Style{Color: waterInk, Width: 1.2}})
}

// showResponses shows the responses and the water above them.
func (c *pane) showResponses(b responseChart) {
	ranks := make([]float64, len(b.heights))
	for i := range ranks {
		ranks[i] = float64(i + 1)
	}
	surface := slices.Repeat([]float64{b.level}, b.covered)
	c.Areas = append(c.Areas, ChartArea{X: ranks[:b.covered], Lo: b.heights[:b.covered], Hi: surface, Color: waterColor})
	level := "γ = " + axisNumber(b.level)
	c.Lines = append(c.Lines, ChartLine{Y: &b.level, Label: level, Text: level, Style: surfaceStyle})
	c.add(ChartCurve{X: ranks, Y: b.heights, N: 1})
}

// noteWater adds a note with the numbers of the drawing.
func (c *pane) noteWater(r *record.Run, covered string) {
	s := fmt.Sprintf("%s on %s: %s under water, level γ = %s",
		c.in.Name(r.Series), r.Dataset, covered, axisNumber(r.Facts[factLevel]))
	if b, ok := r.Facts[factBias]; ok {
		s += ", b = " + axisNumber(b)
	}
	if v, ok := r.Facts[factVolume]; ok {
		s += ", volume nν = " + axisNumber(v)
	}
	c.notes = append(c.notes, s)
}

// axisNumber formats a number as on axes.
func axisNumber(v float64) string { return trueMinus(words.Significant(v, 3)) }
