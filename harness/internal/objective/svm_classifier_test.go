package objective

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"
)

// A classifier is stored in addition to the optimum of the same problem. It reaches its gap and is read
// back bit for bit.
func TestClassifierIsStored(t *testing.T) {
	store := memory{}
	p := cloud(4, 40, 5, 1)
	r := NewReferences(store, nil)
	for _, bias := range []bool{false, true} {
		want := wantSVM("lambda", 0.01, bias)
		plain, err := r.GetSVM(context.Background(), want, p, nil)
		if err != nil || plain.Alpha != nil {
			t.Fatalf("%+v, %v", plain, err)
		}
		want.Within = 1e-4
		got, err := r.GetSVM(context.Background(), want, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		// Compute the objectives of the coefficients at the best bias naively.
		n := p.Rows.Train()
		var sum, normSq, balance float64
		scores := make([]float64, n)
		for i, a := range got.Alpha {
			if a < 0 || a > 1/(0.01*float64(n)) {
				t.Errorf("coefficient %d is %v", i, a)
			}
			sum += a
			balance += a * p.Label(i)
			for j := range n {
				scores[j] += a * p.Label(i) * float64(p.Rows.Row(i)[j])
			}
		}
		for i, a := range got.Alpha {
			normSq += a * p.Label(i) * scores[i]
		}
		hinge := math.Inf(1)
		turns := []float64{0}
		if bias {
			turns = turns[:0]
			for i, s := range scores {
				turns = append(turns, p.Label(i)-s)
			}
			if math.Abs(balance) > 1e-9*sum {
				t.Errorf("the coefficients of the classes differ by %v", balance)
			}
		}
		for _, b := range turns {
			loss := 0.0
			for i, s := range scores {
				loss += math.Max(0, 1-p.Label(i)*(s+b)) / float64(n)
			}
			hinge = math.Min(hinge, loss)
		}
		primal, dual := 0.005*normSq+hinge, 0.01*(sum-normSq/2)
		if math.Abs(primal-got.Primal) > 1e-9 || math.Abs(dual-got.Dual) > 1e-9 || (primal-dual)/primal > 1e-4 {
			t.Errorf("bias %t: the coefficients have the objectives %v and %v; %v and %v are stored", bias, primal, dual, got.Primal, got.Dual)
		}
		if got.Iterations > plain.Iterations || got.Dual > plain.Primal || got.Primal < plain.Dual {
			t.Errorf("bias %t: the classifier is %+v, the optimum %+v", bias, got, plain)
		}
	}
	again := NewReferences(store, nil)
	want := wantSVM("lambda", 0.01, true)
	want.Within = 1e-4
	first, _ := r.GetSVM(context.Background(), want, p, nil)
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	got, err := again.GetSVM(stopped, want, p, nil)
	if err != nil || !reflect.DeepEqual(got, first) || len(store) != 4 {
		t.Errorf("read back %+v, %v, want %+v", got, err, first)
	}
	// Each gap has its own classifier.
	want.Within = 1e-3
	if _, err := again.GetSVM(stopped, want, p, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a classifier with another gap: %v", err)
	}
}

// A stored classifier without coefficients is rejected, and so is an optimum with coefficients.
func TestClassifierWithoutCoefficients(t *testing.T) {
	good := SVMReference{Solved: Solved{DatasetHash: "h"}, Kernel: "linear", Given: "lambda", Value: 1, Iterations: 1,
		SVMOptimum: SVMOptimum{Lambda: 1, Primal: 1, Dual: 1, Hinge: 1}}
	if err := good.check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*SVMReference){
		"no coefficients": func(r *SVMReference) { r.Within = 1e-4 },
		"coefficients":    func(r *SVMReference) { r.Alpha = []float64{1} },
		"too wide a gap": func(r *SVMReference) {
			r.Alpha, r.Within, r.Dual = []float64{0.75}, 1e-4, 0.75
		},
	} {
		bad := good
		change(&bad)
		if bad.check() == nil {
			t.Errorf("%s: sound", name)
		}
	}
	wide := good
	wide.Alpha, wide.Within, wide.Dual = []float64{0.75}, 0.3, 0.75
	if err := wide.check(); err != nil {
		t.Errorf("a classifier with a larger gap: %v", err)
	}
}
