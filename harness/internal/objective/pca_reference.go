package objective

import (
	"cmp"
	"math"
	"slices"
)

// Reference is a certified optimum of PCA. Its Split is "population" or a split's
// name with its fractions.
type Reference struct {
	Solved
	// Method names the solver.
	Method string `json:"method"`
	// Eigenvalues holds the leading eigenvalues, in decreasing order.
	Eigenvalues []float64 `json:"eigenvalues"`
	// ErrorBound bounds the error of each of them.
	ErrorBound float64 `json:"error_bound"`
}

// Value returns the optimum of the rank-k problem and whether the reference
// holds enough eigenvalues to know it.
func (r *Reference) Value(k int) (float64, bool) {
	if k > len(r.Eigenvalues) {
		return 0, false
	}
	return sumLeading(r.Eigenvalues, k), true
}

// sound implements stored: eigenvalues of a second moment, in order, with a
// bound that makes them a reference.
func (r *Reference) sound() bool {
	if r.DatasetHash == "" || len(r.Eigenvalues) == 0 || r.ErrorBound < 0 || r.ErrorBound > certified*math.Abs(r.Eigenvalues[0]) {
		return false
	}
	return slices.IsSortedFunc(r.Eigenvalues, func(a, b float64) int { return cmp.Compare(b, a) })
}

// beats implements stored.
func (r *Reference) beats(old stored) bool {
	o, ok := old.(*Reference)
	return ok && len(o.Eigenvalues) < len(r.Eigenvalues)
}

// Get returns the stored reference of the same problem if it knows the rank-k
// optimum for every k up to maxK, and otherwise solves moment and stores the
// result.
func (r *References) Get(problem Solved, maxK int, moment *Moment) (*Reference, error) {
	if ref, ok := r.find(problem.id()).(*Reference); ok && len(ref.Eigenvalues) >= maxK {
		return ref, nil
	}
	o, err := moment.Optimum()
	if err != nil {
		return nil, err
	}
	ref := &Reference{
		Solved: problem, Method: "symmetric eigendecomposition",
		Eigenvalues: o.Eigenvalues[:maxK:maxK], ErrorBound: o.ErrorBound(1),
	}
	return ref, r.add(ref)
}
