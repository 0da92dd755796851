package spec

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// overHalvings are the values of Select.Over for halvings. The first is the default.
var overHalvings = []string{selection.OverLargest, selection.OverAny}

func (c *validator) selection() {
	sel, p := &c.spec.Select, at("select")
	c.selectionBySize()
	if sel.By == selection.ByNone {
		if len(sel.Tune) > 0 {
			c.fail(p.in("tune"), "tune has no effect without by: add by, or remove tune")
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
	if !c.present(p.in("tune")) && len(sel.Tune) == 0 && (sel.By != selection.ByHalvings || c.severalValues()) {
		c.fail(p, "tune is missing: list the parameters to select")
	}
	if !c.present(p.in("tune")) {
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

// selectionBySize checks the settings of selection at each support size.
func (c *validator) selectionBySize() {
	sel, p := &c.spec.Select, at("select")
	halvings, over := sel.By == selection.ByHalvings, slices.Contains(overHalvings, sel.Over)
	switch {
	case sel.Halvings > 0 && !halvings:
		c.failKey(p.in("halvings"), "selection is by %s: set by: %s, or remove it", sel.By, selection.ByHalvings)
	case halvings && !c.spec.task.Sparse:
		c.fail(p.in("by"), "selection by halvings needs the task svm-sparse; the task is %s", c.spec.Task)
	case over && (!c.spec.task.Sparse || !sel.BySize()):
		c.fail(p.in("over"), "over: %s needs the task svm-sparse, and by: %s or by: %s",
			sel.Over, selection.ByHalvings, selection.ByValidation)
	case halvings && !over:
		c.fail(p.in("over"), "halvings select over the %s classifier up to a support size, not over %s",
			strings.Join(overHalvings, " or "), sel.Over)
	case sel.BySize() && sel.Metric != record.MetricError:
		c.fail(p.in("metric"), "selection at each support size needs the metric %s", record.MetricError)
	}
	for _, d := range each(c.spec.Datasets) {
		if sel.BySize() && d.Split != nil && d.Split.Test == 0 && d.Path != "" && d.Test == "" {
			c.fail(p.in("by"), "dataset %q (%s) has no test split, which selection at each support size needs", d.ID, d.Pos)
		}
	}
}

// needsSelectionBySize checks that a figure or table of trade-offs has a selection at each support size, and that its
// filter has no selected parameter. setting is the setting that needs this.
func (c *validator) needsSelectionBySize(setting string, where map[string]any, p path) {
	switch {
	case !c.spec.task.Sparse:
		c.fail(p, "%s needs the task svm-sparse; the task is %s", setting, c.spec.Task)
	case !c.spec.Select.BySize():
		c.fail(p, "%s needs a selection at each support size: set select: {by: %s, …} or {by: %s, over: %s, …}",
			setting, selection.ByHalvings, selection.ByValidation, selection.OverAny)
	}
	for _, name := range c.spec.Select.Tune {
		if _, ok := where[name]; ok {
			c.failKey(p.in("where", name), "%q is selected at each support size: remove it here or from select.tune", name)
		}
	}
}

// severalValues reports whether any parameter that can be tuned has several values.
func (c *validator) severalValues() bool {
	for _, a := range each(c.spec.Algorithms) {
		for _, p := range c.spec.algorithm(a).Params {
			if p.Tunable && len(c.spec.given(a, p.Name)) > 1 {
				return true
			}
		}
	}
	return false
}

// stepSizes are the parameters that are step sizes.
var stepSizes = []string{"step.c", "eta"}

// Warnings returns warnings of two probable mistakes: selection by oracle on real data with labels, and step sizes
// that are not tuned. standIns lists the datasets whose data are not real.
func (s *Spec) Warnings(standIns []string) (warnings []string) {
	for _, d := range each(s.Datasets) {
		source := s.catalog.source(d.Source)
		real := (source == nil || !source.Simulated) && !slices.Contains(standIns, d.ID)
		if s.Select.By == selection.ByOracle && s.task.Supervised && real {
			warnings = append(warnings, fmt.Sprintf("%s: dataset %q: select.by is oracle, so the reported test errors "+
				"also select the parameters: add a validation split and set select.by to validation", d.Pos, d.ID))
		}
	}
	if s.Select.By == selection.ByNone {
		return warnings
	}
	for _, a := range each(s.Algorithms) {
		for _, p := range s.algorithm(a).Params {
			// A single value is intended.
			if slices.Contains(stepSizes, p.Name) && !slices.Contains(s.Select.Tune, p.Name) && len(s.given(a, p.Name)) != 1 {
				warnings = append(warnings, fmt.Sprintf("%s: series %q: select.tune omits the step size %q of the algorithm: "+
					"add it to tune, or give it one value", a.Pos, a.Series(), p.Name))
			}
		}
	}
	return warnings
}
