package spec

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"

	"stochopt/harness/internal/claims"
	"stochopt/plots"
)

// validator checks constraints that the types do not express.
type validator struct {
	*reporter
	spec   *Spec
	params []Param // of all algorithms of the specification
	// series are the known series. For an unknown algorithm, the algorithm that is probably meant is added.
	series []string
}

func (c *validator) validate() {
	s := c.spec
	if s.Version != Version {
		c.fail(at("version"), "version %d is not supported: this program supports version %d", s.Version, Version)
	}
	if slices.Contains(reservedNames, s.Name) {
		c.fail(at("name"), reservedName, s.Name)
	}
	if !c.known(s.Task, "task", c.spec.catalog.TaskNames(), at("task")) {
		return // everything else depends on the task
	}
	c.budget(s.Budget, at("budget"))
	c.record()
	c.unique("dataset", s.datasetIDs())
	for i, d := range each(s.Datasets) {
		c.dataset(d, at("datasets", i))
	}
	c.series = s.seriesNames()
	for i, a := range each(s.Algorithms) {
		c.algorithm(a, at("algorithms", i))
	}
	if len(s.Datasets) == 0 || len(s.Algorithms) == 0 {
		return // everything else refers to names of datasets and algorithms
	}
	c.params = s.allParams()
	c.defaults()
	c.problems()
	c.selection()
	c.unique("figure", names(s.Figures, func(f plots.Figure) string { return f.ID }))
	c.unique("table", names(s.Tables, func(t plots.Table) string { return t.ID }))
	c.unique("claim", names(s.Claims, func(l claims.Claim) string { return l.ID }))
	for list, keys := range c.vocabularies() {
		c.namesIn(c.root.get(list), at(list), keys)
	}
	c.style(s.Style, at("style"))
	for i, f := range each(s.Figures) {
		c.figure(f, at("figures", i))
	}
	for i, t := range each(s.Tables) {
		c.table(t, at("tables", i))
	}
	for i, l := range each(s.Claims) {
		c.claim(l, at("claims", i))
	}
	c.cells()
}

// reservedNames are the folders of results/ that belong to the project, so a specification cannot write to them.
var reservedNames = []string{"gallery", "paper", "reference"}

const reservedName = "the project already has a folder results/%s; choose another name"

// CheckName returns an error if a specification cannot have the name.
func CheckName(name string) error {
	if mistake := find(fieldRules(reflect.TypeFor[Spec]()), "name", rules.key).checkText(name); mistake != "" {
		return fmt.Errorf("the name %s", mistake)
	}
	if slices.Contains(reservedNames, name) {
		return fmt.Errorf(reservedName, name)
	}
	return nil
}

// known reports whether a value is among the known ones. It reports an unknown value as a mistake.
func (c *validator) known(value, what string, known []string, p path) bool {
	ok := slices.Contains(known, value)
	if !ok {
		c.fail(p, "unknown %s %q%s", what, value, Hint(value, known))
	}
	return ok
}

// choices checks that all items of the list at a path are known.
func (c *validator) choices(values []string, what string, known []string, p path) {
	for i, v := range values {
		c.known(v, what, known, p.in(i))
	}
}

// knownKey reports whether a key of the mapping at a path is known. It reports an unknown key as a mistake.
func (c *validator) knownKey(key, what string, known []string, p path) bool {
	ok := slices.Contains(known, key)
	if !ok {
		c.failKey(p.in(key), "unknown %s %q%s", what, key, Hint(key, known))
	}
	return ok
}

// misplaced reports those of the keys that the mapping at a path has, because it must not have them.
func (c *validator) misplaced(p path, keys []string, format string, args ...any) {
	for _, key := range keys {
		if c.present(p.in(key)) {
			c.failKey(p.in(key), format, args...)
		}
	}
}

// unique reports ids that occur twice in the list of all datasets, figures, tables or claims.
func (c *validator) unique(what string, ids []string) {
	list := at(what + "s")
	for i, id := range ids {
		if first := slices.Index(ids, id); first < i && id != "" {
			_, _, pos, _ := c.root.locate(list.in(first))
			c.fail(list.in(i, "id"), "%s id %q is used twice (first at %s)", what, id, pos)
		}
	}
}

