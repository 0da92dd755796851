package spec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// datasetIDs returns the ids of the datasets.
func (s *Spec) datasetIDs() []string {
	return names(s.Datasets, func(d DatasetEntry) string { return d.ID })
}

// dataset returns the dataset of an id, nil if there is none.
func (s *Spec) dataset(id string) *DatasetEntry {
	return find(s.Datasets, id, func(d DatasetEntry) string { return d.ID })
}

// seriesNames returns the labels of the algorithm entries.
func (s *Spec) seriesNames() []string {
	return names(s.Algorithms, func(a AlgorithmEntry) string { return a.Series() })
}

// params returns the parameters of an entry's algorithm, nil if it is unknown.
func (c *validator) params(a *AlgorithmEntry) []Param { return c.spec.algorithm(a).Params }

// allParams returns the parameters of all algorithms of the specification.
func (c *validator) allParams() []Param {
	var all []Param
	for i := range c.spec.Algorithms {
		for _, p := range c.params(&c.spec.Algorithms[i]) {
			known := slices.IndexFunc(all, func(q Param) bool { return q.Name == p.Name })
			if known < 0 {
				all = append(all, p)
			} else if p.Tunable {
				all[known].Tunable = true
			}
		}
	}
	return all
}

func (c *validator) algorithm(i int) {
	a := &c.spec.Algorithms[i]
	at := rawPath("algorithms", strconv.Itoa(i))
	if a.External != nil {
		c.external(a, at)
	} else if !c.known(a.ID, "algorithm", c.task.IDs(), at+sep+"id") {
		return
	}
	for _, b := range each(c.spec.Algorithms[:i]) {
		if b.Series() == a.Series() && c.spec.meet(a, b) {
			c.fail(at, `series %q is used twice (first at %s): give one entry another name with "as"`, a.Series(), b.Pos)
			break
		}
	}
	c.settings(a.With, a.Step, fmt.Sprintf("algorithm %q has no", a.ID), c.params(a), at, c.values)
	if a.Budget != nil {
		c.budget(*a.Budget, at+sep+"budget")
	}
	c.limit(a, at+sep+"limit")
	c.choices(a.Datasets, "dataset", c.spec.datasetIDs(), at+sep+"datasets")
}

// meet reports whether two entries run on the same dataset.
func (s *Spec) meet(a, b *AlgorithmEntry) bool {
	return slices.ContainsFunc(s.Datasets, func(d DatasetEntry) bool { return a.RunsOn(d.ID) && b.RunsOn(d.ID) })
}

// withParam finds a parameter given in a "with"; lacks starts the complaint
// that there is none of the name.
func (c *validator) withParam(name, lacks string, params []Param, at string) (Param, bool) {
	known := withNames(params)
	if slices.Contains(known, name) {
		return findParam(params, name)
	}
	if _, ok := findParam(params, stepPrefix+name); ok {
		c.failKey(at, "%q belongs into step, not into with", name)
	} else if _, ok := findParam(params, name); ok {
		c.failKey(at, "%q belongs into step: write step: {%s: …}", name, name[len(stepPrefix):])
	} else {
		of := algorithmType
		if within(at, "defaults") {
			of = defaultsType
		}
		c.failKey(at, "%s parameter %q%s", lacks, name, withHint(name, known, of))
	}
	return Param{}, false
}

func (c *validator) values(p Param, g Grid, at string) {
	if err := p.coerceAll(g); err != nil {
		c.fail(at, "%s", err)
	}
}

// settings checks the parameters that the mapping at a path gives, each with check;
// lacks starts the complaint that there is none of a name.
func (c *validator) settings(with map[string]Grid, step Step, lacks string, params []Param, at string, check func(Param, Grid, string)) {
	for _, name := range slices.Sorted(maps.Keys(with)) {
		at := at + sep + rawPath("with", name)
		if p, ok := c.withParam(name, lacks, params, at); ok {
			check(p, with[name], at)
		}
	}
	for _, key := range [...]string{"schedule", "c"} {
		at, g := at+sep+rawPath("step", key), given(nil, step, stepPrefix+key)
		switch p, ok := findParam(params, stepPrefix+key); {
		case len(g) == 0:
		case ok:
			check(p, g, at)
		default:
			c.failKey(at, "%s step size parameter %q", lacks, key)
		}
	}
}

// defaults checks the defaults against every algorithm that has them.
func (c *validator) defaults() {
	d, all := &c.spec.Defaults, c.allParams()
	if len(all) == 0 {
		return // no algorithm is known
	}
	c.settings(d.With, d.Step, "no algorithm here has a", all, rawPath("defaults"), func(p Param, g Grid, at string) {
		c.valuesForAll(p.Name, g, at, nil)
	})
}

