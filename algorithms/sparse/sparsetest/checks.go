package sparsetest

import (
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// checkRefusals checks that invalid problems give errors, not panics.
func checkRefusals(t reporter, c Case) {
	p := overlapping()
	n := len(p.X)
	env, _ := envOf(c, p, gamma)
	refuse := func(name string, edit func(e *Env)) {
		t.Helper()
		e := env
		edit(&e)
		_, err := c.New(e)
		suite.Refused(t, name, err)
	}
	for _, positive := range []int{-1, n + 1} {
		refuse("invalid number of positive points", func(e *Env) { e.Problem.Positive = positive })
	}
	refuse("no rows", func(e *Env) { e.Problem.Rows = nil })
	refuse("no training points", func(e *Env) { e.Problem = svm.Problem{Rows: &suite.Matrix{}} })
	if c.Reference {
		refuse("no reference", func(e *Env) { e.Reference = nil })
		refuse("scores of another problem", func(e *Env) {
			r := *e.Reference
			r.Scores = r.Scores[:n-1]
			e.Reference = &r
		})
		refuse("coefficients of another problem", func(e *Env) {
			r := *e.Reference
			r.Alpha = append(slices.Clone(r.Alpha), 0)
			e.Reference = &r
		})
	}
	if c.Constructs {
		refuse("no input space", func(e *Env) { e.Inputs = nil })
	}
	// Learners that do not use Order or Rand may accept nil.
	for _, edit := range []func(e *Env){
		func(e *Env) { e.Order = nil },
		func(e *Env) { e.Rand = nil },
	} {
		e, _ := envOf(c, p, gamma)
		edit(&e)
		if l, err := c.New(e); err == nil {
			suite.Advance(l, 3)
		}
	}
	before := [...][]float64{slices.Clone(env.Reference.Alpha), slices.Clone(env.Reference.Scores)}
	suite.Advance(create(t, c, env), c.lookahead())
	if !suite.SameBits(before[0], env.Reference.Alpha) || !suite.SameBits(before[1], env.Reference.Scores) {
		t.Errorf("the learner changed the reference")
	}
}

// checkCosts checks that a step counts as one iteration, is charged for what it fetches or by c.Charge,
// and modifies no row.
func checkCosts(t reporter, c Case) {
	p := overlapping()
	n := len(p.X)
	l, w := fresh(t, c, p)
	if cost := l.Cost(); cost != (algorithms.Cost{}) {
		t.Fatalf("before the first step: cost %+v, want 0", cost)
	}
	for step := range int64(c.lookahead()) {
		before := l.Cost()
		status := suite.MustAdvance(t, l, 1)
		cost := l.Cost()
		if moved := cost.Iterations - before.Iterations; moved != 1 && (moved != 0 || !status.Stop()) {
			t.Fatalf("step %d counts as %d iterations", step+1, moved)
		}
		f, charged := w.take(), cost.KernelEvals-before.KernelEvals
		least := int64(n*(f.DistinctRows+f.Constructed) + f.Evals)
		most := int64(n*(f.Rows+f.Constructed) + f.Evals)
		if c.Charge != nil {
			least, most = c.Charge(n, f)
			if status.Stop() {
				least = 0
			}
		}
		if charged < least || charged > most {
			t.Fatalf("step %d is charged %d kernel evaluations, want %d to %d for %d points and %+v",
				step+1, charged, least, most, n, f)
		}
		if cost.InnerProducts != cost.KernelEvals {
			t.Fatalf("after %d steps: %d inner products, but %d kernel evaluations",
				step+1, cost.InnerProducts, cost.KernelEvals)
		}
		if cost.KernelEvalsMoved != 0 || cost.SumKT != 0 || cost.SumKT2 != 0 {
			t.Fatalf("after %d steps: %+v has counters that must be 0", step+1, cost)
		}
		if w.rows.Inspect(); w.rows.Mutated {
			t.Fatalf("step %d modified a kernel row or the diagonal", step+1)
		}
		if status.Stop() {
			return
		}
	}
}

// checkNotFinite checks that a kernel that is not finite gives an error, or a status in the step that
// fetches it, and that the classifier stays finite.
func checkNotFinite(t reporter, c Case) {
	p := overlapping()
	n, dim := len(p.X), len(p.X[0])
	clean, _ := envOf(c, p, gamma)
	run := func(name string, env Env, bad func() bool) {
		t.Helper()
		env.Order, env.Rand = Uniform{Rng: suite.NewRand(2), N: n}, suite.NewRand(3)
		l, err := c.New(env)
		if err != nil {
			if err.Error() == "" {
				t.Errorf("%s: error without a message", name)
			}
			return
		}
		for range c.lookahead() {
			status := l.Step()
			checkExpansion(t, c, l, n, dim)
			if bad() && !suite.Failed(status) {
				t.Fatalf("%s: status %v after step %d, which fetched an invalid value",
					name, status.State, l.Cost().Iterations)
			}
			if suite.Failed(status) && status.Reason == "" {
				t.Errorf("%s: status without a reason", name)
			}
			if status.Stop() {
				return
			}
		}
	}
	never := func() bool { return false }
	last := func(n, _ int) (from, to int) { return n - 1, n }
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, value := range []float32{nan, inf} {
		for _, good := range []int{0, 1, 4} {
			env := clean
			rows := &suite.InvalidRows{Rows: p.GaussianGram(gamma), Good: good, At: whole, Value: value}
			env.Problem.Rows = rows
			run("row not finite", env, func() bool { return rows.Bad })

			rows = &suite.InvalidRows{Rows: p.GaussianGram(gamma), Good: good, At: last, Value: value}
			env.Problem.Rows = rows
			run("element not finite", env, never)

			env = clean
			env.Inputs = &invalidInputs{Inputs: p.Inputs(gamma), good: 3 * good, value: value}
			env.Problem.Rows = p.GaussianGram(gamma)
			run("kernel of the input space not finite", env, never)
		}
	}
	for _, value := range []float64{math.NaN(), math.Inf(1), -1} {
		env := clean
		rows := &invalidDiag{Rows: p.GaussianGram(gamma)}
		rows.diag = slices.Clone(rows.Rows.Diag())
		rows.diag[n/2] = value
		env.Problem.Rows = rows
		run("invalid diagonal", env, never)
	}
	if !c.Reference {
		return
	}
	for _, edit := range []func(r *sparse.Reference){
		func(r *sparse.Reference) { r.Scores = slices.Repeat([]float64{math.NaN()}, n) },
		func(r *sparse.Reference) { r.Scores = slices.Repeat([]float64{math.Inf(1)}, n) },
		func(r *sparse.Reference) { r.Alpha = slices.Repeat([]float64{math.NaN()}, n) },
		func(r *sparse.Reference) { r.NormSq = math.NaN() },
		func(r *sparse.Reference) { r.Bias = math.NaN() },
	} {
		env := clean
		r := *env.Reference
		edit(&r)
		env.Reference = &r
		run("reference not finite", env, never)
	}
}

func whole(n, _ int) (from, to int) { return 0, n }
