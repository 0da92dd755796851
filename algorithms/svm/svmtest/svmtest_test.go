package svmtest_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
	"stochopt/algorithms/svm/svmtest"
)

const lambda = 0.01

// base returns a case that passes all checks.
func base(bias bool) svmtest.Case {
	cfg := &svm.SMOConfig{Lambda: lambda, Bias: bias}
	c := svmtest.Case{
		Name: "smo", Config: cfg, Bias: bias, Current: true, WorkingSet: 1, KeepsPrevious: !bias, Symmetric: 1e-6,
		Upper: func(n int) float64 { return 1 / (lambda * float64(n)) },
		New:   func(env svmtest.Env) (svm.Learner, error) { return svm.NewSMO(*cfg, env.Problem) },
	}
	if bias {
		c.WorkingSet = 2
	}
	return c
}

// tampered is a learner with some of its methods replaced.
type tampered struct {
	svm.Learner
	step       func(l svm.Learner) algorithms.Status
	cost       func(c algorithms.Cost) algorithms.Cost
	solutionTo func(l svm.Learner, dst *svm.Solution)
}

func (t *tampered) Step() algorithms.Status {
	if t.step != nil {
		return t.step(t.Learner)
	}
	return t.Learner.Step()
}

func (t *tampered) Cost() algorithms.Cost {
	if t.cost != nil {
		return t.cost(t.Learner.Cost())
	}
	return t.Learner.Cost()
}

func (t *tampered) SolutionTo(dst *svm.Solution) {
	if t.solutionTo != nil {
		t.solutionTo(t.Learner, dst)
		return
	}
	t.Learner.SolutionTo(dst)
}

// with returns a case whose learner has the methods of tamper's result.
func with(bias bool, tamper func(env svmtest.Env) tampered) svmtest.Case {
	c := base(bias)
	create := c.New
	c.New = func(env svmtest.Env) (svm.Learner, error) {
		l, err := create(env)
		if err != nil {
			return nil, err
		}
		t := tamper(env)
		t.Learner = l
		return &t, nil
	}
	return c
}

// edited returns a case whose solutions are edited.
func edited(bias bool, edit func(env svmtest.Env, s *svm.Solution)) svmtest.Case {
	return with(bias, func(env svmtest.Env) tampered {
		return tampered{solutionTo: func(l svm.Learner, dst *svm.Solution) {
			l.SolutionTo(dst)
			edit(env, dst)
		}}
	})
}

// charged returns a case whose costs are edited.
func charged(edit func(c *algorithms.Cost)) svmtest.Case {
	return with(false, func(svmtest.Env) tampered {
		return tampered{cost: func(c algorithms.Cost) algorithms.Cost { edit(&c); return c }}
	})
}

// fed returns a case whose learner gets its kernel rows from rows.
func fed(rows func(env svmtest.Env) svm.Rows) svmtest.Case {
	c := base(false)
	create := c.New
	c.New = func(env svmtest.Env) (svm.Learner, error) {
		if env.Problem.Rows != nil && env.Problem.Rows.Train() > 0 {
			env.Problem.Rows = rows(env)
		}
		return create(env)
	}
	return c
}

type rowFunc struct {
	svm.Rows
	row func(i int) []float32
}

func (r rowFunc) Row(i int) []float32 { return r.row(i) }

func TestSuitePassesAGoodLearner(t *testing.T) {
	for _, bias := range []bool{false, true} {
		if faults := svmtest.Faults(base(bias)); len(faults) > 0 {
			t.Errorf("bias %t: %v", bias, faults)
		}
	}
}

// TestSuiteCatches checks that the intended check finds each fault.
func TestSuiteCatches(t *testing.T) {
	for name, test := range map[string]struct {
		c     svmtest.Case
		check string
	}{
		"no bias": {edited(true, func(_ svmtest.Env, s *svm.Solution) {
			for j := range s.Scores {
				s.Scores[j] -= s.Bias
			}
			s.Bias = 0
		}), "Learns"},
		"evaluation points not updated": {edited(false, func(env svmtest.Env, s *svm.Solution) {
			clear(s.Scores[env.Problem.Rows.Train():])
		}), "Solutions"},
		"a wrong norm":                {edited(false, func(_ svmtest.Env, s *svm.Solution) { s.NormSq *= 1.0001 }), "Solutions"},
		"evaluations counted double":  {charged(func(c *algorithms.Cost) { c.KernelEvals *= 2 }), "Costs"},
		"moves counted as steps":      {charged(func(c *algorithms.Cost) { c.KernelEvalsMoved += 63 }), "Costs"},
		"inner products forgotten":    {charged(func(c *algorithms.Cost) { c.InnerProducts = 0 }), "Costs"},
		"rows not charged":            {fed(extraRows), "Costs"},
		"a row is changed":            {fed(modifyingRows), "Costs"},
		"a row is used too long":      {fed(staleRows), "Solutions"},
		"depends on evaluation rows":  {fed(leakingRows), "EvaluationPointsDoNotTrain"},
		"rows in SolutionTo":          {edited(false, func(env svmtest.Env, _ *svm.Solution) { env.Problem.Rows.Row(0) }), "SolutionToIsPassive"},
		"support miscounted":          {miscounting(), "Support"},
		"its own slices are returned": {with(false, sharedSlices), "SolutionToDestinations"},
		"a different run each time":   {shuffled(), "Reproducible"},
		"NaN is passed on":            {with(false, neverStopping), "NotFinite"},
		"stops but goes on":           {with(false, restarting), "Stopped"},
		"prefers a class":             {edited(false, func(env svmtest.Env, s *svm.Solution) { s.Scores[0] += 1e-3 }), "Symmetric"},
		"accepts impossible problems": {accepting(), "Refusals"},
		"changes its configuration":   {configChanging(), "Config"},
	} {
		t.Run(name, func(t *testing.T) {
			check := test.check
			if check == "Config" {
				check = "Reproducible" // any check that constructs a learner
			}
			faults := svmtest.Faults(test.c, check)
			if faults[test.check] == "" {
				t.Errorf("%s found no fault; all faults: %v", test.check, faults)
			}
		})
	}
}