// valuesForAll checks a grid against every algorithm that has the parameter
// and, if a dataset is given, runs on it. Algorithms may differ in what they
// allow: a complaint that not all of them have names its algorithm.
func (c *validator) valuesForAll(name string, g Grid, at string, d *DatasetEntry) {
	users := 0
	complaints := make(map[string][]string) // algorithms by message
	for _, a := range each(c.spec.Algorithms) {
		if d != nil && !a.RunsOn(d.ID) {
			continue
		}
		if d == nil && len(given(a.With, a.Step, name)) > 0 {
			continue // a default that is not used
		}
		p, ok := findParam(c.params(a), name)
		if !ok {
			continue
		}
		users++
		if err := p.coerceAll(g); err != nil {
			complaints[err.Error()] = append(complaints[err.Error()], a.Series())
		}
	}
	for _, msg := range slices.Sorted(maps.Keys(complaints)) {
		if who := complaints[msg]; len(who) < users {
			msg = fmt.Sprintf("%s: %s", strings.Join(who, ", "), msg)
		}
		c.fail(at, "%s", msg)
	}
}

// problems checks the problem parameters of the datasets, and that required
// parameters are given.
func (c *validator) problems() {
	all := c.allParams()
	for i, d := range each(c.spec.Datasets) {
		for _, name := range slices.Sorted(maps.Keys(d.Problem)) {
			at := rawPath("datasets", strconv.Itoa(i), "problem", name)
			if _, ok := findParam(all, name); !ok && len(all) > 0 {
				c.failKey(at, "no algorithm here has a parameter %q%s", name,
					c.datasetHint(name, withNames(all), d, "problem", c.cat.SourceParams(d.kind())))
				continue
			}
			c.valuesForAll(name, d.Problem[name], at, d)
			c.problem(d, name, at)
		}
		for j := range c.spec.Algorithms {
			c.required(d, j)
		}
	}
}

// problem checks one problem parameter against each algorithm on the dataset.
func (c *validator) problem(d *DatasetEntry, name, at string) {
	for j, a := range each(c.spec.Algorithms) {
		params := c.params(a)
		if params == nil || !a.RunsOn(d.ID) {
			continue
		}
		if _, ok := findParam(params, name); !ok {
			c.failKey(at, "algorithm %q, which runs on this dataset, has no parameter %q", a.Series(), name)
			continue
		}
		if len(given(a.With, a.Step, name)) > 0 {
			c.failKey(c.ownPath(j, name), "%q is also set by the problem of dataset %q: remove one of them", name, d.ID)
		}
	}
}

// ownPath returns the path of a parameter in an algorithm's entry.
func (c *validator) ownPath(j int, name string) string {
	if key, ok := strings.CutPrefix(name, stepPrefix); ok {
		return rawPath("algorithms", strconv.Itoa(j), "step", key)
	}
	return rawPath("algorithms", strconv.Itoa(j), "with", name)
}

func (c *validator) required(d *DatasetEntry, j int) {
	a := &c.spec.Algorithms[j]
	params := c.params(a)
	if params == nil || !a.RunsOn(d.ID) {
		return
	}
	own := c.spec.ownGrids(d, a)
	for _, p := range params {
		// A grid that could not be decoded is present and empty.
		_, inProblem := d.Problem[p.Name]
		_, inDefaults := c.spec.Defaults.With[p.Name]
		if !p.Required || len(own[p.Name]) > 0 || inProblem || inDefaults {
			continue
		}
		c.fail(rawPath("algorithms", strconv.Itoa(j)),
			"parameter %q is missing: give it here in with, in the problem of dataset %q, or in defaults.with", p.Name, d.ID)
	}
}

// combinations checks every cell, once all its parts are known to be right.
func (c *validator) combinations() {
	if len(c.rep.errs) > c.apart {
		return
	}
	if !c.fewRuns() {
		return
	}
	paths := make(map[*AlgorithmEntry]string)
	for i, a := range each(c.spec.Algorithms) {
		paths[a] = rawPath("algorithms", strconv.Itoa(i))
	}
	seen := make(map[string]bool)
	for cell := range c.spec.Expand() {
		check, at := c.spec.algorithm(cell.Algorithm).Check, paths[cell.Algorithm]
		if check == nil {
			continue
		}
		if err := check(cell.Params); err != nil && !seen[at+err.Error()] {
			seen[at+err.Error()] = true
			c.fail(at, "%s (dataset %q)", err, cell.Dataset.ID)
		}
	}
}
