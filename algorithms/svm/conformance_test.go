package svm_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/svm"
	"stochopt/algorithms/svm/svmtest"
)

// lambda is the regularisation parameter of the conformance cases.
const lambda = 0.01

// bound returns the bound on the dual variables.
func bound(n int) float64 { return 1 / (lambda * float64(n)) }

func smo(cfg svm.SMOConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.Upper, c.Current, c.Symmetric = &cfg, bound, true, 1e-6
	c.Bias, c.WorkingSet, c.KeepsPrevious = cfg.Bias, 1, !cfg.Bias
	switch {
	case cfg.Bias:
		c.WorkingSet = 2
	case cfg.Pairs: // a step may also change a single coordinate
		c.WorkingSet = 0
		c.Charge = func(n int, _ *svm.Solution) (least, most int64) { return int64(n), 2 * int64(n) }
	}
	c.New = func(env svmtest.Env) (svm.Learner, error) { return svm.NewSMO(cfg, env.Problem) }
	return c
}

func decomposition(cfg svm.DecompositionConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.Upper, c.Current, c.Symmetric = &cfg, bound, true, 1e-6
	c.Bias, c.WorkingSet = cfg.Bias, cfg.Size
	c.New = func(env svmtest.Env) (svm.Learner, error) { return svm.NewDecomposition(cfg, env.Problem) }
	return c
}

func sdca(cfg svm.SDCAConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.Upper, c.Current, c.Symmetric = &cfg, bound, true, 1e-12
	c.WorkingSet, c.KeepsPrevious = 1, true
	c.New = func(env svmtest.Env) (svm.Learner, error) { return svm.NewSDCA(cfg, env.Problem, env.Order) }
	return c
}

func sbp(cfg svm.SBPConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.Bias, c.WorkingSet = &cfg, cfg.Bias, 1
	if cfg.Pair {
		c.WorkingSet = 2
	}
	c.New = func(env svmtest.Env) (svm.Learner, error) { return svm.NewSBP(cfg, env.Problem, env.Rand) }
	return c
}

func sgd(cfg svm.SGDConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.WorkingSet, c.Symmetric = &cfg, 1, 1e-9
	c.New = func(env svmtest.Env) (svm.Learner, error) { return svm.NewSGD(cfg, env.Problem, env.Order) }
	return c
}

func pegasos(cfg svm.PegasosConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.WorkingSet, c.Upper, c.Symmetric = &cfg, 1, nil, 1e-9
	c.New = func(env svmtest.Env) (svm.Learner, error) { return svm.NewPegasos(cfg, env.Problem, env.Order) }
	return c
}

func perceptron(cfg svm.PerceptronConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.Symmetric = &cfg, 1e-9
	c.Charge = func(n int, before *svm.Solution) (least, most int64) {
		if !cfg.Average && cfg.Sample == nil {
			var support int64
			for _, a := range before.Alpha {
				if a != 0 {
					support++
				}
			}
			return support, support
		}
		return 0, int64(n)
	}
	c.New = func(env svmtest.Env) (svm.Learner, error) {
		cfg := cfg
		if cfg.Sample != nil {
			cfg.Sample = env.Rand
		}
		return svm.NewPerceptron(cfg, env.Problem, env.Order)
	}
	return c
}

func linearSDCA(cfg svm.LinearSDCAConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.Input, c.InnerProducts, c.Symmetric = &cfg, svmtest.Features, 1, 1e-9
	c.New = func(env svmtest.Env) (svm.Learner, error) { return svm.NewLinearSDCA(cfg, env.Linear, env.Order) }
	return c
}

func linearPegasos(cfg svm.LinearPegasosConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.Input, c.InnerProducts, c.Symmetric = &cfg, svmtest.Features, 1, 1e-9
	c.New = func(env svmtest.Env) (svm.Learner, error) {
		return svm.NewLinearPegasos(cfg, env.Linear, env.Order)
	}
	return c
}

func simba(cfg svm.SIMBAConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.Input = &cfg, svmtest.Features
	c.New = func(env svmtest.Env) (svm.Learner, error) { return svm.NewSIMBA(cfg, env.Linear, env.Rand) }
	return c
}

