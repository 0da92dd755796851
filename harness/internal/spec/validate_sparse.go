package spec

import (
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// overHalvings are the values of Select.Over that belong to halvings, the default
// first.
var overHalvings = []string{selection.OverLargest, selection.OverAny}

// limit reports a limit that bounds nothing, or that the task knows nothing of.
func (c *validator) limit(a *AlgorithmEntry, at string) {
	switch {
	case a.Limit == nil:
	case !c.task.Sparse:
		c.failKey(at, "needs the task svm-sparse; the task is %s", c.spec.Task)
	case *a.Limit == Limit{}:
		c.fail(at, "limit is empty: give seconds or memory, or remove it")
	}
}

// halvings reports what selection by halvings cannot be, and its number where
// there is none.
func (c *validator) halvings() {
	sel := &c.spec.Select
	const at = "select"
	if sel.By != selection.ByHalvings && sel.Halvings > 0 {
		c.failKey(at+sep+"halvings", "selection is by %s: set by: %s, or remove it", sel.By, selection.ByHalvings)
	}
	switch {
	case !sel.BySize():
		if slices.Contains(overHalvings, sel.Over) {
			c.fail(at+sep+"over", "over: %s needs by: %s, or by: %s in the task svm-sparse, but selection is by %s",
				sel.Over, selection.ByHalvings, selection.ByValidation, sel.By)
		}
		return
	case !c.task.Sparse && sel.By == selection.ByHalvings:
		c.fail(at+sep+"by", "halvings need records of the mistakes on test examples; runs of the task %s have none", c.spec.Task)
		return
	case !c.task.Sparse:
		c.fail(at+sep+"over", "over: %s is for the task svm-sparse; the task is %s", sel.Over, c.spec.Task)
		return
	}
	if sel.Metric != record.MetricError {
		c.fail(at+sep+"metric", "%s: the metric can only be %s", map[bool]string{
			true: "halvings count mistakes", false: "over: " + sel.Over + " counts mistakes",
		}[sel.By == selection.ByHalvings], record.MetricError)
	}
	if !slices.Contains(overHalvings, sel.Over) {
		c.fail(at+sep+"over", "halvings select over the %s classifier of a run up to a support size, not over %s", strings.Join(overHalvings, " or "), sel.Over)
	}
	for _, d := range each(c.spec.Datasets) {
		if d.Split != nil && d.Split.Test == 0 && d.Path != "" && d.Test == "" {
			use := "to halve"
			if sel.By == selection.ByValidation {
				use = "to report errors of"
			}
			c.fail(at+sep+"by", "dataset %q (%s) has no test split %s", d.ID, d.Pos, use)
		}
	}
}

// bySize reports what shows trade-offs where there are none, and a filter by what is
// selected at each support size. What it is, and a relative word to go on with, begin the
// messages.
func (c *validator) bySize(is, whose string, where map[string]any, at string) {
	switch {
	case !c.task.Sparse:
		c.fail(at, "%s, which needs the task svm-sparse; the task is %s", is, c.spec.Task)
	case !c.spec.Select.BySize():
		c.fail(at, "%s, %s parameters are selected at each support size: set select: {by: %s, …} or {by: %s, over: %s, …}",
			is, whose, selection.ByHalvings, selection.ByValidation, selection.OverAny)
	}
	for _, name := range c.spec.Select.Tune {
		if _, ok := where[name]; ok {
			c.failKey(at+sep+"where"+sep+name, "%q is selected at each support size: remove it here or from select.tune", name)
		}
	}
}

// severalValues names a tunable parameter that has several values, "" if there
// is none.
func (c *validator) severalValues() string {
	for _, a := range each(c.spec.Algorithms) {
		for _, p := range c.params(a) {
			if p.Tunable && len(c.spec.given(a, p.Name)) > 1 {
				return p.Name
			}
		}
	}
	return ""
}
