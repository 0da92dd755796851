package sparse

import (
	"context"
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"
	"stochopt/internal/finite"
)

// CSVMConfig configures CSVM.
type CSVMConfig struct {
	// Support is the number of vectors at which the method ends, 1 <= Support <=
	// n. Two classes leave a vector each at least.
	Support int
	// Pair says which of the pairs of a vector and its nearest of the same class are
	// merged first.
	Pair Pair
	// Refit is the number of vectors from which on, downwards, all coefficients
	// are optimised after each merger, 0 for never.
	Refit int
	// Relearn says that as long as coefficients are refitted the bias is chosen so
	// that decisions agree with those of w on as many training points as possible,
	// instead of being that of w.
	Relearn bool
}

// Pair is a choice of what CSVM merges.
type Pair string

const (
	// PairLoss: those whose merger changes w least.
	PairLoss Pair = "loss"
	// PairNearest: those that are nearest.
	PairNearest Pair = "nearest"
)

// CSVM condenses the support vectors of a trained SVM bottom-up. A step replaces
// two vectors of the same class, x and x' with coefficients of magnitude a and b,
// of which one is nearest to the other, by one,
//
//	z = k x + (1-k) x' with the coefficient beta = a K(x, z) + b K(x', z),
//
// the k in (0, 1) and the beta that minimise |a Phi(x) + b Phi(x') - beta Phi(z)|^2:
// a maximum of one variable (function mergeAt). So the support decreases, from that
// of w to Support; every iterate is a classifier, and a settled one as soon as it is
// refitted.
//
// With Refit, the coefficients of small classifiers are not those that mergers
// leave but those of the projection of w on the span of the vectors, K_zz beta =
// K_zx alpha, by a Cholesky factor with a ridge of 1e-4 that loses two rows and
// gains one in a step.
//
// A step costs a kernel evaluation for each vector of the class, alive or of w, and
// as many again for each vector whose nearest neighbour has gone and that may be
// in the nearest pair; it is charged what it evaluates. The first step finds the
// nearest neighbours of all s support vectors in O(s^2). Refitting costs O(m^2) for
// m vectors and an evaluation for each support vector of w and each vector; the
// bias, n more and O(n m + n log n).
//
// What is the paper's and what is ours: the merger of the two nearest vectors of a
// class is that of Nguyen and Ho 2005 and 2006 and is the "vector combination" of
// the condensed vector machine of Nguyen, Matsumoto, Takishima and Hashimoto 2010.
// The latter applies it in the course of training, after each enlargement of an
// incremental working set. Cotter 2013 quotes its numbers without running it. Here
// the mergers come after training
// to optimality, and by default the pair goes first whose merger changes w least,
// not the nearest: far better on Web and Adult, where a few vectors would swallow
// the dense regions. What the paper gains in training time is not reproduced, and
// coefficients are refitted to w instead of retrained. The earlier papers end with a
// gradient descent on all vectors and coefficients together; refitting is its part
// that is linear.
//
// Source: Nguyen and Ho 2006, "A bottom-up method for simplifying support vector
// solutions", IEEE Transactions on Neural Networks 17(3), and Nguyen et al. 2010,
// "Condensed vector machines: learning fast machine for large data", ibid. 21(12),
// https://waseda.elsevierpure.com/en/publications/condensed-vector-machines-learning-fast-machine-for-large-data:
// abstract read, of both; the function of k from memory, and the same as in BudgetedSVM,
// a program of others. The abstract of 2006 says that its maximum is unique; of vectors
// that are far apart it is not (mergeAt).
type CSVM struct {
	ctx   context.Context
	cfg   CSVMConfig
	ref   *Reference
	in    Inputs
	n     int
	nodes []condensed
	alive int
	class [2]classSet
	least int // vectors that must remain
	begun bool

	x, y []float64 // scratch vectors
	refit
	bias float64

	progress
	evals int64
}

var _ Learner = (*CSVM)(nil)

// condensed is an expansion vector: a training point, or a constructed one.
type condensed struct {
	index   int       // training point, or -1
	z       []float64 // if constructed
	coef    float64   // signed
	class   int
	gone    bool
	near    float64 // the kernel's value with the nearest, or more if that is gone
	nearest int     // node, -1 if there is none
	rank    float64 // with the nearest, the pair of the least is merged first
}

// classSet holds the support vectors of w of one class.
type classSet struct {
	points pointSet
	nodes  []int // of the points
	made   []int // nodes of the constructed vectors that are not gone
	row    []float32
}

