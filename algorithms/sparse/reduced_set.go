package sparse

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"
	"stochopt/internal/finite"
)

// ReducedSetConfig configures ReducedSet.
type ReducedSetConfig struct {
	// Support is the number of expansion vectors at the end, 1 <= Support <= n.
	Support int
	// Relearn chooses the bias so that the decisions agree with those of w on as many training points as
	// possible. Otherwise the bias is that of w.
	Relearn bool
}

// ReducedSet is the reduced-set method. It approximates w = sum_i alpha_i y_i Phi(x_i) greedily by a few
// constructed vectors,
//
//	minimise |w - sum_{j<=m} beta_j Phi(z_j)|^2  over z_m, then over all beta.
//
// A step finds z_m as an approximate pre-image of the residual w - sum_{j<m} beta_j Phi(z_j), by the
// fixed-point iteration (type preimage). The iteration starts from the support vector where the residual
// is greatest in magnitude. Then the step solves K_zz beta = K_zx alpha (type projection). The norm of
// the residual never increases.
//
// A step evaluates the iteration typically 10 to 40 times. Each evaluation is a pass over the s support
// vectors of w and the m vectors so far. The step also costs O(s m + m^2). It is charged for each kernel
// value that it evaluates, not n for a row, because only the support vectors of w matter. To relearn the
// bias, a step also needs a row over all training points, charged n, and O(n m + n log n).
//
// The papers end with a joint optimisation over all z_j and beta_j. Here the support size is chosen
// along one greedy path, whose every classifier is used, so there is no such phase. The papers leave the
// starting points (Burges: random) and the bias open.
//
// Source: Burges 1996, "Simplified support vector decision rules", from memory; Burges and Schölkopf
// 1997, "Improving the accuracy and speed of support vector learning machines", from memory; Schölkopf
// et al. 1999, "Input space versus feature space in kernel-based methods", abstract read, the rest from
// memory. The order of a step, a pre-image of the residual and then all coefficients, is the order of
// rsrbf in the Statistical Pattern Recognition Toolbox. Cotter 2013 could not run a reduced-set method.
type ReducedSet struct {
	cfg    ReducedSetConfig
	points []int // support vectors of w
	pre    *preimage
	rows   [][]float32 // K(z_j, x_i) for the support vectors
	projection
}

var _ Learner = (*ReducedSet)(nil)

// NewReducedSet returns ReducedSet without vectors. It returns an error if the support is out of range,
// or if p, in and ref are invalid or do not match.
func NewReducedSet(cfg ReducedSetConfig, p svm.Problem, in Inputs, ref *Reference) (*ReducedSet, error) {
	if err := checkReducedSet("reduced-set", cfg.Support, p, in, ref); err != nil {
		return nil, err
	}
	r := &ReducedSet{cfg: cfg, projection: newProjection(in, ref, cfg.Relearn, 0, cfg.Support)}
	r.current.Bias = ref.Bias
	var a []float64
	for i, alpha := range ref.Alpha {
		if alpha != 0 {
			r.points, a = append(r.points, i), append(a, p.Label(i)*alpha)
		}
	}
	rowTo, combineTo := in.Pack(r.points)
	r.pre = newPreimage(in, a, rowTo, combineTo)
	return r, nil
}

// Step implements algorithms.Stepper. A step adds a vector. It reports Converged if there are Support
// vectors, or if no further vector improves the approximation.
func (r *ReducedSet) Step() algorithms.Status { return r.advance(r.step) }

func (r *ReducedSet) step() algorithms.Status {
	if m := len(r.members); m >= r.cfg.Support {
		return r.stop(algorithms.Converged, fmt.Sprintf("the reduced set has the %d vectors asked for", m))
	}
	switch err := r.extend(); {
	case errors.Is(err, errInSpan):
		return r.stop(algorithms.Converged, err.Error())
	case err != nil:
		return r.stop(algorithms.Diverged, err.Error())
	}
	r.cost.Iterations++
	return algorithms.Status{}
}

// negligible is the share of |w|^2 that a new vector must exceed.
const negligible = 1e-10

// extend adds a pre-image of the residual and recomputes all coefficients.
func (r *ReducedSet) extend() error {
	worst, ok := r.start()
	if !ok {
		return errInSpan
	}
	z := make([]float64, r.in.Dim())
	r.in.AddTo(z, 1, worst)
	found := r.pre.search(z)
	r.charge(r.pre.evals)
	r.pre.evals = 0
	best := &r.pre.best
	switch g := best.g; {
	case !finite.Is(g):
		return errNotFinite
	case !found || !(g*g > negligible*r.ref.NormSq):
		return errInSpan
	}
	z = slices.Clone(best.z)
	if err := r.add(-1, z, best.gram, vec.Dot32(r.pre.a, best.row)); err != nil {
		return err
	}
	r.solve()
	r.pre.vectors = append(r.pre.vectors, z)
	r.rows = append(r.rows, slices.Clone(best.row))
	r.pre.b = r.pre.b[:0]
	for j := range r.members {
		r.pre.b = append(r.pre.b, -r.beta.AtVec(j))
	}
	return nil
}

// start returns the first support vector where the residual is greatest in magnitude. ok is false if the
// residual is 0 at all support vectors.
func (r *ReducedSet) start() (i int, ok bool) {
	residual := make([]float64, len(r.points))
	for k, i := range r.points {
		residual[k] = r.ref.Scores[i] - r.ref.Bias
	}
	for j, row := range r.rows {
		vec.AddScaled(residual, r.pre.b[j], row)
	}
	most := 0.0
	for k, v := range residual {
		if a := math.Abs(v); a > most {
			most, i, ok = a, r.points[k], true
		}
	}
	return i, ok
}

// Final implements Learner.
func (r *ReducedSet) Final() bool { return true }

// ReducedSetBytes returns a bound on the memory of a ReducedSet in bytes, for n points in d dimensions
// and the given number of vectors.
func ReducedSetBytes(n, d, support int, relearn bool) int64 {
	return int64(support)*(4*int64(n)+8*int64(d)) + projectionBytes(n, support, relearn)
}
