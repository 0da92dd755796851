package sparse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/exp"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// CSVMConfig configures CSVM.
type CSVMConfig struct {
	// Support is the final number of vectors, 1 <= Support <= n. Each class keeps at least one.
	Support int
	// Relearn chooses the bias of refitted coefficients so that the decisions agree with those of w on
	// as many training points as possible. Otherwise the bias is that of w.
	Relearn bool
}

// CSVM condenses the support vectors of a trained SVM bottom-up. A step merges two vectors x and x' of
// the same class, whose coefficients have the magnitudes a and b, into
//
//	z = k x + (1-k) x' with the coefficient beta = a K(x, z) + b K(x', z).
//
// k in (0, 1) minimises the loss |a Phi(x) + b Phi(x') - beta Phi(z)|^2 (function mergeAt). The step
// takes the pair of the least loss among the pairs of a vector and its nearest neighbour in the class.
// Once there are at most refitFrom vectors, the coefficients are those of the projection of w onto the
// span of the vectors (type projection).
//
// A step costs a kernel evaluation for each vector of the class, including merged support vectors. It
// costs as many again for each candidate vector whose nearest neighbour has been merged. The first step
// costs O(s^2) for s support vectors. Refitting m vectors costs O(m^2) and s + m evaluations. Relearning
// the bias costs n more and O(n m + n log n).
//
// Source: Nguyen and Ho 2006, "A bottom-up method for simplifying support vector solutions", IEEE
// Transactions on Neural Networks 17(3), and Nguyen, Matsumoto, Takishima and Hashimoto 2010, "Condensed
// vector machines: learning fast machine for large data", ibid. 21(12), abstracts read; the function of
// k is from memory, and agrees with BudgetedSVM, a third-party program. Cotter 2013 quotes the numbers
// of 2010 without running the method.
//
// Differences: both papers merge the two nearest vectors of a class, and the paper of 2010 merges during
// training. Here mergers follow training, and the pair whose merger changes w least goes first. This is
// far better on Web and Adult, where a few vectors would otherwise absorb the dense regions.
// Coefficients are refitted to w. The paper of 2006 ends with a gradient descent on all vectors and
// coefficients, of which refitting is the linear part. Its abstract states that the maximum over k is
// unique, which is false for distant vectors.
type CSVM struct {
	ctx     context.Context
	support int          // final number of vectors
	coef    [2][]float64 // coefficients of the support vectors of w, for each class
	rowTo   [2]func(dst []float32, z []float64)
	vectors []*condensed
	refit   int // refitFrom, except in tests
	projection
}

var _ Learner = (*CSVM)(nil)

const (
	refitFrom  = 1024
	refitRidge = 1e-4
)

// condensed is an expansion vector: a training point or a constructed vector.
type condensed struct {
	index     int // training point, or -1
	z         []float64
	coef      float64    // signed; 0 after a merger
	class     int        // 0 if coef is positive, 1 if negative
	column    int        // position in coef of its class, for a support vector of w
	nearest   *condensed // nearest neighbour in its class, nil if it is the only one
	proximity float64    // K(z, nearest.z), or an upper bound if nearest has been merged
	loss      float64    // |a Phi(x) + b Phi(x') - beta Phi(z)|^2 for the merger with nearest
}

// NewCSVM returns CSVM at w. If ctx is cancelled, the current step ends with the status Failed. NewCSVM
// returns an error if ctx is nil, if the support is out of range, or if p, in and ref are invalid or do
// not match.
func NewCSVM(ctx context.Context, cfg CSVMConfig, p svm.Problem, in Inputs, ref *Reference) (*CSVM, error) {
	if err := checkReducedSet("csvm", cfg.Support, p, in, ref); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, fmt.Errorf("sparse: csvm: the context is nil")
	}
	a := &CSVM{ctx: ctx, support: cfg.Support, refit: refitFrom}
	unknown := &condensed{}
	for c, sign := range [...]float64{1, -1} {
		var points []int
		for i, alpha := range ref.Alpha {
			if coef := p.Label(i) * alpha; coef*sign > 0 {
				u := &condensed{index: i, z: make([]float64, in.Dim()), coef: coef, class: c, column: len(points)}
				u.nearest, u.proximity, u.loss = unknown, math.Inf(1), math.Inf(-1)
				in.AddTo(u.z, 1, i)
				a.vectors, points, a.coef[c] = append(a.vectors, u), append(points, i), append(a.coef[c], coef)
			}
		}
		a.rowTo[c], _ = in.Pack(points)
	}
	a.projection = newProjection(in, ref, cfg.Relearn, refitRidge, min(a.refit, len(a.vectors)))
	a.writeMerged()
	return a, nil
}

// Step implements algorithms.Stepper. A step merges a pair. It reports Converged if at most Support
// vectors are left, or one for each class.
func (a *CSVM) Step() algorithms.Status { return a.advance(a.step) }

func (a *CSVM) step() algorithms.Status {
	u, err := a.next()
	if err == nil && u != nil {
		err = a.merge(u)
	}
	switch {
	case err != nil && a.ctx.Err() != nil:
		return interrupted("csvm", context.Cause(a.ctx))
	case err != nil:
		return a.stop(algorithms.Diverged, err.Error())
	case u == nil:
		return a.stop(algorithms.Converged, fmt.Sprintf("%d vectors are left, %d were asked for; each class keeps one",
			len(a.vectors), a.support))
	}
	a.cost.Iterations++
	return algorithms.Status{}
}

