package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ChartAxis is an axis of a panel. There may be values beyond its ends.
type ChartAxis struct {
	Label string  `json:"label"`
	Log   bool    `json:"log"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// Percent: values are fractions, shown in percent.
	Percent bool `json:"percent,omitempty"`
	// Floor is where a logarithmic y axis shows values below it, zero and negative ones too; 0 without such values.
	Floor float64 `json:"floor,omitempty"`
	// LabelHidden: drawings omit the label, because the panel to the left or below has it.
	LabelHidden bool `json:"-"`
}

// Norm returns where on the axis x lies: 0 at its lower end, 1 at its upper. On a logarithmic axis the
// result is never less than that of the floor, or than -1 if there is no floor, even for values that
// are not positive.
func (a ChartAxis) Norm(x float64) float64 {
	if !a.Log {
		return (x - a.Min) / (a.Max - a.Min)
	}
	least := cmp.Or(a.Floor, a.Min*(a.Min/a.Max))
	return math.Log(max(x, least)/a.Min) / math.Log(a.Max/a.Min)
}

// Beyond reports whether v is outside the axis.
func (a ChartAxis) Beyond(v float64) bool {
	at := a.Norm(v)
	return at < -slack || at > 1+slack
}

// Panels share an axis if they are in one column (x) or row (y, unless Facet.ShareY says otherwise),
// show the same quantity on the same kind of scale, and, where the ends depend much on the data, the
// same data sets. The two classes of a problem with a bias share both.
func (c *pane) xKey() string {
	place := c.col
	if c.spec.Draw == drawNegative || c.spec.Draw == drawPositive {
		place = c.row
	}
	return fmt.Sprint(place, c.spec.X, c.spec.Tuned, c.spec.logX(), c.apart(), c.profile())
}

func (c *pane) yKey() string {
	place := c.row
	if c.columnY {
		place = c.col
	}
	return fmt.Sprint(place, c.spec.Y, c.spec.logY(), c.apart(), c.profile())
}

// profile tells profiles from other panels, whose axes they do not share.
func (c *pane) profile() string {
	if c.spec.Profiles() {
		return c.spec.Draw
	}
	return ""
}

func (c *pane) apart() []string {
	if c.illustrates() || c.spec.Y == yError {
		return textsOf(c.runs, varDataset)
	}
	return nil
}

// setAxes gives the panels their axes. Where an x axis begins depends on the y axes.
func (l layout) setAxes(style Appearance) {
	for _, panes := range l.sharing((*pane).yKey) {
		a := yAxis(panes)
		if !a.within(style.Y) {
			panes[0].warn("the range of style.y is not one of this axis")
		}
		for _, c := range panes {
			c.Y = a
		}
	}
	for _, panes := range l.sharing((*pane).xKey) {
		a := xAxis(panes)
		if !a.within(style.X) {
			panes[0].warn("the range of style.x is not one of this axis")
		}
		for _, c := range panes {
			c.X = a
		}
	}
}

func (l layout) sharing(key func(*pane) string) map[string][]*pane {
	groups := make(map[string][]*pane)
	for _, c := range slices.Concat(l...) {
		groups[key(c)] = append(groups[key(c)], c)
	}
	return groups
}

// valuesIn returns what lines and curves of panels have on an axis.
func valuesIn(panes []*pane, line func(ChartLine) *float64, curve func(*pane, ChartCurve) []float64) (values []float64) {
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

// xAxis begins where the first curve comes into view.
func xAxis(panes []*pane) ChartAxis {
	inView := func(c *pane, cv ChartCurve) []float64 { return cv.X[cv.enter(c.Y):] }
	values := valuesIn(panes, func(l ChartLine) *float64 { return l.X }, inView)
	spec := panes[0].spec
	a := newScale(values, spec.logX())
	if !a.Log && len(values) > 0 && spec.X != quantityMargin {
		// A curve ends at the edge of its panel.
		a.Max = math.Max(a.Max-0.04/1.04*(a.Max-a.Min), a.Min+1)
	}
	return a
}

func yAxis(panes []*pane) ChartAxis {
	points := func(_ *pane, cv ChartCurve) []float64 { return slices.Concat(cv.Y, cv.Lo, cv.Hi) }
	spec := panes[0].spec
	values := valuesIn(panes, func(l ChartLine) *float64 { return l.Y }, points)
	a := newScale(values, spec.logY())
	switch {
	case a.Log && slices.ContainsFunc(values, func(v float64) bool { return v < a.Min }):
		a.Floor = math.Pow10(int(math.Floor(math.Log10(a.Min))))
		a.Min = a.Floor / 1.6 // the floor is visible above the axis
	case a.Log:
	case spec.Profiles():
		a = ChartAxis{Max: 1.02, Percent: true}
	case spec.Y == yError:
		a = errorAxis(a, panes)
	case spec.Y == quantityLoss:
		a.Min = math.Min(a.Min, -0.03*a.Max) // a loss of 0 is seen above the axis
	case spec.Y == ySpectrum:
		a = ChartAxis{Min: -0.02, Max: 1.02}
	}
	return a
}

// errorAxis is a linear axis of classification errors; all is the one that holds all
// values. Curves begin near the error of guessing, and the differences of interest are
// far below: the axis ends where all mean curves end below, at 4 times the least error or
// 10 percentage points above it, whichever is less. That of trade-offs ends a little above
// the error of the constant classifier where it is known.
func errorAxis(all ChartAxis, panes []*pane) ChartAxis {
	least, last, constant := math.Inf(1), 0.0, 0.0
	for _, c := range panes {
		if c.tradesOff() {
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
		all = linearScale([]float64{least, hi})
	}
	all.Percent = true
	return all
}

const (
	// A logarithmic axis reaches at most dynamicRange below the largest value.
	// Anything smaller is rounding noise of a difference of numbers of that size.
	dynamicRange = 1e-12
	// Absolute values are kept between leastShown and mostShown, so that axes have
	// room for margins and finitely many ticks.
	leastShown, mostShown = 1e-300, 1e300
)

func newScale(values []float64, log bool) ChartAxis {
	var kept []float64
	for _, v := range values {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0) || log && v <= 0:
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
	least := top
	for _, v := range values {
		if v >= top*dynamicRange {
			least = min(least, v)
		}
	}
	s := ChartAxis{Log: true, Min: least / 1.12, Max: top * 1.12}
	if s.Max/s.Min < 2 {
		s.Min, s.Max = s.Min/1.5, s.Max*1.5
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

// Tick is a mark on an axis; minor ones have no label.
type Tick struct {
	Value float64 `json:"at"`
	Label string  `json:"text,omitempty"`
}

// Ticks returns the marks within the range of the axis.
func (a ChartAxis) Ticks() []Tick { return a.FewerTicks(0) }

// FewerTicks returns marks of which fewer have labels, where there is little room: less is by how many,
// up to MaxFewer.
func (a ChartAxis) FewerTicks(less int) []Tick {
	var ticks []Tick
	if a.Log {
		ticks = logTicks(a.Min, a.Max, less)
	}
	labelled := 0
	for _, t := range ticks {
		if t.Label != "" {
			labelled++
		}
	}
	switch {
	case a.Percent:
		ticks = linearTicks(100*a.Min, 100*a.Max, maxLinearTicks-less)
		for i, t := range ticks {
			ticks[i] = Tick{t.Value / 100, t.Label + " %"}
		}
	case labelled < 2:
		ticks = linearTicks(a.Min, a.Max, maxLinearTicks-less)
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

	// MaxFewer is the greatest argument of FewerTicks; two labels are left.
	MaxFewer = maxLinearTicks - 2

	// The labels of a short logarithmic axis within these are written out.
	leastPlain, mostPlain = 1e-3, 1e4
)

// logTicks marks the decades, and between them 2..9 unless there are many; short ranges
// are labelled at 2 and 5 as well.
func logTicks(lo, hi float64, less int) []Tick {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	inside := func(v float64) bool { return v >= lo*(1-slack) && v <= hi*(1+slack) }
	decades := 0
	for n := first; n <= last; n++ {
		if inside(math.Pow10(n)) {
			decades++
		}
	}
	few := decades < minFullDecades
	short := few && less == 0
	plain := few && lo >= leastPlain && hi < mostPlain
	most := maxDecadeLabels - less
	step := max((decades+most-1)/most, 1)
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

// linearTicks labels multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64, most int) []Tick {
	span := hi - lo
	digits := int(math.Floor(math.Log10(span / float64(most))))
	step := math.Pow10(digits)
	for _, m := range []float64{1, 2, 5, 10} {
		if step = m * math.Pow10(digits); span/step <= float64(most) {
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
		ticks = append(ticks, Tick{v, label})
	}
}

// superscripts are the characters of exponents.
var superscripts = strings.NewReplacer(
	"0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "-", "⁻",
)

// scientific writes v as m·10ⁿ, or 10ⁿ, with the digits it needs.
func scientific(v float64) string {
	m, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', 6, 64), "e")
	m = strings.TrimRight(strings.TrimRight(m, "0"), ".")
	n, _ := strconv.Atoi(e) // FormatFloat writes an integer there
	power := "10" + superscripts.Replace(strconv.Itoa(n))
	if m == "1" {
		return power
	}
	return trueMinus(m) + "·" + power
}

func trueMinus(number string) string { return strings.ReplaceAll(number, "-", "−") }