// NewCSVM returns CSVM at w. The end of ctx ends a step, which then is Failed. It
// returns an error if there is no context, the configuration is out of range, or
// the problem, the input space and the reference do not belong together or are not
// finite.
func NewCSVM(ctx context.Context, cfg CSVMConfig, p svm.Problem, in Inputs, ref *Reference) (*CSVM, error) {
	const method = "csvm"
	if err := checkCondensing(method, ctx, cfg.Support, p, in, ref); err != nil {
		return nil, err
	}
	n := p.Rows.Train()
	switch {
	case cfg.Pair != PairLoss && cfg.Pair != PairNearest:
		return nil, fmt.Errorf("sparse: %s: pair = %q; want %q or %q", method, cfg.Pair, PairLoss, PairNearest)
	case cfg.Refit < 0:
		return nil, fmt.Errorf("sparse: %s: refit = %d; it must be at least 0", method, cfg.Refit)
	case cfg.Relearn && cfg.Refit == 0:
		return nil, fmt.Errorf("sparse: %s: the bias is relearned where coefficients are refitted, but refit is 0; set refit, or relearn to false", method)
	}
	a := &CSVM{ctx: ctx, cfg: cfg, ref: ref, in: in, n: n, bias: ref.Bias}
	a.x, a.y = make([]float64, in.Dim()), make([]float64, in.Dim())
	var points [2][]int
	for i, alpha := range ref.Alpha {
		if alpha == 0 {
			continue
		}
		// The class is the sign of the coefficient: that of the label, unless
		// alpha_i is negative.
		c := condensed{index: i, coef: p.Label(i) * alpha, nearest: -1}
		if c.coef < 0 {
			c.class = 1
		}
		set := &a.class[c.class]
		set.nodes = append(set.nodes, len(a.nodes))
		points[c.class] = append(points[c.class], i)
		a.nodes = append(a.nodes, c)
	}
	a.alive = len(a.nodes)
	for c := range a.class {
		a.class[c].points = somePoints(in, points[c])
		a.class[c].row = make([]float32, len(points[c]))
		if len(points[c]) > 0 {
			a.least++
		}
	}
	return a, nil
}

// Step implements algorithms.Stepper: it merges a pair. It reports Converged once
// as few vectors are left as were asked for, or one for each class.
func (a *CSVM) Step() algorithms.Status {
	switch {
	case a.status.Stop():
		return a.status
	case a.alive <= a.cfg.Support:
		return a.stop(algorithms.Converged, fmt.Sprintf("%d vectors are left, %d were asked for", a.alive, a.cfg.Support))
	case a.alive <= a.least:
		return a.stop(algorithms.Converged, fmt.Sprintf("%d vectors are left, one for each class", a.alive))
	}
	ok := a.merge()
	a.cost.KernelEvals, a.cost.InnerProducts = a.evals, a.evals
	if err := context.Cause(a.ctx); err != nil && !ok {
		a.status = ended("csvm", err)
		return a.status
	}
	if !ok {
		return a.stop(algorithms.Diverged, "the kernel of the vectors is not finite")
	}
	a.cost.Iterations++
	return algorithms.Status{}
}

// vectorOf returns the vector of node v, in dst if it is a training point.
func (a *CSVM) vectorOf(v int, dst []float64) []float64 {
	c := &a.nodes[v]
	if c.index < 0 {
		return c.z
	}
	clear(dst)
	a.in.AddTo(dst, 1, c.index)
	return dst
}

// look finds the nearest vector of node v in its class, and with tell also tells
// the others that v is there. It reports whether the kernel is finite; not if the
// context has ended.
func (a *CSVM) look(v int, tell bool) bool {
	if a.ctx.Err() != nil {
		return false
	}
	c := &a.nodes[v]
	set := &a.class[c.class]
	z := a.vectorOf(v, a.x)
	set.points.rowTo(set.row, z)
	if !vec.AllFinite(set.row) {
		return false
	}
	a.evals += int64(set.points.size + len(set.made))
	c.near, c.nearest = -1, -1
	meet := func(u int, k float64) {
		if u == v {
			return
		}
		if k > c.near {
			c.near, c.nearest = k, u
		}
		if o := &a.nodes[u]; tell && k > o.near {
			o.near, o.nearest = k, v
			a.rank(u)
		}
	}
	for j, u := range set.nodes {
		if !a.nodes[u].gone {
			meet(u, float64(set.row[j]))
		}
	}
	for _, u := range set.made {
		k := a.in.Eval(z, a.nodes[u].z)
		if !finite.Is(k) {
			return false
		}
		meet(u, k)
	}
	a.rank(v)
	return true
}

