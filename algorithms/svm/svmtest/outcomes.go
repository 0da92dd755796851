package svmtest

import (
	"math"
	"slices"

	"stochopt/algorithms/internal/suite"
)

// checkLearns: after enough steps the learner makes no mistake on two distant
// clouds, which without a bias lie on either side of the origin and with one on
// the same.
func checkLearns(t reporter, c Case) {
	var offsets []float64
	if c.Bias {
		offsets = []float64{0, 10, -10}
	} else {
		offsets = []float64{0}
	}
	for _, offset := range offsets {
		p := Blobs(newRand(7), 25, 35, 20, 2, 12, offset)
		env := envOf(p, suite.NewGuard(p.Gram(unitLinear(p))))
		if c.Input == Features {
			env = envOf(scaled(p), suite.NewGuard(rowsOf(p)))
		}
		l := create(t, c, env)
		suite.AdvanceWell(t, l, c.steps())
		s := solution(l)
		for j, score := range s.Scores {
			positive := j < p.Positive || j >= p.Train && j < p.Train+p.EvalPositive
			if (score > 0) != positive {
				t.Fatalf("clouds around %g +- 6, which a line separates: point %d, positive: %t, has score %g (b = %g)", offset, j, positive, score, s.Bias)
			}
		}
	}
}

// radius returns the greatest norm of a point.
func radius(p Points) float64 {
	var r float64
	for _, x := range p.X {
		r = max(r, Linear(x, x))
	}
	return math.Sqrt(r)
}

// unitLinear returns the linear kernel of the points scaled into the unit ball.
func unitLinear(p Points) func(x, y []float64) float64 {
	r := radius(p)
	return func(x, y []float64) float64 { return Linear(x, y) / (r * r) }
}

// scaled returns the points scaled into the unit ball.
func scaled(p Points) Points {
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

// checkSymmetric: what is positive and what is negative is only a name.
func checkSymmetric(t reporter, c Case) {
	if c.Symmetric == 0 {
		return
	}
	p := overlapping()
	l, _ := fresh(t, c, p)
	suite.AdvanceWell(t, l, c.steps())
	want := solution(l)

	q := p.Swapped()
	place := func(i int) int { // of training point i of p in q
		if i < p.Positive {
			return i + q.Positive
		}
		return i - p.Positive
	}
	env := envOf(q, suite.NewGuard(rowsOf(q)))
	env.Order = mapped{env.Order, place}
	l = create(t, c, env)
	suite.AdvanceWell(t, l, c.steps())
	got := solution(l)
	for i, s := range want.Scores {
		j := i
		if i < p.Train {
			j = place(i)
		}
		if d := math.Abs(got.Scores[j] + s); !(d <= c.Symmetric) {
			t.Fatalf("point %d: score %g, and %g when the classes are swapped", i, s, got.Scores[j])
		}
	}
}

// checkDegenerate: points that coincide, points with Phi(x) = 0 and contradicting
// labels are legal.
func checkDegenerate(t reporter, c Case) {
	zero := func(x, y []float64) float64 { return 0 }
	for name, p := range map[string]Points{
		"all points at 0":          pointsAt(func(int) float64 { return 0 }),
		"all points the same":      pointsAt(func(int) float64 { return 0.5 }),
		"half of the points at 0":  pointsAt(func(i int) float64 { return float64(i%2) * 0.7 }),
		"contradicting labels":     pointsAt(func(i int) float64 { return 0.2 * float64(i%5) }),
		"a point far from another": pointsAt(func(i int) float64 { return float64(i/6) - 0.5 }),
	} {
		for _, kernel := range []func(x, y []float64) float64{Linear, Cauchy(1), zero} {
			m := p.Gram(kernel)
			l, err := c.New(envOf(p, suite.NewGuard(m)))
			if err != nil {
				if !allZero(m) {
					t.Fatalf("%s: %v", name, err)
				}
				// A step size relative to the norms of the points does not exist.
				continue
			}
			for range 300 {
				if suite.AdvanceWell(t, l, 1).Stop() {
					break
				}
			}
			s := solution(l)
			if len(s.Scores) != len(p.X) {
				t.Fatalf("%s: %d scores", name, len(s.Scores))
			}
			checkSolution(t, c, p, m, s, l.Cost().Iterations)
		}
	}
}

func allZero(m *Matrix) bool {
	return !slices.ContainsFunc(m.k, func(k float32) bool { return k != 0 })
}

// pointsAt returns 12 training points, half of them positive, and 3 others on the
// diagonal of the plane.
func pointsAt(at func(i int) float64) Points {
	p := Points{Train: 12, Positive: 6, EvalPositive: 1}
	for i := range 15 {
		p.X = append(p.X, []float64{at(i % 12), at(i % 12)})
	}
	return p
}
