package svmtest

import (
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// newRand returns the generator of a stream of a test.
func newRand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(20130719, stream)) }

// overlapping is the problem that most checks run on: two clouds that overlap, a
// class twice the size of the other.
func overlapping() Points { return Blobs(newRand(1), 21, 42, 17, 3, 2, 0.5) }

// rowsOf returns the kernel matrix of the points for most checks.
func rowsOf(p Points) *Matrix { return p.Gram(Cauchy(0.5)) }

// envOf returns what a learner needs for the points, whose kernel rows are rows.
func envOf(p Points, rows svm.Rows) Env {
	return Env{
		Problem: svm.Problem{Rows: rows, Positive: p.Positive},
		Linear:  svm.LinearProblem{Features: p.Features(), Positive: p.Positive},
		Points:  p,
		Order:   Uniform{newRand(2), p.Train},
		Rand:    newRand(3),
	}
}

// fresh returns a learner on the points, and the guard of its rows.
func fresh(t reporter, c Case, p Points) (svm.Learner, *suite.Guard) {
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

func solution(l svm.Learner) *svm.Solution {
	s := new(svm.Solution)
	l.SolutionTo(s)
	return s
}

func sameSolution(a, b *svm.Solution) bool {
	return suite.SameBits(a.Scores, b.Scores) && suite.SameBits(a.Alpha, b.Alpha) &&
		suite.SameBits([]float64{a.Bias, a.NormSq}, []float64{b.Bias, b.NormSq})
}

func cloned(s *svm.Solution) *svm.Solution {
	return &svm.Solution{Scores: slices.Clone(s.Scores), Alpha: slices.Clone(s.Alpha), Bias: s.Bias, NormSq: s.NormSq}
}

// checkRefusals: impossible problems are errors, not panics.
func checkRefusals(t reporter, c Case) {
	good := overlapping()
	refuse := func(name string, env Env) {
		t.Helper()
		if _, err := c.New(env); err == nil {
			t.Errorf("%s: no error", name)
		} else if err.Error() == "" {
			t.Errorf("%s: an empty error", name)
		}
	}
	env := envOf(good, rowsOf(good))
	for _, positive := range []int{-1, good.Train + 1} {
		e := env
		e.Problem.Positive, e.Linear.Positive = positive, positive
		refuse("an impossible number of positive points", e)
	}
	if c.Bias {
		for _, positive := range []int{0, good.Train} {
			e := env
			e.Problem.Positive, e.Linear.Positive = positive, positive
			refuse("a bias and one class only", e)
		}
	}
	if c.Input == Rows {
		e := env
		e.Problem.Rows = nil
		refuse("no rows", e)
		e.Problem.Rows = &Matrix{}
		e.Problem.Positive = 0
		refuse("no training points", e)
	}
	e := env
	e.Order = nil
	if l, err := c.New(e); err == nil {
		// The learner does not use it.
		suite.Advance(l, 3)
	}
	e = env
	e.Rand = nil
	if l, err := c.New(e); err == nil {
		suite.Advance(l, 3)
	}
}

// checkReproducible: the same seeds give the same bits.
func checkReproducible(t reporter, c Case) {
	var want *svm.Solution
	var cost algorithms.Cost
	for range 2 {
		l, _ := fresh(t, c, overlapping())
		suite.AdvanceWell(t, l, 300)
		got := solution(l)
		if want == nil {
			want, cost = got, l.Cost()
			continue
		}
		if !sameSolution(got, want) || l.Cost() != cost {
			t.Errorf("another run with the same seeds: not the same bits")
		}
	}
}

// checkPassive: SolutionTo does not change the run, is idempotent and gives away
// nothing that belongs to the learner.
func checkPassive(t reporter, c Case) {
	const steps = 120
	l, _ := fresh(t, c, overlapping())
	suite.AdvanceWell(t, l, steps)
	want := solution(l)
	l, g := fresh(t, c, overlapping())
	var s svm.Solution
	for range steps {
		stopped := l.Step().Stop()
		g.Reset()
		l.SolutionTo(&s)
		if g.Calls != 0 {
			t.Fatalf("SolutionTo fetched %d kernel rows", g.Calls)
		}
		first := cloned(&s)
		for _, v := range [][]float64{s.Scores, s.Alpha} {
			for i := range v {
				v[i] = math.NaN()
			}
		}
		l.SolutionTo(&s)
		if !sameSolution(first, &s) {
			t.Fatalf("after step %d: a second SolutionTo is not the same as the first", l.Cost().Iterations)
		}
		if stopped {
			break
		}
	}
	if !sameSolution(&s, want) {
		t.Errorf("a run is not the same when SolutionTo is called at every step")
	}
}

// checkDestinations: whatever was in a Solution does not matter, and a later step
// does not change it.
func checkDestinations(t reporter, c Case) {
	l, _ := fresh(t, c, overlapping())
	for _, n := range []int{0, 1, 2, 60} {
		suite.AdvanceWell(t, l, n)
		want := solution(l)
		for name, k := range map[string]int{"empty": 0, "short": 5, "long": 1000} {
			dst := &svm.Solution{
				Scores: slices.Repeat([]float64{math.NaN()}, k),
				Alpha:  slices.Repeat([]float64{math.NaN()}, k),
				Bias:   math.NaN(), NormSq: math.NaN(),
			}
			scores, alpha := dst.Scores, dst.Alpha
			l.SolutionTo(dst)
			if !sameSolution(dst, want) {
				t.Fatalf("SolutionTo into %s slices is not the same as into none", name)
			}
			if k >= len(want.Scores) && (&scores[0] != &dst.Scores[0] || len(dst.Alpha) > 0 && &alpha[0] != &dst.Alpha[0]) {
				t.Errorf("SolutionTo did not reuse slices that are long enough")
			}
		}
	}
	kept := solution(l)
	copied := cloned(kept)
	if !suite.AdvanceWell(t, l, 1).Stop() {
		suite.AdvanceWell(t, l, 4)
	}
	if !sameSolution(kept, copied) {
		t.Errorf("a later step changed a solution that SolutionTo had written")
	}
}

// checkEvaluation: evaluation points have no influence on training.
func checkEvaluation(t reporter, c Case) {
	p := overlapping()
	with, _ := fresh(t, c, p)
	without, _ := fresh(t, c, p.Without())
	for step := range 200 {
		a, b := solution(with), solution(without)
		if !suite.SameBits(a.Alpha, b.Alpha) || !suite.SameBits(a.Scores[:p.Train], b.Scores) || a.Bias != b.Bias || a.NormSq != b.NormSq {
			t.Fatalf("after %d steps: without evaluation points the solution is another", step)
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

// checkPermuted: the order of the evaluation points is that of their scores.
func checkPermuted(t reporter, c Case) {
	p := overlapping()
	q := p
	q.X = slices.Clone(p.X)
	slices.Reverse(q.X[p.Train:])
	a, _ := fresh(t, c, p)
	b, _ := fresh(t, c, q)
	suite.AdvanceWell(t, a, 150)
	suite.AdvanceWell(t, b, 150)
	sa, sb := solution(a), solution(b)
	slices.Reverse(sb.Scores[p.Train:])
	if d := distance(sa.Scores, sb.Scores); !(d <= 1e-12) {
		t.Errorf("permuting the evaluation points changes their scores by %g", d)
	}
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
