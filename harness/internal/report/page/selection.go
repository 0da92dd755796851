package page

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"stochopt/harness/internal/report"
	"stochopt/internal/finite"
	"stochopt/results/analysis"
	"stochopt/results/record"
)

// Sizes of the drawing of a grid.
const (
	gridWidth  = 168.0
	gridHeight = 44.0
	gridMargin = 6.0
)

// choice is what was selected in a cell, with its drawing.
type choice struct {
	report.Choice
	Label string
	Color string
	Grid  *gridCurve
	Note  string
}

// gridCurve is a small drawing of the scores along a grid.
type gridCurve struct {
	Width, Height float64
	// Lines are the stretches without a gap, as points of polylines.
	Lines  []string
	Points []gridPoint
	// Text says the same in words.
	Text string
}

// gridPoint is a candidate: Lost if it has no score.
type gridPoint struct {
	X, Y, Low, High float64
	Bar             bool
	Selected, Lost  bool
	Title           string
}

func choicesOf(e *report.Experiment) []choice {
	series := map[string]report.Series{}
	for _, s := range e.Series {
		series[s.ID] = s
	}
	var list []choice
	for _, c := range e.Selection {
		q := choice{Choice: c, Label: cmp.Or(series[c.Series].Label, c.Series), Color: series[c.Series].Color, Grid: newGrid(c)}
		if c.Edge != "" {
			end := map[string]string{"low": "lower", "high": "upper"}[c.Edge]
			q.Note = "at the " + cmp.Or(end, c.Edge) + " end of the grid"
		}
		list = append(list, q)
	}
	return list
}

// unscored says why a candidate has no score.
func unscored(c analysis.Candidate) string {
	return cmp.Or(strings.Join(c.Problems, "; "), "no repeat finished")
}

// newGrid draws the scores of a choice with one tuned number; it is nil for
// others.
func newGrid(c report.Choice) *gridCurve {
	if len(c.Candidates) < 2 {
		return nil
	}
	var values, scores []float64
	for _, k := range c.Candidates {
		v, ok := record.Number(k.Params[c.Tuned])
		if !ok || !finite.Is(v) {
			return nil
		}
		values = append(values, v)
		if k.Scored {
			scores = append(scores, k.Score)
		}
	}
	g := &gridCurve{Width: gridWidth, Height: gridHeight}
	x := axis(values, gridMargin, gridWidth-gridMargin)
	y := func(float64) float64 { return gridHeight / 2 }
	if len(scores) > 0 {
		y = axis(scores, gridHeight-gridMargin, gridMargin)
	}
	var line []string
	end := func() {
		if len(line) > 1 {
			g.Lines = append(g.Lines, strings.Join(line, " "))
		}
		line = nil
	}
	chosen := "none was chosen"
	lost := 0
	for i, k := range c.Candidates {
		p := gridPoint{X: x(values[i]), Selected: k.Selected}
		name := c.Tuned + " = " + number(values[i])
		if !k.Scored {
			p.Lost, p.Y, p.Title = true, gridMargin, name+": "+unscored(k)
			lost++
			end()
			g.Points = append(g.Points, p)
			continue
		}
		p.Y = y(k.Score)
		p.Title = name + ": " + number(k.Score)
		if k.SE > 0 && finite.Is(k.SE) {
			p.Title += " ± " + number(k.SE)
			low, high := y(k.Score-k.SE), y(k.Score+k.SE)
			if finite.Is(low) && finite.Is(high) {
				p.Bar, p.Low, p.High = true, within(low, 1, gridHeight-1), within(high, 1, gridHeight-1)
			}
		}
		if k.Selected {
			chosen = fmt.Sprintf("%s was chosen, at a score of %s", name, number(k.Score))
		}
		line = append(line, fmt.Sprintf("%g,%g", p.X, p.Y))
		g.Points = append(g.Points, p)
	}
	end()
	g.Text = fmt.Sprintf("Score along a grid of %d values of %s from %s to %s: %s", len(values), c.Tuned,
		number(values[0]), number(values[len(values)-1]), chosen)
	if lost > 0 {
		g.Text += fmt.Sprintf("; %d without a score", lost)
	}
	return g
}

// axis maps values to [from, to], to a tenth.
func axis(values []float64, from, to float64) func(float64) float64 {
	place, a, b, _ := placing(values)
	return func(v float64) float64 {
		f := 0.5
		if b > a {
			f = (place(v) - a) / (b - a)
		}
		return math.Round(10*(from+f*(to-from))) / 10
	}
}

func within(v, lo, hi float64) float64 { return min(max(v, lo), hi) }
