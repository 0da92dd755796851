package plots

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// ChartAxis is an axis of a panel. Values may lie beyond its ends.
type ChartAxis struct {
	Label string  `json:"label"`
	Log   bool    `json:"log"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// Percent reports whether values are fractions that labels show in percent.
	Percent bool `json:"percent,omitempty"`
	// Floor is the value at which a logarithmic y axis shows all smaller values, including zero and negative
	// values. It is 0 without such values.
	Floor float64 `json:"floor,omitempty"`
	// LabelHidden omits the label in files, because the panel to the left or below has it.
	LabelHidden bool `json:"-"`
}

// Norm returns the position of x on the axis: 0 at the lower end, 1 at the upper end. On a logarithmic axis it is at
// least the position of the floor or, without a floor, -1.
func (a ChartAxis) Norm(x float64) float64 {
	if !a.Log {
		return (x - a.Min) / (a.Max - a.Min)
	}
	least := cmp.Or(a.Floor, a.Min*(a.Min/a.Max))
	return math.Log(max(x, least)/a.Min) / math.Log(a.Max/a.Min)
}

// Beyond reports whether v is outside the axis.
func (a ChartAxis) Beyond(v float64) bool {
	position := a.Norm(v)
	return position < -slack || position > 1+slack
}

// setAxes sets the axes of all panels. The x axes depend on the y axes.
func (l layout) setAxes(style Appearance) {
	for _, panes := range l.byKey((*pane).yKey) {
		a := panes[0].withRange(yAxis(panes), "y", style.Y)
		for _, c := range panes {
			c.Y = a
		}
	}
	for _, panes := range l.byKey((*pane).xKey) {
		a := panes[0].withRange(xAxis(panes), "x", style.X)
		for _, c := range panes {
			c.X = a
		}
	}
}

// withRange returns the axis a with the ends that the style sets under a key. ends or each of them may be nil. It warns
// of an impossible range and ignores it.
func (c *pane) withRange(a ChartAxis, key string, ends []*float64) ChartAxis {
	if ends == nil {
		return a
	}
	lo, hi := *cmp.Or(ends[0], &a.Min), *cmp.Or(ends[1], &a.Max)
	if lo >= hi || a.Log && lo <= 0 {
		c.warn("style.%s is ignored: the axis cannot range from %v to %v", key, lo, hi)
		return a
	}
	a.Min, a.Max = lo, hi
	if lo > a.Floor {
		a.Floor = 0
	}
	return a
}

// byKey groups the panels by their keys.
func (l layout) byKey(key func(*pane) string) map[string][]*pane {
	groups := make(map[string][]*pane)
	for _, c := range slices.Concat(l...) {
		groups[key(c)] = append(groups[key(c)], c)
	}
	return groups
}

// axisValues returns the values of the lines and curves of panels on an axis.
func axisValues(
	panes []*pane, line func(ChartLine) *float64, curve func(*pane, ChartCurve) []float64,
) (values []float64) {
	for _, c := range panes {
		for _, l := range c.Lines {
			if v := line(l); v != nil {
				values = append(values, *v)
			}
		}
		for _, cv := range c.Curves {
			values = append(values, curve(c, cv)...)
		}
	}
	return values
}

// xAxis returns the x axis of panels. It begins where the first curve enters the y axis.
func xAxis(panes []*pane) ChartAxis {
	inView := func(c *pane, cv ChartCurve) []float64 { return cv.X[cv.entersAt(c.Y):] }
	values := axisValues(panes, func(l ChartLine) *float64 { return l.X }, inView)
	spec := panes[0].spec
	a := newAxis(values, spec.logX())
	if !a.Log && len(values) > 0 && spec.X != quantityMargin {
		// Curves end at the right edge of the panel, without the padding of linearAxis.
		a.Max = math.Max(a.Max-linearPadding/(1+linearPadding)*(a.Max-a.Min), a.Min+1)
	}
	return a
}

// yAxis returns the y axis of panels. It shows all values, except for some errors; see errorAxis.
func yAxis(panes []*pane) ChartAxis {
	points := func(_ *pane, cv ChartCurve) []float64 { return slices.Concat(cv.Y, cv.Lo, cv.Hi) }
	spec := panes[0].spec
	values := axisValues(panes, func(l ChartLine) *float64 { return l.Y }, points)
	a := newAxis(values, spec.logY())
	switch {
	case a.Log && slices.ContainsFunc(values, func(v float64) bool { return v < a.Min }):
		a.Floor = math.Pow10(int(math.Floor(math.Log10(a.Min))))
		a.Min = a.Floor / 1.6 // so that the line of the floor is above the x axis
	case a.Log:
	case spec.Profiles():
		a = ChartAxis{Max: 1.02, Percent: true}
	case spec.Y == record.MetricError:
		a = errorAxis(a, panes)
	case spec.Y == quantityLoss:
		a.Min = math.Min(a.Min, -0.03*a.Max) // so that a loss of 0 is above the x axis
	case spec.Y == observe.Spectrum:
		a = ChartAxis{Min: -0.02, Max: 1.02}
	}
	return a
}

// errorAxis returns a linear axis of classification errors. all is the axis of all values. Curves begin near the error
// of guessing, but the interesting differences are far below. The axis therefore ends at 4 times the least error, but
// at most 10 percentage points above it. It ends higher if a mean curve has a larger error at its end. The axis of
// trade-offs ends just above the error of the constant classifier if that is known.
func errorAxis(all ChartAxis, panes []*pane) ChartAxis {
	least, last, constant := math.Inf(1), 0.0, 0.0
	for _, c := range panes {
		if c.isTradeoff() {
			constant = max(constant, c.constant)
		}
		for _, l := range c.Lines {
			if l.Y != nil {
				least, last = min(least, *l.Y), max(last, *l.Y)
			}
		}
		for _, cv := range c.Curves {
			if !cv.Thin {
				least, last = min(least, slices.Min(cv.Y)), max(last, cv.Y[len(cv.Y)-1])
			}
		}
	}
	hi := max(min(4*least, least+0.1), least+1.25*(last-least))
	if constant > least {
		hi = constant + 0.1*(constant-least)
	}
	if hi > least && hi < all.Max {
		all = linearAxis([]float64{least, hi})
	}
	all.Percent = true
	return all
}

const (
	// dynamicRange bounds the ratio of the ends of a logarithmic axis: smaller values are rounding errors.
	dynamicRange = 1e-12
	// Magnitudes are clipped to these bounds, so that padding cannot overflow and ticks remain few.
	minMagnitude, maxMagnitude = 1e-300, 1e300
	// linearPadding is the space at each end of a linear axis, relative to the range of the values.
	linearPadding = 0.04
)

// newAxis returns an axis for values. It ignores values that are not finite and, if the axis is logarithmic, values
// that are not positive.
func newAxis(values []float64, log bool) ChartAxis {
	var kept []float64
	for _, v := range values {
		switch {
		case !finite.Is(v) || log && v <= 0:
			continue
		case v != 0:
			v = math.Copysign(min(max(math.Abs(v), minMagnitude), maxMagnitude), v)
		}
		kept = append(kept, v)
	}
	if log {
		return logAxis(kept)
	}
	return linearAxis(kept)
}

// logAxis returns a logarithmic axis for positive values. It leaves out values that are rounding errors.
func logAxis(values []float64) ChartAxis {
	if len(values) == 0 {
		return ChartAxis{Log: true, Min: 0.1, Max: 1}
	}
	top := slices.Max(values)
	least := top
	for _, v := range values {
		if v >= top*dynamicRange {
			least = min(least, v)
		}
	}
	a := ChartAxis{Log: true, Min: least / 1.12, Max: top * 1.12}
	if a.Max/a.Min < 2 {
		a.Min, a.Max = a.Min/1.5, a.Max*1.5
	}
	return a
}

// linearAxis returns a linear axis. It begins at 0 if no value is negative and the least is below half of the largest.
func linearAxis(values []float64) ChartAxis {
	if len(values) == 0 {
		return ChartAxis{Min: 0, Max: 1}
	}
	lo, hi := slices.Min(values), slices.Max(values)
	if lo >= 0 && lo < hi/2 {
		lo = 0
	}
	pad := linearPadding * (hi - lo)
	if pad == 0 {
		pad = math.Max(0.05*math.Abs(hi), 0.5)
	}
	a := ChartAxis{Min: lo - pad, Max: hi + pad}
	if lo == 0 {
		a.Min = 0
	}
	return a
}

// Tick is a mark on an axis. Minor ticks have no label.
type Tick struct {
	Value float64 `json:"at"`
	Label string  `json:"text,omitempty"`
}

// Ticks returns the ticks within the range of the axis.
func (a ChartAxis) Ticks() []Tick { return a.FewerTicks(0) }

// FewerTicks is like Ticks with a lower maximum number of labels. fewer is the difference, at most MaxFewer.
func (a ChartAxis) FewerTicks(fewer int) []Tick {
	var ticks []Tick
	if a.Log {
		ticks = logTicks(a.Min, a.Max, fewer)
	}
	labelled := 0
	for _, t := range ticks {
		if t.Label != "" {
			labelled++
		}
	}
	switch {
	case a.Percent:
		ticks = linearTicks(100*a.Min, 100*a.Max, maxLinearTicks-fewer)
		for i, t := range ticks {
			ticks[i] = Tick{t.Value / 100, t.Label + " %"}
		}
	case labelled < 2:
		ticks = linearTicks(a.Min, a.Max, maxLinearTicks-fewer)
	}
	return ticks
}

const (
	maxDecadeLabels = 7 // of a logarithmic axis, at powers of ten
	maxMinorDecades = 8 // an axis with more powers of ten has no minor ticks
	minFullDecades  = 3 // an axis with fewer powers of ten also has labels at their multiples by 2 and 5
	maxLinearTicks  = 6 // of a linear axis
	// slack is the relative tolerance for positions outside an axis, for rounding errors.
	slack = 1e-9

	// MaxFewer is the greatest argument of FewerTicks. It leaves two labels.
	MaxFewer = maxLinearTicks - 2

	// Labels of a short logarithmic axis have no exponent if its range is between minPlain and maxPlain. Labels of a
	// linear axis have no exponent if its values are below maxPlainLinear.
	minPlain, maxPlain = 1e-3, 1e4
	maxPlainLinear     = 1e5
)

// logTicks returns ticks at the powers of ten and, unless there are many of them, at their multiples by 2 to 9.
func logTicks(lo, hi float64, fewer int) []Tick {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	inside := func(v float64) bool { return v >= lo*(1-slack) && v <= hi*(1+slack) }
	decades := 0
	for n := first; n <= last; n++ {
		if inside(math.Pow10(n)) {
			decades++
		}
	}
	few := decades < minFullDecades
	short := few && fewer == 0
	plain := few && lo >= minPlain && hi < maxPlain
	limit := maxDecadeLabels - fewer
	step := max((decades+limit-1)/limit, 1)
	var ticks []Tick
	for n := first; n <= last; n++ {
		for m := 1; m <= 9; m++ {
			t := Tick{Value: float64(m) * math.Pow10(n)}
			labelled := m == 1 && n%step == 0 || short && (m == 2 || m == 5)
			switch {
			case !inside(t.Value), m > 1 && decades > maxMinorDecades:
				continue
			case labelled && plain:
				t.Label = strconv.FormatFloat(t.Value, 'f', max(-n, 0), 64)
			case labelled:
				t.Label = scientific(t.Value)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// linearTicks returns at most limit labelled ticks, at multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64, limit int) []Tick {
	span := hi - lo
	digits := int(math.Floor(math.Log10(span / float64(limit))))
	step := math.Pow10(digits)
	for _, m := range []float64{1, 2, 5, 10} {
		if step = m * math.Pow10(digits); span/step <= float64(limit) {
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
		if v != 0 && max(math.Abs(lo), math.Abs(hi)) >= maxPlainLinear {
			label = scientific(v)
		}
		ticks = append(ticks, Tick{v, label})
	}
}

// superscripts replaces the characters of an exponent by superscripts.
var superscripts = strings.NewReplacer(
	"0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "-", "⁻",
)

// scientific formats v as m·10ⁿ or 10ⁿ, without trailing zeros.
func scientific(v float64) string {
	m, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', 6, 64), "e")
	m = strings.TrimRight(strings.TrimRight(m, "0"), ".")
	n, _ := strconv.Atoi(e)
	power := "10" + superscripts.Replace(strconv.Itoa(n))
	if m == "1" {
		return power
	}
	return trueMinus(m) + "·" + power
}

// trueMinus replaces hyphens by minus signs.
func trueMinus(number string) string { return strings.ReplaceAll(number, "-", "−") }
