package plots

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/results"
)

// Exponent describes a power law to be fitted: what it costs to bring the excess
// of a metric over the least possible value down to a target, against something
// that varies.
type Exponent struct {
	// ID names the column, by default exponent_<over>.
	ID string `yaml:"id,omitempty"`
	// Over is what varies: "epsilon" (the law is in 1/epsilon, epsilon being the
	// target), "n" (the number of training rows), or else a fact or a parameter
	// of the records, such as "R".
	Over string `yaml:"over"`
	// Metric is "error" by default, Split "test", Cost "kernel_evals".
	Metric string `yaml:"metric,omitempty"`
	Split  string `yaml:"split,omitempty"`
	Cost   string `yaml:"cost,omitempty"`
	// Targets are the excesses epsilon over the floor.
	Targets []float64 `yaml:"targets"`
	// Values gives what varies, by data set, in place of what is recorded.
	Values map[string]float64 `yaml:"values,omitempty"`
	// Floor gives the least value of the metric, by data set; without it that is
	// the fact "l_star", or 0.
	Floor map[string]float64 `yaml:"floor,omitempty"`
	// Where restricts the runs, besides the table's own conditions.
	Where map[string]any `yaml:"where,omitempty"`
}

// Names of Exponent.Over that are neither facts nor parameters.
const (
	OverEpsilon = "epsilon"
	OverN       = "n"
)

// factFloor is the least value that the metric can have.
const factFloor = "l_star"

// confidence is the level of the intervals of exponents.
const confidence = 0.95

// withDefaults fills in what is left out.
func (e Exponent) withDefaults() Exponent {
	e.ID = cmp.Or(e.ID, "exponent_"+e.Over)
	e.Metric, e.Split, e.Cost = cmp.Or(e.Metric, yError), cmp.Or(e.Split, "test"), cmp.Or(e.Cost, "kernel_evals")
	return e
}

// Column returns the id of the exponent's column.
func (e Exponent) Column() string { return e.withDefaults().ID }

func checkExponents(t Table) error {
	if len(t.Exponents) == 0 {
		return errors.New("it has no exponents: give a list of them, such as {over: epsilon, targets: [0.1, 0.05]}")
	}
	known := make([]string, 0, len(t.Exponents))
	for i, e := range t.Exponents {
		e = e.withDefaults()
		if err := e.Validate(); err != nil {
			return fmt.Errorf("exponents[%d]: %w", i, err)
		}
		if slices.Contains(known, e.ID) {
			return fmt.Errorf("exponents[%d]: the id %q is used twice", i, e.ID)
		}
		known = append(known, e.ID)
		if !slices.Contains(t.Columns, e.ID) {
			return fmt.Errorf("exponents[%d]: %q is not among the columns", i, e.ID)
		}
	}
	for _, c := range t.Columns {
		if !t.isTheory(c) && !slices.Contains(known, c) && c != "runs" {
			return fmt.Errorf("column %q is neither in its theory nor one of its exponents (%s) nor \"runs\"", c, strings.Join(known, ", "))
		}
	}
	return nil
}

// Validate reports what makes the exponent impossible to fit whatever the
// records hold.
func (e Exponent) Validate() error {
	switch {
	case e.Over == "":
		return errors.New("say over what the power law is: epsilon, n, a fact such as R, or a parameter")
	case len(e.Targets) == 0:
		return errors.New("it has no targets: list some excesses epsilon")
	case e.Over == OverEpsilon && len(e.Targets) < 2:
		return errors.New("a power law in epsilon needs more than one target")
	}
	for _, name := range sortedKeys(e.Values) {
		if v := e.Values[name]; !(v > 0) {
			return fmt.Errorf("the value of %s is %v, which is not positive", name, v)
		}
	}
	for i, v := range e.Targets {
		if !(v > 0) {
			return fmt.Errorf("target %v is not positive", v)
		}
		if slices.Contains(e.Targets[:i], v) {
			return fmt.Errorf("target %v is listed twice", v)
		}
	}
	return nil
}

// buildExponents makes a row of each series.
func buildExponents(g *Grid, t Table, runs []results.Run, ms measures) ([]tableRow, error) {
	exponents := make(map[string]Exponent, len(t.Exponents))
	for _, e := range t.Exponents {
		e = e.withDefaults()
		exponents[e.ID] = e
	}
	g.Columns = []Column{{ID: varSeries, Title: "Algorithm"}}
	for _, id := range t.Columns {
		c := Column{ID: id, Title: axisLabel(id)}
		if e, ok := exponents[id]; ok && !t.isTheory(id) {
			c.Title, c.Numeric = "Measured exponent of "+e.variable(), true
			g.Notes = append(g.Notes, e.note(c.Title))
		}
		g.Columns = append(g.Columns, c)
	}
	var rows []tableRow
	for _, id := range seriesOf(runs) {
		rows = append(rows, tableRow{id, filter(runs, func(r *results.Run) bool { return r.Series == id.series && r.Algorithm == id.algorithm })})
	}
	for _, name := range sortedKeys(t.Theory) {
		if !slices.ContainsFunc(rows, func(r tableRow) bool { return r.series.series == name }) {
			rows = append(rows, tableRow{series: seriesID{series: name}})
		}
	}
	slices.SortStableFunc(rows, func(a, b tableRow) int { return compareSeries(a.series, b.series) })
	for _, row := range rows {
		cells := []Cell{{Text: DisplayName(row.series.series), Value: row.series.series}}
		for _, id := range t.Columns {
			e, fitted := exponents[id]
			switch {
			case t.isTheory(id):
				cells = append(cells, t.theoryCell(row.series.series, id))
			case len(row.runs) == 0:
				cells = append(cells, missing)
			case fitted:
				c, warning := e.cell(row)
				if warning != "" {
					g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: %s: %s", t.ID, DisplayName(row.series.series), warning))
					g.Notes = append(g.Notes, DisplayName(row.series.series)+": "+warning)
				}
				cells = append(cells, c)
			default:
				cells = append(cells, measurements[id].measure(row.runs, ms))
			}
		}
		g.Rows = append(g.Rows, cells)
		g.StandIn = append(g.StandIn, standIn(row.runs))
	}
	return rows, nil
}

