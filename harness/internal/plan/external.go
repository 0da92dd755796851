package plan

import (
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// rows are the algorithms of the entries of a spec. The files of external ones are read once.
type rows struct {
	spec  *spec.Spec
	known map[*spec.AlgorithmEntry]*registry.Algorithm
}

func newRows(s *spec.Spec) rows {
	return rows{s, make(map[*spec.AlgorithmEntry]*registry.Algorithm)}
}

// of returns the algorithm of an entry.
func (r rows) of(e *spec.AlgorithmEntry) (*registry.Algorithm, error) {
	if a := r.known[e]; a != nil {
		return a, nil
	}
	a, err := registry.Of(r.spec.Task, e)
	if err != nil && e.External != nil {
		err = &Error{e.Pos, err}
	}
	r.known[e] = a
	return a, err
}
