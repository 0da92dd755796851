package svmtest

import (
	"math"
	"slices"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// overlapping returns the problem of most checks.
func overlapping() suite.Points { return suite.Overlapping(17) }

// rowsOf returns the kernel matrix of the points in most checks.
func rowsOf(p suite.Points) *suite.Matrix { return p.Gram(suite.Cauchy(0.5)) }

// envOf returns the arguments of a learner on the points with the given kernel rows.
func envOf(p suite.Points, rows svm.Rows) Env {
	return Env{
		Problem: svm.Problem{Rows: rows, Positive: p.Positive},
		Linear:  svm.LinearProblem{Features: p.Features(), Positive: p.Positive},
		Points:  p,
		Order:   suite.Uniform{Rng: suite.NewRand(2), N: p.Train()},
		Rand:    suite.NewRand(3),
		Shuffle: suite.NewRand(4),
	}
}

// fresh returns a learner on the points, and the guard of its rows.
func fresh(t reporter, c Case, p suite.Points) (svm.Learner, *suite.Guard) {
	t.Helper()
	g := suite.NewGuard(rowsOf(p))
	return create(t, c, envOf(p, g)), g
}

func create(t reporter, c Case, env Env) svm.Learner {
	t.Helper()
	l, err := c.New(env)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return l
}

// solution describes the result of a learner to package suite.
var solution = suite.Result[svm.Learner, svm.Solution]{
	Method: "SolutionTo",
	Write:  svm.Learner.SolutionTo,
	Same: func(a, b *svm.Solution) bool {
		return suite.SameBits(a.Scores, b.Scores) && suite.SameBits(a.Alpha, b.Alpha) &&
			suite.SameBits([]float64{a.Bias, a.NormSq}, []float64{b.Bias, b.NormSq})
	},
	Clone: func(s *svm.Solution) *svm.Solution {
		return &svm.Solution{Scores: slices.Clone(s.Scores), Alpha: slices.Clone(s.Alpha), Bias: s.Bias, NormSq: s.NormSq}
	},
	Overwrite: func(s *svm.Solution) {
		for _, v := range [][]float64{s.Scores, s.Alpha} {
			for i := range v {
				v[i] = math.NaN()
			}
		}
	},
	Reused: func(before, after *svm.Solution) bool {
		return reused(before.Scores, after.Scores) && reused(before.Alpha, after.Alpha)
	},
}

// reused reports whether after reuses the memory of before, if that is long enough.
func reused(before, after []float64) bool {
	return len(after) == 0 || len(before) < len(after) || &before[0] == &after[0]
}

func costs(l svm.Learner) any { return l.Cost() }

// checkRefusals checks that invalid problems give errors, not panics.
func checkRefusals(t reporter, c Case) {
	good := overlapping()
	refuse := func(name string, env Env) {
		t.Helper()
		_, err := c.New(env)
		suite.Refused(t, name, err)
	}
	env := envOf(good, rowsOf(good))
	for _, positive := range []int{-1, good.Train() + 1} {
		e := env
		e.Problem.Positive, e.Linear.Positive = positive, positive
		refuse("invalid number of positive points", e)
	}
	if c.Bias {
		for _, positive := range []int{0, good.Train()} {
			e := env
			e.Problem.Positive, e.Linear.Positive = positive, positive
			refuse("bias with one class", e)
		}
	}
	if c.Input == Rows {
		e := env
		e.Problem.Rows = nil
		refuse("no rows", e)
		e.Problem.Rows = &suite.Matrix{}
		e.Problem.Positive = 0
		refuse("no training points", e)
	}
	for _, edit := range []func(e *Env){
		func(e *Env) { e.Order = nil },
		func(e *Env) { e.Rand = nil },
	} {
		e := env
		edit(&e)
		if l, err := c.New(e); err == nil {
			suite.Advance(l, 3) // the learner does not use the argument
		}
	}
}

// checkReproducible checks that the same seeds give the same bits.
func checkReproducible(t reporter, c Case) {
	solution.Reproducible(t, 2, func(int) svm.Learner {
		l, _ := fresh(t, c, overlapping())
		return l
	}, 300, costs)
}

// checkPassive checks that SolutionTo does not change the run and fetches no row.
func checkPassive(t reporter, c Case) {
	solution.Passive(t, func() (svm.Learner, func() any) {
		l, g := fresh(t, c, overlapping())
		return l, func() any {
			defer g.Reset()
			if g.Calls == 0 {
				return nil
			}
			return g.Calls
		}
	}, 120, costs)
}

// checkDestinations checks that the previous contents of the destination of SolutionTo do not matter,
// and that later steps do not change it.
func checkDestinations(t reporter, c Case) {
	l, _ := fresh(t, c, overlapping())
	solution.Destinations(t, l, []int{0, 1, 2, 60}, func(*svm.Solution) map[string]*svm.Solution {
		dirty := map[string]*svm.Solution{}
		for name, k := range map[string]int{"empty": 0, "short": 5, "long": 1000} {
			dirty[name] = &svm.Solution{
				Scores: slices.Repeat([]float64{math.NaN()}, k),
				Alpha:  slices.Repeat([]float64{math.NaN()}, k),
				Bias:   math.NaN(), NormSq: math.NaN(),
			}
		}
		return dirty
	})
}

// checkEvaluation checks that evaluation points have no influence on training.
func checkEvaluation(t reporter, c Case) {
	p := overlapping()
	with, _ := fresh(t, c, p)
	without, _ := fresh(t, c, p.Training())
	for step := range 200 {
		a, b := solution.Of(with), solution.Of(without)
		if !suite.SameBits(a.Alpha, b.Alpha) || !suite.SameBits(a.Scores[:p.Train()], b.Scores) || a.Bias != b.Bias || a.NormSq != b.NormSq {
			t.Fatalf("after %d steps: the solution depends on the evaluation points", step)
		}
		if with.Cost() != without.Cost() {
			t.Fatalf("after %d steps: cost %+v with evaluation points, %+v without", step, with.Cost(), without.Cost())
		}
		sa, sb := with.Step(), without.Step()
		if sa != sb {
			t.Fatalf("step %d: status %+v with evaluation points, %+v without", step+1, sa, sb)
		}
		if sa.Stop() {
			return
		}
	}
}

// checkPermuted checks that permuting the evaluation points permutes their scores.
func checkPermuted(t reporter, c Case) {
	p := overlapping()
	q := p
	q.X = slices.Clone(p.X)
	slices.Reverse(q.X[p.Train():])
	a, _ := fresh(t, c, p)
	b, _ := fresh(t, c, q)
	suite.MustAdvance(t, a, 150)
	suite.MustAdvance(t, b, 150)
	sa, sb := solution.Of(a), solution.Of(b)
	slices.Reverse(sb.Scores[p.Train():])
	if d := suite.Distance(sa.Scores, sb.Scores); !(d <= 1e-12) {
		t.Errorf("permuting the evaluation points changes their scores by %g", d)
	}
}
