package svmtest

import (
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

const (
	scoreTol    = 1e-9
	feasibleTol = 1e-12
)

// checkSolutions checks that the solutions of a run are well formed and feasible, and that their scores
// and norms match their coefficients.
func checkSolutions(t reporter, c Case) {
	for _, p := range []suite.Points{
		overlapping(),
		suite.Blobs(suite.NewRand(4), 2, 1, 3, 2, 1, 0),
		suite.Blobs(suite.NewRand(5), 30, 5, 2, 4, 6, -1),
	} {
		m := rowsOf(p)
		l := create(t, c, envOf(p, suite.NewGuard(m)))
		s := new(svm.Solution)
		for step := range c.steps() {
			// Check all early steps, and later ones at increasing intervals.
			if step < 60 || step&(step-1) == 0 || step == c.steps()-1 {
				l.SolutionTo(s)
				checkSolution(t, c, p, m, s, l.Cost().Iterations)
			}
			if suite.MustAdvance(t, l, 1).Stop() {
				l.SolutionTo(s)
				checkSolution(t, c, p, m, s, l.Cost().Iterations)
				break
			}
		}
	}
}

func checkSolution(t reporter, c Case, p suite.Points, m *suite.Matrix, s *svm.Solution, step int64) {
	t.Helper()
	n, length := p.Train(), len(p.X)
	if len(s.Scores) != length {
		t.Fatalf("after step %d: %d scores for %d points", step, len(s.Scores), length)
	}
	if len(s.Alpha) != n && !(c.Input == Features && len(s.Alpha) == 0) {
		t.Fatalf("after step %d: %d coefficients for n = %d", step, len(s.Alpha), n)
	}
	for _, v := range slices.Concat(s.Scores, s.Alpha, []float64{s.Bias, s.NormSq}) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("after step %d: %v in the solution", step, v)
		}
	}
	if s.NormSq < 0 {
		t.Fatalf("after step %d: |w|^2 = %g", step, s.NormSq)
	}
	if !c.Bias && s.Bias != 0 {
		t.Fatalf("after step %d: b = %g, want 0 without a bias", step, s.Bias)
	}
	for i, a := range s.Alpha {
		if a < 0 && !c.AnySign {
			t.Fatalf("after step %d: alpha_%d = %g < 0", step, i, a)
		}
		if c.Upper != nil && a > c.Upper(n)*(1+feasibleTol) {
			t.Fatalf("after step %d: alpha_%d = %g > %g", step, i, a, c.Upper(n))
		}
	}
	if c.Input == Rows {
		checkExpansion(t, p, m, s, step)
	}
}

// checkExpansion computes the scores and the norm from the coefficients.
func checkExpansion(t reporter, p suite.Points, m *suite.Matrix, s *svm.Solution, step int64) {
	t.Helper()
	u := make([]float64, len(s.Scores))
	largest := 1.0
	for i, a := range s.Alpha {
		a *= p.Label(i)
		largest = max(largest, math.Abs(a))
		if a != 0 {
			for j, k := range m.Row(i) {
				u[j] += float64(a * float64(k))
			}
		}
	}
	var norm float64
	for i, a := range s.Alpha {
		norm += float64(p.Label(i) * a * u[i])
	}
	for j, v := range u {
		if d := math.Abs(v + s.Bias - s.Scores[j]); !(d <= scoreTol*largest) {
			kind := "training"
			if j >= p.Train() {
				kind = "evaluation"
			}
			t.Fatalf("after step %d: score %d (a %s point) is %v, but sum_i alpha_i y_i K_ij + b = %v", step, j, kind, s.Scores[j], v+s.Bias)
		}
	}
	if d := math.Abs(norm - s.NormSq); !(d <= scoreTol*max(1, norm)) {
		t.Fatalf("after step %d: |w|^2 is %v, but alpha'Q alpha = %v", step, s.NormSq, norm)
	}
}

