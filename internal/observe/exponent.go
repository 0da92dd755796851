package observe

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/stats"
)

// Exponent describes the fit of an exponent of a power law. The law is for the smallest cost to reduce the
// excess of the test error over its floor to a target, as a function of some variables.
type Exponent struct {
	// ID is the id of the column; the default is exponent_<over>.
	ID string `yaml:"id,omitempty"`
	// Over is the variable of the exponent: "epsilon" for 1/epsilon, where epsilon is the target; "n" for the
	// number of training rows; or a fact or parameter of the records, such as "u_norm".
	Over string `yaml:"over" jsonschema:"minLength=1"`
	// With lists the other variables of the law. Any variable not listed, such as n or a parameter, takes the
	// value with the smallest cost.
	With []string `yaml:"with,omitempty" jsonschema:"minLength=1,uniqueItems=true"`
	// Of is the quantity of the law: by default the cost, or a metric of the state at that cost, such as
	// "support".
	Of string `yaml:"of,omitempty"`
	// Cost is the cost to minimise: "kernel_evals" by default, or "support" for the number of support vectors.
	Cost string `yaml:"cost,omitempty"`
	// Targets lists the targets epsilon for the excess of the error over its floor, which is the fact "l_star",
	// or 0 without it.
	Targets []float64 `yaml:"targets" jsonschema:"minItems=1,uniqueItems=true,exclusiveMinimum=0"`
}

// Names of Exponent.Over that are neither facts nor parameters.
const (
	OverEpsilon = "epsilon"
	OverN       = "n"
)

// CostSupport as Exponent.Cost means the number of support vectors. It is not a counter but a property of the
// classifier.
const CostSupport = record.MetricSupport

const (
	// factNorm is the norm of the reference classifier, called R in the bounds.
	factNorm = "u_norm"
	// factFloor is the floor of the error.
	factFloor = "l_star"
)

// WithDefaults returns the exponent with defaults for omitted fields.
func (e Exponent) WithDefaults() Exponent {
	e.ID = e.Column()
	e.Cost = cmp.Or(e.Cost, record.CostKernelEvals)
	return e
}

// Column returns the id of the exponent's column.
func (e Exponent) Column() string { return cmp.Or(e.ID, "exponent_"+e.Over) }

// Variables returns the variables of the law, Over first.
func (e Exponent) Variables() []string { return append([]string{e.Over}, e.With...) }

// Variable returns the symbol of a variable.
func Variable(name string) string {
	switch name {
	case OverEpsilon:
		return "1/ε"
	case factNorm, "reference_norm":
		return "R"
	}
	return name
}

// OfState reports whether the cost is not a counter but a property of the state. Its first recorded value is then
// exact.
func (e Exponent) OfState() bool { return e.Cost == CostSupport }

// Recorded reports whether any run records the quantity of the law.
func (e Exponent) Recorded(runs []record.Run) bool {
	return e.Of == "" || slices.ContainsFunc(runs, func(r record.Run) bool { return r.Records(record.SplitState, e.Of) })
}

// Observations has the points of a power law and counts the missing ones.
type Observations struct {
	Points []stats.Point
	// Requested is the number of pairs of a problem and a target.
	Requested int
	// Unreached is the number of pairs for which no setting reached the target.
	Unreached int
	// AtFirstPoint is the number of pairs for which the best setting reached the target at its first recorded point, or
	// at no cost. The cost to reach the target is then not known.
	AtFirstPoint int
	// Edge is the number of points whose best number of training rows is the smallest or the largest tried.
	Edge int
	// Unknown is the number of runs that lack a variable.
	Unknown int
}

// String describes the numbers of observations and missing points.
func (o Observations) String() string {
	var missing []string
	if o.Unreached > 0 {
		missing = append(missing, fmt.Sprintf("%d not reached", o.Unreached))
	}
	if o.AtFirstPoint > 0 {
		missing = append(missing, fmt.Sprintf("%d reached at once", o.AtFirstPoint))
	}
	text := fmt.Sprintf("%d of %d", len(o.Points), o.Requested)
	if len(missing) > 0 {
		text += ": " + strings.Join(missing, ", ")
	}
	return text
}