// miscounted reports one support vector too many.
type miscounted struct{ *svm.SMO }

func (m miscounted) Support() int { return m.SMO.Support() + 1 }

func miscounting() svmtest.Case {
	c := base(false)
	create := c.New
	c.New = func(env svmtest.Env) (svm.Learner, error) {
		l, err := create(env)
		if err != nil {
			return nil, err
		}
		return miscounted{l.(*svm.SMO)}, nil
	}
	return c
}

// extraRows fetches an additional row in each call.
func extraRows(env svmtest.Env) svm.Rows {
	rows := env.Problem.Rows
	return rowFunc{rows, func(i int) []float32 {
		rows.Row((i + 1) % rows.Train())
		return rows.Row(i)
	}}
}

func modifyingRows(env svmtest.Env) svm.Rows {
	rows := env.Problem.Rows
	return rowFunc{rows, func(i int) []float32 {
		row := rows.Row(i)
		row[0] += 1e-3
		return row
	}}
}

// staleRows returns rows that are no longer valid.
func staleRows(env svmtest.Env) svm.Rows {
	rows := env.Problem.Rows
	seen := map[int][]float32{}
	return rowFunc{rows, func(i int) []float32 {
		if seen[i] == nil {
			seen[i] = rows.Row(i)
		}
		return seen[i]
	}}
}

// leakingRows returns rows that depend on the last evaluation point.
func leakingRows(env svmtest.Env) svm.Rows {
	rows := env.Problem.Rows
	return rowFunc{rows, func(i int) []float32 {
		row := slices.Clone(rows.Row(i))
		row[0] += 1e-3 * row[len(row)-1]
		return row
	}}
}

// sharedSlices returns a learner whose SolutionTo returns slices of the learner.
func sharedSlices(svmtest.Env) tampered {
	var s svm.Solution
	return tampered{solutionTo: func(l svm.Learner, dst *svm.Solution) {
		l.SolutionTo(&s)
		*dst = s
	}}
}

// shuffled returns a case whose learners share a random stream.
func shuffled() svmtest.Case {
	rng := rand.New(rand.NewPCG(1, 2))
	c := base(false)
	c.New = func(env svmtest.Env) (svm.Learner, error) {
		return svm.NewSDCA(svm.SDCAConfig{Lambda: lambda}, env.Problem, suite.Uniform{Rng: rng, N: env.Problem.Rows.Train()})
	}
	return c
}

// neverStopping returns a learner that never stops.
func neverStopping(svmtest.Env) tampered {
	return tampered{step: func(l svm.Learner) algorithms.Status {
		l.Step()
		return algorithms.Status{}
	}}
}

// restarting returns a learner that reports Running after a stop.
func restarting(svmtest.Env) tampered {
	var stopped bool
	return tampered{step: func(l svm.Learner) algorithms.Status {
		if stopped {
			return algorithms.Status{}
		}
		status := l.Step()
		stopped = status.Stop()
		return status
	}}
}

// accepting returns a case whose learner accepts invalid problems.
func accepting() svmtest.Case {
	c := base(true)
	create := c.New
	c.New = func(env svmtest.Env) (svm.Learner, error) {
		if env.Problem.Rows != nil {
			env.Problem.Positive = min(max(env.Problem.Positive, 1), env.Problem.Rows.Train()-1)
		}
		return create(env)
	}
	return c
}

func configChanging() svmtest.Case {
	c := base(false)
	create, cfg := c.New, c.Config.(*svm.SMOConfig)
	c.New = func(env svmtest.Env) (svm.Learner, error) {
		l, err := create(env)
		cfg.Tolerance = math.Nextafter(cfg.Tolerance, 1)
		return l, err
	}
	return c
}
