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
	// gamma is the parameter of the Gaussian kernel in most checks.
	gamma = 0.5
	// regularisation is C in all checks.
	regularisation = 1
)

// Points and Uniform are shared by all suites.
type (
	Points  = suite.Points
	Uniform = suite.Uniform
)

// Blobs returns two Gaussian clouds without evaluation points.
func Blobs(rng *rand.Rand, positive, negative, d int, separation, offset float64) Points {
	return suite.Blobs(rng, positive, negative, 0, d, separation, offset)
}

// Train trains an SVM with parameter c by SMO, until the KKT conditions hold to within 1e-9 or rounding
// prevents progress.
func Train(rows svm.Rows, positive int, c float64, bias bool) (*sparse.Reference, error) {
	n := rows.Train()
	l, err := svm.NewSMO(svm.SMOConfig{Lambda: 1 / (c * float64(n)), Bias: bias, Tolerance: 1e-9}, svm.Problem{Rows: rows, Positive: positive})
	if err != nil {
		return nil, err
	}
	suite.Advance(l, 200*(n+50))
	var s svm.Solution
	l.SolutionTo(&s)
	return &sparse.Reference{Alpha: s.Alpha, Scores: slices.Clone(s.Scores[:n]), Bias: s.Bias, NormSq: s.NormSq}, nil
}

// Scores computes the scores of the points under an expansion with the Gaussian kernel.
func Scores(p Points, e *sparse.Expansion, gamma float64) []float64 {
	kernel := suite.Gaussian(gamma)
	scores := make([]float64, len(p.X))
	for j, x := range p.X {
		for k, c := range e.Coef {
			z := vector(e, k)
			if i := e.Index[k]; i >= 0 {
				z = p.X[i]
			}
			scores[j] += c * kernel(z, x)
		}
		scores[j] += e.Bias
	}
	return scores
}

// overlapping returns the problem of most checks.
func overlapping() Points { return suite.Overlapping(0) }

// envOf returns the arguments of a learner on the points with the Gaussian kernel, and its sources of
// kernel values.
func envOf(c Case, p Points, gamma float64) (Env, work) {
	gram := p.GaussianGram(gamma)
	w := work{suite.NewGuard(gram), &counting{Inputs: p.Inputs(gamma)}}
	env := envOn(c, gram, p.Positive)
	env.Problem.Rows, env.Inputs = w.rows, w.inputs
	return env, w
}

// envOn returns the arguments of a learner on a kernel matrix.
func envOn(c Case, rows svm.Rows, positive int) Env {
	n := rows.Train()
	ref, err := Train(rows, positive, regularisation, c.Bias)
	if err != nil {
		// With one class and a bias, the SVM is constant.
		ref = constant(n, 1)
		if positive == 0 {
			ref = constant(n, -1)
		}
	}
	return Env{
		Problem: svm.Problem{Rows: rows, Positive: positive}, Reference: ref, C: regularisation,
		Order: Uniform{Rng: suite.NewRand(2), N: n}, Rand: suite.NewRand(3),
	}
}

// constant returns the reference w = 0 with the given bias.
func constant(n int, bias float64) *sparse.Reference {
	return &sparse.Reference{Alpha: make([]float64, n), Scores: slices.Repeat([]float64{bias}, n), Bias: bias}
}

// fresh returns a learner on the points and its sources of kernel values.
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

// expansion describes the result of a learner to package suite.
var expansion = suite.Result[sparse.Learner, sparse.Expansion]{
	Method: "ExpansionTo",
	Write:  sparse.Learner.ExpansionTo,
	Same: func(a, b *sparse.Expansion) bool {
		if !slices.Equal(a.Index, b.Index) || !suite.SameBits(a.Coef, b.Coef) || !suite.SameBits([]float64{a.Bias}, []float64{b.Bias}) {
			return false
		}
		for k := range a.Index {
			if !suite.SameBits(vector(a, k), vector(b, k)) {
				return false
			}
		}
		return true
	},
	Clone: func(e *sparse.Expansion) *sparse.Expansion {
		c := &sparse.Expansion{Index: slices.Clone(e.Index), Coef: slices.Clone(e.Coef), Bias: e.Bias}
		for _, z := range e.Vectors {
			c.Vectors = append(c.Vectors, slices.Clone(z))
		}
		return c
	},
	Overwrite: func(e *sparse.Expansion) {
		for k := range e.Coef {
			e.Coef[k], e.Index[k] = math.NaN(), -7
		}
		clear(e.Vectors)
	},
	Reused: func(before, after *sparse.Expansion) bool {
		return len(after.Coef) == 0 || len(before.Coef) < len(after.Coef) || &before.Coef[0] == &after.Coef[0]
	},
}

// vector returns the constructed vector of entry k, or nil for a training point.
func vector(e *sparse.Expansion, k int) []float64 {
	if k < len(e.Vectors) {
		return e.Vectors[k]
	}
	return nil
}
