package claims

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"

	"gonum.org/v1/gonum/stat"
)

// sparsifyRun is a run of three points of an approximation of a classifier with
// |w| = 10 and a mean hinge loss of 0.2.
func sparsifyRun(algorithm string, change func(*record.Run)) *record.Run {
	r := &record.Run{
		Algorithm: algorithm, Status: record.StatusFinished, Reason: "converged: value 0.4 <= epsilon 0.5 after 300 steps",
		Params: record.Params{"kernel": "gaussian", "eta": 0.5, "epsilon": 0.5, "relearn": false, "bias": true},
		Rows:   map[string]int64{"train": 1000, "test": 100},
		Facts:  map[string]float64{"reference_norm": 10, "reference_hinge": 0.2, "reference_train_error": 0.05, "reference_support": 300},
		Curve: record.Curve{
			Cost: map[string][]int64{"iterations": {1, 100, 300}},
			Metrics: map[string]map[string][]float64{
				"train": {"slant": {0.5, 0.3, 0.15}},
				"test":  {"slant": {0.5, 0.32, 0.2}},
				"state": {"norm": {0.5, 7, 12}, "value": {0.9, 0.5, 0.4}, "support": {1, 60, 90}},
			},
		},
	}
	if change != nil {
		change(r)
	}
	return r
}

func setParams(params record.Params) func(*record.Run) {
	return func(r *record.Run) {
		for name, v := range params {
			r.Params[name] = v
		}
	}
}

func TestBoundsSparse(t *testing.T) {
	t.Parallel()
	pairs := setParams(record.Params{"relearn": true})
	many := func(r *record.Run) { r.Params["bias"], r.Rows["train"] = false, 1e6 }
	c := func(k float64) float64 { return (k*math.Log(1e6) + math.Log(100)) / 1e6 }
	for _, tt := range []struct {
		bound        string
		run          *record.Run
		at           []int
		value, limit []float64
	}{
		{"sparsify-steps", sparsifyRun("sparsify", nil), []int{2}, []float64{300}, []float64{400}},
		{"sparsify-steps", sparsifyRun("sparsify-aggressive", pairs), []int{2}, []float64{300}, []float64{200}},
		// 100/(1/4 x (2/3 - 1/4)).
		{"sparsify-steps", sparsifyRun("sparsify-smooth", setParams(record.Params{"eta": 0.25, "epsilon": 1.0 / 3})), []int{2}, []float64{300}, []float64{960}},
		{"sparsify-support", sparsifyRun("sparsify", nil), []int{2}, []float64{90}, []float64{400}},
		{"sparsify-support", sparsifyRun("sparsify", pairs), []int{2}, []float64{90}, []float64{400}},
		{"sparsify-norm", sparsifyRun("sparsify", nil), []int{0, 1, 2}, []float64{0.5, 7, 12}, []float64{20, 20, 20}},
		{"sparsify-norm-constraint", sparsifyRun("sparsify-smooth", nil), []int{0, 1, 2}, []float64{0.5, 7, 12}, []float64{10, 10, 10}},
		{"sparsify-slant", sparsifyRun("sparsify", nil), []int{1, 2}, []float64{0.3, 0.15}, []float64{0.2, 0.2}},
		{"sparsify-slant", sparsifyRun("sparsify-aggressive", nil), []int{2}, []float64{0.15}, []float64{0.2}},
		{"compression", sparsifyRun("sparsify", many), []int{0, 1, 2}, []float64{0.5, 0.32, 0.2}, []float64{
			0.5 + math.Sqrt(16*c(1)) + 8*c(1), 0.3 + math.Sqrt(9.6*c(100)) + 8*c(100), 0.15 + math.Sqrt(4.8*c(300)) + 8*c(300),
		}},
		{"reference-errors-support", sparsifyRun("csvm", nil), []int{2}, []float64{0.05}, []float64{0.3}},
	} {
		b, ok := bounds()[tt.bound]
		if !ok || b.form != everyRun {
			t.Fatalf("no bound %q of every run", tt.bound)
		}
		at, value, limit, err := evaluated(b, tt.run)
		if err != nil || !slices.Equal(at, tt.at) || len(value) != len(at) || len(limit) != len(at) {
			t.Fatalf("%s: at %v, %v <= %v, %v", tt.bound, at, value, limit, err)
		}
		for i := range at {
			if math.Abs(value[i]-tt.value[i]) > 1e-6 || math.Abs(limit[i]-tt.limit[i]) > 1e-4*(1+math.Abs(tt.limit[i])) {
				t.Errorf("%s at %d: %.7f <= %.7f, want %.7f <= %.7f", tt.bound, at[i], value[i], limit[i], tt.value[i], tt.limit[i])
			}
		}
	}
}

