package sparsetest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

// base returns a case that passes all checks.
func base() sparsetest.Case {
	cfg := &sparse.SparsifyConfig{Eta: 0.25, Epsilon: 0.1}
	return sparsetest.Case{
		Name: "base", Config: cfg, Bias: true, Reference: true, Constructs: true, Permuted: 1,
		New: func(env sparsetest.Env) (sparse.Learner, error) {
			if env.Inputs == nil {
				return nil, errNoInputs
			}
			l, err := sparse.NewSparsify(*cfg, env.Problem, env.Reference)
			if err != nil {
				return nil, err
			}
			return l, nil
		},
	}
}

type refusal string

func (r refusal) Error() string { return string(r) }

const errNoInputs = refusal("no inputs")

// tampered is a learner with some of its methods replaced.
type tampered struct {
	sparse.Learner
	step      func(l sparse.Learner) algorithms.Status
	cost      func(c algorithms.Cost) algorithms.Cost
	support   func(l sparse.Learner) int
	expansion func(l sparse.Learner, e *sparse.Expansion)
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

func (t *tampered) Support() int {
	if t.support != nil {
		return t.support(t.Learner)
	}
	return t.Learner.Support()
}

func (t *tampered) ExpansionTo(e *sparse.Expansion) {
	if t.expansion != nil {
		t.expansion(t.Learner, e)
		return
	}
	t.Learner.ExpansionTo(e)
}

// with returns a case whose learner has the methods of tamper's result.
func with(tamper func(env sparsetest.Env) tampered) sparsetest.Case {
	c := base()
	create := c.New
	c.New = func(env sparsetest.Env) (sparse.Learner, error) {
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

// wrapped returns a case whose learner is wrapped by wrap.
func wrapped(wrap func(l sparse.Learner) sparse.Learner) sparsetest.Case {
	c := base()
	create := c.New
	c.New = func(env sparsetest.Env) (sparse.Learner, error) {
		l, err := create(env)
		if err != nil {
			return nil, err
		}
		return wrap(l), nil
	}
	return c
}

// untrue is a learner with a wrong SupportBounds or, if keeps is set, a wrong PreviousTo, which writes the
// current classifier.
type untrue struct {
	sparse.Learner
	keeps bool
}

func (s untrue) SupportBounds() (least, most int) {
	if s.keeps {
		return 0, 1000
	}
	return 0, 0
}

func (s untrue) KeepsPrevious() bool            { return s.keeps }
func (s untrue) PreviousTo(e *sparse.Expansion) { s.ExpansionTo(e) }

// edited returns a case whose expansions are edited.
func edited(edit func(env sparsetest.Env, e *sparse.Expansion)) sparsetest.Case {
	return with(func(env sparsetest.Env) tampered {
		return tampered{expansion: func(l sparse.Learner, e *sparse.Expansion) {
			l.ExpansionTo(e)
			for len(e.Vectors) < len(e.Coef) {
				e.Vectors = append(e.Vectors, nil)
			}
			if len(e.Coef) > 0 {
				edit(env, e)
			}
		}}
	})
}

func charged(edit func(c *algorithms.Cost)) sparsetest.Case {
	return with(func(sparsetest.Env) tampered {
		return tampered{cost: func(c algorithms.Cost) algorithms.Cost { edit(&c); return c }}
	})
}

// fed returns a case whose learner gets its kernel rows from row.
func fed(row func(rows svm.Rows) func(i int) []float32) sparsetest.Case {
	c := base()
	create := c.New
	c.New = func(env sparsetest.Env) (sparse.Learner, error) {
		if env.Problem.Rows != nil {
			env.Problem.Rows = rowFunc{env.Problem.Rows, row(env.Problem.Rows)}
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

func created(edit func(env *sparsetest.Env)) sparsetest.Case {
	c := base()
	create := c.New
	c.New = func(env sparsetest.Env) (sparse.Learner, error) {
		edit(&env)
		return create(env)
	}
	return c
}

// TestSuite checks that a correct learner passes the suite, and that the intended check finds each
// fault.
func TestSuite(t *testing.T) {
	if faults := sparsetest.Faults(base()); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
	moving := []float64{1, 2, 3}
	foreign := rand.New(rand.NewPCG(1, 2))
	for name, test := range map[string]struct {
		c     sparsetest.Case
		check string
	}{
		"a wrong bias sign": {edited(func(_ sparsetest.Env, e *sparse.Expansion) { e.Bias = 3 - e.Bias }), "Learns"},
		"a point twice":     {edited(func(_ sparsetest.Env, e *sparse.Expansion) { e.Index[len(e.Index)-1] = e.Index[0] }), "Expansions"},
		"a vector that moves": {edited(func(_ sparsetest.Env, e *sparse.Expansion) {
			moving[0] += e.Coef[0] * float64(len(e.Coef))
			e.Index[0], e.Vectors[0] = -1, moving
		}), "Expansions"},
		"no reset": {with(func(sparsetest.Env) tampered {
			return tampered{expansion: func(l sparse.Learner, e *sparse.Expansion) {
				was := *e
				*e = sparse.Expansion{}
				l.ExpansionTo(e)
				if len(was.Coef) > 100 {
					e.Add(0, was.Coef[0])
				}
			}}
		}), "ExpansionToDestinations"},
		"its own slices are returned": {with(sharedSlices), "ExpansionToIsPassive"},
		"wrong support": {with(func(sparsetest.Env) tampered {
			return tampered{support: func(l sparse.Learner) int { return l.Support() + 1 }}
		}), "Expansions"},
		"a constructed vector that is not allowed": {func() sparsetest.Case {
			c := edited(func(_ sparsetest.Env, e *sparse.Expansion) { e.Index[0], e.Vectors[0] = -1, []float64{1, 2, 3} })
			c.Constructs = false
			return c
		}(), "Expansions"},
		"evaluations counted double":  {charged(func(c *algorithms.Cost) { c.KernelEvals *= 2; c.InnerProducts *= 2 }), "Costs"},
		"inner products forgotten":    {charged(func(c *algorithms.Cost) { c.InnerProducts = 0 }), "Costs"},
		"wrong support bounds":        {wrapped(func(l sparse.Learner) sparse.Learner { return untrue{l, false} }), "Expansions"},
		"a wrong previous classifier": {wrapped(func(l sparse.Learner) sparse.Learner { return untrue{l, true} }), "Expansions"},
		"a row that is not charged": {fed(func(rows svm.Rows) func(i int) []float32 {
			return func(i int) []float32 { rows.Row((i + 1) % rows.Train()); return rows.Row(i) }
		}), "Costs"},
		"a row is changed": {fed(func(rows svm.Rows) func(i int) []float32 {
			return func(i int) []float32 { row := rows.Row(i); row[0] += 1e-3; return row }
		}), "Costs"},
		"a row is used too long": {fed(func(rows svm.Rows) func(i int) []float32 {
			seen := map[int][]float32{}
			return func(i int) []float32 {
				if seen[i] == nil {
					seen[i] = rows.Row(i)
				}
				return seen[i]
			}
		}), "Costs"},
		"rows in ExpansionTo":       {edited(func(env sparsetest.Env, _ *sparse.Expansion) { env.Problem.Rows.Row(0) }), "ExpansionToIsPassive"},
		"a different run each time": {edited(func(_ sparsetest.Env, e *sparse.Expansion) { e.Coef[0] *= 1 + foreign.Float64() }), "Reproducible"},
		"never stops": {with(func(sparsetest.Env) tampered {
			return tampered{step: func(l sparse.Learner) algorithms.Status { l.Step(); return algorithms.Status{} }}
		}), "NotFinite"},
		"steps after a stop": {with(func(sparsetest.Env) tampered {
			stopped := false
			return tampered{step: func(l sparse.Learner) algorithms.Status {
				if stopped {
					return algorithms.Status{}
				}
				status := l.Step()
				stopped = status.Stop()
				return status
			}}
		}), "Stopped"},
		"the order of the points matters": {func() sparsetest.Case {
			c := edited(func(_ sparsetest.Env, e *sparse.Expansion) { e.Bias += float64(e.Index[0]) })
			c.Permuted = 1e-6
			return c
		}(), "Permuted"},
		"accepts no reference": {created(func(env *sparsetest.Env) {
			if env.Reference == nil && env.Problem.Rows != nil {
				n := env.Problem.Rows.Train()
				env.Reference = &sparse.Reference{Alpha: make([]float64, n), Scores: make([]float64, n)}
				env.Reference.Scores[0] = env.Problem.Label(0)
			}
		}), "Refusals"},
		"panics with one class": {created(func(env *sparsetest.Env) {
			if env.Problem.Positive == 0 && env.Problem.Rows != nil && env.Problem.Rows.Train() > 0 {
				panic("no positive points")
			}
		}), "Degenerate"},
		"changes its configuration": {configChanging(), "Config"},
	} {
		check := test.check
		if check == "Config" {
			check = "Reproducible" // any check that constructs a learner
		}
		if faults := sparsetest.Faults(test.c, check); faults[test.check] == "" {
			t.Errorf("%s: %s found no fault; all faults: %v", name, test.check, faults)
		}
	}
}

// sharedSlices returns a learner whose ExpansionTo returns slices of the learner.
func sharedSlices(sparsetest.Env) tampered {
	var e sparse.Expansion
	at := int64(-1)
	return tampered{expansion: func(l sparse.Learner, dst *sparse.Expansion) {
		if now := l.Cost().Iterations; now != at {
			at = now
			l.ExpansionTo(&e)
		}
		*dst = e
	}}
}

func configChanging() sparsetest.Case {
	c := base()
	create, cfg := c.New, c.Config.(*sparse.SparsifyConfig)
	c.New = func(env sparsetest.Env) (sparse.Learner, error) {
		l, err := create(env)
		cfg.Epsilon = math.Nextafter(cfg.Epsilon, 1)
		return l, err
	}
	return c
}
