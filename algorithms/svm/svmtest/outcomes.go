package svmtest

import (
	"math"
	"slices"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// checkLearns checks that the learner makes no mistakes on two distant clouds. Without a bias the origin
// is between the clouds. With a bias they may also be on the same side of it.
func checkLearns(t reporter, c Case) {
	offsets := []float64{0}
	if c.Bias {
		offsets = []float64{0, 10, -10}
	}
	for _, offset := range offsets {
		p := suite.Blobs(suite.NewRand(7), 25, 35, 20, 2, 12, offset)
		env := envOf(p, suite.NewGuard(p.Gram(unitLinear(p))))
		if c.Input == Features {
			env = envOf(scaled(p), suite.NewGuard(rowsOf(p)))
		}
		l := create(t, c, env)
		suite.MustAdvance(t, l, c.steps())
		s := solution.Of(l)
		for j, score := range s.Scores {
			if positive := p.Label(j) > 0; (score > 0) != positive {
				t.Fatalf("separable clouds around %g +- 6: point %d, positive: %t, has score %g (b = %g)",
					offset, j, positive, score, s.Bias)
			}
		}
	}
}

// radius returns the greatest norm of a point.
func radius(p suite.Points) float64 {
	var r float64
	for _, x := range p.X {
		r = max(r, suite.Linear(x, x))
	}
	return math.Sqrt(r)
}

// unitLinear returns the linear kernel of the points scaled into the unit ball.
func unitLinear(p suite.Points) func(x, y []float64) float64 {
	r := radius(p)
	return func(x, y []float64) float64 { return suite.Linear(x, y) / (r * r) }
}

// scaled returns the points scaled into the unit ball.
func scaled(p suite.Points) suite.Points {
	r := radius(p)
	x := make([][]float64, len(p.X))
	for i, v := range p.X {
		x[i] = slices.Clone(v)
		for k := range x[i] {
			x[i][k] /= r
		}
	}
	p.X = x
	return p
}

// checkSymmetric checks that swapping the classes negates the scores.
func checkSymmetric(t reporter, c Case) {
	if c.Symmetric == 0 {
		return
	}
	p := overlapping()
	l, _ := fresh(t, c, p)
	suite.MustAdvance(t, l, c.steps())
	want := solution.Of(l)

	q := p.Swapped()
	place := func(i int) int { // index in q of training point i of p
		if i < p.Positive {
			return i + q.Positive
		}
		return i - p.Positive
	}
	env := envOf(q, suite.NewGuard(rowsOf(q)))
	env.Order = mapped{env.Order, place}
	l = create(t, c, env)
	suite.MustAdvance(t, l, c.steps())
	got := solution.Of(l)
	for i, s := range want.Scores {
		j := i
		if i < p.Train() {
			j = place(i)
		}
		if d := math.Abs(got.Scores[j] + s); !(d <= c.Symmetric) {
			t.Fatalf("point %d: score %g, but %g with swapped classes", i, s, got.Scores[j])
		}
	}
}

// mapped is an order after a relabelling of the points.
type mapped struct {
	svm.Order
	to func(i int) int
}

func (m mapped) Next() int { return m.to(m.Order.Next()) }

// checkDegenerate checks problems with coinciding points, points with Phi(x) = 0 and contradicting
// labels, which are valid.
func checkDegenerate(t reporter, c Case) {
	zero := func(x, y []float64) float64 { return 0 }
	at := func(at func(i int) float64) suite.Points { return suite.PointsAt(12, 6, 3, at) }
	for name, p := range map[string]suite.Points{
		"all points at 0":          at(func(int) float64 { return 0 }),
		"all points the same":      at(func(int) float64 { return 0.5 }),
		"half of the points at 0":  at(func(i int) float64 { return float64(i%2) * 0.7 }),
		"contradicting labels":     at(func(i int) float64 { return 0.2 * float64(i%5) }),
		"a point far from another": at(func(i int) float64 { return float64(i/6) - 0.5 }),
	} {
		for _, kernel := range []func(x, y []float64) float64{suite.Linear, suite.Cauchy(1), zero} {
			m := p.Gram(kernel)
			l, err := c.New(envOf(p, suite.NewGuard(m)))
			if err != nil {
				if !allZero(m) {
					t.Fatalf("%s: %v", name, err)
				}
				continue // a step size relative to the norms of the points does not exist
			}
			for range 300 {
				if suite.MustAdvance(t, l, 1).Stop() {
					break
				}
			}
			s := solution.Of(l)
			if len(s.Scores) != len(p.X) {
				t.Fatalf("%s: %d scores", name, len(s.Scores))
			}
			checkSolution(t, c, p, m, s, l.Cost().Iterations)
		}
	}
}

func allZero(m *suite.Matrix) bool {
	return !slices.ContainsFunc(slices.Concat(m.K...), func(k float32) bool { return k != 0 })
}
