package spec

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// allParams returns the parameters of all algorithms of the specification. For an unknown algorithm it includes those
// of all algorithms of the task.
func (s *Spec) allParams() (all []Param) {
	var algorithms []Algorithm
	for _, a := range each(s.Algorithms) {
		if known := s.algorithm(a); known.ID != "" {
			algorithms = append(algorithms, *known)
		} else {
			algorithms = append(algorithms, s.task.Algorithms...)
		}
	}
	for _, a := range algorithms {
		for _, p := range a.Params {
			if known := findParam(all, p.Name); known == nil {
				all = append(all, p)
			} else if p.Tunable {
				known.Tunable = true
			}
		}
	}
	return all
}

func (c *validator) algorithm(a *AlgorithmEntry, p path) {
	if a.External != nil {
		c.external(a, p)
	} else if !c.known(a.ID, "algorithm", c.spec.task.IDs(), p.in("id")) {
		c.series = append(c.series, similar(a.ID, c.spec.task.IDs()))
		return
	}
	for _, b := range each(c.spec.Algorithms) {
		if b == a {
			break
		}
		if b.Series() == a.Series() && c.spec.shareDataset(a, b) {
			c.fail(p, `series %q is used twice (first at %s): give one entry another name with "as"`, a.Series(), b.Pos)
			break
		}
	}
	c.settings(a.With, a.Step, fmt.Sprintf("algorithm %q has no", a.ID), c.spec.algorithm(a).Params, p,
		func(b *AlgorithmEntry, _ string) bool { return b == a })
	if a.Budget != nil {
		c.budget(*a.Budget, p.in("budget"))
	}
	switch {
	case a.Limit == nil:
	case !c.spec.task.Sparse:
		c.failKey(p.in("limit"), "needs the task svm-sparse; the task is %s", c.spec.task.Name)
	case *a.Limit == Limit{}:
		c.fail(p.in("limit"), "limit is empty: give seconds or memory, or remove it")
	}
	c.choices(a.Datasets, "dataset", c.spec.datasetIDs(), p.in("datasets"))
}