// rank says when node v is to be merged with its nearest.
func (a *CSVM) rank(v int) {
	c := &a.nodes[v]
	if c.nearest < 0 {
		return
	}
	if c.rank = -c.near; a.cfg.Pair == PairLoss {
		x, y := math.Abs(c.coef), math.Abs(a.nodes[c.nearest].coef)
		_, beta := mergeAt(x, y, -math.Log(max(c.near, math.SmallestNonzeroFloat32)))
		c.rank = (float64(x*x) + float64(y*y)) + (float64(2*x*y*c.near) - float64(beta*beta))
	}
}

// pair returns the vectors to be merged: of a vector and its nearest the pair of
// the least rank, the first of them.
func (a *CSVM) pair() (u, v int, ok bool) {
	if !a.begun {
		a.begun = true
		for v := range a.nodes {
			if !a.look(v, false) {
				return 0, 0, false
			}
		}
	}
	for {
		u = -1
		for i := range a.nodes {
			c := &a.nodes[i]
			if !c.gone && c.nearest >= 0 && (u < 0 || c.rank < a.nodes[u].rank) {
				u = i
			}
		}
		if v = a.nodes[u].nearest; !a.nodes[v].gone {
			return u, v, true
		}
		// What is left is not nearer than that was, nor, as a rule, merged at less
		// loss.
		if !a.look(u, false) {
			return 0, 0, false
		}
	}
}

// merge replaces the nearest pair by a vector.
func (a *CSVM) merge() bool {
	u, v, ok := a.pair()
	if !ok {
		return false
	}
	x, y := a.vectorOf(u, a.x), a.vectorOf(v, a.y)
	gap := 0.0
	for d, s := range x {
		gap += float64((s - y[d]) * (s - y[d]))
	}
	p, q := &a.nodes[u], &a.nodes[v]
	k, coef := mergeAt(math.Abs(p.coef), math.Abs(q.coef), a.in.Gamma()*gap)
	z := make([]float64, len(x))
	for d, s := range x {
		z[d] = y[d] + float64(k*(s-y[d]))
	}
	made := condensed{index: -1, z: z, coef: math.Copysign(coef, p.coef), class: p.class, nearest: -1}
	set := &a.class[p.class]
	kept := set.made[:0]
	for _, w := range set.made {
		if w != u && w != v {
			kept = append(kept, w)
		}
	}
	p.gone, q.gone = true, true
	a.nodes = append(a.nodes, made)
	set.made = kept
	if !a.look(len(a.nodes)-1, true) {
		a.nodes = a.nodes[:len(a.nodes)-1]
		a.nodes[u].gone, a.nodes[v].gone = false, false
		return false
	}
	set.made = append(set.made, len(a.nodes)-1)
	a.alive--
	if a.alive <= a.cfg.Refit && !a.refitted(u, v) {
		return false
	}
	a.nodes[u].z, a.nodes[v].z = nil, nil
	return true
}

// CSVMBytes returns how much memory a CSVM takes at most on n points, all of them
// support vectors, in d dimensions, if coefficients are refitted from the given
// number of vectors on.
func CSVMBytes(n, d, refit int, relearn bool) int64 {
	m := int64(refit)
	bytes := int64(n)*(4*int64(d)+256) + 4*m*m
	if relearn {
		bytes += 4 * m * int64(n)
	}
	return bytes
}

// Support implements Learner.
func (a *CSVM) Support() int {
	if a.refit.on {
		return a.refit.support
	}
	return a.alive
}

// Settled implements Learner: with Refit, a classifier whose coefficients are still
// those that mergers leave is not what the method makes of its vectors.
func (a *CSVM) Settled() bool { return a.cfg.Refit == 0 || a.refit.on }

// ExpansionTo implements Learner.
func (a *CSVM) ExpansionTo(e *Expansion) {
	e.Reset()
	e.Bias = a.bias
	if a.refit.on {
		for j, v := range a.refit.shown {
			a.addTo(e, v, a.refit.beta[j])
		}
		return
	}
	for v := range a.nodes {
		if !a.nodes[v].gone {
			a.addTo(e, v, a.nodes[v].coef)
		}
	}
}

func (a *CSVM) addTo(e *Expansion, v int, coef float64) {
	switch c := &a.nodes[v]; {
	case coef == 0:
	case c.index >= 0:
		e.Add(c.index, coef)
	default:
		e.AddVector(c.z, coef)
	}
}
