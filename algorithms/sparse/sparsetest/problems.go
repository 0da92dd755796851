package sparsetest

import (
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

const (
	// gamma is that of the Gaussian kernel of most checks.
	gamma = 0.5
	// regularisation is C of all checks.
	regularisation = 1
)

// newRand returns the generator of a stream of a test.
func newRand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(20130719, stream)) }

// overlapping is the problem that most checks run on: two clouds that overlap, a
// class twice the size of the other.
func overlapping() Points { return Blobs(newRand(1), 21, 42, 3, 2, 0.5) }

// envOf returns what a learner needs for the points with the Gaussian kernel, and
// what it fetches from.
func envOf(c Case, p Points, gamma float64) (Env, work) {
	gram := p.GaussianGram(gamma)
	w := work{suite.NewGuard(gram), &counting{Inputs: p.Inputs(gamma)}}
	env := envOn(c, gram, p.Positive)
	env.Problem.Rows, env.Inputs = w.rows, w.inputs
	return env, w
}

// envOn returns what a learner needs for a kernel matrix.
func envOn(c Case, rows svm.Rows, positive int) Env {
	n := rows.Train()
	ref, err := Train(rows, positive, regularisation, c.Bias)
	if err != nil {
		// One class only, and a bias: that is all the SVM then needs.
		ref = constant(n, 1)
		if positive == 0 {
			ref = constant(n, -1)
		}
	}
	return Env{
		Problem: svm.Problem{Rows: rows, Positive: positive}, Reference: ref, C: regularisation,
		Order: Uniform{newRand(2), n}, Rand: newRand(3),
	}
}

// constant returns the classifier w = 0 with a bias.
func constant(n int, bias float64) *sparse.Reference {
	return &sparse.Reference{Alpha: make([]float64, n), Scores: slices.Repeat([]float64{bias}, n), Bias: bias}
}

// fresh returns a learner on the points, and what it fetches from.
func fresh(t reporter, c Case, p Points) (sparse.Learner, work) {
	t.Helper()
	env, w := envOf(c, p, gamma)
	return create(t, c, env), w
}

func create(t reporter, c Case, env Env) sparse.Learner {
	t.Helper()
	l, err := c.New(env)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return l
}

func expansion(l sparse.Learner) *sparse.Expansion {
	e := new(sparse.Expansion)
	l.ExpansionTo(e)
	return e
}

// vector returns the constructed vector of entry k, nil if it is none.
func vector(e *sparse.Expansion, k int) []float64 {
	if k < len(e.Vectors) {
		return e.Vectors[k]
	}
	return nil
}

func sameExpansion(a, b *sparse.Expansion) bool {
	if !slices.Equal(a.Index, b.Index) || !suite.SameBits(a.Coef, b.Coef) || !suite.SameBits([]float64{a.Bias}, []float64{b.Bias}) {
		return false
	}
	for k := range a.Index {
		if !suite.SameBits(vector(a, k), vector(b, k)) {
			return false
		}
	}
	return true
}

func cloned(e *sparse.Expansion) *sparse.Expansion {
	c := &sparse.Expansion{Index: slices.Clone(e.Index), Coef: slices.Clone(e.Coef), Bias: e.Bias}
	for _, z := range e.Vectors {
		c.Vectors = append(c.Vectors, slices.Clone(z))
	}
	return c
}

// distance returns the greatest difference, NaN if there is one.
func distance(a, b []float64) float64 {
	var d float64
	for i, x := range a {
		e := math.Abs(x - b[i])
		if math.IsNaN(e) {
			return e
		}
		d = max(d, e)
	}
	return d
}