func (c *validator) budget(b Budget, p path) {
	if (b.Iterations > 0) == (b.Passes > 0) {
		c.fail(p, "give either iterations or passes")
	}
}

// record reports keys of record that do not apply to the task.
func (c *validator) record() {
	p := at("record")
	if !c.spec.task.Supervised {
		c.misplaced(p, []string{"reference", "vectors"}, "applies only to classifiers; the task is %s", c.spec.task.Name)
		return
	}
	c.misplaced(p, []string{"spectrum"}, "classifiers have no spectrum; the task is %s", c.spec.task.Name)
	if c.spec.task.Sparse {
		c.misplaced(p, []string{"reference"}, "applies only to the task svm; the task is %s", c.spec.task.Name)
	}
}

func (c *validator) dataset(d *DatasetEntry, p path) {
	switch {
	case d.Source == "" && d.Path == "":
		c.fail(p, "has neither source nor path: add one of them")
	case d.Source != "" && d.Path != "":
		c.fail(p.in("path"), "has both source and path: remove one of them")
	case d.Source != "":
		sources := names(c.spec.catalog.Sources, func(s Source) string { return s.Name })
		if c.known(d.Source, "source", sources, p.in("source")) {
			c.misplaced(p, []string{"format", "features", "label", "test"}, "needs a dataset with path instead of source")
			c.sourceParams(d, fmt.Sprintf("source %q", d.Source), p)
		}
	default:
		c.file(d, p)
	}
	c.choices(d.Prepare, "preparation", c.spec.catalog.Prepares, p.in("prepare"))
	if c.spec.task.Supervised {
		c.misplaced(p, []string{"sample"},
			"in the task %s the order is a parameter of the algorithms: give them with: {order: %s}", c.spec.task.Name, d.Sample)
	} else {
		c.misplaced(p, []string{"test", "positive", "subset"}, "needs a task with labels; the task is %s", c.spec.Task)
	}
	if d.Split == nil {
		return
	}
	if sum := d.Split.Train + d.Split.Validation + d.Split.Test; math.Abs(sum-1) > 1e-9 { // rounding error
		c.fail(p.in("split"), "train + validation + test must sum to 1, got %.12g", sum)
	} else if d.Split.Train == 0 {
		c.fail(p.in("split"), "train must be more than 0")
	}
}

// file checks a dataset from a file. If the format is absent, it sets the format that the file names imply.
func (c *validator) file(d *DatasetEntry, p path) {
	train, test := c.spec.catalog.FormatOf(d.Path), c.spec.catalog.FormatOf(d.Test)
	switch {
	case c.present(p.in("format")):
	case train == "":
		c.fail(p.in("path"), "the format of the file is missing: add format: libsvm, csv, idx or npy")
		return
	case d.Test != "" && test != "" && test != train:
		c.fail(p.in("test"), "the formats of the test file (%s) and the training file (%s) must be equal", test, train)
		return
	default:
		d.Format = train
	}
	if d.StandIn == "allow" {
		c.fail(p.in("stand_in"), "a file has no stand-in: remove stand_in")
	}
	if d.Test != "" && filepath.Clean(d.Test) == filepath.Clean(d.Path) {
		c.fail(p.in("test"), "this is also the training file: name another file, or remove test and add a split")
	}
	c.sourceParams(d, fmt.Sprintf("format %q", d.Format), p)
}

// sourceParams checks the parameters of a dataset and converts their values.
func (c *validator) sourceParams(d *DatasetEntry, owner string, p path) {
	params := c.spec.catalog.SourceParams(d.origin())
	for _, name := range slices.Sorted(maps.Keys(d.With)) {
		p := p.in("with", name)
		param := findParam(params, name)
		if param == nil {
			c.failKey(p, "%s has no parameter %q%s", owner, name, Hint(name, paramNames(params)))
			continue
		}
		switch d.With[name].(type) {
		case []any, map[string]any:
			c.fail(p, "must be one value: add a dataset entry for each value")
			continue
		}
		v, err := param.Coerce(d.With[name])
		if err != nil {
			c.fail(p, "%s", err)
			continue
		}
		d.With[name] = v
	}
	for _, param := range params {
		if _, ok := d.With[param.Name]; param.Required && !ok {
			c.fail(p, "%s needs the parameter %q in with", owner, param.Name)
		}
	}
}