// variable is what the law is a power of.
func (e Exponent) variable() string {
	if e.Over == OverEpsilon {
		return "1/ε"
	}
	return e.Over
}

func (e Exponent) note(title string) string {
	targets := make([]string, len(e.Targets))
	for i, v := range e.Targets {
		targets[i] = significant(v, 3)
	}
	return fmt.Sprintf("%s: least squares of log %s on log %s, with a factor for each %s, and its %g %% interval (t, standard error clustered by run); the cost is that of first recording the %s on the %s split at most ε above its floor, ε in {%s}; settings that any repeat did not reach, or had reached when first recorded, are left out and counted",
		title, strings.ToLower(axisLabel(e.Cost)), e.variable(), e.constant(), 100*confidence, strings.ToLower(axisLabel(e.Metric)), e.Split, strings.Join(targets, ", "))
}

// constant names what has a factor of its own in the law.
func (e Exponent) constant() string {
	if e.Over == OverEpsilon {
		return "setting of the problem"
	}
	if e.Over == OverN {
		return "ε"
	}
	return "ε and n"
}

// at returns the value of the varying quantity in a run.
func (e Exponent) at(r *results.Run, target float64) (float64, bool) {
	if v, ok := e.Values[r.Dataset]; ok {
		return v, true
	}
	switch e.Over {
	case OverEpsilon:
		return 1 / target, true
	case OverN:
		n, ok := r.Rows[trainRows]
		return float64(n), ok
	}
	if v, ok := r.Facts[e.Over]; ok {
		return v, true
	}
	return number(r.Params[e.Over])
}

// setting names the runs that differ in their repeat only.
func setting(r *results.Run) string { return signature(r) + strconv.FormatInt(r.Rows[trainRows], 10) }

// floorOf returns the least value that the metric can have in a run.
func (e Exponent) floorOf(r *results.Run) float64 {
	if v, ok := e.Floor[r.Dataset]; ok {
		return v
	}
	return r.Facts[factFloor]
}

// observations are what a power law is fitted to, and what of it is missing.
type observations struct {
	points []results.PowerPoint
	// settings counts those of a problem and a target, short those of them that
	// some repeat did not reach the target in, early those that some repeat had
	// reached when it was first recorded, or at no cost, unknown those without a
	// value of what varies.
	settings, short, early, unknown int
}

func (o observations) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{o.short, "not reached"}, {o.early, "reached at once"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d %s", p.n, o.settings, p.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// observe collects the observations of the runs of a series.
func (e Exponent) observe(runs []results.Run) (o observations) {
	runs = filter(runs, func(r *results.Run) bool { return r.Status == results.StatusFinished && matches(r, e.Where) })
	var settings []string
	bySetting := make(map[string][]results.Run)
	for _, r := range runs {
		s := setting(&r)
		if bySetting[s] == nil {
			settings = append(settings, s)
		}
		bySetting[s] = append(bySetting[s], r)
	}
	for _, target := range e.Targets {
		for _, s := range settings {
			o.settings++
			o.add(e, target, s, bySetting[s])
		}
	}
	return o
}

// add takes in the repeats of a setting if all of them reached the target after
// they were first recorded: a part of them would not be typical.
func (o *observations) add(e Exponent, target float64, setting string, repeats []results.Run) {
	var points []results.PowerPoint
	short, early := false, false
	for i := range repeats {
		r := &repeats[i]
		x, known := e.at(r, target)
		if !known {
			o.unknown++
			return
		}
		y, outcome := results.CostToTarget(*r, e.Cost, e.Split, e.Metric, e.floorOf(r)+target)
		short = short || outcome == results.NotReached
		early = early || outcome == results.AtOnce || outcome == results.Reached && y <= 0
		group := exact(target)
		if e.Over != OverN {
			group += " " + strconv.FormatInt(r.Rows[trainRows], 10)
		}
		if e.Over == OverEpsilon {
			group = setting
		}
		points = append(points, results.PowerPoint{X: x, Y: y, Group: group, Cluster: r.Key})
	}
	switch {
	case short:
		o.short++
	case early:
		o.early++
	default:
		o.points = append(o.points, points...)
	}
}

func (e Exponent) cell(row tableRow) (c Cell, warning string) {
	o := e.observe(row.runs)
	switch {
	case o.unknown > 0:
		return missing, fmt.Sprintf("%d of %d settings have no record of %s to fit a power law over: give its values by data set", o.unknown, o.settings, e.Over)
	case len(o.points) == 0:
		return Cell{Text: "-" + o.String()}, fmt.Sprintf("no setting tells the exponent of %s%s", e.variable(), o)
	}
	fit, err := results.FitPower(o.points, confidence)
	if err != nil {
		return Cell{Text: "-" + o.String()}, fmt.Sprintf("the exponent of %s: %v", e.variable(), err)
	}
	two := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	return Cell{
		Text:  fmt.Sprintf("%s [%s, %s]%s", two(fit.Slope), two(fit.Lo), two(fit.Hi), o),
		Value: exact(fit.Slope),
	}, ""
}