func TestBoundsSparseHypotheses(t *testing.T) {
	t.Parallel()
	lacks := func(fact string) func(*record.Run) {
		return func(r *record.Run) { delete(r.Facts, fact) }
	}
	for _, tt := range []struct {
		bound, algorithm string
		change           func(*record.Run)
		want             string
	}{
		{"sparsify-steps", "rsvm", nil, "algorithm is rsvm, but the bound needs sparsify or sparsify-aggressive or sparsify-smooth"},
		{"sparsify-steps", "sparsify", setParams(record.Params{"eta": 1.0}), "eta is 1, but the bound needs eta < 2 epsilon = 1"},
		{"sparsify-steps", "sparsify", setParams(record.Params{"kernel": "linear"}), "kernel is linear"},
		{"sparsify-steps", "sparsify", setParams(record.Params{"eta": "large"}), "no fact or parameter eta"},
		{"sparsify-steps", "sparsify", lacks("reference_norm"), "no fact or parameter reference_norm"},
		{"sparsify-steps", "sparsify", func(r *record.Run) { r.Curve.Cost = nil }, "no point on record"},
		{"sparsify-support", "sparsify", setParams(record.Params{"epsilon": 0.25}), "needs eta < 2 epsilon"},
		{"sparsify-support", "sparsify", func(r *record.Run) { delete(r.Curve.Metrics, "state") }, "no support on record"},
		{"sparsify-norm", "sparsify", setParams(record.Params{"eta": 2.0}), "needs eta < 2 epsilon"},
		{"sparsify-norm", "sparsify", func(r *record.Run) { delete(r.Curve.Metrics, "state") }, "no norm on record"},
		{"sparsify-norm-constraint", "sparsify", nil, "algorithm is sparsify, but the bound needs sparsify-smooth"},
		{"sparsify-slant", "sparsify", lacks("reference_hinge"), "no fact or parameter reference_hinge"},
		{"sparsify-slant", "sparsify", func(r *record.Run) { r.Curve.Metrics["state"]["value"] = []float64{0.9, 0.8, 0.7} }, "there is no bound at any recorded point"},
		{"sparsify-slant", "sparsify-aggressive", func(r *record.Run) { r.Reason = "budget of 300 iterations" }, "there is no bound at any recorded point"},
		{"compression", "sparsify", nil, "bias is true"},
		{"compression", "sparsify", func(r *record.Run) { r.Params["bias"], r.Curve.Cost["iterations"] = false, []int64{501, 600, 700} }, "there is no bound at any recorded point"},
		{"compression", "sparsify", setParams(record.Params{"bias": false}), "there is no bound at any recorded point"},
		{"reference-errors-support", "sparsify", lacks("reference_support"), "no fact or parameter reference_support"},
		{"reference-errors-support", "sparsify", func(r *record.Run) { r.Curve.Cost = nil }, "no point on record"},
	} {
		b := bounds()[tt.bound]
		_, _, _, err := evaluated(b, sparsifyRun(tt.algorithm, tt.change))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s of %s: %v, want %q", tt.bound, tt.algorithm, err, tt.want)
		}
	}
}

// The exponents of 1/epsilon that configs/svm-sparse-bounds.yaml allows are the
// least-squares slopes of the bounds, with L* = 0.01 and the norm R sqrt(log2(1/epsilon)),
// at the errors of its table.
func TestExponentsOfSparseBounds(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../configs/svm-sparse-bounds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), "targets: [0.14, 0.1, 0.07, 0.05, 0.035, 0.025]") != 3 || !strings.Contains(string(text), "noise: 0.005") {
		t.Fatal("the errors of the table, or L*, have changed")
	}
	slope := func(rate, factors float64) string {
		const optimum = 0.01
		var x, y []float64
		for _, eps := range []float64{0.14, 0.1, 0.07, 0.05, 0.035, 0.025} {
			x = append(x, math.Log(1/eps))
			y = append(y, math.Log(math.Pow((optimum+eps)/eps, factors)*math.Log2(1/eps)*math.Pow(eps, -rate)))
		}
		_, b := stat.LinearRegression(x, y, nil, false)
		return fmt.Sprintf("%.3f", b)
	}
	allowed := make(map[string]string)
	for _, m := range regexp.MustCompile(`series: ([a-z]+), table: tab-bounds, column: s_epsilon, between: \[null, ([0-9.]+)\]`).FindAllStringSubmatch(string(text), -1) {
		allowed[m[1]] = m[2]
	}
	want := map[string]string{
		"sparsify": slope(0, 0), "sbp": slope(0, 2), "sgd": slope(2, 0), "sdca": slope(1, 1), "smo": slope(1, 1), "perceptron": slope(0, 2),
	}
	if fmt.Sprint(allowed) != fmt.Sprint(want) {
		t.Errorf("at most %v, want %v", allowed, want)
	}
}
