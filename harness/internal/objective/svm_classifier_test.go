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
		// Compute the dual objective of the coefficients naively.
		n := p.Rows.Train()
		var sum, normSq, balance float64
		for i, a := range got.Alpha {
			if a < 0 || a > 1/(0.01*float64(n)) {
				t.Errorf("coefficient %d is %v", i, a)
			}
			sum += a
			balance += a * p.Label(i)
			for j, b := range got.Alpha {
				normSq += a * b * p.Label(i) * p.Label(j) * float64(p.Rows.Row(i)[j])
			}
		}
		dual := 0.01 * (sum - normSq/2)
		if math.Abs(dual-got.Dual) > 1e-9 || math.Abs(math.Sqrt(normSq)-got.Norm) > 1e-9 || got.Gap() > 1e-4 {
			t.Errorf("bias %t: the coefficients give the dual %v and |w|^2 = %v; stored is %+v", bias, dual, normSq, got)
		}
		if bias && math.Abs(balance) > 1e-9*sum {
			t.Errorf("the coefficients of the classes differ by %v", balance)
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
