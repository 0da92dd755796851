package spec

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// validator checks what the types cannot say.
type validator struct {
	spec   *Spec
	cat    *Catalog
	task   *Task
	rep    *reporter
	places map[string]place
	// profile is the one that is merged in, of profiles; recorded is LoadOptions.Recorded.
	profile  string
	profiles []string
	recorded bool
	// apart counts the mistakes that do not touch the parameters of algorithms.
	apart int
}

func (c *validator) validate() {
	s := c.spec
	if s.Version != Version {
		c.fail(rawPath("version"), "version %d is not supported: this program reads version %d", s.Version, Version)
	}
	c.name()
	if !c.known(s.Task, "task", c.cat.TaskNames(), rawPath("task")) {
		// Nothing is known of the parameters.
		return
	}
	c.budget(s.Budget, rawPath("budget"))
	c.record()
	c.unique("dataset", "datasets", s.datasetIDs())
	for i := range s.Datasets {
		c.dataset(i)
	}
	for i := range s.Algorithms {
		c.algorithm(i)
	}
	c.defaults()
	c.problems()
	c.selection()
	c.figures()
	c.tables()
	c.claims()
	c.combinations()
}

func (c *validator) budget(b Budget, at string) {
	if (b.Iterations > 0) == (b.Passes > 0) {
		c.fail(at, "give one of iterations and passes")
	}
}

// fail reports a mistake at the value at a path, or at the innermost part of
// the path that was written. It keeps silent where the value, something in it
// or something around it could not be decoded: that has been reported.
func (c *validator) fail(raw, format string, args ...any) { c.report(raw, false, format, args...) }

// failKey reports a mistake at the key at a path.
func (c *validator) failKey(raw, format string, args ...any) { c.report(raw, true, format, args...) }

func (c *validator) report(raw string, key bool, format string, args ...any) {
	if len(c.rep.errs) >= maxMistakes {
		c.rep.more++
		return
	}
	for _, bad := range c.rep.bad {
		if bad != "" && (within(raw, bad) || within(bad, raw)) {
			return
		}
	}
	p, ok := c.places[raw]
	for at := raw; !ok && at != ""; {
		at = at[:max(strings.LastIndex(at, sep), 0)]
		p, ok = c.places[at]
	}
	pos := p.value
	if key {
		pos = p.key
	}
	msg := fmt.Sprintf(format, args...)
	if p.label != "" {
		msg = p.label + ": " + msg
	}
	c.rep.at(pos, "%s", msg)
}

// within reports whether path a is b or inside of it.
func within(a, b string) bool { return a == b || strings.HasPrefix(a, b+sep) }

// unique reports ids of a list that are used twice.
func (c *validator) unique(what, list string, ids []string) {
	for i, id := range ids {
		if first := slices.Index(ids, id); first < i && id != "" {
			c.fail(rawPath(list, strconv.Itoa(i), "id"), "%s id %q is used twice (first at %s)", what, id, c.places[rawPath(list, strconv.Itoa(first))].value)
		}
	}
}

func (c *validator) dataset(i int) {
	d := &c.spec.Datasets[i]
	at := rawPath("datasets", strconv.Itoa(i))
	switch {
	case d.Source == "" && d.Path == "":
		c.fail(at, "has neither source nor path: give one of them")
	case d.Source != "" && d.Path != "":
		c.fail(at+sep+"path", "has both source and path: remove one of them")
	case d.Source != "":
		c.source(d, at)
	default:
		c.file(d, at)
	}
	c.choices(d.Prepare, "preparation", c.cat.Prepares, at+sep+"prepare")
	c.labelled(d, at)
	if d.Split == nil {
		return
	}
	// The fractions are decimal: their sum is 1 but for rounding.
	if sum := d.Split.Train + d.Split.Validation + d.Split.Test; math.Abs(sum-1) > 1e-9 {
		c.fail(at+sep+"split", "train + validation + test must sum to 1, got %.12g", sum)
	} else if d.Split.Train == 0 {
		c.fail(at+sep+"split", "train must be more than 0")
	}
}

func (c *validator) source(d *DatasetEntry, at string) {
	if !c.known(d.Source, "source", names(c.cat.Sources, func(s Source) string { return s.Name }), at+sep+"source") {
		return
	}
	c.misplaced(at, []own{{"format", d.Format != ""}, {"features", d.Features != 0}, {"label", d.Label != ""}, {"test", d.Test != ""}},
		"needs a file given by path; this dataset has a source")
	c.sourceParams(d, fmt.Sprintf("source %q", d.Source), at)
}

func (c *validator) file(d *DatasetEntry, at string) {
	if !c.format(d, at) {
		return
	}
	if d.StandIn == "allow" {
		c.fail(at+sep+"stand_in", "a file of your own has no stand-in; remove stand_in")
	}
	if d.Test != "" && filepath.Clean(d.Test) == filepath.Clean(d.Path) {
		c.fail(at+sep+"test", "this is the training file; name a file of other examples, or leave test out and give a split")
	}
	c.sourceParams(d, fmt.Sprintf("format %q", d.Format), at)
}

// format fills in the format that the names of the files tell, and reports files
// of which they do not.
func (c *validator) format(d *DatasetEntry, at string) bool {
	if d.Format != "" {
		return true
	}
	before := len(c.rep.errs)
	own, test := c.cat.FormatOf(d.Path), c.cat.FormatOf(d.Test)
	switch {
	case own == "":
		c.fail(at+sep+"path", "the format of the file is missing: add format: libsvm, csv, idx or npy")
	case d.Test != "" && test != "" && test != own:
		c.fail(at+sep+"test", "the names say that the test file is %s and the training file %s, but both must have the same format", test, own)
	default:
		d.Format = own
	}
	c.apart += len(c.rep.errs) - before
	return d.Format != ""
}

// sourceParams also converts the values to the types of their parameters.
func (c *validator) sourceParams(d *DatasetEntry, owner string, at string) {
	params := c.cat.SourceParams(d.kind())
	for _, name := range slices.Sorted(maps.Keys(d.With)) {
		p, ok := findParam(params, name)
		if !ok {
			c.failKey(at+sep+"with"+sep+name, "%s has no parameter %q%s", owner, name, c.datasetHint(name, paramNames(params), d, "with", c.allParams()))
			continue
		}
		switch d.With[name].(type) {
		case []any, map[string]any:
			c.fail(at+sep+"with"+sep+name, "must be one value: write a dataset entry for each value")
			continue
		}
		v, err := p.Coerce(d.With[name])
		if err != nil {
			c.fail(at+sep+"with"+sep+name, "%s", err)
			continue
		}
		d.With[name] = v
	}
	for _, p := range params {
		if _, ok := d.With[p.Name]; p.Required && !ok {
			c.fail(at, "%s needs the parameter %q in with", owner, p.Name)
		}
	}
}
