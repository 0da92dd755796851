package registry

import (
	"fmt"
	"math"
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

func TestSparsifiersResolve(t *testing.T) {
	t.Parallel()
	for id, theory := range map[string]float64{"sparsify": 0.5, "sparsify-aggressive": 0.5, "sparsify-smooth": 1.0 / 3} {
		for _, param := range Catalog().Task(TaskSparse).Algorithm(id).Params {
			if (param.Name == "eta" || param.Name == "epsilon") && param.Default != theory {
				t.Errorf("%s: %s is %v by default", id, param.Name, param.Default)
			}
		}
		for _, bias := range []bool{false, true} {
			p := of(TaskSparse, id).Resolve(Params{"gamma": 1.0, "C": 1.0, "bias": bias})
			if p["relearn"] != bias || p.has("support") {
				t.Errorf("%s, bias %t: %v", id, bias, p)
			}
			want := Needs{Kernel: true, Reference: true, WorkingSet: 1}
			if bias {
				want.WorkingSet = 2
			}
			if got := of(TaskSparse, id).Needs(p); got != want {
				t.Errorf("%s, bias %t: needs %+v", id, bias, got)
			}
			kept := of(TaskSparse, id).Resolve(Params{"gamma": 1.0, "C": 1.0, "bias": bias, "relearn": false})
			if kept["relearn"] != false || of(TaskSparse, id).Needs(kept).WorkingSet != 1 {
				t.Errorf("%s, bias %t and kept: %v", id, bias, kept)
			}
		}
		err := check(TaskSparse, id, Params{"kernel": "gaussian", "gamma": 1.0, "C": 1.0, "bias": false, "relearn": true})
		if fmt.Sprint(err) != "relearn: true, but the problem has no bias to learn; set bias: true, or remove relearn" {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// The parameters reach the method: eta and epsilon do what they say.
func TestSparsifiersRun(t *testing.T) {
	t.Parallel()
	points := sparsetest.Points{Positive: 4}
	for i := range 8 {
		points.X = append(points.X, []float64{3 * float64(i)})
	}
	rows := points.GaussianGram(1)
	ref, err := sparsetest.Train(rows, points.Positive, 10, true)
	if err != nil {
		t.Fatal(err)
	}
	env := Env{
		Kernel:    func() svm.Problem { return svm.Problem{Rows: rows, Positive: points.Positive} },
		Reference: func() *sparse.Reference { return ref },
		Bias:      true,
	}
	for _, id := range []string{"sparsify", "sparsify-aggressive", "sparsify-smooth"} {
		for _, test := range []struct {
			with    Params
			support int
			coef    float64
		}{
			{Params{"eta": 0.75, "epsilon": 0.5}, 8, 0.75},
			{Params{"eta": 0.75, "epsilon": 0.5, "relearn": false}, 8, 0.75},
			{Params{"eta": 0.75, "epsilon": 5.0}, 0, 0},
		} {
			p := Params{"kernel": "gaussian", "gamma": 1.0, "C": 10.0, "bias": true}
			for name, v := range test.with {
				p[name] = v
			}
			l, err := NewSparse(of(TaskSparse, id), env, p)
			if err != nil {
				t.Fatal(err)
			}
			for range 1000 {
				if l.Step().Stop() {
					break
				}
			}
			var e sparse.Expansion
			l.ExpansionTo(&e)
			if l.Support() != test.support || test.support > 0 && math.Mod(e.Coef[0], test.coef) != 0 {
				t.Errorf("%s %v: %d vectors, coefficients %v", id, test.with, l.Support(), e.Coef)
			}
		}
	}
}

func TestLosses(t *testing.T) {
	t.Parallel()
	for _, e := range Algorithms(TaskLoss) {
		plain, err := NewLoss(e.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		moved, err := NewLoss(e.ID, Params{"shift": 0.25})
		if err != nil {
			t.Fatal(err)
		}
		for z := -2.0; z <= 2; z += 0.125 {
			if got, want := moved(z), plain(z-0.25); got != want {
				t.Errorf("%s moved by 1/4 is %g at %g, want %g", e.ID, got, z, want)
			}
		}
	}
	if _, err := NewLoss("cubic", nil); err == nil {
		t.Error("a loss that does not exist: no error")
	}
}