// Observe collects the observations of the finished runs of a series: one for each problem and target. The runs of a
// problem have equal variables. Those with equal settings are repeats, of which the median counts. Of the settings, the
// one with the smallest cost counts.
func (e Exponent) Observe(runs []record.Run) Observations {
	var o Observations
	var targetRuns []targetRun
	var known []*record.Run
	for i := range runs {
		r := &runs[i]
		if r.Status != record.StatusFinished {
			continue
		}
		x, ok := e.valuesOf(r)
		if !ok {
			o.Unknown++
			continue
		}
		targetRuns, known = append(targetRuns, targetRun{run: r, x: x}), append(known, r)
	}
	record.ReadCurves(known, func(i int, c record.Curve) {
		for _, target := range e.Targets {
			targetRuns[i].reached = append(targetRuns[i].reached, e.reach(c, known[i].Facts[factFloor]+target))
		}
	})
	for _, problem := range Grouped(targetRuns, func(t *targetRun) string { return fmt.Sprint(t.x) }) {
		settings := Grouped(problem, (*targetRun).setting)
		for i := range e.Targets {
			o.add(e, settings, i)
		}
	}
	return o
}

// targetRun is a run with the point at which it first reaches each target.
type targetRun struct {
	run *record.Run
	// x has the values of the variables.
	x       []float64
	reached []reach
}

// setting returns a text that is equal for runs that differ only in their repeat.
func (t *targetRun) setting() string {
	return fmt.Sprintf("%q%s %d", t.run.Dataset, t.run.Params, t.rows())
}

func (t *targetRun) rows() int64 { return t.run.Rows[record.SplitTrain] }

