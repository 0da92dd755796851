package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"stochopt/algorithms/svm"
)

func wantSVM(given string, value float64, bias bool) SVMReference {
	return SVMReference{Solved: Solved{Dataset: "d", DatasetHash: "h", Split: "", Repeat: -1}, Kernel: "k", Version: 1, Bias: bias, Given: given, Value: value}
}

func solveSVM(t *testing.T, p svm.Problem, given string, value float64, bias bool) *SVMReference {
	t.Helper()
	r := NewReferences(memory{}, nil)
	ref, err := r.GetSVM(context.Background(), wantSVM(given, value, bias), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestReferencesOfSVMsAreTheOptimum(t *testing.T) {
	for _, bias := range []bool{false, true} {
		for i, lambda := range []float64{1e-3, 0.1, 20} {
			t.Run(fmt.Sprintf("lambda=%g bias=%t", lambda, bias), func(t *testing.T) {
				p := cloud(uint64(i), 40, 5, 1)
				ref := solveSVM(t, p, "lambda", lambda, bias)
				want, norm, hinge := (&oracle{p: p, lambda: lambda}).solve(bias)
				if ref.Dual > want+1e-9 || ref.Primal < want-1e-9 || ref.Gap() > 1e-6 || ref.Primal-ref.Dual > 1e-6*ref.Primal {
					t.Errorf("the optimum is %.12g, the reference has [%.12g, %.12g], gap %g", want, ref.Dual, ref.Primal, ref.Gap())
				}
				if math.Abs(ref.Norm-norm) > 2e-3*norm || math.Abs(ref.Hinge-hinge) > 2e-3*hinge {
					t.Errorf("|w| = %g and hinge loss %g, want %g and %g", ref.Norm, ref.Hinge, norm, hinge)
				}
				if ref.Nu() != ref.Hinge/ref.Norm || ref.Lambda != lambda || ref.Iterations < 1 || ref.Method != "smo" {
					t.Errorf("%+v", ref)
				}
				again := solveSVM(t, p, "lambda", lambda, bias)
				if !reflect.DeepEqual(again, ref) {
					t.Errorf("solved again: %+v, before %+v", again, ref)
				}
			})
		}
	}
}

// If the classes are separable, the hinge loss and nu are tiny or zero.
func TestReferenceOfSeparableClasses(t *testing.T) {
	p := cloud(3, 40, 0, 12)
	ref := solveSVM(t, p, "lambda", 1e-5, true)
	_, norm, _ := (&oracle{p: p, lambda: 1e-5}).solve(true)
	if ref.Gap() > 1e-6 || ref.Hinge > 1e-6*ref.Primal || math.Abs(ref.Norm-norm) > 1e-4*norm {
		t.Errorf("%+v, want |w| = %g and no loss", ref, norm)
	}
}

// Computing nu or R from lambda, and lambda from nu or R, returns the original lambda up to the stated
// accuracy.
func TestInverseProblem(t *testing.T) {
	for _, bias := range []bool{false, true} {
		p := cloud(5, 40, 0, 1)
		for _, lambda := range []float64{3e-4, 0.7, 30} {
			direct := solveSVM(t, p, "lambda", lambda, bias)
			for given, value := range map[string]float64{"nu": direct.Nu(), "R": direct.Norm} {
				ref := solveSVM(t, p, given, value, bias)
				got := map[string]float64{"nu": ref.Nu(), "R": ref.Norm}[given]
				if math.Abs(got/value-1) > 1.0001e-4 || ref.Gap() > 1e-6 {
					t.Errorf("bias %t, %s = %g: the optimum found has %g, gap %g", bias, given, value, got, ref.Gap())
				}
				// The optimum is flat, so lambda is less accurate.
				if math.Abs(math.Log(ref.Lambda/lambda)) > 0.05 {
					t.Errorf("bias %t, %s = %g: lambda = %g, want %g", bias, given, value, ref.Lambda, lambda)
				}
				if ref.Given != given || ref.Value != value {
					t.Errorf("%+v", ref)
				}
			}
		}
	}
}

func TestInverseProblemOutOfRange(t *testing.T) {
	linear := &matrix{n: 4, diag: []float64{1, 1, 1, 4}, rows: [][]float32{{1, 1, 1, 2}, {1, 1, 1, 2}, {1, 1, 1, 2}, {2, 2, 2, 4}}}
	p := svm.Problem{Rows: linear, Positive: 2}
	r := NewReferences(memory{}, nil)
	// With x = 1, 1, 1, 2 and y = 1, 1, -1, -1, the mean hinge loss is smallest at w = 0.
	for _, want := range []SVMReference{
		wantSVM("nu", 0, false), wantSVM("R", math.Inf(1), false), wantSVM("R", 1e3, false), wantSVM("nu", 1e-9, false),
	} {
		if ref, err := r.GetSVM(context.Background(), want, p, nil); err == nil {
			t.Errorf("%s = %g: the optimum is %+v", want.Given, want.Value, ref)
		}
	}
}

// A stored reference is read back unchanged and is not used for another problem.
func TestReferencesServeTheirProblem(t *testing.T) {
	store := memory{}
	r := NewReferences(store, nil)
	first, err := r.GetSVM(context.Background(), wantSVM("lambda", 0.1, true), cloud(1, 30, 0, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	r = NewReferences(store, nil)
	kept, err := r.GetSVM(context.Background(), wantSVM("lambda", 0.1, true), svm.Problem{}, nil)
	if err != nil || !reflect.DeepEqual(kept, first) {
		t.Errorf("read back %+v, %v, want %+v", kept, err, first)
	}
	for i, change := range []func(*SVMReference){
		func(s *SVMReference) { s.DatasetHash = "x" }, func(s *SVMReference) { s.Split = "x" }, func(s *SVMReference) { s.Repeat = 1 },
		func(s *SVMReference) { s.Seed = 1 }, func(s *SVMReference) { s.Kernel = "x" }, func(s *SVMReference) { s.Version = 2 },
		func(s *SVMReference) { s.Value = 0.2 }, func(s *SVMReference) { s.Bias = false }, func(s *SVMReference) { s.Given = "R" },
		func(s *SVMReference) { s.Within = 1e-4 },
	} {
		other := wantSVM("lambda", 0.1, true)
		change(&other)
		if r.find(other.id()) != nil {
			t.Errorf("changed problem %d uses the stored reference", i)
		}
	}
}

// If only rounding separates the bounds, they are still ordered. Otherwise the stored reference would
// be rejected.
func TestReferencesThatAreExact(t *testing.T) {
	store := memory{}
	r := NewReferences(store, nil)
	var want []SVMReference
	for seed := range uint64(12) {
		// All alpha are at their upper bound.
		w := wantSVM("lambda", 50+float64(seed), false)
		ref, err := r.GetSVM(context.Background(), w, cloud(seed, 12, 0, 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !(ref.Dual <= ref.Primal) || ref.Gap() < 0 {
			t.Errorf("the optimum is in [%v, %v], gap %v", ref.Dual, ref.Primal, ref.Gap())
		}
		want = append(want, w)
	}
	r = NewReferences(store, nil)
	for _, w := range want {
		if r.find(w.id()) == nil {
			t.Errorf("the reference at lambda = %v is lost", w.Value)
		}
	}
}

func TestReferenceStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := NewReferences(memory{}, nil)
	if _, err := r.GetSVM(ctx, wantSVM("lambda", 0.1, false), cloud(1, 30, 0, 1), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want context.Canceled", err)
	}
}

// A problem that takes too many steps ends with an error.
func TestReferenceThatTakesTooLong(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a million steps")
	}
	// The unit vectors against their sums: each step changes coefficients by about 1, but they must
	// reach 1e12.
	x := [][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}}
	m := &matrix{n: len(x)}
	for i, a := range x {
		var row []float32
		for _, b := range x {
			row = append(row, a[0]*b[0]+a[1]*b[1]+a[2]*b[2])
		}
		m.rows, m.diag = append(m.rows, row), append(m.diag, float64(row[i]))
	}
	p := svm.Problem{Positive: 3, Rows: m}
	r := NewReferences(memory{}, nil)
	for _, want := range []SVMReference{wantSVM("lambda", 1e-13, false), wantSVM("nu", 1e-12, false)} {
		if ref, err := r.GetSVM(context.Background(), want, p, nil); err == nil {
			t.Errorf("%s = %g: the optimum is %+v", want.Given, want.Value, ref)
		}
	}
}
