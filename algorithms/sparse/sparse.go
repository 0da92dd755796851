// Package sparse holds the methods of Cotter 2013, chapter 3, and those that
// they were compared with: each finds a kernel classifier with few expansion
// vectors ("support vectors"). Each method is a file and a type that advances by
// Step.
//
// A classifier is g(x) = sum_k beta_k K(z_k, x) + b. The vectors z_k are
// training points, or vectors that the method has constructed. Methods see
// kernel rows over the training points, never data, except those that construct
// vectors, which see the input space through Inputs. Points that are not trained
// on are no concern of theirs: whoever measures a classifier evaluates its
// expansion there.
package sparse

import "stochopt/algorithms"

// Reference is the trained, as a rule dense, classifier that post-hoc methods
// approximate: w = sum_i alpha_i y_i Phi(x_i) with the bias b. It must not be
// changed.
type Reference struct {
	// Alpha holds the n coefficients of w.
	Alpha []float64
	// Scores holds g(x_i) = <w, Phi(x_i)> + b for the n training points.
	Scores []float64
	// Bias is b, 0 for problems without a bias.
	Bias float64
	// NormSq is |w|^2.
	NormSq float64
}

// Inputs is the input space of the Gaussian kernel K(x, x') = exp(-gamma |x-x'|^2),
// as methods that construct expansion vectors see it. It is not for concurrent
// use.
type Inputs interface {
	// Train returns the number n of training points.
	Train() int
	// Dim returns the number d of features.
	Dim() int
	// Gamma returns the parameter of the kernel.
	Gamma() float64
	// NormSq returns |x_j|^2.
	NormSq(j int) float64
	// Dot returns <z, x_j> for z of length d.
	Dot(z []float64, j int) float64
	// AddTo adds a x_j to z, of length d.
	AddTo(z []float64, a float64, j int)
	// Eval returns K(z, z') for z and z' of length d, rounded as rows are.
	Eval(z, other []float64) float64
	// RowTo sets dst[j] to K(z, x_j) for the n training points, rounded to 32
	// bits as kernel rows are.
	RowTo(dst []float32, z []float64)
	// CombineTo adds sum_j w[j] x_j over the n training points to z.
	CombineTo(z, w []float64)
	// Pack lays out some of the training points for fast passes over them alone:
	// rowTo sets dst[k] to K(z, x_j) for the k-th of them, j, and combineTo adds
	// sum_k w[k] x_j to z.
	Pack(points []int) (rowTo func(dst []float32, z []float64), combineTo func(z, w []float64))
}

// Expansion is a classifier g(x) = sum_k Coef[k] K(z_k, x) + Bias.
type Expansion struct {
	// Index holds, for each expansion vector z_k, the training point that it is,
	// or -1 if it is Vectors[k].
	Index []int
	// Vectors holds the constructed vectors, nil where Index is not -1. It is
	// empty if none is constructed. A vector never changes once it has been
	// in an expansion: a method that moves it makes a new one.
	Vectors [][]float64
	// Coef holds the coefficients beta_k, signs of labels included.
	Coef []float64
	// Bias is b.
	Bias float64
}

// Reset empties the expansion and keeps its memory.
func (e *Expansion) Reset() {
	e.Index, e.Vectors, e.Coef, e.Bias = e.Index[:0], e.Vectors[:0], e.Coef[:0], 0
}

// Add adds beta K(x_i, ·) for a training point i.
func (e *Expansion) Add(i int, beta float64) {
	e.Index, e.Coef = append(e.Index, i), append(e.Coef, beta)
	if len(e.Vectors) > 0 {
		e.Vectors = append(e.Vectors, nil)
	}
}

// AddVector adds beta K(z, ·) for a constructed vector z, which must not change
// any more.
func (e *Expansion) AddVector(z []float64, beta float64) {
	for len(e.Vectors) < len(e.Index) {
		e.Vectors = append(e.Vectors, nil)
	}
	e.Index, e.Vectors, e.Coef = append(e.Index, -1), append(e.Vectors, z), append(e.Coef, beta)
}

// Learner is an iterative method that finds classifiers with few expansion
// vectors.
type Learner interface {
	algorithms.Stepper
	// Support returns the number of expansion vectors of the current classifier:
	// len(Coef) of its expansion. It costs O(1).
	Support() int
	// Settled reports whether the current classifier is what the method makes of
	// its expansion vectors: whether the next Step may change which they are.
	// A curve over support sizes consists of settled classifiers, and of the one
	// that the run ends with. A method whose iterates are of no use before it is
	// done reports false until then. It costs O(1).
	Settled() bool
	// ExpansionTo writes the current classifier; zero coefficients are left out.
	// It does not change the state of the learner and costs no kernel evaluation.
	ExpansionTo(e *Expansion)
}

// Steady is a Learner all of whose classifiers are settled, and that knows by how much
// their supports change, so that who records some of them need not write each.
type Steady interface {
	Learner
	// Reach returns bounds on Support after the next Step. It costs O(1).
	Reach() (least, most int)
	// KeepsPrevious reports whether the learner can tell the classifier before its last
	// Step, which PreviousTo then writes at no more than the cost of ExpansionTo.
	KeepsPrevious() bool
	PreviousTo(e *Expansion)
}

// Valued is a Learner that knows the value of the objective that it lowers, which is
// recorded beside its classifiers.
type Valued interface {
	Learner
	Value() float64
}
