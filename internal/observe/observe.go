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

// Observations are what a power law is fitted to, and what of it is missing.
type Observations struct {
	points []stats.Point
	// Wanted counts the problems and targets, Short those that no setting reached,
	// Early those whose best setting had reached the target when first recorded, or at
	// no cost.
	Wanted, Short, Early int
	// Edge counts the points whose best n is the least or the largest tried.
	Edge int
	// Unknown counts the runs without a record of what varies.
	Unknown int
}

// Points is the number of observations.
func (o Observations) Points() int { return len(o.points) }

// String counts the observations, and what is missing.
func (o Observations) String() string {
	var lost []string
	if o.Short > 0 {
		lost = append(lost, fmt.Sprintf("%d not reached", o.Short))
	}
	if o.Early > 0 {
		lost = append(lost, fmt.Sprintf("%d reached at once", o.Early))
	}
	text := fmt.Sprintf("%d of %d", len(o.points), o.Wanted)
	if len(lost) > 0 {
		text += ": " + strings.Join(lost, ", ")
	}
	return text
}

// Observe collects the observations of the runs of a series: one for each problem,
// which are the runs that agree in what varies, and target.
func (e Exponent) Observe(runs []record.Run) Observations {
	var o Observations
	var known []record.Run
	for i := range runs {
		r := &runs[i]
		if r.Status != record.StatusFinished {
			continue
		}
		if _, ok := e.at(r); !ok {
			o.Unknown++
			continue
		}
		known = append(known, *r)
	}
	problem := func(r *record.Run) string {
		at, _ := e.at(r)
		return fmt.Sprint(at)
	}
	// The runs of a setting differ in their repeat only.
	setting := func(r *record.Run) string {
		return fmt.Sprintf("%q%s %d", r.Dataset, r.Params, r.Rows[record.SplitTrain])
	}
	for _, own := range Grouped(known, problem) {
		settings := Grouped(own, setting)
		for _, target := range e.Targets {
			o.add(e, settings, target)
		}
	}
	return o
}

// at returns the values of what varies in a run, 0 for epsilon, which no run has.
func (e Exponent) at(r *record.Run) (values []float64, ok bool) {
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
	n, counted := r.Rows[record.SplitTrain]
	fact, recorded := r.Facts[name]
	switch {
	case name == OverEpsilon:
		return 0, true
	case name == OverN:
		return float64(n), counted
	case recorded:
		return fact, true
	}
	return record.Number(r.Params[name])
}

// add adds the observation of a problem, of which there are some settings, at a target.
func (o *Observations) add(e Exponent, settings [][]record.Run, target float64) {
	o.Wanted++
	best := reach{cost: math.Inf(1)}
	var rows []int64
	for _, r := range e.reach(settings, target) {
		rows = append(rows, r.rows)
		if r.there() && r.less(best) {
			best = r
		}
	}
	switch {
	case !best.there():
		o.Short++
		return
	case best.early || best.law <= 0:
		o.Early++
		return
	}
	x, _ := e.at(&settings[0][0])
	cluster := fmt.Sprint(x)
	if i := slices.Index(e.Variables(), OverEpsilon); i >= 0 {
		x[i] = 1 / target
	}
	o.points = append(o.points, stats.Point{X: x, Y: best.law, Cluster: cluster})
	if least, most := slices.Min(rows), slices.Max(rows); least < most && (best.rows == least || best.rows == most) {
		o.Edge++
	}
}

// reach is what it took a setting to reach a target.
type reach struct {
	// cost is the median over the repeats, of the law what the law is of then. They are
	// infinite if half of the repeats or more did not reach the target.
	cost, law float64
	early     bool
	rows      int64
}

func (r reach) there() bool { return !math.IsInf(r.cost, 1) && !math.IsInf(r.law, 1) }

// less orders by the cost, then by what the law is of, and by the number of rows, so
// that it does not matter in which order settings of equal cost are looked at.
func (r reach) less(o reach) bool {
	return cmp.Or(cmp.Compare(r.cost, o.cost), cmp.Compare(r.law, o.law), cmp.Compare(r.rows, o.rows)) < 0
}

// reach looks up what it took settings, of which it is given the repeats, to reach a target.
func (e Exponent) reach(settings [][]record.Run, target float64) []reach {
	first := e.first(settings, target)
	out := make([]reach, len(settings))
	for i, repeats := range settings {
		var costs, laws []float64
		early := 0
		for j := range repeats {
			f := first[&repeats[j]]
			costs, laws = append(costs, f.cost), append(laws, f.law)
			if f.atOnce && !e.OfState() {
				early++
			}
		}
		out[i] = reach{cost: stats.Median(costs), law: stats.Median(laws), early: 2*early >= len(repeats), rows: repeats[0].Rows[record.SplitTrain]}
	}
	return out
}

