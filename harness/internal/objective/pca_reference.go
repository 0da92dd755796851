package objective

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Reference is a certified optimum of PCA. Its Split is "population", or the name and fractions of a
// split.
type Reference struct {
	Solved
	Spectrum
}

// check implements Optimum. The eigenvalues must be sorted, nonnegative and accurately bounded.
func (r *Reference) check() error {
	switch {
	case r.DatasetHash == "" || len(r.Eigenvalues) == 0:
		return errors.New("its dataset hash or its eigenvalues are missing")
	case !(r.ErrorBound >= 0 && r.ErrorBound <= maxErrorBound*math.Abs(r.Eigenvalues[0])):
		return fmt.Errorf("its error bound %v is too large for its largest eigenvalue %v", r.ErrorBound, r.Eigenvalues[0])
	case !slices.IsSortedFunc(r.Eigenvalues, func(a, b float64) int { return cmp.Compare(b, a) }):
		return errors.New("its eigenvalues are not in decreasing order")
	case r.Eigenvalues[len(r.Eigenvalues)-1] < -maxErrorBound*r.Eigenvalues[0]:
		return errors.New("its smallest eigenvalue is negative")
	}
	return nil
}

// Get returns the stored reference of a problem if it has at least maxK eigenvalues. Otherwise it
// decomposes moment and stores the result.
func (r *References) Get(problem Solved, maxK int, moment SecondMoment) (*Reference, error) {
	if ref, ok := r.find(problem.id()).(*Reference); ok && len(ref.Eigenvalues) >= maxK {
		return ref, nil
	}
	s, err := moment.Leading(maxK)
	if err != nil {
		return nil, err
	}
	ref := &Reference{Solved: problem, Spectrum: *s}
	return ref, r.add(ref)
}
