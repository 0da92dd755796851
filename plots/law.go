package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// confidence is the level of the intervals of exponents.
const confidence = 0.95

// variable names what a law is a power of.
func variable(name string) string {
	switch name {
	case OverEpsilon:
		return "1/ε"
	case factNorm, "reference_norm":
		return "R"
	}
	return name
}

// factNorm is the norm of the reference classifier, which the bounds call R.
const factNorm = "u_norm"

func (e Exponent) title() string {
	title := "Measured exponent of " + variable(e.Over)
	if what := cmp.Or(e.Of, e.stateCost()); what != "" {
		title += " in " + strings.ToLower(axisLabel(what))
	}
	return title
}

// note says how the law of the exponent is found. It is the same for all the
// exponents of a law.
func (e Exponent) note() string {
	targets := make([]string, len(e.Targets))
	for i, v := range e.Targets {
		targets[i] = exact(v)
	}
	var names, each []string
	for _, v := range slices.Sorted(slices.Values(e.variables())) {
		names = append(names, "log "+variable(v))
		if v != OverEpsilon {
			each = append(each, variable(v))
		}
	}
	left := cmp.Or(strings.Join(each, " and "), "problem")
	each = append(each, "ε in {"+strings.Join(targets, ", ")+"}")
	cost := strings.ToLower(axisLabel(e.Cost))
	what, aside := cost, ""
	if e.Of != "" {
		what, aside = strings.ToLower(axisLabel(e.Of)), ", taken where the "+cost+" are fewest"
	}
	norm := ""
	if slices.Contains(e.variables(), factNorm) {
		norm = "; R is the norm of the reference classifier whose expected hinge loss is L*"
	}
	early := ", or had reached when first recorded"
	if e.stateCost() != "" {
		early = ""
	}
	others := "n and parameters"
	if slices.Contains(e.variables(), OverN) {
		others = "parameters"
	}
	return fmt.Sprintf("least squares of log %s on %s, with the %g %% interval of Student's t from leaving out the observations of each %s in turn, as they come from the same runs; an observation for each %s%s: the least over all other settings tried, such as %s, of the median over repeats at the first record of the %s on the %s split at most ε above its floor L*%s; not counted is what half of the repeats or more did not reach%s; the bounds are upper ones, for any data, up to constants and logarithms",
		what, strings.Join(names, " and "), 100*confidence, left, strings.Join(each, " and "), aside, others, strings.ToLower(axisLabel(e.Metric)), e.Split, norm, early)
}

// at returns the value in a run of what varies but epsilon.
func (e Exponent) at(r *record.Run, name string) (float64, bool) {
	if v, ok := e.Values[r.Dataset]; ok && name == e.Over {
		return v, true
	}
	if name == OverN {
		n, ok := r.Rows[trainRows]
		return float64(n), ok
	}
	if v, ok := r.Facts[name]; ok {
		return v, true
	}
	return number(r.Params[name])
}

// floorOf returns the floor of the metric in a run.
func (e Exponent) floorOf(r *record.Run) float64 {
	if v, ok := e.Floor[r.Dataset]; ok {
		return v
	}
	return r.Facts[factFloor]
}

// recorded reports whether any of the runs records what the law is of.
func (e Exponent) recorded(runs []record.Run) bool {
	return e.Of == "" || slices.ContainsFunc(runs, func(r record.Run) bool { return len(r.Curve.Metrics[stateSplit][e.Of]) > 0 })
}

// problem holds the runs that agree in what varies, by setting: those of a
// setting differ in their repeat only.
type problem struct {
	// at holds the values of what varies, 0 for epsilon.
	at       []float64
	names    []string
	settings map[string][]record.Run
	// least and most are the numbers of training rows tried.
	least, most int64
}

// problems sorts the runs. unknown counts those that have no record of what
// varies.
func (e Exponent) problems(runs []record.Run) (all []*problem, unknown int) {
	runs = filter(runs, func(r *record.Run) bool { return r.Status == record.StatusFinished && matches(r, e.Where) })
	for i := range runs {
		r := &runs[i]
		at, known := make([]float64, 1+len(e.With)), true
		for j, name := range e.variables() {
			if name != OverEpsilon {
				v, ok := e.at(r, name)
				at[j], known = v, known && ok
			}
		}
		if !known {
			unknown++
			continue
		}
		n := r.Rows[trainRows]
		p := find(all, at)
		if p == nil {
			p = &problem{at: at, settings: make(map[string][]record.Run), least: n, most: n}
			all = append(all, p)
		}
		setting := signature(r) + strconv.FormatInt(n, 10)
		if p.settings[setting] == nil {
			p.names = append(p.names, setting)
		}
		p.settings[setting] = append(p.settings[setting], *r)
		p.least, p.most = min(p.least, n), max(p.most, n)
	}
	return all, unknown
}

func find(all []*problem, at []float64) *problem {
	i := slices.IndexFunc(all, func(p *problem) bool { return slices.Equal(p.at, at) })
	if i < 0 {
		return nil
	}
	return all[i]
}

// reach is what it took a setting to reach a target.
type reach struct {
	// cost is the median over the repeats, of the law what the law is of then.
	cost, law float64
	early     bool
	rows      int64
}

