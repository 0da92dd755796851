package registry

import (
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

var onlineIDs = []string{"forgetron", "rbp", "perceptron", "sbp", "sgd", "pegasos", "sdca", "smo"}

func TestOnlineEntries(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, a := range sparseTable[len(sparseTable)-len(onlineIDs):] {
		ids = append(ids, a.ID)
		of, err := Lookup(TaskSVM, a.ID)
		if err != nil {
			continue
		}
		if a.Title != of.Title || a.Source != of.Source || a.Version != of.Version || (a.bias == ignoresBias) != (of.bias == withoutBias) || a.Deterministic != of.Deterministic {
			t.Errorf("%s: %+v differs from the optimiser", a.ID, a.Algorithm)
		}
		for _, bias := range []bool{false, true} {
			p := Params{"kernel": "gaussian", "gamma": 1.0, "C": 1.0, "bias": bias}
			n, want := a.needs(a.Resolve(p)), of.needs(of.Resolve(p))
			if bias && a.bias == ignoresBias {
				continue
			}
			if n.Nu != want.Nu || n.R != want.R || n.Lambda != want.Lambda || max(n.WorkingSet, 1) != max(want.WorkingSet, 1) || n.Reference || n.Inputs {
				t.Errorf("%s, bias %t: needs %+v, the optimiser %+v", a.ID, bias, n, want)
			}
		}
	}
	if !slices.Equal(ids, onlineIDs) {
		t.Errorf("entries %v", ids)
	}
	for _, id := range []string{"forgetron", "rbp", "perceptron"} {
		for _, p := range Catalog().Task(TaskSparse).Algorithm(id).Params {
			if p.Name == "order" && p.Default != "pass" {
				t.Errorf("%s: order %v by default", id, p.Default)
			}
		}
	}
}

// TestOnlineRun: the support reaches the learner, and so do the streams and the
// regularisation.
func TestOnlineRun(t *testing.T) {
	t.Parallel()
	const n, support = 60, 9
	points := sparsetest.Blobs(rand.New(rand.NewPCG(4, 4)), 30, 30, 2, 1, 0)
	rows := points.GaussianGram(1)
	for _, id := range onlineIDs {
		run := func(seed uint64, with Params, c float64) (e sparse.Expansion, l sparse.Learner) {
			p := Params{"kernel": "gaussian", "gamma": 1.0, "bias": false, "support": int64(support)}
			for name, v := range with {
				p[name] = v
			}
			env := Env{
				Kernel: func() svm.Problem { return svm.Problem{Rows: rows, Positive: points.Positive} },
				Order: func(string) svm.Order {
					return sparsetest.Uniform{Rng: rand.New(rand.NewPCG(seed, 1)), N: n}
				},
				Rand: func(string) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) },
				C:    c, Lambda: 1 / (c * n), Nu: 0.1 / c, R: c, Bias: p.Bool("bias"),
			}
			l, err := NewSparse(of(TaskSparse, id), env, p)
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			for range 100 {
				if l.Step().Stop() {
					break
				}
			}
			l.ExpansionTo(&e)
			return e, l
		}
		e, l := run(1, nil, 1)
		if l.Support() != support || len(e.Coef) != support || e.Bias != 0 {
			t.Errorf("%s: support %d, %d vectors, bias %g", id, l.Support(), len(e.Coef), e.Bias)
		}
		if again, _ := run(1, nil, 1); !slices.Equal(again.Coef, e.Coef) || !slices.Equal(again.Index, e.Index) {
			t.Errorf("%s: not reproducible", id)
		}
		if other, _ := run(2, nil, 1); (id == "smo") != slices.Equal(other.Index, e.Index) {
			t.Errorf("%s: other random numbers, points %v and %v", id, e.Index, other.Index)
		}
		other, _ := run(1, nil, 0.01)
		if takes := !slices.Contains([]string{"forgetron", "rbp", "perceptron"}, id); takes == slices.Equal(other.Coef, e.Coef) {
			t.Errorf("%s: other regularisation, coefficients %v and %v", id, e.Coef, other.Coef)
		}
		if _, l := run(1, Params{"bias": true}, 1); (id == "sbp" || id == "smo") && l.Cost().KernelEvals != 2*n*l.Cost().Iterations {
			t.Errorf("%s: a bias does not reach it: cost %+v", id, l.Cost())
		}
	}
}
