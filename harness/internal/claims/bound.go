package claims

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// Bound: a theorem's bound holds for the runs of a series: for each, whatever its
// setting, or on average over repeats, or in a share of them, as it says.
type Bound struct {
	// Name is one of Bounds.
	Name   string `yaml:"name" json:"name"`
	Series string `yaml:"series" json:"series"`
}

// Statement is the bound in a line, with its source.
func (b *Bound) Statement() string { return bounds()[b.Name].doc }

// scope is all settings of a data set where each run decides.
func (b *Bound) scope() scope {
	if bounds()[b.Name].form == everyRun {
		return allSettings
	}
	return oneSetting
}

// quantities reads a bounded quantity over its bound, along each run.
func (b *Bound) quantities(p *part) []observe.Quantity {
	of := bounds()[b.Name]
	if b.Name == "plateau" { // others are of fixed steps, or of the state
		p.criterion(b.Series, Curve{Metric: record.MetricSuboptimality})
	}
	var runs [][]point
	for _, r := range p.samples[b.Series].runs {
		if r.Status != record.StatusFinished {
			continue
		}
		points, err := of.along(r)
		if err != nil {
			p.fail("%s, repeat %d: %s", b.Series, r.Repeat, err)
		}
		runs = append(runs, points)
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
func (p *part) everyRun(name string, runs [][]point) observe.Quantity {
	q := observe.Quantity{Key: "largest", Name: name + ", the largest", Statistic: observe.Largest, Between: observe.AtMost(1)}
	byExcess := func(a, b point) int { return cmp.Compare(a.excess(), b.excess()) }
	holds := 0
	var worst []point
	for _, points := range runs {
		at := slices.MaxFunc(points, byExcess)
		if at.excess() <= 1 {
			holds++
		}
		q.Add(at.run.Repeat, observe.Value{Number: at.excess()})
		worst = append(worst, at)
	}
	p.because("holds in %d of %s", holds, words.Count(len(runs), "run"))
	if holds < len(runs) {
		of := slices.MaxFunc(worst, byExcess).run
		p.because("the worst run is repeat %d, %s", of.Repeat, of.Params)
	}
	return q
}

// pointwise reads at each recorded point that all runs have either by how much each run is beyond
// the bound, or whether it is. The worst point decides.
func (p *part) pointwise(name string, of form, runs [][]point) []observe.Quantity {
	var out []observe.Quantity
	share := of.share()
	for _, first := range runs[0] {
		q := observe.Quantity{
			Key: fmt.Sprint(first.steps), Name: fmt.Sprintf("%s at %s", name, words.Count(int(first.steps), "iteration")),
			Statistic: observe.Mean, Between: observe.AtMost(1), Alike: true,
		}
		if share > 0 {
			q.Statistic, q.Between = observe.Share, observe.AtMost(share)
		}
		for _, points := range runs {
			i := slices.IndexFunc(points, func(o point) bool { return o.steps == first.steps })
			if i < 0 {
				break
			}
			v := points[i].excess()
			switch {
			case share == 0:
			case v > 1:
				v = 1
			default:
				v = 0
			}
			q.Add(points[i].run.Repeat, observe.Value{Number: v})
		}
		if len(q.Values) == len(runs) {
			out = append(out, q)
		}
	}
	if len(out) == 0 {
		p.fail("the runs have no recorded point in common")
	}
	p.table.Worst = true
	if of == onAverage && len(runs) > 1 {
		p.because("at the worst of %s", words.Count(len(out), "point"))
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
	// inProbability: it holds with a probability of 1 - 2 saaDelta.
	inProbability
	// inMost: it holds in at least half of the runs.
	inMost
)

// share is the share of the runs that may be beyond a bound, 0 where not their share decides.
func (f form) share() float64 {
	return map[form]float64{inProbability: 2 * saaDelta, inMost: 0.5}[f]
}

// bound is a theorem with its hypotheses.
type bound struct {
	// task is the one that it is about.
	task string
	// judged is what is shown, in words: the quantity over its bound, or how often it
	// is beyond.
	judged string
	form   form
	// where restricts the runs that it is about; the value "" stands for a parameter that is absent.
	where observe.Where
	// at returns a quantity at a point, and the bound on it: none where it says nothing.
	at func(p *point) (value, limit float64)
	// doc is the bound in a line, with its source.
	doc string
}

// none is the bound where a theorem gives none.
var none = math.Inf(1)

// within is the bound, or none where it is at or above the most that any outcome could have: nothing
// could contradict it there.
func (p *point) within(limit, most float64) float64 {
	if limit >= most {
		return none
	}
	return limit
}

// atEnd restricts a bound to the end of a run.
func atEnd(at func(p *point) (value, limit float64)) func(p *point) (value, limit float64) {
	return func(p *point) (value, limit float64) {
		if p.index < p.curve.Len()-1 {
			return 0, none
		}
		return at(p)
	}
}

// bounds returns all bounds by what claims call them.
func bounds() map[string]bound {
	all := maps.Clone(boundsPCA)
	maps.Copy(all, boundsSVM)
	maps.Copy(all, boundsSparse)
	return all
}

// Bounds lists the names of the bounds that claims may name, sorted.
func Bounds() []string { return slices.Sorted(maps.Keys(bounds())) }

// BoundFits reports whether a bound is about runs of an algorithm in a task. If not, of
// says what it is about.
func BoundFits(name, task, algorithm string) (of string, ok bool) {
	b, known := bounds()[name]
	switch {
	case !known:
		return "", true
	case b.task != task:
		return "the task " + b.task, false
	case !b.where.Allows(record.VarAlgorithm, algorithm):
		return b.wants(record.VarAlgorithm), false
	}
	return "", true
}

// wants says which values of a variable the bound is about.
func (b bound) wants(name string) string {
	var texts []string
	for _, v := range observe.Alternatives(b.where[name]) {
		texts = append(texts, formatted(v))
	}
	return strings.Join(texts, " or ")
}

func formatted(v any) string { return cmp.Or(record.FormatValue(v), "no value") }

// along evaluates the bound at the recorded points of a run. It is an error if the run is not one
// that the bound is about, or lacks something.
func (b bound) along(r *record.Run) ([]point, error) {
	for _, name := range slices.Sorted(maps.Keys(b.where)) {
		if v := r.Value(name); !b.where.Allows(name, v) {
			return nil, fmt.Errorf("%s is %s, but the bound needs %s", name, formatted(v), b.wants(name))
		}
	}
	var points []point
	curve := r.Measured()
	for i, steps := range curve.Cost[record.CostIterations] {
		p := point{run: r, curve: curve, index: i, steps: float64(steps)}
		p.value, p.limit = b.at(&p)
		known := finite.Is(p.value) && p.limit > math.Inf(-1) // which NaN is not
		p.require(known, "after %s the value is %v, the bound %v", words.Count(int(steps), "iteration"), p.value, p.limit)
		if p.lacks != nil {
			return nil, p.lacks
		}
		if p.limit < none {
			points = append(points, p)
		}
	}
	switch {
	case curve.Len() == 0:
		return nil, errors.New("no point on record")
	case len(points) == 0:
		return nil, errors.New("no recorded point could contradict the bound")
	}
	return points, nil
}

// point is a recorded point of a run, with the bounded quantity and the bound on it.
type point struct {
	run   *record.Run
	curve record.Curve
	index int
	// steps is the number of iterations.
	steps, value, limit float64
	// lacks says in a few words what first kept the bound from being evaluated, such as
	// "no fact or parameter u_norm". What is read of the point after that does not matter.
	lacks error
}

// excess is how far a quantity is from its bound: their ratio, of a bound that is
// not positive their difference and 1, so that it holds up to 1 either way.
func (p point) excess() float64 {
	if p.limit > 0 {
		return min(p.value/p.limit, math.MaxFloat64)
	}
	return 1 + p.value - p.limit
}

// require is what the hypotheses of a bound, or its evaluation, need; else the point lacks
// what the text says.
func (p *point) require(ok bool, format string, args ...any) {
	if !ok && p.lacks == nil {
		p.lacks = fmt.Errorf(format, args...)
	}
}

// number is a fact of the run, or a parameter.
func (p *point) number(name string) float64 {
	v, ok := p.run.Number(name)
	p.require(ok, "no fact or parameter %s", name)
	_, fact := p.run.Facts[name]
	p.require(!fact || v >= 0 && finite.Is(v), "%s is %.4g, outside the range that the bound is about", name, v)
	return v
}

func (p *point) metric(split, metric string) float64 {
	c := p.curve.Metrics[split][metric]
	if p.index >= len(c) {
		p.require(false, "no %s on record for the split %s", metric, split)
		return 0
	}
	return c[p.index]
}

// rows is the number of training rows.
func (p *point) rows() float64 { return float64(p.run.Rows[record.SplitTrain]) }
