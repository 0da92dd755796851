package external

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/harness/internal/spec"
)

// Protocol is the version of the protocol.
const Protocol = 1

// Hello is what a program says of itself.
type Hello struct {
	Protocol int    `json:"protocol"`
	Name     string `json:"name"`
	Version  int    `json:"version"`
	// Tasks are those that the program can be started for.
	Tasks []string `json:"tasks"`
	// Deterministic programs give the same numbers whenever they are served the same.
	Deterministic bool `json:"deterministic"`
	// Serve lists what the program asks to be served.
	Serve []string `json:"serve"`
	// Rank is "fixed" if each iterate of a method of the task pca has rank k.
	Rank string `json:"rank,omitempty"`
	// Counters names the costs that the program declares.
	Counters []string     `json:"counters,omitempty"`
	Params   []spec.Param `json:"params"`
}

// served lists what a program of a task may ask to be served.
var served = map[string][]string{"pca": {"samples"}, "svm": {"rows", "order", "data"}}

// check reports how a hello contradicts its program.
func (h *Hello) check(p *Program) error {
	switch {
	case h.Protocol != Protocol:
		return fmt.Errorf("hello: the program speaks protocol %d, not %d", h.Protocol, Protocol)
	case h.Version != p.Version && p.Version != 0:
		return fmt.Errorf("hello: the program is version %d, but the spec declares version %d", h.Version, p.Version)
	case !slices.Contains(h.Tasks, p.Task):
		return fmt.Errorf("hello: the program is for the task %s, not for %s", strings.Join(h.Tasks, ", "), p.Task)
	}
	for _, what := range h.Serve {
		if !slices.Contains(served[p.Task], what) {
			return fmt.Errorf("hello: serve has %q; want some of %q", what, served[p.Task])
		}
	}
	return nil
}

// Resolve returns parameters with the defaults of the program, or reports one that the program does
// not take. The program need not list the parameters of the problem, such as k.
func (h *Hello) Resolve(given map[string]any, problem []string) (map[string]any, error) {
	all, known := maps.Clone(given), slices.Clone(problem)
	for _, q := range h.Params {
		known = append(known, q.Name)
		v, ok := given[q.Name]
		if !ok {
			v = q.Default
		}
		if v == nil && slices.Contains(problem, q.Name) {
			continue
		}
		if v == nil {
			return nil, fmt.Errorf("the parameter %s of the program is missing", q.Name)
		}
		v, err := q.Coerce(v)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", q.Name, err)
		}
		all[q.Name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("the program has no parameter %q%s", name, spec.Hint(name, known))
		}
	}
	return all, nil
}

// Init describes a run to the program.
type Init struct {
	// Seed is less than 2^53. All methods have the same one on the same data and repeat.
	Seed   int64 `json:"seed"`
	Repeat int   `json:"repeat"`
	// Iterations is the budget.
	Iterations int64 `json:"iterations"`
	// Params has the parameters of the problem and of the program. Of a kernel it has gamma, of the
	// regularisation both C and lambda if either is known.
	Params map[string]any `json:"params"`
	// D is the number of features, K the dimension of the subspace, N the number of training points
	// and Positive that of class +1, which come first.
	D        int              `json:"d"`
	K        int              `json:"k,omitempty"`
	N        int              `json:"n,omitempty"`
	Positive int              `json:"positive,omitempty"`
	Arrays   map[string]Array `json:"arrays,omitempty"`
}

// Advance asks for the iterations up to To, with the samples or training indices for them.
type Advance struct {
	To      int64  `json:"to"`
	Samples *Array `json:"samples,omitempty"`
	Order   *Array `json:"order,omitempty"`
}

// Advanced says how far the program has come.
type Advanced struct {
	To int64 `json:"to"`
	// Status is "running", which "" stands for, "converged" or "diverged".
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Cost holds the counters that the program declares, cumulative.
	Cost map[string]*int64 `json:"cost,omitempty"`
}

// State is an iterate.
type State struct {
	Arrays map[string]Array `json:"arrays"`
	// Bulk is the eigenvalue of the directions outside of the basis, Bias that of a classifier.
	Bulk float64 `json:"bulk,omitempty"`
	Bias float64 `json:"bias,omitempty"`
}

// Array is an array in a file of the program's folder: numbers without a header, row by row.
type Array struct {
	File  string `json:"file"`
	Dtype string `json:"dtype"`
	Shape []int  `json:"shape"`
}
