package spec

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/whole"
	"stochopt/results/record"
)

// End is an end of a grid, at which a choice lies.
type End struct {
	Dataset, Series string
	// Param is the parameter, Value its value there.
	Param string
	Value any
}

// beyond is how many values a wider grid has beyond an end of the narrow one.
const beyond = 3

// Widened returns the options --set that widen the grids beyond the ends given, one a
// grid. A grid that the defaults give is set there, for all algorithms that have it. The
// wider grid holds the narrow one, so that what has been run need not be run again. There
// is none for a value that is not at an end of what the specification says, or beyond
// which the parameter has no values.
func (s *Spec) Widened(ends []End) []string {
	type widening struct {
		path, param string
		grid        Grid
		low, high   bool
	}
	var all []*widening
	for _, e := range ends {
		a := s.entryOn(e.Series, e.Dataset)
		if a == nil || s.task == nil {
			continue
		}
		path, g := s.gridOf(a, e.Param)
		xs := numbersOf(g)
		at, ok := record.Number(e.Value)
		if !ok || len(xs) < 2 || at != xs[0] && at != xs[len(xs)-1] {
			continue
		}
		i := slices.IndexFunc(all, func(w *widening) bool { return w.path == path })
		if i < 0 {
			i = len(all)
			all = append(all, &widening{path: path, param: e.Param, grid: g})
		}
		all[i].low, all[i].high = all[i].low || at == xs[0], all[i].high || at != xs[0]
	}
	var options []string
	for _, w := range all {
		if text := w.grid.widened(s.having(w.param), w.low, w.high); text != "" {
			options = append(options, fmt.Sprintf("--set '%s=%s'", w.path, text))
		}
	}
	return options
}

// having returns a parameter as the algorithms here that have it describe it.
func (s *Spec) having(name string) []Param {
	var params []Param
	for i := range s.Algorithms {
		if p, ok := findParam(s.algorithm(&s.Algorithms[i]).Params, name); ok {
			params = append(params, p)
		}
	}
	return params
}

// gridOf returns the grid of a parameter of an entry, and the path that sets it.
func (s *Spec) gridOf(a *AlgorithmEntry, param string) (path string, g Grid) {
	inside := param // of a step size it is that
	if !strings.HasPrefix(param, stepPrefix) {
		inside = "with." + param
	}
	if g := given(a.With, a.Step, param); len(g) > 0 {
		name := a.Series()
		for i, o := range each(s.Algorithms) {
			if o == a && slices.Index(s.seriesNames(), name) < i {
				name = strconv.Itoa(i) // the name is that of an entry on other data
			}
		}
		return "algorithms." + name + "." + inside, g
	}
	return "defaults." + inside, given(s.Defaults.With, s.Defaults.Step, param)
}

// numbersOf returns the values of a grid in ascending order, nil if they are no numbers.
func numbersOf(g Grid) []float64 {
	var xs []float64
	for _, v := range g {
		x, ok := record.Number(v)
		if !ok {
			return nil
		}
		xs = append(xs, x)
	}
	slices.Sort(xs)
	return xs
}

// widened returns the text of a grid with more values below it, above it or both, "" if
// the parameter can have none.
func (g Grid) widened(params []Param, below, above bool) string {
	xs := numbersOf(g)
	less, more := 0, 0
	if below {
		less = beyond
	}
	if above {
		more = beyond
	}
	for _, text := range []func(xs []float64, less, more int) string{powersText, linspaceText, listText} {
		for l := less; l >= 0; l-- {
			for m := more; m >= 0 && l+m > 0; m-- {
				if t := text(xs, l, m); t != "" && g.within(t, len(xs)+l+m, params) {
					return t
				}
			}
		}
	}
	return ""
}

// within reports whether the text is that of a grid of so many values, all of which the
// parameter can have, that holds the values of g, to the bit.
func (g Grid) within(text string, count int, params []Param) bool {
	rep := &reporter{}
	n := parse([]byte(text), Position{}, rep)
	if n == nil {
		return false
	}
	var wide Grid
	wide.decodeNode(&decoder{rep: rep}, n, path{})
	refuses := func(p Param) bool { return p.coerceAll(wide) != nil }
	if rep.err() != nil || len(wide) != count || slices.ContainsFunc(params, refuses) {
		return false
	}
	have := numbersOf(wide)
	return !slices.ContainsFunc(numbersOf(g), func(x float64) bool { return !slices.Contains(have, x) })
}

// powersText widens a grid of powers with a constant stride of their exponents, the least
// stride that a base has for it; other grids have none.
func powersText(xs []float64, less, more int) string {
	best, leastStride := "", math.MaxInt
	for _, form := range slices.Sorted(maps.Keys(bases)) {
		var exponents []int
		for _, x := range xs {
			if e := whole.Within(math.Round(math.Log(x)/math.Log(float64(bases[form]))), -maxExponent, maxExponent); x > 0 && power(bases[form], e) == x {
				exponents = append(exponents, e)
			}
		}
		if len(exponents) < len(xs) {
			continue
		}
		stride := exponents[1] - exponents[0]
		for i := range exponents[1:] {
			if exponents[i+1]-exponents[i] != stride {
				stride = math.MaxInt
			}
		}
		if stride >= leastStride {
			continue
		}
		leastStride = stride
		best = fmt.Sprintf("{%s: [%d, %d", form, exponents[0]-less*stride, exponents[len(xs)-1]+more*stride)
		if stride > 1 {
			best += fmt.Sprintf(", %d", stride)
		}
		best += "]}"
	}
	return best
}

// linspaceText widens a grid of equidistant numbers.
func linspaceText(xs []float64, less, more int) string {
	last := len(xs) - 1
	step := (xs[last] - xs[0]) / float64(last)
	if len(xs) < 3 {
		return "" // any two numbers are
	}
	from, to := rounded(xs[0]-float64(less)*step, 12), rounded(xs[last]+float64(more)*step, 12)
	return fmt.Sprintf("{linspace: [%s, %s, %d]}", record.FormatParam(from), record.FormatParam(to), len(xs)+less+more)
}

// listText widens any grid: on either side by the ratio of the two values there, or by
// their difference if not both are positive, or all are about equidistant.
func listText(xs []float64, less, more int) string {
	wide, step := slices.Clone(xs), xs[1]-xs[0]
	even := len(xs) > 2
	for i := range xs[1:] {
		even = even && math.Abs(xs[i+1]-xs[i]-step) < 1e-9*step
	}
	next := func(a, b float64) float64 {
		if a > 0 && b > 0 && !even {
			return rounded(b*(b/a), 3)
		}
		return rounded(b+(b-a), 3)
	}
	for range less {
		wide = slices.Insert(wide, 0, next(wide[1], wide[0]))
	}
	for range more {
		wide = append(wide, next(wide[len(wide)-2], wide[len(wide)-1]))
	}
	texts := make([]string, len(wide))
	for i, x := range wide {
		texts[i] = record.FormatParam(x)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// rounded returns a number to so many digits.
func rounded(x float64, digits int) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil { // beyond the range of numbers, which no parameter has
		return math.Inf(1)
	}
	return x
}
