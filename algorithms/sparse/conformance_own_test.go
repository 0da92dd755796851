package sparse_test

import (
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

// own returns a case for each of the three methods of chapter 3.
func own(name string, cfg sparse.SparsifyConfig, bias bool) []sparsetest.Case {
	evaluations := int64(1)
	if cfg.Relearn {
		evaluations = 2
	}
	base := sparsetest.Case{
		Config: &cfg, Bias: bias, Reference: true,
		Charge: func(n int, _ sparsetest.Fetched) (least, most int64) {
			return evaluations * int64(n), evaluations * int64(n)
		},
	}
	with := func(method string, create func(svm.Problem, *sparse.Reference) (sparse.Learner, error)) sparsetest.Case {
		c := base
		c.Name = method + "/" + name
		c.New = func(env sparsetest.Env) (sparse.Learner, error) { return create(env.Problem, env.Reference) }
		return c
	}
	return []sparsetest.Case{
		with("sparsify", func(p svm.Problem, ref *sparse.Reference) (sparse.Learner, error) {
			return learner(sparse.NewSparsify(cfg, p, ref))
		}),
		with("sparsify-aggressive", func(p svm.Problem, ref *sparse.Reference) (sparse.Learner, error) {
			return learner(sparse.NewSparsifyAggressive(cfg, p, ref))
		}),
		with("sparsify-smooth", func(p svm.Problem, ref *sparse.Reference) (sparse.Learner, error) {
			return learner(sparse.NewSparsifySmooth(cfg, p, ref))
		}),
	}
}

// learner keeps a nil pointer from becoming a learner.
func learner[L sparse.Learner](l L, err error) (sparse.Learner, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

func TestConformanceOwn(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  sparse.SparsifyConfig
		bias bool
	}{
		{"no-bias", sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5}, false},
		{"bias-kept", sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5}, true},
		{"bias-learned", sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5, Relearn: true}, true},
		{"small-steps", sparse.SparsifyConfig{Eta: 0.03, Epsilon: 0.1, Relearn: true}, true},
		{"large-steps", sparse.SparsifyConfig{Eta: 4, Epsilon: 0.1, Relearn: true}, true},
	} {
		sparsetest.Run(t, own(c.name, c.cfg, c.bias)...)
	}
}
