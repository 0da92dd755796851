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

import (
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

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
// recorded with its classifiers.
type Valued interface {
	Learner
	Value() float64
}

// AddRows adds sum_k coef[k] row(index[k]) to scores, two rows at a time: the
// two that row has returned last must be valid. Terms without a training point,
// whose index is -1, are left out. The order of the sum is that of the terms.
func AddRows(scores []float64, index []int, coef []float64, row func(i int) []float32) {
	first := -1 // the term that waits for another
	for k, i := range index {
		switch {
		case i < 0:
		case first < 0:
			first = k
		default:
			a := row(index[first])
			vec.AddScaledPair(scores, coef[first], a, coef[k], row(i))
			first = -1
		}
	}
	if first >= 0 {
		vec.AddScaled(scores, coef[first], row(index[first]))
	}
}

// AddRow adds beta row to scores.
func AddRow(scores []float64, beta float64, row []float32) { vec.AddScaled(scores, beta, row) }

// Sums adds up the terms of several expansions in training points that have most of
// them in common: each row is fetched and widened once. The zero value is ready, and
// keeps its memory for the next call.
type Sums struct {
	index []int
	coef  [][]float64 // for each vec.Together expansions, their coefficients at each of index
	spare []float64
}

// SumsRows is the number of rows that Sums adds in one pass.
const SumsRows = 8

// Align takes the expansions to be added up, and lists the points of all of them so that
// the list has those of each expansion in its order: each sum is that of the expansion
// alone, apart from terms of coefficient 0. It reports false if one has constructed vectors.
func (s *Sums) Align(list []*Expansion) bool {
	s.index = s.index[:0]
	if !slices.ContainsFunc(list, func(e *Expansion) bool { return !slices.IsSorted(e.Index) }) {
		for _, e := range list {
			s.index = append(s.index, e.Index...)
		}
		slices.Sort(s.index)
		s.index = slices.Compact(s.index)
	}
	for _, e := range list {
		at := 0
		for _, i := range e.Index {
			if i < 0 {
				return false
			}
			if next := slices.Index(s.index[at:], i); next >= 0 {
				at += next
			} else {
				s.index = slices.Insert(s.index, at, i)
			}
			at++
		}
	}
	s.coef = make([][]float64, (len(list)+vec.Together-1)/vec.Together)
	for g := range s.coef {
		s.coef[g] = make([]float64, vec.Together*len(s.index))
	}
	for m, e := range list {
		at := 0
		for k, i := range e.Index {
			at += slices.Index(s.index[at:], i)
			s.coef[m/vec.Together][vec.Together*at+m%vec.Together] = e.Coef[k]
			at++
		}
	}
	return true
}

// AddTo adds the terms of the expansions taken last to scores, one slice for each of
// them, whose length is that of the rows. The SumsRows that row has returned last must
// be valid.
func (s *Sums) AddTo(scores [][]float64, row func(i int) []float32) {
	s.spare = slices.Grow(s.spare[:0], len(scores[0]))[:len(scores[0])]
	dst := make([][vec.Together][]float64, len(s.coef))
	for m := range len(dst) * vec.Together {
		dst[m/vec.Together][m%vec.Together] = s.spare
		if m < len(scores) {
			dst[m/vec.Together][m%vec.Together] = scores[m]
		}
	}
	var rows [SumsRows][]float32
	for lo := 0; lo < len(s.index); lo += SumsRows {
		hi := min(lo+SumsRows, len(s.index))
		for p, i := range s.index[lo:hi] {
			rows[p] = row(i)
		}
		for g := range dst {
			vec.AddRows(&dst[g], s.coef[g][lo*vec.Together:hi*vec.Together], rows[:hi-lo])
		}
	}
}