// checkCosts compares the counters with independent counts.
func checkCosts(t reporter, c Case) {
	p := overlapping()
	n := int64(p.Train())
	l, g := fresh(t, c, p)
	if cost := l.Cost(); cost.Iterations != 0 || cost.KernelEvals != 0 || cost.KernelEvalsMoved != 0 || cost.InnerProducts != 0 {
		t.Fatalf("cost before the first step: %+v", cost)
	}
	before, after := new(svm.Solution), new(svm.Solution)
	l.SolutionTo(before)
	for step := range int64(c.steps()) {
		old := l.Cost()
		g.Reset()
		status := suite.MustAdvance(t, l, 1)
		l.SolutionTo(after)
		cost := l.Cost()
		if status.Stop() && cost == old {
			if !solution.Same(before, after) {
				t.Fatalf("step %d changed the solution without a charge", step+1)
			}
			break
		}
		evals, moved, inner := cost.KernelEvals-old.KernelEvals, cost.KernelEvalsMoved-old.KernelEvalsMoved, cost.InnerProducts-old.InnerProducts
		if cost.Iterations != step+1 {
			t.Fatalf("after %d steps: Iterations = %d", step+1, cost.Iterations)
		}
		if moved < 0 || evals < 0 || inner < 0 || moved > evals && c.WorkingSet > 0 {
			t.Fatalf("step %d: kernel evaluations %d, moved %d, inner products %d", step+1, evals, moved, inner)
		}
		switch {
		case c.Input == Features:
			if evals != 0 || moved != 0 || c.InnerProducts > 0 && inner != c.InnerProducts {
				t.Fatalf("step %d: kernel evaluations %d, moved %d, inner products %d; want 0, 0, %d", step+1, evals, moved, inner, c.InnerProducts)
			}
		case inner != evals:
			t.Fatalf("step %d: %d inner products for %d kernel evaluations", step+1, inner, evals)
		}
		if c.WorkingSet > 0 {
			if k := min(int64(c.WorkingSet), n); evals != k*n || int64(len(g.Indices)) > k {
				t.Fatalf("step %d: %d kernel evaluations and %d different rows, want %d and at most %d", step+1, evals, len(g.Indices), k*n, k)
			}
		}
		if c.Charge != nil {
			if least, most := c.Charge(p.Train(), before); evals < least || evals > most {
				t.Fatalf("step %d: %d kernel evaluations, want %d to %d", step+1, evals, least, most)
			}
		}
		if c.Current {
			var changed int64
			for i, a := range after.Alpha {
				if a != before.Alpha[i] {
					changed++
				}
			}
			if moved != changed*n {
				t.Fatalf("step %d: KernelEvalsMoved grew by %d, but %d coefficients changed, n = %d", step+1, moved, changed, n)
			}
		}
		if cost.SumKT != 0 || cost.SumKT2 != 0 {
			t.Fatalf("step %d: cost %+v counts ranks", step+1, cost)
		}
		if status.Stop() {
			break
		}
		before, after = after, before
	}
	g.Inspect()
	if g.Mutated {
		t.Errorf("the learner modified a kernel row or the diagonal")
	}
}

// checkSupport checks that Support is the number of coefficients that are nonzero up to rounding, that
// it is within the bounds of SupportBounds, and that PreviousTo writes the previous solution.
func checkSupport(t reporter, c Case) {
	l, _ := fresh(t, c, overlapping())
	a, ok := l.(svm.SupportCounter)
	if !ok {
		return
	}
	previous, keeps := l.(svm.PreviousKeeper)
	keeps = keeps && previous.KeepsPrevious()
	if keeps != c.KeepsPrevious {
		t.Fatalf("KeepsPrevious() = %t, want %t", keeps, c.KeepsPrevious)
	}
	before, now := new(svm.Solution), new(svm.Solution)
	l.SolutionTo(before)
	for step := range min(c.steps(), 400) {
		least, most := a.SupportBounds()
		if l.Step().Stop() {
			return
		}
		l.SolutionTo(now)
		support := 0
		for _, v := range now.Alpha {
			if math.Abs(v) > feasibleTol {
				support++
			}
		}
		if got := a.Support(); got != support || got < least || got > most {
			t.Fatalf("step %d: support %d, want %d; SupportBounds returned %d and %d", step, got, support, least, most)
		}
		if keeps {
			old := svm.Solution{Bias: math.NaN()}
			if previous.PreviousTo(&old); !slices.Equal(old.Alpha, before.Alpha) || old.Bias != before.Bias {
				t.Fatalf("step %d: PreviousTo wrote alpha %v and b = %g, want %v and %g",
					step, old.Alpha, old.Bias, before.Alpha, before.Bias)
			}
		}
		before, now = now, before
	}
}