// first is the first recorded point of a run at which a target is reached.
type first struct {
	// cost is what had been paid there, law what the law is of; both are infinite if the run
	// ended before.
	cost, law float64
	// atOnce: no point is recorded before, so the target may have been reached earlier.
	atOnce bool
}

// first looks up where runs first reach a target.
func (e Exponent) first(settings [][]record.Run, target float64) map[*record.Run]first {
	var runs []*record.Run
	for _, repeats := range settings {
		for i := range repeats {
			runs = append(runs, &repeats[i])
		}
	}
	found := make([]first, len(runs))
	record.ReadCurves(runs, func(i int, c record.Curve) { found[i] = e.firstOf(c, runs[i].Facts[factFloor]+target) })
	out := make(map[*record.Run]first, len(runs))
	for i, r := range runs {
		out[r] = found[i]
	}
	return out
}

// firstOf looks up where a curve is first at or below a level.
func (e Exponent) firstOf(c record.Curve, level float64) first {
	metric := c.Metrics[e.Split][e.Metric]
	i := firstAt(metric, level)
	cost, ok := columnAt(c, e.Cost, i)
	if !ok {
		return first{cost: math.Inf(1), law: math.Inf(1)}
	}
	f := first{cost: cost, law: cost, atOnce: metric[0] <= level}
	if e.Of != "" {
		if f.law, ok = columnAt(c, e.Of, i); !ok {
			f.law = math.Inf(1)
		}
	}
	return f
}

// columnAt returns what a column, a counter or a metric of the state, has at a recorded point.
func columnAt(c record.Curve, column string, i int) (v float64, ok bool) {
	if paid := c.Cost[column]; i >= 0 && i < len(paid) {
		return float64(paid[i]), true
	}
	if of := c.Metrics[record.SplitState][column]; i >= 0 && i < len(of) {
		return of[i], true
	}
	return 0, false
}

// Fit fits the law to the observations; the exponent itself is the first. Its level is
// 95 %.
func (e Exponent) Fit(o Observations) (stats.Law, error) {
	if err := e.fits(o); err != nil {
		return stats.Law{}, err
	}
	law, err := stats.FitPowerLaw(o.points, 1+len(e.With))
	if err != nil {
		return stats.Law{}, fmt.Errorf("the exponent of %s, from %s: %w", Variable(e.Over), o, err)
	}
	return law, nil
}

// fits reports whether all runs have a record of what varies.
func (e Exponent) fits(o Observations) error {
	if o.Unknown > 0 {
		return fmt.Errorf("%d runs have no record of %s, which the power law needs",
			o.Unknown, strings.Join(e.Variables(), " or "))
	}
	return nil
}

// PowerLaws are the exponents of a table of the specification.
type PowerLaws struct {
	// Table is the table's id, Where restricts its runs.
	Table     string
	Where     map[string]any
	Exponents []Exponent
}

// Points returns the points that the power law of an exponent is fitted to, for the runs of a series,
// and for those of another if it is named.
//
// It is an error if there is no such exponent, the runs lack what it is over or of, or they are too
// few to fit it to.
func (p PowerLaws) Points(column, series, than string, runs []record.Run) (first, second []stats.Point, err error) {
	e, a, err := p.observe(column, series, runs)
	if err != nil {
		return nil, nil, err
	}
	if than == "" {
		if _, err := e.Fit(a); err != nil {
			return nil, nil, fmt.Errorf("table %s: %w", p.Table, err)
		}
		return a.points, nil, nil
	}
	_, b, err := p.observe(column, than, runs)
	if err != nil {
		return nil, nil, err
	}
	if err := cmp.Or(e.fits(a), e.fits(b)); err != nil {
		return nil, nil, fmt.Errorf("table %s: %w", p.Table, err)
	}
	if _, err := stats.FitDifference(a.points, b.points, 1+len(e.With)); err != nil {
		return nil, nil, fmt.Errorf("table %s: the exponents of %s, from %s and from %s: %w", p.Table, Variable(e.Over), a, b, err)
	}
	return a.points, b.points, nil
}

// observe collects the observations of a series for one of the exponents.
func (p PowerLaws) observe(column, series string, runs []record.Run) (Exponent, Observations, error) {
	i := slices.IndexFunc(p.Exponents, func(e Exponent) bool { return e.Column() == column })
	if i < 0 {
		return Exponent{}, Observations{}, fmt.Errorf("table %s has no exponent %q", p.Table, column)
	}
	e := p.Exponents[i].WithDefaults()
	own := slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool {
		return r.Series != series || !Where(p.Where).Matches(&r)
	})
	switch {
	case len(own) == 0:
		return e, Observations{}, fmt.Errorf("table %s: no runs of series %s", p.Table, series)
	case !e.Recorded(own):
		return e, Observations{}, fmt.Errorf("table %s: no record of %s", p.Table, e.Of)
	}
	return e, e.Observe(own), nil
}
