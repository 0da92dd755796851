// Package sparse implements the sparse kernel SVM methods of Cotter 2013, chapter 3, and the methods
// that the thesis compares them with. Each finds a kernel classifier with few expansion vectors
// ("support vectors"). Each method is one file with one type that implements Step.
//
// A classifier is g(x) = sum_k beta_k K(z_k, x) + b. The vectors z_k are training points or vectors
// constructed by the method. Methods see kernel rows over the training points, never the data. Only
// methods that construct vectors also see the input space, through Inputs. Methods never see validation
// or test points: the caller evaluates the expansion there.
package sparse

import (
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// Reference is the trained classifier that post-hoc methods approximate, w = sum_i alpha_i y_i Phi(x_i)
// with bias b. It is usually dense. It must not be modified.
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

// Inputs gives methods that construct expansion vectors access to the input space of the Gaussian kernel
// K(x, x') = exp(-gamma |x-x'|^2). It is not safe for concurrent use.
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
	// Eval returns K(z, z') for z and z' of length d, rounded to 32 bits.
	Eval(z, other []float64) float64
	// RowTo sets dst[j] to K(z, x_j) for the n training points, rounded to 32 bits.
	RowTo(dst []float32, z []float64)
	// CombineTo adds sum_j w[j] x_j over the n training points to z.
	CombineTo(z, w []float64)
	// Pack copies a subset of the training points into contiguous memory, for fast passes over the
	// subset. With j = points[k], rowTo sets dst[k] to K(z, x_j), and combineTo adds sum_k w[k] x_j to
	// z.
	Pack(points []int) (rowTo func(dst []float32, z []float64), combineTo func(z, w []float64))
}

// Expansion is a classifier g(x) = sum_k Coef[k] K(z_k, x) + Bias.
type Expansion struct {
	// Index[k] is the training point that equals z_k, or -1 if z_k is Vectors[k].
	Index []int
	// Vectors holds the constructed vectors; Vectors[k] is nil where Index[k] is not -1. It is empty if
	// no vector is constructed. Vectors are immutable once they are in an expansion: a method that moves
	// one allocates a copy.
	Vectors [][]float64
	// Coef holds the coefficients beta_k, with the signs of the labels.
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

// AddVector adds beta K(z, ·) for a constructed vector z. The caller must not modify z afterwards.
func (e *Expansion) AddVector(z []float64, beta float64) {
	for len(e.Vectors) < len(e.Index) {
		e.Vectors = append(e.Vectors, nil)
	}
	e.Index, e.Vectors, e.Coef = append(e.Index, -1), append(e.Vectors, z), append(e.Coef, beta)
}

// Learner is an iterative method that finds classifiers with few expansion vectors.
type Learner interface {
	algorithms.Stepper
	// Support returns the number of expansion vectors of the current classifier, the length of Coef in
	// its expansion. It costs O(1).
	Support() int
	// Final reports whether the current classifier is final for its set of expansion vectors, so that
	// the next Step may change the set. Curves over support sizes consist of final classifiers and the
	// last one of the run. A method without useful intermediate classifiers returns false until it has
	// converged. It costs O(1).
	Final() bool
	// ExpansionTo writes the current classifier without zero coefficients. It does not change the state
	// of the learner and evaluates no kernel.
	ExpansionTo(e *Expansion)
}

// BoundedSupport is a Learner whose classifiers are all final and whose support changes by a known
// amount in each step. A recorder of few support sizes then need not write every classifier.
type BoundedSupport interface {
	Learner
	// SupportBounds returns bounds on Support after the next Step. It costs O(1).
	SupportBounds() (least, most int)
	// KeepsPrevious reports whether PreviousTo is available.
	KeepsPrevious() bool
	// PreviousTo writes the classifier before the last Step. It costs no more than ExpansionTo.
	PreviousTo(e *Expansion)
}

// Valued is a Learner that reports the value of its objective, which is recorded with its classifiers.
type Valued interface {
	Learner
	Value() float64
}

// AddRows adds sum_k coef[k] row(index[k]) to scores, in the order of the terms. It skips terms with a
// negative index, which are not training points. It adds two rows at a time, so the last two rows
// returned by row must remain valid.
func AddRows(scores []float64, index []int, coef []float64, row func(i int) []float32) {
	first := -1 // first term of an incomplete pair, or -1
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

// SharedSums evaluates several expansions over training points that share most of their points: each
// kernel row is fetched and converted once. The zero value is ready to use, and its memory is reused by
// later calls.
type SharedSums struct {
	index []int
	coef  [][]float64 // for each group of vec.GroupSize expansions, their coefficients at each of index
	spare []float64   // destination of the missing expansions of the last group
}

// SharedRows is the number of rows that SharedSums adds in one pass.
const SharedRows = 8

// Align sets the expansions to evaluate and merges their points into one list. The list keeps the order
// of points within each expansion. Each sum then has the terms of its expansion in order, apart from
// additional zero terms. Align returns false if an expansion has constructed vectors.
func (s *SharedSums) Align(list []*Expansion) bool {
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
	s.coef = make([][]float64, (len(list)+vec.GroupSize-1)/vec.GroupSize)
	for g := range s.coef {
		s.coef[g] = make([]float64, vec.GroupSize*len(s.index))
	}
	for m, e := range list {
		at := 0
		for k, i := range e.Index {
			at += slices.Index(s.index[at:], i)
			s.coef[m/vec.GroupSize][vec.GroupSize*at+m%vec.GroupSize] = e.Coef[k]
			at++
		}
	}
	return true
}

// AddTo adds the terms of the expansions of the last Align to scores, which has a slice of the length of
// a row for each expansion. The last SharedRows rows returned by row must remain valid.
func (s *SharedSums) AddTo(scores [][]float64, row func(i int) []float32) {
	s.spare = slices.Grow(s.spare[:0], len(scores[0]))[:len(scores[0])]
	dst := make([][vec.GroupSize][]float64, len(s.coef))
	for m := range len(dst) * vec.GroupSize {
		dst[m/vec.GroupSize][m%vec.GroupSize] = s.spare
		if m < len(scores) {
			dst[m/vec.GroupSize][m%vec.GroupSize] = scores[m]
		}
	}
	var rows [SharedRows][]float32
	for lo := 0; lo < len(s.index); lo += SharedRows {
		hi := min(lo+SharedRows, len(s.index))
		for p, i := range s.index[lo:hi] {
			rows[p] = row(i)
		}
		for g := range dst {
			vec.AddRows(&dst[g], s.coef[g][lo*vec.GroupSize:hi*vec.GroupSize], rows[:hi-lo])
		}
	}
}
