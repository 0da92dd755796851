package sparsetest

import (
	"math"
	"slices"

	"stochopt/algorithms/internal/suite"
)

// checkStopped checks that a learner gives a reason when it stops. Further calls of Step must return the
// same status, fetch nothing, and change neither the classifier nor the cost.
func checkStopped(t reporter, c Case) {
	p := overlapping()
	good, fetched := envOf(c, p, gamma)
	invalidRowsEnv, fetchedRows := envOf(c, p, gamma)
	nan := float32(math.NaN())
	invalidRowsEnv.Problem.Rows = &suite.InvalidRows{Rows: invalidRowsEnv.Problem.Rows, Good: 4, At: whole, Value: nan}
	invalidInputsEnv, fetchedPoints := envOf(c, p, gamma)
	invalidInputsEnv.Inputs = &invalidInputs{Inputs: invalidInputsEnv.Inputs, good: 50, value: nan}
	for _, run := range []struct {
		name string
		env  Env
		w    work
	}{
		{"finite kernel", good, fetched},
		{"kernel rows that become NaN", invalidRowsEnv, fetchedRows},
		{"input space whose kernel becomes NaN", invalidInputsEnv, fetchedPoints},
	} {
		l, err := c.New(run.env)
		if err != nil {
			continue // checked by checkNotFinite
		}
		status := suite.Advance(l, c.steps())
		if !status.Stop() {
			continue
		}
		if status.Reason == "" {
			t.Errorf("%s: status %v without a reason", run.name, status.State)
		}
		first, cost := checkExpansion(t, c, l, len(p.X), len(p.X[0])), l.Cost()
		run.w.take()
		for range 3 {
			if got := l.Step(); got != status {
				t.Fatalf("%s: Step after a stop with %+v returned %+v", run.name, status, got)
			}
		}
		if !expansion.Same(first, expansion.Of(l)) || l.Cost() != cost {
			t.Errorf("%s: Step after a stop with %v changed the learner", run.name, status.State)
		}
		if f := run.w.take(); f != (Fetched{}) {
			t.Errorf("%s: Step after a stop with %v fetched %+v", run.name, status.State, f)
		}
	}
}

// checkLearns checks that the learner makes few mistakes on two distant clouds, of similar and of
// different sizes.
func checkLearns(t reporter, c Case) {
	for _, sizes := range [][2]int{{25, 35}, {48, 12}} {
		const gamma = 0.1
		p := Blobs(suite.NewRand(7), sizes[0], sizes[1], 2, 8, 1)
		env, _ := envOf(c, p, gamma)
		l := create(t, c, env)
		suite.MustAdvance(t, l, c.steps())
		e := checkExpansion(t, c, l, len(p.X), len(p.X[0]))
		wrong := 0
		for i, s := range Scores(p, e, gamma) {
			if !(p.Label(i)*s > 0) {
				wrong++
			}
		}
		if wrong > c.Errors {
			t.Errorf("two distant clouds of %d and %d points: %d mistakes after %d steps with %d vectors, want at most %d",
				sizes[0], sizes[1], wrong, l.Cost().Iterations, l.Support(), c.Errors)
		}
	}
}

// checkPermuted checks that the order of the points within a class has no influence.
func checkPermuted(t reporter, c Case) {
	if c.Permuted == 0 {
		return
	}
	p := overlapping()
	env, _ := envOf(c, p, gamma)
	l := create(t, c, env)
	status := suite.MustAdvance(t, l, c.lookahead())
	want := Scores(p, expansion.Of(l), gamma)

	q, from := p.Permuted(suite.NewRand(11))
	ref := *env.Reference
	ref.Alpha, ref.Scores = suite.Pick(ref.Alpha, from), suite.Pick(ref.Scores, from)
	env, _ = envOf(c, q, gamma)
	env.Reference = &ref
	m := create(t, c, env)
	if got := suite.MustAdvance(t, m, c.lookahead()); got.State != status.State {
		t.Fatalf("%v after %d steps; with the points in another order %v after %d",
			status.State, l.Cost().Iterations, got.State, m.Cost().Iterations)
	}
	got := Scores(q, expansion.Of(m), gamma)
	size := 1.0
	for _, s := range want {
		size = max(size, math.Abs(s))
	}
	if d := suite.Distance(got, suite.Pick(want, from)); !(d <= c.Permuted*size) {
		t.Errorf("with the points in another order the scores, at most %g, differ by %g", size, d)
	}
}

