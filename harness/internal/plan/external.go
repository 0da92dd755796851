package plan

import (
	"fmt"
	"slices"

	"stochopt/harness/internal/external"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// rows are the algorithms of the entries of a spec. The files of external ones are read once.
type rows struct {
	spec  *spec.Spec
	known map[*spec.AlgorithmEntry]*registry.Algorithm
	errs  map[*spec.AlgorithmEntry]error
}

func newRows(s *spec.Spec) rows {
	return rows{s, make(map[*spec.AlgorithmEntry]*registry.Algorithm), make(map[*spec.AlgorithmEntry]error)}
}

// of returns the algorithm of an entry.
func (r rows) of(e *spec.AlgorithmEntry) (*registry.Algorithm, error) {
	if _, ok := r.known[e]; !ok {
		a, err := registry.Of(r.spec.Task, e)
		if err != nil && e.External != nil {
			err = &Error{e.Pos, err}
		}
		r.known[e], r.errs[e] = a, err
	}
	return r.known[e], r.errs[e]
}

// CheckProgram reports a parameter of an external run that its program, which has said hello,
// does not take.
func (it *Item) CheckProgram(h *external.Hello) error {
	if err := it.Algorithm.CheckProgram(h, it.Params); err != nil {
		return &Error{it.pos, fmt.Errorf("algorithm %q: %w", it.Series, err)}
	}
	return nil
}

// Programs returns the programs that some runs start, each once, in the order of the runs.
func Programs(items []*Item) (list []*external.Program) {
	for _, it := range items {
		if p := it.Algorithm.Program; p != nil && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}
