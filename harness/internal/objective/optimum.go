package objective

import (
	"encoding/json"
	"fmt"
	"slices"

	"stochopt/internal/record"
)

// Optimum is a certified optimum in a record.Store: a *Reference or a *SVMReference.
type Optimum interface {
	// Problem returns the solved problem.
	Problem() *Solved
	// Same reports whether another optimum of the same problem has the same bits. If one has more
	// eigenvalues, the additional ones are ignored.
	Same(again Optimum) bool
	// id identifies the problem.
	id() string
	// check returns an error if the numbers are inconsistent.
	check() error
}

// ParseOptimum decodes a certified optimum of a record.Store. It returns an error if the numbers are
// inconsistent or the optimum has another id.
func ParseOptimum(id string, data []byte) (Optimum, error) {
	var o Optimum = new(Reference)
	var probe struct{ Kernel *string }
	if json.Unmarshal(data, &probe) == nil && probe.Kernel != nil {
		o = new(SVMReference)
	}
	if err := record.DecodeLine(data, o); err != nil {
		return nil, err
	}
	if is := o.id(); is != id {
		return nil, fmt.Errorf("it belongs to another problem: %s", is)
	}
	return o, o.check()
}

// Problem implements Optimum.
func (s *Solved) Problem() *Solved { return s }

// Same implements Optimum.
func (r *Reference) Same(again Optimum) bool {
	b, ok := again.(*Reference)
	if !ok {
		return false
	}
	n := min(len(r.Eigenvalues), len(b.Eigenvalues))
	return slices.Equal(r.Eigenvalues[:n], b.Eigenvalues[:n]) && r.ErrorBound == b.ErrorBound
}

// Same implements Optimum.
func (r *SVMReference) Same(again Optimum) bool {
	b, ok := again.(*SVMReference)
	return ok && slices.Equal(r.Alpha, b.Alpha) && r.Iterations == b.Iterations && r.Lambda == b.Lambda &&
		r.Primal == b.Primal && r.Dual == b.Dual && r.Norm == b.Norm && r.Hinge == b.Hinge
}
