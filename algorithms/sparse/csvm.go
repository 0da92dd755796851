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
	// Support is the number of vectors at the end, 1 <= Support <= n. Each class keeps
	// one.
	Support int
	// Relearn says that the bias that belongs to refitted coefficients is chosen so that
	// decisions agree with those of w on as many training points as possible, instead of
	// being that of w.
	Relearn bool
}

// CSVM condenses the support vectors of a trained SVM bottom-up. A step replaces two
// vectors of the same class, x and x' with coefficients of magnitude a and b, of which
// one is nearest to the other, by
//
//	z = k x + (1-k) x' with the coefficient beta = a K(x, z) + b K(x', z),
//
// the k in (0, 1) that minimises |a Phi(x) + b Phi(x') - beta Phi(z)|^2 (function
// mergeAt): the pair of which this is least. From refitFrom vectors downwards, the
// coefficients are those of the projection of w on the span of the vectors (type
// projection).
//
// A step costs a kernel evaluation for each vector of the class, merged or not, and as
// many again for each vector whose nearest has been merged and that may be in the next
// pair; the first one O(s^2) for s support vectors. Refitting costs O(m^2) for m vectors
// and s + m evaluations; the bias, n more and O(n m + n log n).
//
// Source: Nguyen and Ho 2006, "A bottom-up method for simplifying support vector
// solutions", IEEE Transactions on Neural Networks 17(3), and Nguyen, Matsumoto,
// Takishima and Hashimoto 2010, "Condensed vector machines: learning fast machine for
// large data", ibid. 21(12), abstract read, of both; the function of k from memory, and
// the same as in BudgetedSVM, a program of others. Cotter 2013 quotes the numbers of
// 2010 without running it. The papers merge the two nearest vectors of a class, that of
// 2010 in the course of training. Here mergers come after training, and the pair goes
// first whose merger changes w least: far better on Web and Adult, where a few vectors
// would swallow the dense regions. Coefficients are refitted to w, which is the linear
// part of the gradient descent on all vectors and coefficients with which the paper of
// 2006 ends. Its abstract says that the maximum over k is unique; of vectors that are far
// apart it is not.
type CSVM struct {
	ctx     context.Context
	support int          // at the end
	coef    [2][]float64 // of the support vectors of w, for each class
	rowTo   [2]func(dst []float32, z []float64)
	alive   []*condensed
	refit   int // refitFrom
	projection
}

var _ Learner = (*CSVM)(nil)

const (
	refitFrom  = 1024
	refitRidge = 1e-4
)

// condensed is an expansion vector: a training point, or a constructed one.
type condensed struct {
	index   int // training point, or -1
	z       []float64
	coef    float64    // signed, 0 once it is merged
	class   int        // 0 if coef is positive
	of      int        // of the support vectors of its class, if it is one of w
	nearest *condensed // nil if it is alone in its class
	near    float64    // K(z, z of nearest), or more if nearest is merged
	loss    float64    // |a Phi(x) + b Phi(x') - beta Phi(z)|^2 for the merger with nearest
}

// NewCSVM returns CSVM at w. The end of ctx ends a step, which then is Failed. It returns
// an error if there is no context, the support is out of range, or the problem, the input
// space and the reference do not belong together or are not finite.
func NewCSVM(ctx context.Context, cfg CSVMConfig, p svm.Problem, in Inputs, ref *Reference) (*CSVM, error) {
	if err := checkCondensing("csvm", cfg.Support, p, in, ref); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, fmt.Errorf("sparse: csvm: no context given")
	}
	a := &CSVM{ctx: ctx, support: cfg.Support, refit: refitFrom}
	unknown := &condensed{}
	for c, sign := range [...]float64{1, -1} {
		var points []int
		for i, alpha := range ref.Alpha {
			if coef := p.Label(i) * alpha; coef*sign > 0 {
				u := &condensed{index: i, z: make([]float64, in.Dim()), coef: coef, class: c, of: len(points)}
				u.nearest, u.near, u.loss = unknown, math.Inf(1), math.Inf(-1)
				in.AddTo(u.z, 1, i)
				a.alive, points, a.coef[c] = append(a.alive, u), append(points, i), append(a.coef[c], coef)
			}
		}
		a.rowTo[c], _ = in.Pack(points)
	}
	a.projection = newProjection(in, ref, cfg.Relearn, refitRidge, min(a.refit, len(a.alive)))
	a.showMerged()
	return a, nil
}

// Step implements algorithms.Stepper: it merges a pair. It reports Converged once
// as few vectors are left as were asked for, or one for each class.
func (a *CSVM) Step() algorithms.Status { return a.once(a.step) }

func (a *CSVM) step() algorithms.Status {
	u, err := a.next()
	if err == nil && u != nil {
		err = a.merge(u)
	}
	switch {
	case err != nil && a.ctx.Err() != nil:
		return ended("csvm", context.Cause(a.ctx))
	case err != nil:
		return a.stop(algorithms.Diverged, err.Error())
	case u == nil:
		return a.stop(algorithms.Converged, fmt.Sprintf("%d vectors are left, %d were asked for; each class keeps one",
			len(a.alive), a.support))
	}
	a.cost.Iterations++
	return algorithms.Status{}
}

