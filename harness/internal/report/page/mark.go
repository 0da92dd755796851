package page

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stochopt/harness/internal/claims"
)

// Sizes of the drawing of an estimate.
const (
	markWidth  = 200.0
	markMargin = 10.0
)

// mark is the drawing of an estimate: its interval and, if it is known, the range
// that the statement wants it in. All coordinates are from 0 to markWidth.
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
	if !finite(e.Value) || !finite(e.Lo) || !finite(e.Hi) {
		return nil
	}
	from, to, known := wanted(e.Wanted)
	shown := []float64{e.Lo, e.Value, e.Hi}
	for _, b := range []float64{from, to} {
		if known && !math.IsInf(b, 0) {
			shown = append(shown, b)
		}
	}
	scale, log := newScale(shown)
	m := &mark{Lo: scale(e.Lo), At: scale(e.Value), Hi: scale(e.Hi), Log: log, Wanted: known}
	if known {
		m.From, m.To = 0, markWidth
		if !math.IsInf(from, 0) {
			m.From, m.BoundFrom = scale(from), true
		}
		if !math.IsInf(to, 0) {
			m.To, m.BoundTo = scale(to), true
		}
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

var numeral = regexp.MustCompile(`[-−]?\d[\d,]*(?:\.\d+)?(?:[eE][-+−]?\d+)?`)

// wanted reads a range from words such as "at most 1", "above 0.15" or "between 2
// and 3".
func wanted(text string) (from, to float64, ok bool) {
	from, to = math.Inf(-1), math.Inf(1)
	var numbers []float64
	for _, s := range numeral.FindAllString(text, -1) {
		v, err := strconv.ParseFloat(strings.NewReplacer("−", "-", ",", "").Replace(s), 64)
		if err != nil {
			return from, to, false
		}
		numbers = append(numbers, v)
	}
	starts := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
	}
	switch {
	case len(numbers) == 2 && starts("between ", "from ", "within ", "in ["):
		return min(numbers[0], numbers[1]), max(numbers[0], numbers[1]), true
	case len(numbers) != 1:
		return from, to, false
	case starts("at most ", "below ", "less than ", "no more than ", "≤", "<"):
		return from, numbers[0], true
	case starts("at least ", "above ", "more than ", "no less than ", "≥", ">"):
		return numbers[0], to, true
	}
	return from, to, false
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
