package registry

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

func regressionParams(edit Params) Params {
	p := Params{"kernel": "gaussian", "gamma": 1.0, "C": 2.0}
	for name, v := range edit {
		p[name] = v
	}
	return p
}

func TestRegressionNeeds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id   string
		with Params
		want Needs
	}{
		{"osuna-girosi", nil, Needs{Kernel: true, Reference: true, Lambda: true, WorkingSet: 1}},
		{"osuna-girosi", Params{"bias": true}, Needs{Kernel: true, Reference: true, Lambda: true, WorkingSet: 2}},
		{"ramp", nil, Needs{Kernel: true, Lambda: true, WorkingSet: 1}},
		{"ramp", Params{"bias": true}, Needs{Kernel: true, Lambda: true, WorkingSet: 2}},
		{"zhan-shen", nil, Needs{Kernel: true, Reference: true, Lambda: true, Inputs: true, WorkingSet: 1}},
		{"zhan-shen", Params{"bias": true}, Needs{Kernel: true, Reference: true, Lambda: true, Inputs: true, WorkingSet: 2}},
	} {
		p := of(TaskSparse, test.id).Resolve(regressionParams(test.with))
		if got := of(TaskSparse, test.id).Needs(p); got != test.want {
			t.Errorf("%s, %v: needs %+v, want %+v", test.id, test.with, got, test.want)
		}
	}
}

func TestRegressionChecks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id   string
		with Params
		want string // part of the error, "" for none
	}{
		{"ramp", Params{"C": nil}, "no regularisation is given"},
	} {
		p := regressionParams(test.with)
		if v, ok := p["C"]; ok && v == nil {
			delete(p, "C")
		}
		err := check(TaskSparse, test.id, of(TaskSparse, test.id).Resolve(p))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, %v: %v, want %q", test.id, test.with, err, test.want)
		}
	}
}

// The parameters reach the methods.
func TestRegressionsRun(t *testing.T) {
	t.Parallel()
	points := sparsetest.Points{Positive: 5}
	for i := range 10 {
		points.X = append(points.X, []float64{0.7 * float64(i*7%10), 0.3 * float64(i*3%10)})
	}
	rows := points.GaussianGram(1)
	ref, err := sparsetest.Train(rows, points.Positive, 2, true)
	if err != nil {
		t.Fatal(err)
	}
	final := func(id string, with Params) *sparse.Expansion {
		t.Helper()
		env := Env{
			Kernel:    func() svm.Problem { return svm.Problem{Rows: rows, Positive: points.Positive} },
			Reference: func() *sparse.Reference { return ref },
			Inputs:    func() sparse.Inputs { return points.Inputs(1) },
			C:         2, Bias: true,
		}
		p := Params{}
		for _, param := range Catalog().Task(TaskSparse).Algorithm(id).Params {
			if param.Default != nil {
				p[param.Name] = param.Default
			}
		}
		for name, v := range regressionParams(Params{"bias": true, "tolerance": 1e-6}) {
			p[name] = v
		}
		for name, v := range with {
			p[name] = v
		}
		l, err := NewSparse(of(TaskSparse, id), env, p)
		if err != nil {
			t.Fatalf("%s, %v: %v", id, with, err)
		}
		for range 100000 {
			if l.Step().Stop() {
				e := new(sparse.Expansion)
				l.ExpansionTo(e)
				return e
			}
		}
		t.Fatalf("%s, %v: no end", id, with)
		return nil
	}
	describe := func(e *sparse.Expansion) string {
		return fmt.Sprintf("%v %.4f %.4f", e.Index, e.Coef, e.Bias)
	}
	for _, id := range []string{"osuna-girosi", "zhan-shen"} {
		base := describe(final(id, nil))
		if describe(final(id, Params{"epsilon": 0.7})) == base {
			t.Errorf("%s: epsilon changes nothing", id)
		}
		if n := len(final(id, Params{"epsilon": 100.0}).Coef); n != 0 {
			t.Errorf("%s: %d vectors for a large epsilon", id, n)
		}
	}
	if a, b := final("zhan-shen", Params{"exclude": 0.0}), final("osuna-girosi", nil); math.Abs(a.Bias-b.Bias) > 1e-4 || len(a.Coef) != len(b.Coef) {
		t.Errorf("nothing excluded: %s, want %s", describe(a), describe(b))
	}
	if a, b := final("ramp", Params{"s": 0.5}), final("ramp", nil); describe(a) == describe(b) {
		t.Error("ramp: s changes nothing")
	}
}
