package external

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"stochopt/harness/internal/spec"
)

// Protocol is the version of the protocol.
const Protocol = 1

// Hello is a program's description of itself.
type Hello struct {
	Protocol int    `json:"protocol"`
	Name     string `json:"name"`
	Version  int    `json:"version"`
	// Tasks lists the tasks that the program supports.
	Tasks []string `json:"tasks"`
	// Deterministic is true if equal input always gives equal numbers.
	Deterministic bool `json:"deterministic"`
	// Serve lists the kinds of data that the program requests.
	Serve []string `json:"serve"`
	// Rank is "fixed" if, in task pca, every iterate has rank k.
	Rank string `json:"rank,omitzero"`
	// Counters lists the costs that the program declares.
	Counters []string     `json:"counters,omitzero"`
	Params   []spec.Param `json:"params"`
}

// served lists the kinds of data that a program may request, by task.
var served = map[string][]string{"pca": {"samples"}, "svm": {"rows", "order", "data"}}

// checkHello fails if the hello is inconsistent with the spec.
func (p *Process) checkHello() {
	h, task := &p.Hello, p.program.Task
	switch {
	case h.Protocol != Protocol:
		p.fail("hello: the program speaks protocol %d, not %d", h.Protocol, Protocol)
	case h.Version != p.program.Version && p.program.Version != 0:
		p.fail("hello: the program is version %d, but the spec declares version %d", h.Version, p.program.Version)
	case !slices.Contains(h.Tasks, task):
		p.fail("hello: the program supports the tasks %q, not %s", h.Tasks, task)
	}
	for _, what := range h.Serve {
		if !slices.Contains(served[task], what) {
			p.fail("hello: serve has %q; allowed are %q", what, served[task])
		}
	}
}

// Resolve returns the given parameters with the program's defaults. It returns an error if a parameter is
// missing, invalid or unknown to the program. The program need not list the parameters of the problem,
// such as k.
func (h *Hello) Resolve(given map[string]any, problem []string) (map[string]any, error) {
	all, known := maps.Clone(given), slices.Clone(problem)
	for _, q := range h.Params {
		known = append(known, q.Name)
		v := cmp.Or(given[q.Name], q.Default)
		if v == nil && slices.Contains(problem, q.Name) {
			continue
		}
		if v == nil {
			return nil, fmt.Errorf("the program's parameter %s is missing", q.Name)
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
	// Seed is less than 2^53. It is the same for all methods on the same data and repeat.
	Seed   int64 `json:"seed"`
	Repeat int   `json:"repeat"`
	// Iterations is the budget.
	Iterations int64 `json:"iterations"`
	// Params has the parameters of the problem and of the program. It includes gamma for a Gaussian
	// kernel, and both C and lambda if either is given.
	Params map[string]any `json:"params"`
	// D is the number of features and K the dimension of the subspace. N is the number of training
	// points. The first Positive of them have class +1.
	D        int               `json:"d"`
	K        int               `json:"k,omitzero"`
	N        int               `json:"n,omitzero"`
	Positive int               `json:"positive,omitzero"`
	Arrays   map[string]*Array `json:"arrays,omitzero"`
}

// Advance requests the iterations up to To. It has the samples or training indices for them.
type Advance struct {
	To      int64  `json:"to"`
	Samples *Array `json:"samples,omitzero"`
	Order   *Array `json:"order,omitzero"`
}

// Advanced is the answer to Advance.
type Advanced struct {
	// To is the number of iterations completed.
	To int64 `json:"to"`
	// Status is "running" (also ""), "converged" or "diverged".
	Status string `json:"status,omitzero"`
	Reason string `json:"reason,omitzero"`
	// Cost has the cumulative values of the declared counters.
	Cost map[string]*int64 `json:"cost,omitzero"`
}

// State is an iterate.
type State struct {
	Arrays map[string]Array `json:"arrays"`
	// Bulk is the eigenvalue of the directions outside the basis. Bias is the bias of a classifier.
	Bulk float64 `json:"bulk,omitzero"`
	Bias float64 `json:"bias,omitzero"`
}

// Array is an array in a file of the program's folder. The file has the numbers in row-major order, without
// a header.
type Array struct {
	File  string `json:"file"`
	Dtype string `json:"dtype"`
	Shape []int  `json:"shape"`
}
