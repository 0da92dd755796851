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

// Bound states that a theorem's bound holds for the runs of a series. Depending on the theorem, it must hold for
// each run at any setting, on average over repeats, or for a fraction of the runs.
type Bound struct {
	// Name is one of Bounds.
	Name   string `yaml:"name" json:"name"`
	Series string `yaml:"series" json:"series"`
}

// Statement returns the bound and its source on one line.
func (b *Bound) Statement() string { return bounds()[b.Name].doc }

// scope returns allSettings if each run must satisfy the bound, otherwise oneSetting.
func (b *Bound) scope() scope {
	if bounds()[b.Name].form == everyRun {
		return allSettings
	}
	return oneSetting
}

// quantities reads the ratio of a quantity to its bound along each run.
func (b *Bound) quantities(p *part) []observe.Quantity {
	of := bounds()[b.Name]
	if b.Name == "plateau" { // other bounds have fixed step sizes or concern the state
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

// everyRun reads the largest ratio to the bound along each run.
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
		q.Add(observe.Value{Row: at.run.Repeat, Number: at.excess()})
		worst = append(worst, at)
	}
	p.addReason("holds in %d of %s", holds, words.Count(len(runs), "run"))
	if holds < len(runs) {
		of := slices.MaxFunc(worst, byExcess).run
		p.addReason("the worst run is repeat %d, %s", of.Repeat, of.Params)
	}
	return q
}

// pointwise reads, at each recorded point that all runs have, the ratio of each run to the bound, or whether the
// run exceeds it. The worst point decides.
func (p *part) pointwise(name string, of form, runs [][]point) []observe.Quantity {
	var out []observe.Quantity
	for _, first := range runs[0] {
		q := observe.Quantity{
			Key: fmt.Sprint(first.steps), Name: fmt.Sprintf("%s at %s", name, words.Count(int(first.steps), "iteration")),
			Statistic: observe.Mean, Between: observe.AtMost(1), Alike: true,
		}
		if of != onAverage {
			q.Statistic, q.Between = observe.Share, observe.AtMost(float64(of))
		}
		for _, points := range runs {
			i := slices.IndexFunc(points, func(o point) bool { return o.steps == first.steps })
			if i < 0 {
				break
			}
			v := points[i].excess()
			switch {
			case of == onAverage:
			case v > 1:
				v = 1
			default:
				v = 0
			}
			q.Add(observe.Value{Row: points[i].run.Repeat, Number: v})
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
		p.addReason("at the worst of %s", words.Count(len(out), "point"))
	}
	return out
}

// form is the fraction of the runs that may exceed a bound, or onAverage.
type form float64

const (
	// everyRun bounds hold for every run. One violation refutes them.
	everyRun form = 0
	// inProbability bounds hold with probability 1 - 2 saaDelta.
	inProbability form = 2 * saaDelta
	// inMost bounds hold for at least half of the runs.
	inMost form = 0.5
	// onAverage bounds hold for the expectation, estimated by the mean over repeats.
	onAverage form = -1
)

// bound is a theorem with its hypotheses.
type bound struct {
	// task is the task of the runs.
	task string
	// judged describes the judged number: the ratio of a quantity to its bound, or the fraction of runs
	// that exceed it.
	judged string
	form   form
	// where restricts the runs to the hypotheses of the theorem. The value "" means an absent parameter.
	where observe.Where
	// at returns the quantity at a point and its bound, or noBound if the theorem says nothing there.
	at func(p *point) (value, limit float64)
	// doc states the bound and its source on one line.
	doc string
}

// noBound is the bound at points where a theorem says nothing.
var noBound = math.Inf(1)

// within returns limit, or noBound if limit is at least most, the largest possible value. No run could exceed
// such a bound.
func (p *point) within(limit, most float64) float64 {
	if limit >= most {
		return noBound
	}
	return limit
}

// atEnd restricts a bound to the end of a run.
func atEnd(at func(p *point) (value, limit float64)) func(p *point) (value, limit float64) {
	return func(p *point) (value, limit float64) {
		if p.index < p.curve.Len()-1 {
			return 0, noBound
		}
		return at(p)
	}
}

// bounds returns all bounds by name.
func bounds() map[string]bound {
	all := maps.Clone(boundsPCA)
	maps.Copy(all, boundsSVM)
	maps.Copy(all, boundsSparse)
	return all
}

// Bounds lists the names of the bounds that claims may name, sorted.
func Bounds() []string { return slices.Sorted(maps.Keys(bounds())) }

// BoundFits reports whether a bound applies to runs of an algorithm in a task. If not, of describes the runs to
// which it applies.
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

// wants returns the values of a variable that the bound requires, in words.
func (b bound) wants(name string) string {
	var texts []string
	for _, v := range observe.Alternatives(b.where[name]) {
		texts = append(texts, formatted(v))
	}
	return strings.Join(texts, " or ")
}

func formatted(v any) string { return cmp.Or(record.FormatValue(v), "no value") }

// along evaluates the bound at the recorded points of a run. It returns an error if the bound does not apply to
// the run or the record lacks a number.
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
		p.require(known, "after %s the value is %v and the bound %v", words.Count(int(steps), "iteration"), p.value, p.limit)
		if p.problem != nil {
			return nil, p.problem
		}
		if p.limit < noBound {
			points = append(points, p)
		}
	}
	if len(points) == 0 {
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
	// problem is the first reason why the bound cannot be evaluated, such as "no fact or parameter u_norm".
	// Numbers read from the point afterwards are meaningless.
	problem error
}

// excess returns the ratio of a quantity to its bound. For a bound that is not positive it returns 1 plus their
// difference. In both cases the bound holds if the result is at most 1.
func (p point) excess() float64 {
	if p.limit > 0 {
		return min(p.value/p.limit, math.MaxFloat64)
	}
	return 1 + p.value - p.limit
}

// require sets problem to the message unless ok, a condition for the evaluation of the bound, holds.
func (p *point) require(ok bool, format string, args ...any) {
	if !ok && p.problem == nil {
		p.problem = fmt.Errorf(format, args...)
	}
}

// number returns a fact or a parameter of the run.
func (p *point) number(name string) float64 {
	v, ok := p.run.Number(name)
	p.require(ok, "no fact or parameter %s", name)
	_, fact := p.run.Facts[name]
	p.require(!fact || v >= 0, "%s is %.4g, outside the range that the bound is about", name, v)
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

// rows returns the number of training rows.
func (p *point) rows() float64 { return float64(p.run.Rows[record.SplitTrain]) }