// externalID matches ids of external algorithms.
var externalID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9+_-]*$`)

// external checks an entry with an external program.
func (c *validator) external(a *AlgorithmEntry, p path) {
	switch {
	case c.spec.task.External == nil:
		c.failKey(p.in("external"), "the task %s has no external algorithms: remove external", c.spec.Task)
	case slices.ContainsFunc(c.spec.catalog.Tasks, func(t Task) bool { return slices.Contains(t.IDs(), a.ID) }):
		c.fail(p.in("id"), "%q is a built-in algorithm: choose another id for the external algorithm", a.ID)
	case !externalID.MatchString(a.ID):
		c.fail(p.in("id"), "%q does not match %s", a.ID, externalID)
	}
}

// shareDataset reports whether two entries run on the same dataset.
func (s *Spec) shareDataset(a, b *AlgorithmEntry) bool {
	return slices.ContainsFunc(s.Datasets, func(d DatasetEntry) bool { return a.RunsOn(d.ID) && b.RunsOn(d.ID) })
}

// settings checks the parameters that the mapping at p sets in with and step. params are the parameters that exist;
// lacks begins the message about another one, such as `algorithm "msg" has no`. uses reports whether an entry takes
// the value of a parameter from this mapping.
func (c *validator) settings(with map[string]Grid, step Step, lacks string, params []Param, p path,
	uses func(a *AlgorithmEntry, name string) bool) {
	for _, name := range slices.Sorted(maps.Keys(with)) {
		p, key := p.in("with", name), strings.TrimPrefix(name, stepPrefix)
		switch {
		case findParam(params, stepPrefix+key) != nil: // the name is "c" or "step.c"
			c.failKey(p, "%q belongs under step: write step: {%s: …}", name, key)
		case findParam(params, name) == nil:
			c.failKey(p, "%s parameter %q%s", lacks, name, Hint(name, withNames(params)))
		default:
			c.values(name, with[name], p, uses)
		}
	}
	for _, key := range [...]string{"schedule", "c"} {
		p, name := p.in("step", key), stepPrefix+key
		if g := given(nil, step, name); len(g) > 0 && findParam(params, name) == nil {
			c.failKey(p, "%s step size parameter %q", lacks, key)
		} else {
			c.values(name, g, p, uses)
		}
	}
}

// defaults checks the defaults for every algorithm that uses them.
func (c *validator) defaults() {
	d := &c.spec.Defaults
	c.settings(d.With, d.Step, "no algorithm here has a", c.params, at("defaults"),
		func(a *AlgorithmEntry, name string) bool { return len(given(a.With, a.Step, name)) == 0 })
}

// values checks the grid of a parameter for every entry that takes the value from there, as uses reports. If only some
// entries reject a value, the message names them.
func (c *validator) values(name string, g Grid, p path, uses func(a *AlgorithmEntry, name string) bool) {
	var mistake error
	var rejecting []string
	users := 0
	for _, a := range each(c.spec.Algorithms) {
		param := findParam(c.spec.algorithm(a).Params, name)
		if param == nil || !uses(a, name) {
			continue
		}
		users++
		for _, v := range g {
			if _, err := param.Coerce(v); err != nil {
				mistake, rejecting = err, append(rejecting, a.Series())
				break
			}
		}
	}
	switch {
	case mistake == nil:
	case len(rejecting) < users:
		c.fail(p, "%s: %s", strings.Join(rejecting, ", "), mistake)
	default:
		c.fail(p, "%s", mistake)
	}
}

// problems checks the problem parameters of the datasets and required parameters.
func (c *validator) problems() {
	for i, d := range each(c.spec.Datasets) {
		for _, name := range slices.Sorted(maps.Keys(d.Problem)) {
			p := at("datasets", i, "problem", name)
			if findParam(c.params, name) == nil {
				c.failKey(p, "no algorithm here has a parameter %q%s", name, Hint(name, withNames(c.params)))
				continue
			}
			c.values(name, d.Problem[name], p, func(a *AlgorithmEntry, _ string) bool { return a.RunsOn(d.ID) })
		}
		for j, a := range each(c.spec.Algorithms) {
			if params := c.spec.algorithm(a).Params; params != nil && a.RunsOn(d.ID) {
				c.problem(d, a, at("datasets", i), at("algorithms", j))
			}
		}
	}
}

// problem checks the problem parameters of a dataset for an algorithm entry that runs on it. data and entry are their
// paths.
func (c *validator) problem(d *DatasetEntry, a *AlgorithmEntry, data, entry path) {
	params := c.spec.algorithm(a).Params
	for _, name := range slices.Sorted(maps.Keys(d.Problem)) {
		if findParam(params, name) == nil {
			if findParam(c.params, name) != nil {
				c.failKey(data.in("problem", name), "algorithm %q, which runs here, has no parameter %q", a.Series(), name)
			}
		} else if len(given(a.With, a.Step, name)) > 0 {
			p := entry.in("with", name)
			if key, ok := strings.CutPrefix(name, stepPrefix); ok {
				p = entry.in("step", key)
			}
			c.failKey(p, "%q is also set by the problem of dataset %q: remove one of them", name, d.ID)
		}
	}
	if !c.clean(data, at("defaults")) { // a misspelt name must not count as a missing parameter
		return
	}
	own := c.spec.ownGrids(d, a)
	for _, param := range params {
		if _, inProblem := d.Problem[param.Name]; param.Required && !inProblem && len(own[param.Name]) == 0 {
			c.fail(entry, "parameter %q is missing: set it in with, in the problem of dataset %q, or in defaults.with",
				param.Name, d.ID)
		}
	}
}

// maxCells and maxRuns are the maximum numbers of cells and runs of a specification.
const maxCells, maxRuns = 200_000, 1_000_000

// cells checks the combinations of parameters in every cell, unless parameters have other mistakes.
func (c *validator) cells() {
	parts := []path{at("algorithms"), at("defaults"), at("repeats")}
	for i := range c.spec.Datasets {
		parts = append(parts, at("datasets", i, "problem"), at("datasets", i, "id"))
	}
	if !c.clean(parts...) || c.tooLarge() {
		return
	}
	paths := make(map[*AlgorithmEntry]path)
	for i, a := range each(c.spec.Algorithms) {
		paths[a] = at("algorithms", i)
	}
	reported := make(map[string]bool)
	for cell := range c.spec.Expand() {
		check, p := c.spec.algorithm(cell.Algorithm).Check, paths[cell.Algorithm]
		if check == nil {
			continue
		}
		if err := check(cell.Params); err != nil && !reported[string(p)+err.Error()] {
			reported[string(p)+err.Error()] = true
			c.fail(p, "%s (dataset %q)", err, cell.Dataset.ID)
		}
	}
}

// tooLarge reports too many cells or runs.
func (c *validator) tooLarge() bool {
	cells := 0.0
	for _, d := range each(c.spec.Datasets) {
		for i, a := range each(c.spec.Algorithms) {
			if !a.RunsOn(d.ID) {
				continue
			}
			n := 1.0
			for _, g := range c.spec.gridsOf(d, a) {
				n *= float64(len(g))
			}
			cells += n
			if p := at("algorithms", i); cells > maxCells {
				c.fail(p, "the grids have more than %d combinations on dataset %q: use fewer values", maxCells, d.ID)
				return true
			} else if cells*float64(c.spec.Repeats) > maxRuns {
				c.fail(p, "the spec has more than %d runs: use fewer repeats or smaller grids", maxRuns)
				return true
			}
		}
	}
	return false
}