// merge replaces u and its nearest neighbour by one vector, and refits the coefficients.
func (a *CSVM) merge(u *condensed) error {
	v := u.nearest
	diff := floats.SubTo(make([]float64, len(u.z)), u.z, v.z)
	k, coef := mergeAt(math.Abs(u.coef), math.Abs(v.coef), a.in.Gamma()*floats.Dot(diff, diff))
	z := floats.AddScaledTo(diff, v.z, k, diff)
	made := &condensed{index: -1, z: z, coef: math.Copysign(coef, u.coef), class: u.class}
	u.coef, v.coef = 0, 0
	if err := a.findNearest(made); err != nil {
		return err
	}
	a.vectors = append(slices.DeleteFunc(a.vectors, func(o *condensed) bool { return o.coef == 0 }), made)
	if len(a.vectors) > a.refit {
		a.writeMerged()
		return nil
	}
	if a.Final() {
		a.remove(u.z)
		a.remove(v.z)
	}
	for _, o := range a.vectors[len(a.members):] {
		if err := a.addToSpan(o); err != nil {
			return err
		}
	}
	a.solve()
	return nil
}

// next returns the first vector of the least loss, to be merged with its nearest neighbour, or nil if no
// merger remains. It searches for a nearest neighbour only where it is unknown or has been merged. The
// stored loss is then usually a lower bound, because no other neighbour is nearer.
func (a *CSVM) next() (*condensed, error) {
	for len(a.vectors) > a.support {
		var least *condensed
		for _, u := range a.vectors {
			if u.nearest != nil && (least == nil || u.loss < least.loss) {
				least = u
			}
		}
		if least == nil || least.nearest.coef != 0 {
			return least, nil
		}
		if err := a.findNearest(least); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// findNearest finds the nearest neighbour of u in its class. It also updates the vectors to which u is
// nearer than their nearest neighbour.
func (a *CSVM) findNearest(u *condensed) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	row := a.row(u.class, u.z)
	u.proximity, u.nearest = -1, nil
	for _, o := range a.vectors {
		if o.class != u.class || o.coef == 0 {
			continue
		}
		var k float64
		if o.index >= 0 {
			k = float64(row[o.column])
		} else {
			k = a.in.Eval(u.z, o.z)
			a.charge(1)
		}
		switch {
		case !finite.Is(k):
			return errNotFinite
		case o == u:
			continue
		case k > u.proximity:
			u.proximity, u.nearest = k, o
		}
		if k > o.proximity {
			o.proximity, o.nearest = k, u
			o.updateLoss()
		}
	}
	u.updateLoss()
	return nil
}

// row returns K(z, x) for the support vectors x of a class of w.
func (a *CSVM) row(class int, z []float64) []float32 {
	row := make([]float32, len(a.coef[class]))
	a.rowTo[class](row, z)
	a.charge(int64(len(row)))
	return row
}

// updateLoss computes the squared change of w in a merger of u with its nearest neighbour.
func (u *condensed) updateLoss() {
	if u.nearest == nil {
		return
	}
	x, y := math.Abs(u.coef), math.Abs(u.nearest.coef)
	_, beta := mergeAt(x, y, -math.Log(max(u.proximity, math.SmallestNonzeroFloat32)))
	u.loss = (float64(x*x) + float64(y*y)) + (float64(2*x*y*u.proximity) - float64(beta*beta))
}

// addToSpan adds u to the vectors onto whose span w is projected.
func (a *CSVM) addToSpan(u *condensed) error {
	h := 0.0
	for c, coef := range a.coef {
		h += vec.Dot32(coef, a.row(c, u.z))
	}
	var at []float64
	for _, m := range a.members {
		at = append(at, a.in.Eval(u.z, m.z))
	}
	a.charge(int64(len(at)))
	return a.add(u.index, u.z, at, h)
}

// writeMerged sets the current classifier to the vectors with their merged coefficients.
func (a *CSVM) writeMerged() {
	a.current.Reset()
	a.current.Bias = a.ref.Bias
	for _, u := range a.vectors {
		a.addTerm(u.index, u.z, u.coef)
	}
}

// Final implements Learner. Classifiers are final once coefficients are refitted.
func (a *CSVM) Final() bool { return !a.beta.IsEmpty() }

// mergeAt returns the k in [0, 1] that maximises the coefficient of k x + (1-k) x',
//
//	h(k) = a K(x, z) + b K(x', z) = a C^((1-k)^2) + b C^(k^2),  C = K(x, x') = e^-gap,
//
// and h(k), for a, b > 0 and gap = gamma |x-x'|^2. The maximum is unique if gap <= 2. If there are two,
// the greater is nearer to the point with the greater coefficient. mergeAt starts there and applies the
// fixed-point iteration of pre-images on the segment, which increases h in each iteration.
func mergeAt(a, b, gap float64) (k, coef float64) {
	const maxIterations, precision = 500, 1e-9
	if a >= b {
		k = 1
	}
	for range maxIterations {
		near, far := float64(a*exp.Neg(gap*(1-k)*(1-k))), float64(b*exp.Neg(gap*k*k))
		last := k
		k, coef = near/(near+far), near+far
		if math.Abs(last-k) < precision {
			break
		}
	}
	return k, coef
}

// CSVMBytes returns a bound on the memory of a CSVM in bytes, for n support vectors in d dimensions.
func CSVMBytes(n, d int, relearn bool) int64 {
	return int64(n)*(8*int64(d)+256) + projectionBytes(n, min(n, refitFrom), relearn)
}
