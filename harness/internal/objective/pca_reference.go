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
	// Method names the solver.
	Method string `json:"method"`
	// Eigenvalues holds the leading eigenvalues, in decreasing order.
	Eigenvalues []float64 `json:"eigenvalues"`
	// ErrorBound bounds the error of each of them.
	ErrorBound float64 `json:"error_bound"`
}

// Value returns the optimum of the rank-k problem and whether the reference holds enough
// eigenvalues to know it.
func (r *Reference) Value(k int) (float64, bool) {
	if k > len(r.Eigenvalues) {
		return 0, false
	}
	return sumLeading(r.Eigenvalues, k), true
}

// sound implements stored: eigenvalues of a second moment, in order, with a bound that makes them a
// reference.
func (r *Reference) sound() error {
	switch {
	case r.DatasetHash == "" || len(r.Eigenvalues) == 0:
		return errors.New("it is of no data, or has no eigenvalues")
	case !(r.ErrorBound >= 0 && r.ErrorBound <= certified*math.Abs(r.Eigenvalues[0])):
		return fmt.Errorf("the error bound %v is too large to certify a largest eigenvalue of %v", r.ErrorBound, r.Eigenvalues[0])
	case !slices.IsSortedFunc(r.Eigenvalues, func(a, b float64) int { return cmp.Compare(b, a) }):
		return errors.New("its eigenvalues are not in decreasing order")
	case r.Eigenvalues[len(r.Eigenvalues)-1] < -certified*r.Eigenvalues[0]:
		return errors.New("a second moment has no negative eigenvalues")
	}
	return nil
}

// agrees reports why the eigenvalues are not the leading ones of a matrix, judged by its trace and
// the sum of its squares: what they leave of both must be the sums of the smaller eigenvalues.
func (r *Reference) agrees(m SecondMoment) error {
	left, k := m.Dim()-len(r.Eigenvalues), len(r.Eigenvalues)
	trace := m.Trace()
	squares := m.squares()
	t, q := trace, squares
	for _, v := range r.Eigenvalues {
		t -= v
		q -= v * v
	}
	n, smallest := float64(left), math.Max(r.Eigenvalues[k-1], 0)
	// What rounding is granted.
	eps, eps2 := agreement*trace, agreement*squares
	switch {
	case left < 0:
		return fmt.Errorf("it has %d eigenvalues, and the matrix %d", k, m.Dim())
	case t < -eps, t > n*smallest+eps:
		return fmt.Errorf("its %d eigenvalues leave %v of the trace of %v", k, t, trace)
	case q < -eps2, q > smallest*math.Max(t, 0)+eps2+smallest*eps, t > eps && t*t > n*(q+eps2)+2*eps*trace:
		return fmt.Errorf("its %d eigenvalues leave %v of the sum of squares of %v", k, q, squares)
	}
	return nil
}

// agreement is the relative accuracy of sums over a second moment.
const agreement = 1e-9

// beats implements stored.
func (r *Reference) beats(old stored) bool {
	o, ok := old.(*Reference)
	return ok && len(o.Eigenvalues) < len(r.Eigenvalues)
}

// Get returns the stored reference of the same problem if it knows the rank-k optimum for every k
// up to maxK, and otherwise solves moment and stores the result.
func (r *References) Get(problem Solved, maxK int, moment SecondMoment) (*Reference, error) {
	if ref, ok := r.find(problem.id()).(*Reference); ok && len(ref.Eigenvalues) >= maxK {
		if moment == nil {
			return ref, nil
		}
		why := ref.agrees(moment)
		if why == nil {
			return ref, nil
		}
		r.Reject(ref, why)
	}
	s, err := moment.solve(maxK)
	if err != nil {
		return nil, err
	}
	ref := &Reference{Solved: problem, Method: s.method, Eigenvalues: s.eigenvalues, ErrorBound: s.bound}
	return ref, r.add(ref)
}
