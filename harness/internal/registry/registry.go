// Package registry is the one place that joins names to constructors: the
// algorithms, what parameters they take, what they are called and look like in
// figures, and the dataset sources. It is an explicit table; nothing registers itself.
package registry

import (
	"sync"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
	"stochopt/internal/observe"
	"stochopt/internal/record"
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
	// Update is what a step does, as a formula, and StepCost what it is charged and what
	// it takes. Losses have neither.
	Update   string `json:"update,omitempty"`
	StepCost string `json:"step_cost,omitempty"`
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
				out = append(out, a.Entry)
			}
		}
	}
	return out
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
	v, _ := record.Number(p[name])
	return v
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

// fill sets a parameter that is not given.
func (p Params) fill(name string, value any) {
	if !p.has(name) {
		p[name] = value
	}
}

// Catalog returns the registry as the spec's validation sees it.
var Catalog = sync.OnceValue(func() *spec.Catalog {
	c := &spec.Catalog{Formats: map[string][]spec.Param{}, FormatOf: datasets.FormatOf}
	for _, format := range datasets.Formats() {
		c.Formats[format] = sourceParams(format)
	}
	for _, t := range tasks {
		task := spec.Task{
			Name: t.name, Costs: observe.TaskCosts(t.name), Metrics: observe.TaskMetrics(t.name),
			Facts: t.facts, Supervised: t.supervised, Sparse: t.sparse,
			External: externalParams[t.name], ExternalCheck: externalCheck(t.name),
		}
		for i := range t.algorithms {
			a := &t.algorithms[i]
			task.Algorithms = append(task.Algorithms, spec.Algorithm{
				ID: a.ID, Params: a.Params, Deterministic: a.Deterministic,
				Check: func(params map[string]any) error { return a.checked(params) },
			})
		}
		c.Tasks = append(c.Tasks, task)
	}
	for _, name := range datasets.Sources() {
		c.Sources = append(c.Sources, source(name))
	}
	for _, p := range datasets.Preparations() {
		c.Prepares = append(c.Prepares, p.Name)
	}
	return c
})