// checkStopped checks that a learner that has converged or is exhausted returns the same status again,
// and that further steps change nothing. A step after a failure must fail again or succeed.
func checkStopped(t reporter, c Case) {
	p := suite.Blobs(suite.NewRand(6), 3, 4, 2, 2, 1, 0)
	rows := &suite.InvalidRows{Rows: rowsOf(p), Good: 4, At: everywhere, Value: float32(math.NaN())}
	for _, l := range []svm.Learner{create(t, c, envOf(p, rowsOf(p))), create(t, c, envOf(p, rows))} {
		status := suite.Advance(l, 100*c.steps())
		if !status.Stop() {
			continue
		}
		want, cost := solution.Of(l), l.Cost()
		for range 3 {
			got := l.Step()
			if suite.Failed(status) && !got.Stop() {
				return // the next index does not need a row
			}
			if got.State != status.State || !suite.Failed(status) && got != status {
				t.Fatalf("Step after a stop with %+v returned %+v", status, got)
			}
		}
		if !solution.Same(solution.Of(l), want) || l.Cost() != cost {
			t.Errorf("Step after a stop with %v changed the learner", status.State)
		}
	}
}

func everywhere(_, length int) (from, to int) { return 0, length }

// checkNotFinite checks that a kernel that is not finite ends the run, and that the learner keeps the
// last valid iterate.
func checkNotFinite(t reporter, c Case) {
	if c.Input == Features {
		checkFeaturesNotFinite(t, c)
		return
	}
	for name, at := range map[string]func(n, length int) (int, int){
		"everywhere":               everywhere,
		"at all training points":   func(n, length int) (int, int) { return 0, n },
		"at all evaluation points": func(n, length int) (int, int) { return n, length },
		"at one training point":    func(n, length int) (int, int) { return n / 2, n/2 + 1 },
		"at one evaluation point":  func(n, length int) (int, int) { return length - 1, length },
	} {
		for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, good := range []int{0, 1, 6} {
				p := overlapping()
				rows := &suite.InvalidRows{Rows: rowsOf(p), Good: good, At: at, Value: float32(value)}
				l := create(t, c, envOf(p, rows))
				status := suite.Advance(l, c.steps())
				if !rows.Bad {
					t.Fatalf("%d steps did not fetch more than %d rows", c.steps(), good)
				}
				if (status.State != algorithms.Diverged && status.State != algorithms.Failed) || status.Reason == "" {
					t.Fatalf("kernel rows that are %v %s: status %v, reason %q; want diverged or failed and a reason", value, name, status.State, status.Reason)
				}
				s := solution.Of(l)
				checkSolution(t, c, p, rowsOf(p), s, l.Cost().Iterations)
			}
		}
	}
}

// checkFeaturesNotFinite is checkNotFinite for learners on points.
func checkFeaturesNotFinite(t reporter, c Case) {
	for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		p := overlapping()
		x := slices.Clone(p.X)
		for i := range p.Train() {
			x[i] = slices.Repeat([]float64{value}, len(x[i]))
		}
		p.X = x
		l, err := c.New(envOf(p, rowsOf(overlapping())))
		if err != nil {
			continue
		}
		if status := suite.Advance(l, c.steps()); (status.State != algorithms.Diverged && status.State != algorithms.Failed) || status.Reason == "" {
			t.Fatalf("points that are %v: status %v, reason %q; want diverged or failed and a reason", value, status.State, status.Reason)
		}
	}
}
