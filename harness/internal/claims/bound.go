package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"gonum.org/v1/gonum/stat"
)

// Bound: a theorem's bound holds for the runs of a series: for each, whatever its
// setting, or on average over repeats, or in a share of them, as it says.
type Bound struct {
	// Name is one of Bounds.
	Name   string `yaml:"name" json:"name"`
	Series string `yaml:"series" json:"series"`
}

func (b *Bound) words(string) string {
	of, _ := boundOf(b.Name)
	return fmt.Sprintf("the bound %s holds for %s: %s", b.Name, b.Series, of.doc)
}

// scope is all settings of a data set where each run decides.
func (b *Bound) scope() scope {
	if of, _ := boundOf(b.Name); of.form == everyRun {
		return allSettings
	}
	return oneSetting
}

// quantities reads a bounded quantity over its bound, along each run.
func (b *Bound) quantities(p *part) []observe.Quantity {
	of, _ := boundOf(b.Name)
	s := p.samples[b.Series]
	if len(s.all) == 0 {
		p.fail("no runs of series %s", b.Series)
	}
	var runs []*bounded
	for _, r := range s.runs {
		if r.Status != record.StatusFinished {
			continue
		}
		run := of.of(r)
		if run.lacks != nil {
			p.fail("%s, repeat %d: %s", b.Series, r.Repeat, run.lacks)
		}
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		p.failLost(b.Series)
	}
	if p.failed() {
		return nil
	}
	name := b.Series + ", " + of.judged
	if of.form == everyRun {
		return []observe.Quantity{p.everyRun(name, runs)}
	}
	return p.pointwise(name, of.form, runs)
}

// everyRun reads by how much each run is beyond a bound, at the point where that is most.
func (p *part) everyRun(name string, runs []*bounded) observe.Quantity {
	q := observe.Quantity{Key: "largest", Name: name + ", the largest", Statistic: observe.Largest, Between: observe.AtMost(1)}
	broken := 0
	worst, most := runs[0], math.Inf(-1)
	for _, r := range runs {
		excess := math.Inf(-1)
		for _, point := range r.points {
			excess = max(excess, point.excess())
		}
		if excess > 1 {
			broken++
		}
		if excess > most {
			worst, most = r, excess
		}
		q.Add(r.Repeat, observe.Value{Number: excess})
	}
	p.because("holds in %d of %s", len(runs)-broken, words.Count(len(runs), "run"))
	if broken > 0 {
		p.because("the worst run is repeat %d, %s", worst.Repeat, worst.Params)
	}
	return q
}

// pointwise reads at each recorded point that all runs have either by how much each run is beyond
// the bound, or whether something happens in it. The worst point decides.
func (p *part) pointwise(name string, of form, runs []*bounded) []observe.Quantity {
	var common [][]point
	for _, first := range runs[0].points {
		points := make([]point, 0, len(runs))
		for _, r := range runs {
			if i := slices.IndexFunc(r.points, first.at); i >= 0 {
				points = append(points, r.points[i])
			}
		}
		if len(points) == len(runs) {
			common = append(common, points)
		}
	}
	if len(common) == 0 {
		p.fail("the runs have no recorded point in common")
	}
	p.table.Worst = true
	if of == onAverage && len(runs) > 1 {
		p.because("at the worst of %s", words.Count(len(common), "point"))
	}
	out := make([]observe.Quantity, len(common))
	for i, points := range common {
		steps := int(points[0].steps)
		q := observe.Quantity{
			Key: fmt.Sprint(steps), Name: fmt.Sprintf("%s at %s", name, words.Count(steps, "iteration")),
			Statistic: observe.Mean, Between: observe.AtMost(1), Tries: len(common), Alike: true,
		}
		limits := make([]float64, len(points))
		for k, point := range points {
			limits[k] = point.limit
			v := point.value
			if of == onAverage {
				v = point.excess()
			}
			q.Add(runs[k].Repeat, observe.Value{Number: v})
		}
		if of == inProbability {
			q.Statistic, q.Between = observe.Share, observe.AtMost(stat.Mean(limits, nil))
		}
		out[i] = q
	}
	return out
}

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

func (b bound) of(r *record.Run) *bounded {
	out := &bounded{Run: r, iterations: r.Measured().Cost[record.CostIterations]}
	out.require(b.isAbout(r.Algorithm), "the bound is about %s, but the run is of %s", strings.Join(b.about, ", "), r.Algorithm)
	out.require(len(out.iterations) > 0, "no point on record")
	b.along(out)
	out.points = slices.DeleteFunc(out.points, func(q point) bool {
		known := finite.Is(q.value) && !math.IsNaN(q.limit) && !math.IsInf(q.limit, -1)
		out.require(known, "%s at %s iterations: the value is %v, the bound %v", b.name, words.Cost(q.steps), q.value, q.limit)
		return math.IsInf(q.limit, 1) // which says nothing
	})
	out.require(len(out.points) > 0, "%s gives no bound at any recorded point", b.name)
	return out
}

// bounded is a run that a bound is evaluated along. What is read of it once something is
// lacking does not matter.
type bounded struct {
	*record.Run
	iterations []int64
	points     []point
	// lacks says in a few words what first kept the bound from being evaluated, such as
	// "no fact u_norm".
	lacks error
}

// point is a recorded point, by its index and iterations, with the bounded quantity and the bound on it.
type point struct {
	index               int
	steps, value, limit float64
}

// at reports whether another point is recorded at the same place.
func (q point) at(o point) bool { return q.index == o.index && q.steps == o.steps }

// excess is how far a quantity is from its bound: their ratio, of a bound that is
// not positive their difference and 1, so that it holds up to 1 either way.
func (q point) excess() float64 {
	if q.limit > 0 {
		return min(q.value/q.limit, math.MaxFloat64)
	}
	return 1 + q.value - q.limit
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

func (b *bounded) column(split, metric string) []float64 {
	if c := b.Measured().Metrics[split][metric]; len(c) > 0 && len(c) == len(b.iterations) {
		return c
	}
	return nil
}

func (b *bounded) add(index int, value, limit float64) {
	if b.lacks == nil {
		b.points = append(b.points, point{index, float64(b.iterations[index]), value, limit})
	}
}

// end adds the last point, which vectors belong to.
func (b *bounded) end(value, limit float64) { b.add(len(b.iterations)-1, value, limit) }

// each calls f for each recorded point, T being its iterations, if nothing is lacking.
func (b *bounded) each(f func(i int, T float64)) {
	if b.lacks != nil {
		return
	}
	for i, steps := range b.iterations {
		f(i, float64(steps))
	}
}