// checkDegenerate checks coinciding points, contradicting labels, one class, few points, kernels of rank
// one or zero, and constant references. The learner must refuse them or have well-formed classifiers.
func checkDegenerate(t reporter, c Case) {
	run := func(name string, env Env, n, dim int) {
		t.Helper()
		l, err := c.New(env)
		if err != nil {
			suite.Refused(t, name, err)
			return
		}
		for range c.lookahead() {
			status := l.Step()
			checkExpansion(t, c, l, n, dim)
			if status.Stop() {
				if status.Reason == "" {
					t.Errorf("%s: status %v without a reason", name, status.State)
				}
				return
			}
		}
	}
	cloud := overlapping()
	for name, p := range map[string]Points{
		"all points the same":           suite.PointsAt(12, 6, 0, func(int) float64 { return 0.5 }),
		"all points at 0":               suite.PointsAt(12, 6, 0, func(int) float64 { return 0 }),
		"contradicting labels":          suite.PointsAt(12, 6, 0, func(i int) float64 { return 0.2 * float64(i%5) }),
		"every point twice":             suite.PointsAt(12, 6, 0, func(i int) float64 { return float64(i / 2) }),
		"one place for each class":      suite.PointsAt(12, 6, 0, func(i int) float64 { return float64(i/6) - 0.5 }),
		"points so far that K is 0":     suite.PointsAt(12, 6, 0, func(i int) float64 { return 1e6 * float64(i) }),
		"positive points only":          {X: cloud.X, Positive: len(cloud.X)},
		"negative points only":          {X: cloud.X, Positive: 0},
		"one positive point":            {X: cloud.X, Positive: 1},
		"one negative point":            {X: cloud.X, Positive: len(cloud.X) - 1},
		"a point of each class":         suite.PointsAt(2, 1, 0, func(i int) float64 { return float64(i) }),
		"a single point":                suite.PointsAt(1, 1, 0, func(int) float64 { return 1 }),
		"a single negative point":       suite.PointsAt(1, 0, 0, func(int) float64 { return 1 }),
		"two coinciding points, a pair": suite.PointsAt(2, 1, 0, func(int) float64 { return 1 }),
	} {
		n, dim := len(p.X), len(p.X[0])
		env, _ := envOf(c, p, gamma)
		run(name, env, n, dim)
		for bias, what := range map[float64]string{0: "zero", 1: "positive", -1: "negative"} {
			if bias == 0 || c.Bias {
				env, _ = envOf(c, p, gamma)
				env.Reference = constant(n, bias)
				run(name+", and a reference with "+what+" scores", env, n, dim)
			}
		}
		if c.Constructs {
			continue
		}
		zero := p.Gram(func(x, z []float64) float64 { return 0 })
		env = envOn(c, zero, p.Positive)
		env.Problem.Rows = suite.NewGuard(zero)
		run(name+", and a zero kernel", env, n, dim)
	}
	env, _ := envOf(c, cloud, gamma)
	ref := *env.Reference
	ref.Scores = slices.Clone(ref.Scores)
	ref.Alpha = slices.Clone(ref.Alpha)
	for i := range ref.Scores {
		ref.Scores[i], ref.Alpha[i] = -ref.Scores[i], -ref.Alpha[i]
	}
	ref.Bias = -ref.Bias
	env.Reference = &ref
	run("negated reference", env, len(cloud.X), len(cloud.X[0]))
}
