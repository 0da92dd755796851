package external

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Hello is what a program says of itself.
type Hello struct {
	Protocol int    `json:"protocol"`
	Name     string `json:"name"`
	Version  int    `json:"version"`
	// Tasks are those that it can be started for.
	Tasks []string `json:"tasks"`
	// Deterministic: what it does depends on what it is served only, so that the same run
	// gives the same numbers.
	Deterministic bool `json:"deterministic"`
	// Many: the process can serve one run after the other.
	Many bool `json:"many"`
	// Serve lists what it wants served.
	Serve []string `json:"serve"`
	// Rank is "fixed" of a method of the task pca whose iterates have rank k: what each
	// costs is counted then.
	Rank string `json:"rank,omitempty"`
	// Counters names the costs that it declares.
	Counters []string `json:"counters,omitempty"`
	Params   []Param  `json:"params"`
}

// Param is a parameter of a program.
type Param struct {
	Name string `json:"name"`
	// Kind is "int", "float", "bool" or "string".
	Kind string `json:"kind"`
	// Min and Max bound numbers; Values, if there are any, are all that it can be.
	Min    *float64 `json:"min,omitempty"`
	Max    *float64 `json:"max,omitempty"`
	Values []any    `json:"values,omitempty"`
	// Default is what it is if it is not given; without one it has to be given.
	Default any    `json:"default,omitempty"`
	Help    string `json:"help,omitempty"`
}

// What programs can be served, by task.
const (
	ServeSamples = "samples"
	ServeRows    = "rows"
	ServeOrder   = "order"
	ServeData    = "data"
)

var served = map[string][]string{
	"pca": {ServeSamples},
	"svm": {ServeRows, ServeOrder, ServeData},
}

// Serves reports whether the program wants something served.
func (h *Hello) Serves(what string) bool { return slices.Contains(h.Serve, what) }

// check reports what is wrong with a hello for a program.
func (h *Hello) check(p *Program) error {
	switch {
	case h.Protocol != Protocol:
		return fmt.Errorf("hello: it speaks version %d of the protocol, and not %d", h.Protocol, Protocol)
	case h.Version != p.Version && p.Version != 0:
		return fmt.Errorf("hello: it says that it is version %d, but the specification declares version %d", h.Version, p.Version)
	case !slices.Contains(h.Tasks, p.Task):
		return fmt.Errorf("hello: it is for the task %s, and not for %s", strings.Join(h.Tasks, ", "), p.Task)
	case h.Rank != "" && h.Rank != "fixed":
		return fmt.Errorf("hello: rank is %q; it can only be fixed", h.Rank)
	}
	for _, what := range h.Serve {
		if !slices.Contains(served[p.Task], what) {
			return fmt.Errorf("hello: it wants %q served, and a program of the task %s can be served %s", what, p.Task, strings.Join(served[p.Task], ", "))
		}
	}
	seen := make(map[string]bool)
	for _, q := range h.Params {
		if q.Name == "" || seen[q.Name] || !slices.Contains([]string{"int", "float", "bool", "string"}, q.Kind) {
			return fmt.Errorf("hello: a parameter %q of kind %q; each has a name of its own and is an int, a float, a bool or a string", q.Name, q.Kind)
		}
		seen[q.Name] = true
		if q.Default == nil {
			continue
		}
		if _, err := q.take(q.Default); err != nil {
			return fmt.Errorf("hello: the default of %s: %w", q.Name, err)
		}
	}
	return nil
}

// Resolve returns parameters with the program's defaults, or says what the program does not
// take. Those of the problem, such as k and the kernel, it need not list.
func (h *Hello) Resolve(given map[string]any, problem []string) (map[string]any, error) {
	all := maps.Clone(given)
	if all == nil {
		all = make(map[string]any)
	}
	var known []string
	for _, q := range h.Params {
		known = append(known, q.Name)
		v, ok := given[q.Name]
		switch {
		case !ok && q.Default == nil && !slices.Contains(problem, q.Name):
			return nil, fmt.Errorf("parameter %s is missing: %s", q.Name, q.describe())
		case !ok && q.Default == nil:
			continue
		case !ok:
			v = q.Default
		}
		v, err := q.take(v)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", q.Name, err)
		}
		all[q.Name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) && !slices.Contains(problem, name) {
			return nil, fmt.Errorf("it has no parameter %s; it has %s", name, orNone(known))
		}
	}
	return all, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// take returns a value as the parameter's kind, or says why it is none.
func (q Param) take(v any) (any, error) {
	wrong := fmt.Errorf("%v is not %s", v, q.describe())
	x, number := numberOf(v)
	switch q.Kind {
	case "int":
		if !number || x != float64(int64(x)) {
			return nil, wrong
		}
		v = int64(x)
	case "float":
		if !number {
			return nil, wrong
		}
		v = x
	case "bool":
		if _, ok := v.(bool); !ok {
			return nil, wrong
		}
	case "string":
		if _, ok := v.(string); !ok {
			return nil, wrong
		}
	}
	if number && (q.Min != nil && x < *q.Min || q.Max != nil && x > *q.Max) {
		return nil, wrong
	}
	if len(q.Values) > 0 && !slices.ContainsFunc(q.Values, func(w any) bool { return same(v, w) }) {
		return nil, wrong
	}
	return v, nil
}

func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

func same(v, w any) bool {
	x, ok := numberOf(v)
	y, also := numberOf(w)
	if ok && also {
		return x == y
	}
	return !ok && !also && v == w
}

// describe says what the parameter can be.
func (q Param) describe() string {
	text := map[string]string{"int": "an integer", "float": "a number", "bool": "true or false", "string": "text"}[q.Kind]
	if q.Min != nil {
		text += fmt.Sprintf(" of at least %v", *q.Min)
	}
	if q.Max != nil {
		text += fmt.Sprintf(" of at most %v", *q.Max)
	}
	if len(q.Values) > 0 {
		text += fmt.Sprintf(" among %v", q.Values)
	}
	return text
}
