package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/record"
)

// form says in which sense a bound holds.
type form int

const (
	// everyRun: it holds for every run, so that one that breaks it refutes it.
	everyRun form = iota
	// onAverage: it holds for the expectation, of which the mean over repeats is the
	// estimate.
	onAverage
	// inProbability: the value is 1 in a run in which something happens, else 0, and
	// the bound is on the probability that it does.
	inProbability
)

// bound is a bound of a theorem.
type bound struct {
	// task is the one that it is about, and name what claims call it.
	task, name string
	// judged is what is shown, in words: the quantity over its bound, or how often it
	// is beyond.
	judged string
	form   form
	// about lists the algorithms that it is about, all of the task if it is empty.
	about []string
	// along adds the points of a run that finished which are bounded, or finds what the
	// run lacks. The bound holds where value <= limit.
	along func(b *bounded)
	// doc is the bound in a line, with its source.
	doc string
}

// bounds lists what claims may name.
func bounds() []bound { return slices.Concat(boundsPCA, boundsSVM, boundsSparse) }

// Bounds lists the names of the bounds that claims may name, sorted.
func Bounds() []string {
	var names []string
	for _, b := range bounds() {
		names = append(names, b.name)
	}
	slices.Sort(names)
	return names
}

// BoundFits reports whether a bound is about runs of an algorithm in a task. If not, of
// says what it is about.
func BoundFits(name, task, algorithm string) (of string, ok bool) {
	b, known := boundOf(name)
	switch {
	case !known:
		return "", true
	case b.task != task:
		return "the task " + b.task, false
	case !b.isAbout(algorithm):
		return strings.Join(b.about, ", "), false
	}
	return "", true
}

func boundOf(name string) (b bound, ok bool) {
	for _, b := range bounds() {
		if b.name == name {
			return b, true
		}
	}
	return bound{}, false
}

func (b bound) isAbout(algorithm string) bool {
	return len(b.about) == 0 || slices.Contains(b.about, algorithm)
}

// of evaluates the bound along a run.
func (b bound) of(r *record.Run) *bounded {
	out := &bounded{Run: r, iterations: r.Measured().Cost[record.CostIterations]}
	out.require(b.isAbout(r.Algorithm), "the bound is about %s, but the run is of %s", strings.Join(b.about, ", "), r.Algorithm)
	b.along(out)
	return out
}

// bounded is a run that a bound is evaluated along. What is read of it once something is
// lacking does not matter.
type bounded struct {
	*record.Run
	// iterations are those of the recorded points.
	iterations []int64
	// points are the recorded points with a bound.
	points []point
	// lacks says in a few words what first kept the bound from being evaluated, such as
	// "no fact u_norm".
	lacks error
}

// point is a recorded point, by its index, with the bounded quantity and the bound on it.
type point struct {
	at           int
	value, limit float64
}

// require is what the hypotheses of a bound, or its evaluation, need; else the run lacks
// what the text says.
func (b *bounded) require(ok bool, format string, args ...any) {
	if !ok && b.lacks == nil {
		b.lacks = fmt.Errorf(format, args...)
	}
}

// wants requires a parameter to have the value that the hypotheses ask for.
func (b *bounded) wants(name, value string) {
	got := b.Params[name]
	b.require(got == value, "%s is %v, but the bound needs %s", name, got, value)
}

// param is a parameter that is a number.
func (b *bounded) param(name string) float64 {
	v, ok := record.Number(b.Params[name])
	b.require(ok, "no parameter %s", name)
	return v
}

// fact is a fact of the run, which is not negative.
func (b *bounded) fact(name string) float64 {
	v, ok := b.Facts[name]
	b.require(ok, "no fact %s", name)
	b.within(name, v, 0)
	return v
}

// within requires a number to be finite and at least lo.
func (b *bounded) within(name string, v, lo float64) {
	b.require(lo <= v && v < math.Inf(1), "%s is %.4g, outside the range that the bound is about", name, v)
}

// column is a column of the curve, or nil if it is not there in full.
func (b *bounded) column(split, metric string) []float64 {
	if c := b.Measured().Metrics[split][metric]; len(c) > 0 && len(c) == len(b.iterations) {
		return c
	}
	return nil
}

// add adds a point, by its index.
func (b *bounded) add(at int, value, limit float64) {
	if b.lacks == nil {
		b.points = append(b.points, point{at, value, limit})
	}
}

// end adds the last point, which vectors belong to.
func (b *bounded) end(value, limit float64) { b.add(max(b.Points()-1, 0), value, limit) }

// each calls f for each recorded point, T being its iterations, if nothing is lacking.
func (b *bounded) each(f func(i int, T float64)) {
	if b.lacks != nil {
		return
	}
	for i, steps := range b.iterations {
		f(i, float64(steps))
	}
}
