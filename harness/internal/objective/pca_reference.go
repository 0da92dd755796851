package objective

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Reference is a certified optimum of PCA. Its Split is "population" or a split's name with its
// fractions.
type Reference struct {
	Solved
	Spectrum
}

// sound implements stored: eigenvalues of a second moment, in order, with a bound that makes them a
// reference.
func (r *Reference) sound() error {
	switch {
	case r.DatasetHash == "" || len(r.Eigenvalues) == 0:
		return errors.New("it is of no data, or has no eigenvalues")
	case !(r.ErrorBound >= 0 && r.ErrorBound <= certified*math.Abs(r.Eigenvalues[0])):
		return fmt.Errorf("the error bound %v does not certify a largest eigenvalue of %v", r.ErrorBound, r.Eigenvalues[0])
	case !slices.IsSortedFunc(r.Eigenvalues, func(a, b float64) int { return cmp.Compare(b, a) }):
		return errors.New("its eigenvalues are not in decreasing order")
	case r.Eigenvalues[len(r.Eigenvalues)-1] < -certified*r.Eigenvalues[0]:
		return errors.New("a second moment has no negative eigenvalues")
	}
	return nil
}

// Get returns the stored reference of the same problem if it knows the rank-k optimum for every k
// up to maxK. Otherwise it solves moment and stores the result.
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
