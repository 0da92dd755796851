// Package registry is the one place that joins names to constructors: the
// algorithms, what parameters they take, and the dataset sources. It is an
// explicit table; nothing registers itself.
package registry

import (
	"fmt"
	"slices"

	"stochopt/harness/internal/spec"
)

// Entry is what a user may ask about an algorithm.
type Entry struct {
	// ID is the name in a spec, Title the name in prose.
	ID    string `json:"id"`
	Title string `json:"title"`
	// Task is the task it solves.
	Task string `json:"task"`
	// Source says where in the thesis it is defined.
	Source string `json:"source"`
	// Version is part of every run key: raise it when the bits change.
	Version int `json:"version"`
	// Deterministic says that it uses no random numbers: on the same split its
	// runs are all the same, and one stands for every repeat.
	Deterministic bool `json:"deterministic,omitempty"`
	// Params lists the parameters it accepts.
	Params []spec.Param `json:"params"`
}

// Algorithms returns the entries of a task in table order, of all tasks if
// task is empty.
func Algorithms(task string) []Entry {
	var out []Entry
	for _, t := range tasks {
		if task == "" || task == t.name {
			for _, a := range t.algorithms {
				out = append(out, a.entry())
			}
		}
	}
	return out
}

// Lookup returns the entry of an algorithm.
func Lookup(task, id string) (Entry, bool) {
	for _, e := range Algorithms(task) {
		if e.ID == id {
			return e, true
		}
	}
	return Entry{}, false
}

// Params holds the resolved parameters of a run, flat.
type Params map[string]any

// Int returns an integer parameter, 0 if it is absent.
func (p Params) Int(name string) int {
	v, _ := p[name].(int64)
	return int(v)
}

// Float returns a number, 0 if it is absent.
func (p Params) Float(name string) float64 {
	switch v := p[name].(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	}
	return 0
}

// Text returns a string parameter, "" if it is absent.
func (p Params) Text(name string) string {
	v, _ := p[name].(string)
	return v
}

// Bool returns a parameter that is true or false, false if it is absent.
func (p Params) Bool(name string) bool {
	v, _ := p[name].(bool)
	return v
}

// has reports whether the parameter is given.
func (p Params) has(name string) bool {
	_, ok := p[name]
	return ok
}

// Catalog is the registry as the spec's validation sees it.
type Catalog struct{}

var (
	_ spec.Catalog       = Catalog{}
	_ spec.Measures      = Catalog{}
	_ spec.Supervision   = Catalog{}
	_ spec.Sparsity      = Catalog{}
	_ spec.Facts         = Catalog{}
	_ spec.Distributions = Catalog{}
)

// Tasks implements spec.Catalog.
func (Catalog) Tasks() []string {
	var names []string
	for _, t := range tasks {
		names = append(names, t.name)
	}
	return names
}

// Algorithms implements spec.Catalog.
func (Catalog) Algorithms(task string) []string {
	var ids []string
	for _, e := range Algorithms(task) {
		ids = append(ids, e.ID)
	}
	return ids
}

// Params implements spec.Catalog.
func (Catalog) Params(task, algorithm string) []spec.Param {
	e, _ := Lookup(task, algorithm)
	return slices.Clone(e.Params)
}

// Costs implements spec.Measures.
func (Catalog) Costs(task string) []string { return slices.Clone(lookupTask(task).costs) }

// Metrics implements spec.Measures.
func (Catalog) Metrics(task string) []string { return slices.Clone(lookupTask(task).metrics) }

// Facts implements spec.Facts.
func (Catalog) Facts(task string) []string { return slices.Clone(lookupTask(task).facts) }

// Deterministic implements spec.Determinism.
func (Catalog) Deterministic(task, id string) bool {
	e, _ := Lookup(task, id)
	return e.Deterministic
}

// Supervised implements spec.Supervision.
func (Catalog) Supervised(task string) bool { return lookupTask(task).supervised }

// Sparse implements spec.Sparsity.
func (Catalog) Sparse(task string) bool { return lookupTask(task).sparse }

// Check implements spec.Catalog: it reports what is wrong with a combination
// of parameters that are each right by themselves.
func (Catalog) Check(task, id string, params map[string]any) error {
	a, ok := find(task, id)
	if !ok {
		return fmt.Errorf("unknown algorithm %q", id)
	}
	return a.check(params)
}