func rff(cfg svm.RFFConfig, c svmtest.Case) svmtest.Case {
	c.Config, c.Input = &cfg, svmtest.Features
	c.New = func(env svmtest.Env) (svm.Learner, error) {
		f := env.Linear.Features
		return svm.NewRFF(context.Background(), cfg, env.Points, f.Train(), env.Linear.Positive, env.Rand, env.Shuffle)
	}
	return c
}

func TestConformance(t *testing.T) {
	for _, c := range []svmtest.Case{
		smo(svm.SMOConfig{Lambda: lambda}, svmtest.Case{Name: "smo"}),
		smo(svm.SMOConfig{Lambda: lambda, Tolerance: 1e-8}, svmtest.Case{Name: "smo, tolerance"}),
		smo(svm.SMOConfig{Lambda: lambda, Pairs: true}, svmtest.Case{Name: "smo, pairs"}),
		smo(svm.SMOConfig{Lambda: lambda, Bias: true}, svmtest.Case{Name: "smo, bias"}),
		smo(svm.SMOConfig{Lambda: lambda, Bias: true, Tolerance: 1e-8}, svmtest.Case{Name: "smo, bias, tolerance"}),
		sdca(svm.SDCAConfig{Lambda: lambda}, svmtest.Case{Name: "sdca"}),
		decomposition(svm.DecompositionConfig{Lambda: lambda, Size: 10}, svmtest.Case{Name: "decomposition"}),
		decomposition(svm.DecompositionConfig{Lambda: lambda, Size: 1}, svmtest.Case{Name: "decomposition, one"}),
		decomposition(svm.DecompositionConfig{Lambda: lambda, Size: 10, Bias: true}, svmtest.Case{Name: "decomposition, bias"}),
		decomposition(svm.DecompositionConfig{Lambda: lambda, Size: 2, Bias: true, Tolerance: 1e-8}, svmtest.Case{Name: "decomposition, bias, pair"}),
		decomposition(svm.DecompositionConfig{Lambda: lambda, Size: 500, Bias: true}, svmtest.Case{Name: "decomposition, bias, all", Steps: 200}),
		sbp(svm.SBPConfig{Nu: 0.1}, svmtest.Case{Name: "sbp"}),
		sbp(svm.SBPConfig{Nu: 0.1, Bias: true}, svmtest.Case{Name: "sbp, bias, one"}),
		sbp(svm.SBPConfig{Nu: 0.1, Bias: true, Pair: true}, svmtest.Case{Name: "sbp, bias"}),
		sgd(svm.SGDConfig{R: 3}, svmtest.Case{Name: "sgd"}),
		sgd(svm.SGDConfig{R: 3, Last: true}, svmtest.Case{Name: "sgd, last"}),
		pegasos(svm.PegasosConfig{Lambda: lambda}, svmtest.Case{Name: "pegasos"}),
		pegasos(svm.PegasosConfig{Lambda: lambda, Last: true}, svmtest.Case{Name: "pegasos, last"}),
		perceptron(svm.PerceptronConfig{}, svmtest.Case{Name: "perceptron, last"}),
		perceptron(svm.PerceptronConfig{Average: true}, svmtest.Case{Name: "perceptron, average"}),
		perceptron(svm.PerceptronConfig{Sample: new(rand.Rand)}, svmtest.Case{Name: "perceptron, sample"}),
		linearSDCA(svm.LinearSDCAConfig{Lambda: lambda}, svmtest.Case{Name: "linear-sdca"}),
		linearPegasos(svm.LinearPegasosConfig{Lambda: lambda}, svmtest.Case{Name: "linear-pegasos"}),
		simba(svm.SIMBAConfig{Nu: 0.1}, svmtest.Case{Name: "simba"}),
		rff(svm.RFFConfig{Gamma: 0.5, MaxPairs: 64, Lambda: lambda}, svmtest.Case{Name: "rff", Steps: 7}),
	} {
		svmtest.Run(t, c)
	}
}