// less orders by the cost, then by what the law is of, and by the number of rows, so
// that it does not matter in which order settings of equal cost are looked at.
func (r reach) less(o reach) bool {
	return cmp.Or(cmp.Compare(r.cost, o.cost), cmp.Compare(r.law, o.law), cmp.Compare(r.rows, o.rows)) < 0
}

// stateCost returns what is kept low if that is no counter but a property of the
// state, which is what it is at the first record too.
func (e Exponent) stateCost() string {
	if e.Cost == CostSupport {
		return e.Cost
	}
	return ""
}

// paid returns the cost along a run.
func (e Exponent) paid(r *record.Run) []float64 {
	if name := e.stateCost(); name != "" {
		return r.Curve.Metrics[stateSplit][name]
	}
	return floats(r.Curve.Cost[e.Cost])
}

// reach returns false if half of the repeats or more did not reach the target.
func (e Exponent) reach(repeats []record.Run, target float64) (reach, bool) {
	var costs, laws []float64
	early := 0
	for i := range repeats {
		r := &repeats[i]
		cost, law := math.Inf(1), math.Inf(1)
		point, outcome := analysis.PointAt(*r, e.Split, e.Metric, e.floorOf(r)+target)
		if paid := e.paid(r); outcome != analysis.NotReached && point < len(paid) {
			cost, law = paid[point], paid[point]
			if e.Of != "" {
				law = math.Inf(1)
				if values := r.Curve.Metrics[stateSplit][e.Of]; point < len(values) {
					law = values[point]
				}
			}
		}
		if outcome == analysis.AtOnce && e.stateCost() == "" {
			early++
		}
		costs, laws = append(costs, cost), append(laws, law)
	}
	c, l := analysis.Median(costs), analysis.Median(laws)
	return reach{cost: c, law: l, early: 2*early >= len(repeats), rows: repeats[0].Rows[trainRows]}, !math.IsInf(c, 1) && !math.IsInf(l, 1)
}

// observations are what a law is fitted to, and what of it is missing.
type observations struct {
	points []analysis.LawPoint
	// wanted counts the problems and targets, short those that no setting
	// reached, early those whose best setting had reached the target when first
	// recorded, or at no cost.
	wanted, short, early int
	// edge counts the points whose best n is the least or the largest tried.
	edge int
	// unknown counts the runs without a record of what varies.
	unknown int
}

// observe collects the observations of the runs of a series.
func (e Exponent) observe(runs []record.Run) (o observations) {
	all, unknown := e.problems(runs)
	o.unknown = unknown
	for _, p := range all {
		for _, target := range e.Targets {
			o.add(e, p, target)
		}
	}
	return o
}

func (o *observations) add(e Exponent, p *problem, target float64) {
	o.wanted++
	best := reach{cost: math.Inf(1)}
	for _, name := range p.names {
		if r, ok := e.reach(p.settings[name], target); ok && r.less(best) {
			best = r
		}
	}
	switch {
	case math.IsInf(best.cost, 1):
		o.short++
		return
	case best.early || best.law <= 0:
		o.early++
		return
	}
	x := slices.Clone(p.at)
	if i := slices.Index(e.variables(), OverEpsilon); i >= 0 {
		x[i] = 1 / target
	}
	o.points = append(o.points, analysis.LawPoint{X: x, Y: best.law, Cluster: fmt.Sprint(p.at)})
	if p.least < p.most && (best.rows == p.least || best.rows == p.most) {
		o.edge++
	}
}

// cell shows how many observations there are.
func (o observations) cell() Cell {
	n := strconv.Itoa(len(o.points))
	var lost []string
	if o.short > 0 {
		lost = append(lost, fmt.Sprintf("%d not reached", o.short))
	}
	if o.early > 0 {
		lost = append(lost, fmt.Sprintf("%d reached at once", o.early))
	}
	text := fmt.Sprintf("%s of %d", n, o.wanted)
	if len(lost) > 0 {
		text += ": " + strings.Join(lost, ", ")
	}
	return Cell{Text: text, Value: n}
}

// fit fits the law.
func (e Exponent) fit(o observations) (analysis.Law, error) {
	if o.unknown > 0 {
		return analysis.Law{}, fmt.Errorf("%d runs have no record of %s to fit a power law over: give its values by data set", o.unknown, strings.Join(e.variables(), " or "))
	}
	law, err := analysis.FitLaw(o.points, 1+len(e.With), confidence)
	if err != nil {
		return analysis.Law{}, fmt.Errorf("the exponent of %s, from %s: %s", variable(e.Over), o.cell().Text, strings.TrimPrefix(err.Error(), "results: "))
	}
	return law, nil
}

// cell fits the law, and shows the exponent of the first variable.
func (e Exponent) cell(o observations) (c Cell, warning string) {
	law, err := e.fit(o)
	if err != nil {
		return missing, err.Error()
	}
	v := law.Exponents[0]
	two := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	return Cell{Text: fmt.Sprintf("%s [%s, %s]", two(v.Value), two(v.Lo), two(v.Hi)), Value: exact(v.Value), Spread: exact((v.Hi - v.Lo) / 2)}, ""
}
