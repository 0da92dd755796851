package spec

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"stochopt/internal/record"
)

// allParams returns the parameters of all algorithms of the specification; an unknown one may have
// those of any algorithm of the task.
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
		c.series = append(c.series, closeTo(a.ID, c.spec.task.IDs()))
		return
	}
	for _, b := range each(c.spec.Algorithms) {
		if b == a {
			break
		}
		if b.Series() == a.Series() && c.spec.meet(a, b) {
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

// externalID is what ids of external algorithms are made of.
var externalID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9+_-]*$`)

// external checks what an entry says of its program.
func (c *validator) external(a *AlgorithmEntry, p path) {
	switch {
	case c.spec.task.External == nil:
		c.failKey(p.in("external"), "runs of the task %s are not performed by other programs; remove it", c.spec.Task)
	case slices.ContainsFunc(c.spec.catalog.Tasks, func(t Task) bool { return slices.Contains(t.IDs(), a.ID) }):
		c.fail(p.in("id"), "%q is an algorithm of the harness: give the external one another id", a.ID)
	case !externalID.MatchString(a.ID):
		c.fail(p.in("id"), "%q does not match %s", a.ID, externalID)
	}
}

// meet reports whether two entries run on the same dataset.
func (s *Spec) meet(a, b *AlgorithmEntry) bool {
	return slices.ContainsFunc(s.Datasets, func(d DatasetEntry) bool { return a.RunsOn(d.ID) && b.RunsOn(d.ID) })
}

// settings checks the parameters that the mapping at a path gives to those algorithms that use them;
// lacks begins the message about an unknown name.
func (c *validator) settings(with map[string]Grid, step Step, lacks string, params []Param, p path,
	uses func(a *AlgorithmEntry, name string) bool) {
	for _, name := range slices.Sorted(maps.Keys(with)) {
		p, key := p.in("with", name), strings.TrimPrefix(name, stepPrefix)
		switch {
		case findParam(params, stepPrefix+key) != nil:
			c.failKey(p, "%q belongs under step: write step: {%s: …}", name, key)
		case findParam(params, name) == nil:
			c.failKey(p, "%s parameter %q%s", lacks, name, c.spec.catalog.keyHint(p, withNames(params)))
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

// defaults checks the defaults against every algorithm that has them and does not replace them.
func (c *validator) defaults() {
	d := &c.spec.Defaults
	c.settings(d.With, d.Step, "no algorithm here has a", c.params, at("defaults"),
		func(a *AlgorithmEntry, name string) bool { return len(given(a.With, a.Step, name)) == 0 })
}

// values checks a grid against every algorithm that has the parameter and uses it. Algorithms may
// differ in what they allow: a complaint that not all of them have names its algorithm.
func (c *validator) values(name string, g Grid, p path, uses func(a *AlgorithmEntry, name string) bool) {
	var complaint error
	var who []string
	users := 0
	for _, a := range each(c.spec.Algorithms) {
		param := findParam(c.spec.algorithm(a).Params, name)
		if param == nil || !uses(a, name) {
			continue
		}
		users++
		for _, v := range g {
			if _, err := param.Coerce(v); err != nil {
				complaint, who = err, append(who, a.Series())
				break
			}
		}
	}
	switch {
	case complaint == nil:
	case len(who) < users:
		c.fail(p, "%s: %s", strings.Join(who, ", "), complaint)
	default:
		c.fail(p, "%s", complaint)
	}
}

// problems checks the problem parameters of the datasets, and that required
// parameters are given.
func (c *validator) problems() {
	for i, d := range each(c.spec.Datasets) {
		for _, name := range slices.Sorted(maps.Keys(d.Problem)) {
			p := at("datasets", i, "problem", name)
			if findParam(c.params, name) == nil {
				c.failKey(p, "no algorithm here has a parameter %q%s", name, c.spec.catalog.keyHint(p, withNames(c.params)))
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

// problem checks the problem parameters of the dataset at a path against the entry of an
// algorithm that runs on it.
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
	// What is wrong there may be what gives the parameter.
	if !c.clean(data, at("defaults")) {
		return
	}
	own := c.spec.ownGrids(d, a)
	for _, param := range params {
		if _, inProblem := d.Problem[param.Name]; param.Required && !inProblem && len(own[param.Name]) == 0 {
			c.fail(entry, "parameter %q is missing: give it here in with, in the problem of dataset %q, or in defaults.with",
				param.Name, d.ID)
		}
	}
}

// What a specification may ask for: combinations of parameters, and those times their repeats.
const maxCells, maxRuns = 200_000, 1_000_000

// combinations checks every cell, once all its parts are known to be right.
func (c *validator) combinations() {
	parts := []path{at("algorithms"), at("defaults"), at("repeats")}
	for i := range c.spec.Datasets {
		parts = append(parts, at("datasets", i, "problem"), at("datasets", i, "id"))
	}
	if !c.clean(parts...) {
		return
	}
	paths := make(map[*AlgorithmEntry]path)
	for i, a := range each(c.spec.Algorithms) {
		paths[a] = at("algorithms", i)
	}
	if !c.few() {
		return
	}
	seen, runs := make(map[string]bool), make(map[string]Cell)
	for cell := range c.spec.Expand() {
		a, p := c.spec.algorithm(cell.Algorithm), paths[cell.Algorithm]
		if a.Check != nil {
			if err := a.Check(cell.Params); err != nil && !seen[string(p)+err.Error()] {
				seen[string(p)+err.Error()] = true
				c.fail(p, "%s (dataset %q)", err, cell.Dataset.ID)
			}
		}
		twin := func(e AlgorithmEntry) bool { return e.ID == a.ID && e.Series() != cell.Series }
		if cell.Algorithm.External != nil || seen[string(p)] || !slices.ContainsFunc(c.spec.Algorithms, twin) {
			continue
		}
		key := fmt.Sprint(cell.Dataset.ID, a.ID, record.Params(cell.Params))
		if before, ok := runs[key]; ok {
			seen[string(p)] = true
			c.fail(p, "series %q and %q ask for the same run on dataset %q: %s; remove one of them",
				before.Series, cell.Series, cell.Dataset.ID, record.Params(cell.Params))
		}
		runs[key] = cell
	}
}

// few reports more combinations, or more runs, than there may be.
func (c *validator) few() bool {
	var cells, runs float64
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
			if runs += n; !c.spec.Deterministic(d, a) {
				runs += n * float64(c.spec.Repeats-1)
			}
			if p := at("algorithms", i); cells > maxCells {
				c.fail(p, "the grids make more than %d combinations on dataset %q: use fewer values", maxCells, d.ID)
				return false
			} else if runs > maxRuns {
				c.fail(p, "the spec asks for more than %d runs: use fewer repeats or smaller grids", maxRuns)
				return false
			}
		}
	}
	return true
}
