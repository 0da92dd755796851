package pca

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// Component is one term of the decomposition of a feasible point of a relaxed
// problem into projections.
type Component struct {
	// Weight is the coefficient lambda of the term, positive.
	Weight float64
	// Indices holds, in increasing order, the n eigenvectors that the
	// projection keeps.
	Indices []int
}

// infeasible is the share of the cap |sigma|_1/n by which Unrelax lets an
// eigenvalue miss its bounds. It is taken as being on them.
const infeasible = 1e-9

// Unrelax decomposes a symmetric matrix with the eigenvalues sigma,
//
//	0 <= sigma_i <= |sigma|_1/n,
//
// into a convex combination of at most d = len(sigma) multiples of projections of
// rank n in the same eigenbasis,
//
//	sigma_j = (|sigma|_1/n) sum_i lambda_i [j in K_i],  sum_i lambda_i = 1.
//
// For the W of Warmuth & Kuzmin, n = d-k and |sigma|_1 = 1; for the M of MSG,
// n = k = |sigma|_1. The weights add up to 1 up to rounding. The cost is
// O(d^2 log d).
//
// With R the weight that is left and every sigma_j in units of the cap
// |sigma|_1/n, so that it lies between 0 and R, a term takes the n largest
// eigenvalues, which include all of those at the cap R, with the largest weight
// that leaves a feasible rest: none may fall below 0, nor may one that was left
// out exceed the new cap. Each term drives one more eigenvalue to 0 or to the
// cap, where it stays.
//
// It is Cotter 2013, Alg. "unrelax" of section 5.2 (Warmuth & Kuzmin 2006, Alg.
// 1), with the weight bounded by the second condition too, without which the rest
// is infeasible and n eigenvalues are at last not to be found; and with the
// weights in units of the cap, without which they add up to 1/(d-k).
//
// Unrelax returns an error if n is not in 0 < n <= d, or if sigma is not
// feasible.
func Unrelax(sigma []float64, n int) ([]Component, error) {
	u, err := newUnrelaxer(sigma, n)
	if err != nil {
		return nil, err
	}
	var cs []Component
	for {
		c, last := u.next()
		if c.Weight > 0 {
			cs = append(cs, c)
		}
		if last {
			return cs, nil
		}
	}
}

// unrelaxer is the rest that is still to be decomposed.
type unrelaxer struct {
	n      int
	sigma  []float64 // in units of the original cap
	weight float64   // R, the current cap
	// capped, free and zero partition the indices: those at the cap, whose
	// sigma is not kept up to date, those strictly between, and those at 0.
	capped, free, zero []int
}

func newUnrelaxer(sigma []float64, n int) (*unrelaxer, error) {
	d := len(sigma)
	if n <= 0 || n > d {
		return nil, fmt.Errorf("pca: unrelax: projections of rank n = %d from %d eigenvalues: n must satisfy 0 < n <= d", n, d)
	}
	var largest float64
	for i, v := range sigma {
		if !finite.Is(v) {
			return nil, fmt.Errorf("pca: unrelax: eigenvalue %d is %g: all must be finite", i, v)
		}
		largest = max(largest, v)
	}
	if largest == 0 {
		return nil, fmt.Errorf("pca: unrelax: none of the %d eigenvalues is positive", d)
	}
	u := &unrelaxer{n: n, sigma: make([]float64, d), weight: 1}
	for i, v := range sigma {
		u.sigma[i] = v / largest
	}
	// The sum defines the cap, so that its error is one of every eigenvalue.
	total := floats.SumCompensated(u.sigma)
	for i, v := range u.sigma {
		v = v / total * float64(n)
		if v < -infeasible || v > 1+infeasible {
			return nil, fmt.Errorf("pca: unrelax: eigenvalue %d is %g, outside of [0, |sigma|_1/n = %g]: project the matrix first", i, sigma[i], total/float64(n)*largest)
		}
		u.sigma[i] = v
		switch {
		case v <= 0:
			u.zero = append(u.zero, i)
		case v >= 1:
			u.capped = append(u.capped, i)
		default:
			u.free = append(u.free, i)
		}
	}
	return u, nil
}

// next takes one term from the rest. last reports whether it was all of it.
func (u *unrelaxer) next() (c Component, last bool) {
	slices.SortFunc(u.free, func(i, j int) int {
		return cmp.Or(cmp.Compare(u.sigma[j], u.sigma[i]), i-j)
	})
	// In exact arithmetic the free eigenvalues are more than the places left for
	// them, or there are neither; rounding may leave a remnant of either.
	places := max(u.n-len(u.capped), 0)
	if places == 0 || len(u.free) <= places {
		return u.term(u.weight, places), true
	}
	in, out := u.free[:places], u.free[places:]
	below := u.sigma[in[places-1]]
	above := u.weight - u.sigma[out[0]]
	lambda := max(min(below, above), 0)
	c = u.term(lambda, places)

	var free []int
	for _, j := range in {
		if u.sigma[j] <= lambda {
			u.zero = append(u.zero, j)
			continue
		}
		u.sigma[j] -= lambda
		free = append(free, j)
	}
	for _, j := range out {
		if u.weight-u.sigma[j] <= lambda {
			u.capped = append(u.capped, j)
			continue
		}
		free = append(free, j)
	}
	u.free = free
	u.weight -= lambda
	return c, false
}

// term returns the component of the capped eigenvalues, the largest free ones in
// the places left, and where these are too few, any others.
func (u *unrelaxer) term(weight float64, places int) Component {
	indices := make([]int, 0, u.n)
	for _, set := range [][]int{u.capped, u.free[:min(places, len(u.free))], u.zero} {
		indices = append(indices, set[:min(len(set), u.n-len(indices))]...)
	}
	slices.Sort(indices)
	return Component{Weight: weight, Indices: indices}
}

// SampleComponent returns the index of one of the components, the ith with
// probability proportional to its weight, by one draw of rng. It panics if there
// is none.
func SampleComponent(cs []Component, rng *rand.Rand) int {
	if len(cs) == 0 {
		panic("pca: no component to sample from")
	}
	var total float64
	for _, c := range cs {
		total += c.Weight
	}
	left := rng.Float64() * total
	for i, c := range cs {
		left -= c.Weight
		if left < 0 {
			return i
		}
	}
	return len(cs) - 1
}
