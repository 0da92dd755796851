package spec

import (
	"slices"
	"strconv"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
	"stochopt/results/words"
)

// overHalvings are the values of Select.Over that belong to halvings, the default
// first.
var overHalvings = []string{analysis.OverLargest, analysis.OverAny}

// limit reports a limit that bounds nothing, or that the task knows nothing of.
func (c *validator) limit(a *AlgorithmEntry, at string) {
	switch {
	case a.Limit == nil:
	case !c.task.Sparse && a.External == nil:
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
	if sel.By != analysis.ByHalvings && sel.Halvings > 0 {
		c.failKey(at+sep+"halvings", "selection is by %s: set by: %s, or remove it", sel.By, analysis.ByHalvings)
	}
	switch {
	case !sel.BySize():
		if slices.Contains(overHalvings, sel.Over) {
			c.fail(at+sep+"over", "over: %s needs by: %s, or by: %s in the task svm-sparse, but selection is by %s",
				sel.Over, analysis.ByHalvings, analysis.ByValidation, sel.By)
		}
		return
	case !c.task.Sparse && sel.By == analysis.ByHalvings:
		c.fail(at+sep+"by", "halvings need records of the mistakes on test examples; runs of the task %s have none", c.spec.Task)
		return
	case !c.task.Sparse:
		c.fail(at+sep+"over", "over: %s is for the task svm-sparse; the task is %s", sel.Over, c.spec.Task)
		return
	}
	if sel.Metric != record.MetricError {
		c.fail(at+sep+"metric", "%s: the metric can only be %s", map[bool]string{
			true: "halvings count mistakes", false: "over: " + sel.Over + " counts mistakes",
		}[sel.By == analysis.ByHalvings], record.MetricError)
	}
	if !slices.Contains(overHalvings, sel.Over) {
		c.fail(at+sep+"over", "halvings select over the %s classifier of a run up to a support size, not over %s", strings.Join(overHalvings, " or "), sel.Over)
	}
	for _, d := range each(c.spec.Datasets) {
		if d.Split != nil && d.Split.Test == 0 && d.Path != "" && d.Test == "" {
			use := "to halve"
			if sel.By == analysis.ByValidation {
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
			is, whose, analysis.ByHalvings, analysis.ByValidation, analysis.OverAny)
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

// models checks what is to be saved.
func (c *validator) models() {
	s := c.spec
	if len(s.Models) > 0 && !s.task.Sparse {
		c.failKey(rawPath("models"), "needs the task svm-sparse; the task is %s", s.Task)
		return
	}
	c.unique("model", "models", names(s.Models, func(m ModelEntry) string { return m.ID }))
	for i, m := range each(s.Models) {
		at := rawPath("models", strconv.Itoa(i))
		if c.known(m.Dataset, "dataset", s.datasetIDs(), at+sep+"dataset") {
			c.model(m, at)
		}
	}
}

// model checks one model of a dataset that there is.
func (c *validator) model(m *ModelEntry, at string) {
	s := c.spec
	d := s.dataset(m.Dataset)
	for name, g := range d.Problem {
		if len(g) > 1 {
			c.fail(at+sep+"dataset", "the problem of dataset %q has %d values of %s, but a model solves one problem: write a dataset entry for each value", m.Dataset, len(g), name)
			return
		}
	}
	known := words.AddOnce(words.AddOnce(s.seriesNames(), Reference), Best)
	entry := slices.IndexFunc(s.Algorithms, func(a AlgorithmEntry) bool { return a.Series() == m.Series && a.RunsOn(m.Dataset) })
	switch {
	case m.Series == Reference && entry >= 0:
		c.fail(at+sep+"series", "%q means the trained classifier that methods approximate, but an entry has that name too (%s): rename the entry with as", Reference, s.Algorithms[entry].Pos)
	case m.Series == Reference && m.Support > 0:
		c.failKey(at+sep+"support", "the number of expansion vectors of the reference is fixed; remove support")
	case m.Series == Reference:
	case m.Series == Best && entry < 0 && !s.Select.BySize():
		c.fail(at+sep+"series", "the best is that of a selection at each support size: set select: {by: %s, over: %s, …} or {by: %s, …}",
			analysis.ByValidation, analysis.OverAny, analysis.ByHalvings)
	case m.Series == Best && entry < 0 && m.Support > 0:
	case !slices.Contains(known, m.Series):
		c.fail(at+sep+"series", "unknown series %q%s", m.Series, Hint(m.Series, known))
	case entry < 0 && m.Series != Best:
		c.fail(at+sep+"series", "series %q does not run on dataset %q", m.Series, m.Dataset)
	case m.Support == 0:
		c.fail(at+sep+"support", "support is missing: give the most expansion vectors that the classifier may have, such as support: 100")
	case s.Select.By == analysis.ByNone:
		if name, n := c.grid(&s.Algorithms[entry]); n > 1 {
			c.fail(at+sep+"series", "the series has %d values of %s, and nothing chooses among them: set select: {by: %s, …} or {by: %s, …}, or give one value", n, name, analysis.ByHalvings, analysis.ByValidation)
		}
	}
}

// grid names a parameter of an entry that has several values, and their number.
func (c *validator) grid(a *AlgorithmEntry) (name string, values int) {
	for _, p := range c.params(a) {
		if n := len(c.spec.given(a, p.Name)); n > 1 {
			return p.Name, n
		}
	}
	return "", 1
}
