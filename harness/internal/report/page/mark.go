package page

import (
	"math"
	"slices"

	"stochopt/harness/internal/claims"
	"stochopt/internal/finite"
)

// Sizes of the drawing of an estimate.
const (
	markWidth  = 200.0
	markMargin = 10.0
)

// mark is the drawing of an estimate: its interval and, if it is on record as numbers, the
// range that the statement wants it in. All coordinates are from 0 to markWidth.
type mark struct {
	// Lo, At and Hi are the interval and the value within.
	Lo, At, Hi float64
	// From and To are the range that is wanted; BoundFrom and BoundTo say that it
	// ends there, rather than going on.
	Wanted             bool
	From, To           float64
	BoundFrom, BoundTo bool
	Log                bool
}

func (m mark) Span() float64   { return max(m.To-m.From, 1) }
func (m mark) Width() float64  { return markWidth }
func (m mark) Length() float64 { return m.Hi - m.Lo }

func newMark(e claims.Estimate) *mark {
	if !finite.Is(e.Value) || !finite.Is(e.Lo) || !finite.Is(e.Hi) {
		return nil
	}
	shown := []float64{e.Lo, e.Value, e.Hi}
	for _, end := range []*float64{e.Least, e.Most} {
		if end != nil {
			shown = append(shown, *end)
		}
	}
	scale, log := newScale(shown)
	m := &mark{Lo: scale(e.Lo), At: scale(e.Value), Hi: scale(e.Hi), Log: log}
	m.BoundFrom, m.BoundTo = e.Least != nil, e.Most != nil
	if m.Wanted = m.BoundFrom || m.BoundTo; m.Wanted {
		m.To = markWidth
	}
	if m.BoundFrom {
		m.From = scale(*e.Least)
	}
	if m.BoundTo {
		m.To = scale(*e.Most)
	}
	return m
}

// newScale maps values to the width of a mark.
func newScale(values []float64) (scale func(float64) float64, log bool) {
	place, a, b, log := placing(values)
	pad := 0.18 * (b - a)
	if pad == 0 {
		pad = max(math.Abs(a)*0.1, 1e-9)
	}
	a, b = a-pad, b+pad
	return func(v float64) float64 {
		x := markMargin + (place(v)-a)/(b-a)*(markWidth-2*markMargin)
		return math.Round(10*within(x, 0, markWidth)) / 10
	}, log
}

// placing says where values have their places, by the logarithm if all are positive and
// span more than a factor of 5, and the places of the least and the greatest.
func placing(values []float64) (place func(float64) float64, least, greatest float64, log bool) {
	lo, hi := slices.Min(values), slices.Max(values)
	if lo > 0 && hi > 5*lo {
		return math.Log, math.Log(lo), math.Log(hi), true
	}
	return func(v float64) float64 { return v }, lo, hi, false
}
