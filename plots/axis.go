package plots

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// ChartAxis is an axis of a panel: its range, and how values too small for a logarithmic axis are kept on it.
type ChartAxis struct {
	Label Text    `json:"label"`
	Log   bool    `json:"log"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// Percent: values are fractions, shown in percent.
	Percent bool `json:"percent,omitempty"`
	// Floor, if positive, is where a logarithmic axis shows the values below it, zero and negative ones too.
	Floor float64 `json:"floor,omitempty"`
	// Clip: there may be values beyond the ends. Entered: a logarithmic axis begins
	// where the curves come into view; values that are not positive have no place on it.
	Clip    bool `json:"-"`
	Entered bool `json:"-"`
	// Sparse: only the decades are marked, as on other axes of the quantity.
	Sparse bool `json:"-"`
	// Bare: drawings omit the label, because the panel to the left or below has it.
	Bare bool `json:"-"`
}

const (
	// A logarithmic axis reaches at most dynamicRange below the largest value.
	// Anything smaller is rounding noise of a difference of numbers of that size.
	dynamicRange = 1e-12
	// emptyFloor is the floor of a logarithmic axis without a positive value.
	emptyFloor = 1e-16
	// Absolute values are kept between leastShown and mostShown, so that axes have
	// room for margins and finitely many ticks.
	leastShown, mostShown = 1e-300, 1e300
)

func newScale(values []float64, log bool) ChartAxis {
	var kept []float64
	for _, v := range values {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			continue
		case v != 0:
			v = math.Copysign(min(max(math.Abs(v), leastShown), mostShown), v)
		}
		kept = append(kept, v)
	}
	if log {
		return logScale(kept)
	}
	return linearScale(kept)
}

func logScale(values []float64) ChartAxis {
	if len(values) == 0 {
		return ChartAxis{Log: true, Min: 0.1, Max: 1}
	}
	top := slices.Max(values)
	if top <= 0 {
		return ChartAxis{Log: true, Min: emptyFloor / 1.6, Max: 1, Floor: emptyFloor}
	}
	least, clipped := top, false
	for _, v := range values {
		if v <= 0 || v < top*dynamicRange {
			clipped = true
		} else {
			least = math.Min(least, v)
		}
	}
	s := ChartAxis{Log: true, Min: least / 1.12, Max: top * 1.12}
	if s.Max/s.Min < 2 {
		s.Min, s.Max = s.Min/1.5, s.Max*1.5
	}
	if clipped {
		s.Floor = math.Pow10(int(math.Ceil(math.Log10(least))) - 1)
		s.Min = s.Floor / 1.6 // the floor is visible above the axis
	}
	return s
}

func linearScale(values []float64) ChartAxis {
	if len(values) == 0 {
		return ChartAxis{Min: 0, Max: 1}
	}
	lo, hi := slices.Min(values), slices.Max(values)
	if lo >= 0 && lo < hi/2 {
		lo = 0
	}
	pad := 0.04 * (hi - lo)
	if pad == 0 {
		pad = math.Max(0.05*math.Abs(hi), 0.5)
	}
	s := ChartAxis{Min: lo - pad, Max: hi + pad}
	if lo == 0 {
		s.Min = 0
	}
	return s
}

// Place returns where v is drawn. ok is false if it has no place on the axis;
// floored is true if it was moved up to the floor of a logarithmic axis. On an
// axis that clips everything has a place, within its ends or not.
func (a ChartAxis) Place(v float64) (w float64, floored, ok bool) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0) || a.Entered && v <= 0:
		return 0, false, false
	case a.Clip && a.Log:
		return math.Max(v, a.Min*a.Min/a.Max), false, true
	case a.Clip:
		return v, false, true
	case a.Log && a.Floor > 0 && v < a.Floor:
		return a.Floor, true, true
	case a.Log && v < a.Min:
		return 0, false, false
	}
	return v, false, true
}

// Norm returns where on the axis x lies: 0 at its lower end, 1 at its upper.
// On a logarithmic axis that does not clip, values below the lower end lie there.
func (a ChartAxis) Norm(x float64) float64 {
	if !a.Log {
		return (x - a.Min) / (a.Max - a.Min)
	}
	if x <= a.Min && !a.Clip {
		return 0
	}
	return math.Log(x/a.Min) / math.Log(a.Max/a.Min)
}

// Beyond reports whether v is outside an axis that clips.
func (a ChartAxis) Beyond(v float64) bool { return a.Clip && (v < a.Min || v > a.Max) }

// Tick is a mark on an axis; minor ones have no label.
type Tick struct {
	Value float64
	Label string
}

// Ticks returns the marks within the range of the axis.
func (a ChartAxis) Ticks() []Tick {
	unit, suffix := 1.0, ""
	if a.Percent {
		unit, suffix = 100, " %"
	}
	lo, hi := unit*a.Min, unit*a.Max
	var ticks []Tick
	if a.Log {
		ticks = logTicks(lo, hi, a.Sparse)
	}
	if !a.Log || len(slices.DeleteFunc(slices.Clone(ticks), func(t Tick) bool { return t.Label == "" })) < 2 {
		ticks = linearTicks(lo, hi)
	}
	for i, t := range ticks {
		if t.Label != "" && a.Percent && a.Log {
			t.Label = strconv.FormatFloat(t.Value, 'g', 3, 64)
		}
		if t.Label != "" {
			t.Label += suffix
		}
		t.Value /= unit
		ticks[i] = t
	}
	return ticks
}

const (
	maxDecadeLabels = 7 // labelled decades on one axis
	maxMinorDecades = 8 // decades up to which 2..9 are marked
	maxLinearTicks  = 6 // labelled ticks on a linear axis
	plainBelow      = 5 // below 10^5 linear labels are written out
	minFullDecades  = 3 // with fewer decades labelled, 2 and 5 are too
	slack           = 1e-9

	// The labels of a short logarithmic axis within these are written out.
	leastPlain, mostPlain = 1e-3, 1e4
)

// logTicks marks the decades, and between them 2..9 unless the axis is sparse; short
// ranges are labelled at 2 and 5 as well.
func logTicks(lo, hi float64, sparse bool) []Tick {
	decades := decadesIn(lo, hi)
	short := decades < minFullDecades
	plain := short && lo >= leastPlain && hi < mostPlain
	step := max((decades+maxDecadeLabels-1)/maxDecadeLabels, 1)
	last := int(math.Ceil(math.Log10(hi)))
	var ticks []Tick
	for n := int(math.Floor(math.Log10(lo))); n <= last; n++ {
		for m := 1; m <= 9; m++ {
			t := Tick{Value: float64(m) * math.Pow10(n)}
			labelled := m == 1 && n%step == 0 || short && (m == 2 || m == 5)
			switch {
			case !inside(t.Value, lo, hi), m > 1 && decades > maxMinorDecades, m > 1 && sparse && !labelled:
				continue
			case labelled && plain:
				t.Label = strconv.FormatFloat(t.Value, 'f', max(-n, 0), 64)
			case labelled && m == 1:
				t.Label = power(n)
			case labelled:
				t.Label = strconv.Itoa(m) + "·" + power(n)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

func inside(v, lo, hi float64) bool { return v >= lo*(1-slack) && v <= hi*(1+slack) }

func decadesIn(lo, hi float64) int {
	n := 0
	for e := int(math.Floor(math.Log10(lo))); e <= int(math.Ceil(math.Log10(hi))); e++ {
		if inside(math.Pow10(e), lo, hi) {
			n++
		}
	}
	return n
}

func power(n int) string { return "10^{" + trueMinus(strconv.Itoa(n)) + "}" }

func trueMinus(number string) string { return strings.ReplaceAll(number, "-", "−") }

// linearTicks labels multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64) []Tick {
	span := hi - lo
	digits := int(math.Floor(math.Log10(span / maxLinearTicks)))
	step := math.Pow10(digits)
	for _, m := range []float64{1, 2, 5, 10} {
		if step = m * math.Pow10(digits); span/step <= maxLinearTicks {
			if m == 10 {
				digits++
			}
			break
		}
	}
	var ticks []Tick
	first := math.Ceil(lo/step - slack)
	for i := 0; ; i++ {
		v := (first + float64(i)) * step
		if v > hi+slack*span {
			return ticks
		}
		if v == 0 {
			v = 0 // not -0
		}
		label := trueMinus(strconv.FormatFloat(v, 'f', max(-digits, 0), 64))
		if top := max(math.Abs(lo), math.Abs(hi)); v != 0 && top >= math.Pow10(plainBelow) {
			label = scientific(v)
		}
		ticks = append(ticks, Tick{Value: v, Label: label})
	}
}

// scientific writes v as m·10^{n}, or 10^{n}, with the digits it needs.
func scientific(v float64) string {
	m, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', 6, 64), "e")
	m = strings.TrimRight(strings.TrimRight(m, "0"), ".")
	n, _ := strconv.Atoi(e) // FormatFloat writes an integer there
	if m == "1" {
		return power(n)
	}
	return trueMinus(m) + "·" + power(n)
}
