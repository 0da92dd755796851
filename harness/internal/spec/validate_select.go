package spec

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// overHalvings are the values of Select.Over that belong to halvings, the default
// first.
var overHalvings = []string{selection.OverLargest, selection.OverAny}

func (c *validator) selection() {
	sel, p := &c.spec.Select, at("select")
	c.bySupport()
	if sel.By == selection.ByNone {
		if len(sel.Tune) > 0 {
			c.fail(p.in("tune"), "tune has no effect without by: say how its parameters are selected, or remove it")
		}
		return
	}
	if sel.By != selection.ByHalvings && sel.Metric != "" {
		c.known(sel.Metric, "metric", c.spec.task.Metrics, p.in("metric"))
	}
	if sel.By == selection.ByValidation {
		for _, d := range each(c.spec.Datasets) {
			if d.Split == nil || d.Split.Validation == 0 {
				c.fail(p.in("by"), "dataset %q (%s) has no validation split to select on", d.ID, d.Pos)
			}
		}
	}
	tunable, several := c.tunable()
	if !c.written(p.in("tune")) && len(sel.Tune) == 0 && (sel.By != selection.ByHalvings || several) {
		c.fail(p, "tune is missing: list the parameters to choose, such as tune: [%s]", tunable)
	}
	if !c.written(p.in("tune")) {
		return
	}
	for i, name := range sel.Tune {
		p := p.in("tune", i)
		switch param := findParam(c.params, name); {
		case param == nil:
			c.fail(p, "no algorithm here has a parameter %q%s", name, Hint(name, paramNames(c.params)))
		case !param.Tunable:
			c.fail(p, "parameter %q cannot be tuned", name)
		}
		for _, d := range each(c.spec.Datasets) {
			if len(d.Problem[name]) > 0 {
				c.fail(p, "%q is in the problem of dataset %q and cannot be tuned: move its grid to defaults.with", name, d.ID)
			}
		}
	}
}

// bySupport reports mistakes in selection at each support size.
func (c *validator) bySupport() {
	sel, p := &c.spec.Select, at("select")
	halve, over := sel.By == selection.ByHalvings, slices.Contains(overHalvings, sel.Over)
	switch {
	case sel.Halvings > 0 && !halve:
		c.failKey(p.in("halvings"), "selection is by %s: set by: %s, or remove it", sel.By, selection.ByHalvings)
	case halve && !c.spec.task.Sparse:
		c.fail(p.in("by"), "selection by halvings needs the task svm-sparse; the task is %s", c.spec.Task)
	case over && (!c.spec.task.Sparse || !sel.BySize()):
		c.fail(p.in("over"), "over: %s needs the task svm-sparse, and by: %s or by: %s",
			sel.Over, selection.ByHalvings, selection.ByValidation)
	case halve && !over:
		c.fail(p.in("over"), "halvings select over the %s classifier up to a support size, not over %s",
			strings.Join(overHalvings, " or "), sel.Over)
	case sel.BySize() && sel.Metric != record.MetricError:
		c.fail(p.in("metric"), "selection at each support size needs the metric %s", record.MetricError)
	}
	for _, d := range each(c.spec.Datasets) {
		if sel.BySize() && d.Split != nil && d.Split.Test == 0 && d.Path != "" && d.Test == "" {
			c.fail(p.in("by"), "dataset %q (%s) has no test split, whose errors are counted", d.ID, d.Pos)
		}
	}
}

// bySize reports what shows trade-offs without such a selection, and a filter by what is
// selected at each support size. What it is, and a relative word to go on with, begin the
// messages.
func (c *validator) bySize(is, whose string, where map[string]any, p path) {
	switch {
	case !c.spec.task.Sparse:
		c.fail(p, "%s, which needs the task svm-sparse; the task is %s", is, c.spec.Task)
	case !c.spec.Select.BySize():
		c.fail(p, "%s, %s parameters are selected at each support size: set select: {by: %s, …} or {by: %s, over: %s, …}",
			is, whose, selection.ByHalvings, selection.ByValidation, selection.OverAny)
	}
	for _, name := range c.spec.Select.Tune {
		if _, ok := where[name]; ok {
			c.failKey(p.in("where", name), "%q is selected at each support size: remove it here or from select.tune", name)
		}
	}
}

// tunable names a parameter that can be tuned, if there is one that has several values.
func (c *validator) tunable() (name string, several bool) {
	name = stepPrefix + "c"
	if i := slices.IndexFunc(c.params, func(p Param) bool { return p.Tunable }); i >= 0 {
		name = c.params[i].Name
	}
	for _, a := range each(c.spec.Algorithms) {
		for _, p := range c.spec.algorithm(a).Params {
			several = several || p.Tunable && len(c.spec.given(a, p.Name)) > 1
		}
	}
	return name, several
}

// stepSizes are the parameters that are the step sizes of algorithms.
var stepSizes = []string{"step.c", "eta"}

// Warnings returns what is allowed but rarely meant: parameters chosen by oracle on labelled real
// datasets, of which those named have stand-ins, and step sizes that are not tuned.
func (s *Spec) Warnings(standIns []string) (warnings []string) {
	for _, d := range each(s.Datasets) {
		source := s.catalog.source(d.Source)
		real := (source == nil || !source.Simulated) && !slices.Contains(standIns, d.ID)
		if s.Select.By == selection.ByOracle && s.task.Supervised && real {
			warnings = append(warnings, fmt.Sprintf("%s: dataset %q: select.by is oracle, so the test errors that are reported "+
				"also choose the parameters: give the dataset a validation split and set select.by to validation", d.Pos, d.ID))
		}
	}
	if s.Select.By == selection.ByNone {
		return warnings
	}
	for _, a := range each(s.Algorithms) {
		for _, p := range s.algorithm(a).Params {
			// One value that is given is meant.
			if slices.Contains(stepSizes, p.Name) && !slices.Contains(s.Select.Tune, p.Name) && len(s.given(a, p.Name)) != 1 {
				warnings = append(warnings, fmt.Sprintf("%s: series %q: select.tune omits the step size %q of the algorithm: "+
					"add it to tune, or give it one value", a.Pos, a.Series(), p.Name))
			}
		}
	}
	return warnings
}
