package page

import (
	"math"
	"regexp"
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

func (m mark) Span() float64   { return math.Max(m.To-m.From, 1) }
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

// newScale maps values to the width of a mark. It is logarithmic if they are
// positive and span more than a factor of 5.
func newScale(values []float64) (scale func(float64) float64, log bool) {
	lo, hi := values[0], values[0]
	for _, v := range values {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	log = lo > 0 && hi > 5*lo
	place := func(v float64) float64 {
		if log {
			return math.Log(v)
		}
		return v
	}
	a, b := place(lo), place(hi)
	pad := 0.18 * (b - a)
	if pad == 0 {
		pad = math.Max(math.Abs(a)*0.1, 1e-9)
	}
	a, b = a-pad, b+pad
	return func(v float64) float64 {
		x := markMargin + (place(v)-a)/(b-a)*(markWidth-2*markMargin)
		return math.Round(10*math.Min(math.Max(x, 0), markWidth)) / 10
	}, log
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
		for _, p := range prefixes {
			if strings.HasPrefix(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case len(numbers) == 2 && starts("between ", "from ", "within ", "in ["):
		return math.Min(numbers[0], numbers[1]), math.Max(numbers[0], numbers[1]), true
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
