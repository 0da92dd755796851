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

// scale is one axis of a panel: its range, and how values too small for a
// logarithmic axis are kept on it.
type scale struct {
	log      bool
	min, max float64
	// floor, on a logarithmic axis, is where values below it are drawn; it is
	// 0 if there are none.
	floor float64
	// percent says that the labels are in percent.
	percent bool
	// clip says that there may be values beyond the ends.
	clip bool
	// entered says that a logarithmic axis begins where the curves come into
	// view; what is not positive has no place on it.
	entered bool
	// sparse says that only the decades are marked, as on the axes beside it.
	sparse bool
}

// newScale returns the axis that holds all values; non-finite ones are left
// out of account.
func newScale(values []float64, log bool) scale {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool {
		return math.IsNaN(v) || math.IsInf(v, 0)
	})
	if log {
		return logScale(values)
	}
	return linearScale(values)
}

func logScale(values []float64) scale {
	if len(values) == 0 {
		return scale{log: true, min: 0.1, max: 1}
	}
	top := slices.Max(values)
	if top <= 0 {
		return scale{log: true, min: emptyFloor / 1.6, max: 1, floor: emptyFloor}
	}
	least, clipped := top, false
	for _, v := range values {
		if v <= 0 || v < top*dynamicRange {
			clipped = true
		} else {
			least = math.Min(least, v)
		}
	}
	s := scale{log: true, min: least / 1.12, max: top * 1.12}
	if s.max/s.min < 2 {
		s.min, s.max = s.min/1.5, s.max*1.5
	}
	if clipped {
		s.floor = decade(int(math.Ceil(math.Log10(least))) - 1)
		s.min = s.floor / 1.6 // so that the floor is seen above the axis
	}
	return s
}

func linearScale(values []float64) scale {
	if len(values) == 0 {
		return scale{min: 0, max: 1}
	}
	lo, hi := slices.Min(values), slices.Max(values)
	if lo >= 0 && lo < hi/2 {
		lo = 0
	}
	pad := 0.04 * (hi - lo)
	if pad == 0 {
		pad = math.Max(0.05*math.Abs(hi), 0.5)
	}
	s := scale{min: lo - pad, max: hi + pad}
	if lo == 0 {
		s.min = 0
	}
	return s
}

// decade returns 10^n, correctly rounded.
func decade(n int) float64 { return math.Pow10(n) }

// place returns where v is drawn. ok is false if it has no place on the axis;
// clipped is true if it was moved up to the floor of a logarithmic axis. On an
// axis that is clipped everything has a place, within its ends or not.
func (s scale) place(v float64) (w float64, clipped, ok bool) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0) || s.entered && v <= 0:
		return 0, false, false
	case s.clip && s.log:
		return math.Max(v, s.min*s.min/s.max), false, true
	case s.clip:
		return v, false, true
	case s.log && s.floor > 0 && v < s.floor:
		return s.floor, true, true
	case s.log && v < s.min:
		return 0, false, false
	}
	return v, false, true
}

// norm returns where on the axis x lies: 0 at its lower end, 1 at its upper.
// On a logarithmic axis that is not clipped, values below the lower end lie
// there.
func (s scale) norm(x float64) float64 {
	if !s.log {
		return (x - s.min) / (s.max - s.min)
	}
	if x <= s.min && !s.clip {
		return 0
	}
	return math.Log(x/s.min) / math.Log(s.max/s.min)
}

// beyond reports whether v is outside an axis that is clipped.
func (s scale) beyond(v float64) bool { return s.clip && (v < s.min || v > s.max) }

// tick is a mark on an axis; minor ones have no label.
type tick struct {
	value float64
	label string
}

// ticks returns the marks within the range of the axis.
func (s scale) ticks() []tick {
	unit := 1.0
	if s.percent {
		unit = 100
	}
	var ticks []tick
	if s.log {
		ticks = logTicks(unit*s.min, unit*s.max)
		if s.sparse {
			ticks = decadesOf(ticks)
		}
	} else {
		ticks = linearTicks(unit*s.min, unit*s.max)
	}
	if !s.percent {
		return ticks
	}
	for i, t := range ticks {
		if t.label != "" && s.log {
			t.label = strconv.FormatFloat(t.value, 'g', 3, 64)
		}
		if t.label != "" {
			t.label += " %"
		}
		t.value /= unit
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
func logTicks(lo, hi float64) []tick {
	inside := func(v float64) bool { return v >= lo*(1-slack) && v <= hi*(1+slack) }
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	decades := decadesIn(lo, hi)
	short := decades < minFullDecades
	plain := short && lo >= leastPlain && hi < mostPlain
	text := func(m, n int) string {
		switch {
		case plain:
			return strconv.FormatFloat(float64(m)*decade(n), 'f', max(-n, 0), 64)
		case m == 1:
			return "10^{" + exponent(n) + "}"
		}
		return strconv.Itoa(m) + "·10^{" + exponent(n) + "}"
	}
	step := 1
	for (decades+step-1)/step > maxDecadeLabels {
		step++
	}
	var ticks []tick
	for n := first; n <= last; n++ {
		if v := decade(n); inside(v) {
			t := tick{value: v}
			if mod(n, step) == 0 {
				t.label = text(1, n)
			}
			ticks = append(ticks, t)
		}
		if decades > maxMinorDecades {
			continue
		}
		for m := 2; m <= 9; m++ {
			v := float64(m) * decade(n)
			if !inside(v) {
				continue
			}
			t := tick{value: v}
			if short && (m == 2 || m == 5) {
				t.label = text(m, n)
			}
			ticks = append(ticks, t)
		}
	}
	if labelled := slices.DeleteFunc(slices.Clone(ticks), func(t tick) bool { return t.label == "" }); len(labelled) < 2 {
		return linearTicks(lo, hi)
	}
	return ticks
}

// isSparse reports whether an axis is so long that only its decades are marked.
func (s scale) isSparse() bool {
	return s.log && !s.percent && decadesIn(s.min, s.max) > maxMinorDecades
}

// decadesIn returns the number of powers of ten from lo to hi.
func decadesIn(lo, hi float64) int {
	n := 0
	for e := int(math.Floor(math.Log10(lo))); e <= int(math.Ceil(math.Log10(hi))); e++ {
		if v := decade(e); v >= lo*(1-slack) && v <= hi*(1+slack) {
			n++
		}
	}
	return n
}

// decadesOf returns the ticks that are labelled or are powers of ten.
func decadesOf(ticks []tick) []tick {
	return slices.DeleteFunc(ticks, func(t tick) bool {
		return t.label == "" && math.Abs(t.value/decade(int(math.Round(math.Log10(t.value))))-1) > slack
	})
}

// mod is n modulo m, never negative.
func mod(n, m int) int { return ((n % m) + m) % m }

// exponent writes an integer with a true minus sign.
func exponent(n int) string {
	return strings.Replace(strconv.Itoa(n), "-", "−", 1)
}

// linearTicks labels multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64) []tick {
	span := hi - lo
	n := int(math.Floor(math.Log10(span / maxLinearTicks)))
	step, digits := decade(n), n
	for _, m := range []float64{1, 2, 5, 10} {
		step = m * decade(n)
		if span/step <= maxLinearTicks {
			if m == 10 {
				digits++
			}
			break
		}
	}
	var ticks []tick
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
		if top := max(math.Abs(lo), math.Abs(hi)); v != 0 && top >= decade(plainBelow) {
			label = scientific(v)
		}
		ticks = append(ticks, tick{value: v, label: strings.Replace(label, "-", "−", 1)})
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