// merge replaces u and its nearest by a vector, and refits the coefficients.
func (a *CSVM) merge(u *condensed) error {
	v := u.nearest
	diff := floats.SubTo(make([]float64, len(u.z)), u.z, v.z)
	k, coef := mergeAt(math.Abs(u.coef), math.Abs(v.coef), a.in.Gamma()*floats.Dot(diff, diff))
	z := floats.AddScaledTo(diff, v.z, k, diff)
	made := &condensed{index: -1, z: z, coef: math.Copysign(coef, u.coef), class: u.class}
	u.coef, v.coef = 0, 0
	if err := a.look(made); err != nil {
		return err
	}
	a.alive = append(slices.DeleteFunc(a.alive, func(o *condensed) bool { return o.coef == 0 }), made)
	if len(a.alive) > a.refit {
		a.showMerged()
		return nil
	}
	if a.Settled() {
		a.remove(u.z)
		a.remove(v.z)
	}
	for _, o := range a.alive[len(a.members):] {
		if err := a.admit(o); err != nil {
			return err
		}
	}
	a.solve()
	return nil
}

// next returns the vector that is merged with its nearest: of the least loss, the first
// of them, nil if no merger is left to do. Where the nearest is unknown or has been merged,
// it is looked for: another is not nearer, nor, as a rule, merged at less loss.
func (a *CSVM) next() (*condensed, error) {
	for len(a.alive) > a.support {
		var least *condensed
		for _, u := range a.alive {
			if u.nearest != nil && (least == nil || u.loss < least.loss) {
				least = u
			}
		}
		if least == nil || least.nearest.coef != 0 {
			return least, nil
		}
		if err := a.look(least); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// look finds the nearest vector of u in its class, and tells the others of u.
func (a *CSVM) look(u *condensed) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	row := a.row(u.class, u.z)
	u.near, u.nearest = -1, nil
	for _, o := range a.alive {
		if o.class != u.class || o.coef == 0 {
			continue
		}
		var k float64
		if o.index >= 0 {
			k = float64(row[o.of])
		} else {
			k = a.in.Eval(u.z, o.z)
			a.charge(1)
		}
		switch {
		case !finite.Is(k):
			return errInfinite
		case o == u:
			continue
		case k > u.near:
			u.near, u.nearest = k, o
		}
		if k > o.near {
			o.near, o.nearest = k, u
			o.rank()
		}
	}
	u.rank()
	return nil
}

// row returns K(z, x) for the support vectors x of a class of w.
func (a *CSVM) row(class int, z []float64) []float32 {
	row := make([]float32, len(a.coef[class]))
	a.rowTo[class](row, z)
	a.charge(int64(len(row)))
	return row
}

// rank finds by how much the merger of u with its nearest changes w, squared.
func (u *condensed) rank() {
	if u.nearest == nil {
		return
	}
	x, y := math.Abs(u.coef), math.Abs(u.nearest.coef)
	_, beta := mergeAt(x, y, -math.Log(max(u.near, math.SmallestNonzeroFloat32)))
	u.loss = (float64(x*x) + float64(y*y)) + (float64(2*x*y*u.near) - float64(beta*beta))
}

// admit adds u to the span on which w is projected.
func (a *CSVM) admit(u *condensed) error {
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

// showMerged makes the coefficients that mergers leave the current classifier.
func (a *CSVM) showMerged() {
	a.current.Reset()
	a.current.Bias = a.ref.Bias
	for _, u := range a.alive {
		a.show(u.index, u.z, u.coef)
	}
}

// Settled implements Learner: coefficients that mergers leave are not what the method
// makes of its vectors.
func (a *CSVM) Settled() bool { return !a.beta.IsEmpty() }

// mergeAt returns the k in [0, 1] that maximises the coefficient of k x + (1-k) x',
//
//	h(k) = a K(x, z) + b K(x', z) = a C^((1-k)^2) + b C^(k^2),  C = K(x, x') = e^-gap,
//
// and h(k); a, b > 0 and gap = gamma |x-x'|^2. There is one maximum if gap <= 2. Of two,
// the one nearer to the point with the greater coefficient is the greater. It is found
// from that point by the fixed-point iteration of pre-images on the segment, whose every
// turn increases h.
func mergeAt(a, b, gap float64) (k, coef float64) {
	const turns, precision = 500, 1e-9
	if a >= b {
		k = 1
	}
	for range turns {
		near, far := float64(a*exp.Neg(gap*(1-k)*(1-k))), float64(b*exp.Neg(gap*k*k))
		last := k
		k, coef = near/(near+far), near+far
		if math.Abs(last-k) < precision {
			break
		}
	}
	return k, coef
}

// CSVMBytes returns how much memory a CSVM takes at most on n points, all of them
// support vectors, in d dimensions.
func CSVMBytes(n, d int, relearn bool) int64 {
	return int64(n)*(8*int64(d)+256) + projectionBytes(n, min(n, refitFrom), relearn)
}
