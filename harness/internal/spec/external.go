package spec

import (
	"regexp"
	"slices"
)

// external returns what may be said of an entry's external algorithm: the parameters that
// those of the task have, and whatever else the entry, or the problem of a dataset that it
// runs on, gives. The program has the last word on that, when it is started.
func (t *Task) external(s *Spec, a *AlgorithmEntry) *Algorithm {
	e := &Algorithm{ID: a.ID, Params: slices.Clone(t.External), Check: t.ExternalCheck}
	add := func(given map[string]Grid) {
		for name := range given {
			if _, ok := findParam(e.Params, name); !ok {
				e.Params = append(e.Params, Param{Name: name, Kind: "any", Tunable: true, Doc: "a parameter of the program"})
			}
		}
	}
	add(a.With)
	for _, d := range each(s.Datasets) {
		if a.RunsOn(d.ID) {
			add(d.Problem)
		}
	}
	slices.SortStableFunc(e.Params[len(t.External):], func(p, q Param) int { return compareNames(p.Name, q.Name) })
	return e
}

// externalID is what ids of external algorithms are made of.
var externalID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9+_-]*$`)

// external checks what an entry says of its program.
func (c *validator) external(a *AlgorithmEntry, at string) {
	x := at + sep + "external"
	switch {
	case c.task.External == nil:
		c.failKey(x, "runs of the task %s are not performed by other programs; remove it", c.spec.Task)
	case c.cat.known(a.ID):
		c.fail(at+sep+"id", "%q is an algorithm of the harness: give the external one another id", a.ID)
	case !externalID.MatchString(a.ID):
		c.fail(at+sep+"id", "%q does not match %s", a.ID, externalID)
	}
}

// known reports whether any task has an algorithm of an id.
func (c *Catalog) known(id string) bool {
	return slices.ContainsFunc(c.Tasks, func(t Task) bool { return slices.Contains(t.IDs(), id) })
}