// valuesOf returns the values of the variables for a run, with 0 for epsilon.
func (e Exponent) valuesOf(r *record.Run) (values []float64, ok bool) {
	for _, name := range e.Variables() {
		v, known := valueOf(r, name)
		if !known {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

func valueOf(r *record.Run, name string) (float64, bool) {
	switch name {
	case OverEpsilon:
		return 0, true
	case OverN:
		n, counted := r.Rows[record.SplitTrain]
		return float64(n), counted
	}
	return r.Number(name)
}

// reach is the point at which a run, or the median of the repeats of a setting, first reaches a target.
type reach struct {
	// cost is the cost at that point, law the quantity of the law. Both are infinite if the target was not reached, or
	// not by a majority of the repeats.
	cost, law float64
	// early is true for the first recorded point: the target may have been reached before.
	early bool
	// rows is the number of training rows of a setting.
	rows int64
}

// reach returns the first point at which the test error of a curve is at or below a level.
func (e Exponent) reach(c record.Curve, level float64) reach {
	i := slices.IndexFunc(c.Metrics[record.SplitTest][record.MetricError], func(v float64) bool { return v <= level })
	cost, hasCost := columnAt(c, e.Cost, i)
	law, hasLaw := columnAt(c, cmp.Or(e.Of, e.Cost), i)
	if !hasCost || !hasLaw {
		return reach{cost: math.Inf(1), law: math.Inf(1)}
	}
	return reach{cost: cost, law: law, early: i == 0 && !e.OfState()}
}

// columnAt returns the i-th value of a counter or of a metric of the state. ok is false if the curve has neither.
func columnAt(c record.Curve, name string, i int) (v float64, ok bool) {
	if counter := c.Cost[name]; 0 <= i && i < len(counter) {
		return float64(counter[i]), true
	}
	if metric := c.Metrics[record.SplitState][name]; 0 <= i && i < len(metric) {
		return metric[i], true
	}
	return 0, false
}

// median returns the median reach of the i-th target over the repeats of a setting.
func median(repeats []targetRun, i int) reach {
	var costs, laws []float64
	early := 0
	for _, t := range repeats {
		costs, laws = append(costs, t.reached[i].cost), append(laws, t.reached[i].law)
		if t.reached[i].early {
			early++
		}
	}
	return reach{stats.Median(costs), stats.Median(laws), 2*early >= len(repeats), repeats[0].rows()}
}

// compare orders by cost, then by the quantity of the law and the number of rows, so that the best setting does not
// depend on the order of settings with equal cost.
func (r reach) compare(o reach) int {
	return cmp.Or(cmp.Compare(r.cost, o.cost), cmp.Compare(r.law, o.law), cmp.Compare(r.rows, o.rows))
}

// add adds the observation of a problem at the i-th target, from the repeats of each setting.
func (o *Observations) add(e Exponent, settings [][]targetRun, i int) {
	o.Requested++
	best := reach{cost: math.Inf(1)}
	least, most := int64(math.MaxInt64), int64(0)
	for _, repeats := range settings {
		r := median(repeats, i)
		least, most = min(least, r.rows), max(most, r.rows)
		if r.compare(best) < 0 {
			best = r
		}
	}
	switch {
	case math.IsInf(best.cost, 1):
		o.Unreached++
		return
	case best.early || best.law <= 0:
		o.AtFirstPoint++
		return
	}
	x := slices.Clone(settings[0][0].x)
	cluster := fmt.Sprint(x)
	if v := slices.Index(e.Variables(), OverEpsilon); v >= 0 {
		x[v] = 1 / e.Targets[i]
	}
	o.Points = append(o.Points, stats.Point{X: x, Y: best.law, Cluster: cluster})
	if least < most && (best.rows == least || best.rows == most) {
		o.Edge++
	}
}

// Fit fits the law to the observations of one series, or returns the differences of the exponents of two. The exponent
// of Over is the first.
func (e Exponent) Fit(of ...Observations) (law stats.Law, err error) {
	var points [][]stats.Point
	var from []string
	for _, o := range of {
		if o.Unknown > 0 {
			return law, fmt.Errorf("%d runs have no record of %s, which the power law needs",
				o.Unknown, strings.Join(e.Variables(), " or "))
		}
		points, from = append(points, o.Points), append(from, "from "+o.String())
	}
	if law, err = stats.FitPowerLaw(1+len(e.With), points...); err != nil {
		return law, fmt.Errorf("the exponent of %s, %s: %w", Variable(e.Over), strings.Join(from, " and "), err)
	}
	return law, nil
}

// PowerLaws has the exponents of a table of the spec.
type PowerLaws struct {
	// Table is the id of the table. Where restricts its runs.
	Table     string
	Where     map[string]any
	Exponents []Exponent
}

// Observe returns the observations for an exponent of one series, or of two series to compare. It returns
// an error if there is no such exponent, the runs lack its variables or its quantity, or there are too few
// observations.
func (p PowerLaws) Observe(column string, series []string, runs []record.Run) (all []Observations, err error) {
	i := slices.IndexFunc(p.Exponents, func(e Exponent) bool { return e.Column() == column })
	if i < 0 {
		return nil, fmt.Errorf("table %s has no exponent %q", p.Table, column)
	}
	e := p.Exponents[i].WithDefaults()
	for _, name := range series {
		own := slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool {
			return r.Series != name || !Where(p.Where).Matches(&r)
		})
		switch {
		case len(own) == 0:
			return nil, fmt.Errorf("table %s: no runs of series %s", p.Table, name)
		case !e.Recorded(own):
			return nil, fmt.Errorf("table %s: no record of %s", p.Table, e.Of)
		}
		all = append(all, e.Observe(own))
	}
	if _, err := e.Fit(all...); err != nil {
		return nil, fmt.Errorf("table %s: %w", p.Table, err)
	}
	return all, nil
}
