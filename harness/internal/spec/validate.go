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

// validator checks what the types cannot say.
type validator struct {
	*reporter
	spec     *Spec
	options  LoadOptions
	profiles []string
	// params are those of all algorithms of the specification, series their labels, with
	// the ids that unknown ones probably mean.
	params []Param
	series []string
}

func (c *validator) validate() {
	s := c.spec
	if s.Version != Version {
		c.fail(at("version"), "version %d is not supported: this program reads version %d", s.Version, Version)
	}
	if !c.options.Recorded && slices.Contains(keptFolders, s.Name) {
		c.fail(at("name"), keptName, s.Name)
	}
	if !c.known(s.Task, "task", c.spec.catalog.TaskNames(), at("task")) {
		// Nothing is known of the parameters.
		return
	}
	c.budget(s.Budget, at("budget"))
	c.record()
	c.unique("dataset", "datasets", s.datasetIDs())
	for i, d := range each(s.Datasets) {
		c.dataset(d, at("datasets", i))
	}
	c.series = s.seriesNames()
	for i, a := range each(s.Algorithms) {
		c.algorithm(a, at("algorithms", i))
	}
	if len(s.Datasets) == 0 || len(s.Algorithms) == 0 {
		return // No name is known.
	}
	c.params = s.allParams()
	c.defaults()
	c.problems()
	c.selection()
	c.unique("figure", "figures", names(s.Figures, func(f plots.Figure) string { return f.ID }))
	c.unique("table", "tables", names(s.Tables, func(t plots.Table) string { return t.ID }))
	c.unique("claim", "claims", names(s.Claims, func(l claims.Claim) string { return l.ID }))
	for list, table := range c.nameTables() {
		c.namesIn(c.root.get(list), at(list), table)
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
	c.combinations()
}

// keptFolders are the folders of results/ that are part of the project: a results folder
// of one of these names would take the place of its records.
var keptFolders = []string{"gallery", "paper", "reference"}

const keptName = "the project already has a folder results/%s; choose another name"

// CheckName reports why a specification cannot have a name.
func CheckName(name string) error {
	if wrong := find(fieldRules(reflect.TypeFor[Spec]()), "name", rules.key).checkText(name); wrong != "" {
		return fmt.Errorf("the name %s", wrong)
	}
	if slices.Contains(keptFolders, name) {
		return fmt.Errorf(keptName, name)
	}
	return nil
}

// known reports an unknown value, and returns whether it is known.
func (c *validator) known(value, what string, known []string, p path) bool {
	ok := slices.Contains(known, value)
	if !ok {
		c.fail(p, "unknown %s %q%s", what, value, Hint(value, known))
	}
	return ok
}

func (c *validator) choices(values []string, what string, known []string, p path) {
	for i, v := range values {
		c.known(v, what, known, p.in(i))
	}
}

// knownKey is known for a key of the mapping at a path.
func (c *validator) knownKey(key, what string, known []string, p path) bool {
	ok := slices.Contains(known, key)
	if !ok {
		c.failKey(p.in(key), "unknown %s %q%s", what, key, Hint(key, known))
	}
	return ok
}

// misplaced reports keys of the mapping at a path that are written where they do not belong.
func (c *validator) misplaced(p path, keys []string, format string, args ...any) {
	for _, key := range keys {
		if c.written(p.in(key)) {
			c.failKey(p.in(key), format, args...)
		}
	}
}

// unique reports ids of a list that are used twice.
func (c *validator) unique(what, list string, ids []string) {
	for i, id := range ids {
		if first := slices.Index(ids, id); first < i && id != "" {
			_, _, pos, _ := c.root.locate(at(list, first))
			c.fail(at(list, i, "id"), "%s id %q is used twice (first at %s)", what, id, pos)
		}
	}
}

func (c *validator) budget(b Budget, p path) {
	if (b.Iterations > 0) == (b.Passes > 0) {
		c.fail(p, "give one of iterations and passes")
	}
}

// record reports what the task's runs cannot record.
func (c *validator) record() {
	p := at("record")
	if !c.spec.task.Supervised {
		c.misplaced(p, []string{"reference", "vectors"}, "belongs to classifiers; the task is %s", c.spec.task.Name)
		return
	}
	c.misplaced(p, []string{"spectrum"}, "classifiers have no spectrum; the task is %s", c.spec.task.Name)
	if c.spec.task.Sparse {
		c.misplaced(p, []string{"reference"}, "belongs to the task svm; the task is %s", c.spec.task.Name)
	}
}

func (c *validator) dataset(d *DatasetEntry, p path) {
	switch {
	case d.Source == "" && d.Path == "":
		c.fail(p, "has neither source nor path: give one of them")
	case d.Source != "" && d.Path != "":
		c.fail(p.in("path"), "has both source and path: remove one of them")
	case d.Source != "":
		sources := names(c.spec.catalog.Sources, func(s Source) string { return s.Name })
		if c.known(d.Source, "source", sources, p.in("source")) {
			c.misplaced(p, []string{"format", "features", "label", "test"}, "needs a dataset with path, not source")
			c.sourceParams(d, fmt.Sprintf("source %q", d.Source), p)
		}
	default:
		c.file(d, p)
	}
	c.choices(d.Prepare, "preparation", c.spec.catalog.Prepares, p.in("prepare"))
	if c.spec.task.Supervised {
		c.misplaced(p, []string{"sample"},
			"in the task %s each algorithm draws its examples: give it with: {order: %s}", c.spec.task.Name, d.Sample)
	} else {
		c.misplaced(p, []string{"test", "positive", "subset"}, "needs a task that learns labels; the task is %s", c.spec.Task)
	}
	if d.Split == nil {
		return
	}
	// The fractions are decimal: their sum is 1 except for rounding.
	if sum := d.Split.Train + d.Split.Validation + d.Split.Test; math.Abs(sum-1) > 1e-9 {
		c.fail(p.in("split"), "train + validation + test must sum to 1, got %.12g", sum)
	} else if d.Split.Train == 0 {
		c.fail(p.in("split"), "train must be more than 0")
	}
}

// file checks a dataset of the user's own. It fills in the format that the names of the files tell.
func (c *validator) file(d *DatasetEntry, p path) {
	own, test := c.spec.catalog.FormatOf(d.Path), c.spec.catalog.FormatOf(d.Test)
	switch {
	case c.written(p.in("format")):
	case own == "":
		c.fail(p.in("path"), "the format of the file is missing: add format: libsvm, csv, idx or npy")
		return
	case d.Test != "" && test != "" && test != own:
		c.fail(p.in("test"), "by their names the test file is %s and the training file %s: give them the same format", test, own)
		return
	default:
		d.Format = own
	}
	if d.StandIn == "allow" {
		c.fail(p.in("stand_in"), "a file of your own has no stand-in; remove stand_in")
	}
	if d.Test != "" && filepath.Clean(d.Test) == filepath.Clean(d.Path) {
		c.fail(p.in("test"), "this is the training file; name a file of other examples, or leave test out and give a split")
	}
	c.sourceParams(d, fmt.Sprintf("format %q", d.Format), p)
}

// sourceParams also converts the values to the types of their parameters.
func (c *validator) sourceParams(d *DatasetEntry, owner string, p path) {
	params := c.spec.catalog.SourceParams(d.kind())
	for _, name := range slices.Sorted(maps.Keys(d.With)) {
		p := p.in("with", name)
		param := findParam(params, name)
		if param == nil {
			c.failKey(p, "%s has no parameter %q%s", owner, name, c.spec.catalog.keyHint(p, paramNames(params)))
			continue
		}
		switch d.With[name].(type) {
		case []any, map[string]any:
			c.fail(p, "must be one value: write a dataset entry for each value")
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
