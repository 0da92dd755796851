package plots

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// dynamicRange is how far below the largest value a logarithmic axis reaches
// at most. Anything smaller is rounding noise of a difference of numbers of
// the size of the largest.
const dynamicRange = 1e-12

// emptyFloor is the floor of a logarithmic axis without a positive value.
const emptyFloor = 1e-16

// ChartAxis is an axis of a panel: its range, and how values too small for a
// logarithmic axis are kept on it.
type ChartAxis struct {
	Label Text    `json:"label"`
	Log   bool    `json:"log"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// Percent: what is read off is a fraction, shown in percent.
	Percent bool `json:"percent,omitempty"`
	// Floor, if positive, is where a logarithmic axis shows the values below it,
	// zero and negative ones too.
	Floor float64 `json:"floor,omitempty"`
	// Clip says that there may be values beyond the ends, Entered that a logarithmic
	// axis begins where the curves come into view: what is not positive has no place
	// on it.
	Clip    bool `json:"-"`
	Entered bool `json:"-"`
	// Sparse says that only the decades are marked, as on the axes beside it.
	Sparse bool `json:"-"`
	// Bare: drawings leave out the label, as the panel beside or below has it.
	Bare bool `json:"-"`
}

// An axis is of sizes from leastShown to mostShown, or 0: what is beyond leaves no room
// for margins, and ticks would not end.
const leastShown, mostShown = 1e-300, 1e300

// newScale returns the axis that holds all values; non-finite ones are left
// out of account.
func newScale(values []float64, log bool) ChartAxis {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool {
		return math.IsNaN(v) || math.IsInf(v, 0)
	})
	for i, v := range values {
		if v != 0 {
			values[i] = math.Copysign(min(max(math.Abs(v), leastShown), mostShown), v)
		}
	}
	if log {
		return logScale(values)
	}
	return linearScale(values)
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
		s.Min = s.Floor / 1.6 // so that the floor is seen above the axis
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
// axis that is clipped everything has a place, within its ends or not.
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
// On a logarithmic axis that is not clipped, values below the lower end lie
// there.
func (a ChartAxis) Norm(x float64) float64 {
	if !a.Log {
		return (x - a.Min) / (a.Max - a.Min)
	}
	if x <= a.Min && !a.Clip {
		return 0
	}
	return math.Log(x/a.Min) / math.Log(a.Max/a.Min)
}

// Beyond reports whether v is outside an axis that is clipped.
func (a ChartAxis) Beyond(v float64) bool { return a.Clip && (v < a.Min || v > a.Max) }

// Tick is a mark on an axis; minor ones have no label.
type Tick struct {
	Value float64
	Label string
}

// Ticks returns the marks within the range of the axis.
func (a ChartAxis) Ticks() []Tick {
	unit := 1.0
	if a.Percent {
		unit = 100
	}
	var ticks []Tick
	if a.Log {
		ticks = logTicks(unit*a.Min, unit*a.Max)
		if a.Sparse {
			ticks = decadesOf(ticks)
		}
	} else {
		ticks = linearTicks(unit*a.Min, unit*a.Max)
	}
	if !a.Percent {
		return ticks
	}
	for i, t := range ticks {
		if t.Label != "" && a.Log {
			t.Label = strconv.FormatFloat(t.Value, 'g', 3, 64)
		}
		if t.Label != "" {
			t.Label += " %"
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

// logTicks marks the decades, and between them 2..9; short ranges are labelled
// at 2 and 5 as well.
func logTicks(lo, hi float64) []Tick {
	inside := func(v float64) bool { return v >= lo*(1-slack) && v <= hi*(1+slack) }
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	decades := decadesIn(lo, hi)
	short := decades < minFullDecades
	plain := short && lo >= leastPlain && hi < mostPlain
	text := func(m, n int) string {
		switch {
		case plain:
			return strconv.FormatFloat(float64(m)*math.Pow10(n), 'f', max(-n, 0), 64)
		case m == 1:
			return "10^{" + exponent(n) + "}"
		}
		return strconv.Itoa(m) + "·10^{" + exponent(n) + "}"
	}
	step := 1
	for (decades+step-1)/step > maxDecadeLabels {
		step++
	}
	var ticks []Tick
	for n := first; n <= last; n++ {
		if v := math.Pow10(n); inside(v) {
			t := Tick{Value: v}
			if n%step == 0 {
				t.Label = text(1, n)
			}
			ticks = append(ticks, t)
		}
		if decades > maxMinorDecades {
			continue
		}
		for m := 2; m <= 9; m++ {
			v := float64(m) * math.Pow10(n)
			if !inside(v) {
				continue
			}
			t := Tick{Value: v}
			if short && (m == 2 || m == 5) {
				t.Label = text(m, n)
			}
			ticks = append(ticks, t)
		}
	}
	if labelled := slices.DeleteFunc(slices.Clone(ticks), func(t Tick) bool { return t.Label == "" }); len(labelled) < 2 {
		return linearTicks(lo, hi)
	}
	return ticks
}

// isSparse reports whether an axis is so long that only its decades are marked.
func (a ChartAxis) isSparse() bool {
	return a.Log && !a.Percent && decadesIn(a.Min, a.Max) > maxMinorDecades
}

// decadesIn returns the number of powers of ten from lo to hi.
func decadesIn(lo, hi float64) int {
	n := 0
	for e := int(math.Floor(math.Log10(lo))); e <= int(math.Ceil(math.Log10(hi))); e++ {
		if v := math.Pow10(e); v >= lo*(1-slack) && v <= hi*(1+slack) {
			n++
		}
	}
	return n
}

// decadesOf returns the ticks that are labelled or are powers of ten.
func decadesOf(ticks []Tick) []Tick {
	return slices.DeleteFunc(ticks, func(t Tick) bool {
		return t.Label == "" && math.Abs(t.Value/math.Pow10(int(math.Round(math.Log10(t.Value))))-1) > slack
	})
}

// exponent writes an integer with a true minus sign.
func exponent(n int) string {
	return strings.Replace(strconv.Itoa(n), "-", "−", 1)
}

// linearTicks labels multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64) []Tick {
	span := hi - lo
	n := int(math.Floor(math.Log10(span / maxLinearTicks)))
	step, digits := math.Pow10(n), n
	for _, m := range []float64{1, 2, 5, 10} {
		step = m * math.Pow10(n)
		if span/step <= maxLinearTicks {
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
		label := strconv.FormatFloat(v, 'f', max(-digits, 0), 64)
		if top := max(math.Abs(lo), math.Abs(hi)); v != 0 && top >= math.Pow10(plainBelow) {
			label = scientific(v)
		}
		ticks = append(ticks, Tick{Value: v, Label: strings.Replace(label, "-", "−", 1)})
	}
}

// scientific writes v as m·10^{n}, or 10^{n}, with the digits it needs.
func scientific(v float64) string {
	m, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', 6, 64), "e")
	m = strings.TrimRight(strings.TrimRight(m, "0"), ".")
	n, err := strconv.Atoi(e)
	if err != nil {
		panic("plots: malformed exponent")
	}
	power := "10^{" + exponent(n) + "}"
	if m == "1" {
		return power
	}
	return m + "·" + power
}
