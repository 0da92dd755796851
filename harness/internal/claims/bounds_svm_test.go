package claims

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/internal/record"

	"gonum.org/v1/gonum/stat"
)

// svmBoundRun is a run of three points on a problem with R = |u| = 20, nu = 0.01 and
// so a mean hinge loss of u of 0.2.
func svmBoundRun(algorithm string, change func(*record.Run)) *record.Run {
	r := &record.Run{
		Algorithm: algorithm, Status: record.StatusFinished,
		Params: record.Params{"kernel": "gaussian", "iterate": "average", "order": "uniform"},
		Rows:   map[string]int64{"train": 1000, "test": 100},
		Facts:  map[string]float64{"R": 20, "nu": 0.01, "lambda": 0.001, "reference_norm": 20, "reference_hinge": 0.2},
		Curve: record.Curve{
			Cost: map[string][]int64{"iterations": {1, 100, 10000}},
			Metrics: map[string]map[string][]float64{
				"train": {"hinge": {1, 0.5, 0.25}, "error": {0.5, 0.3, 0.1}},
				"test":  {"error": {0.5, 0.3, 0.1}},
				"state": {"norm": {0.5, 12, 19}, "suboptimality": {0.8, 0.3, 0.01}, "support": {1, 50, 600}},
			},
		},
	}
	if change != nil {
		change(r)
	}
	return r
}

func perceptronPass(conversion string) func(*record.Run) {
	return func(r *record.Run) {
		r.Params["order"], r.Params["conversion"] = "pass", conversion
		r.Facts["u_norm"], r.Facts["l_star"] = 5, 0.01
	}
}

func TestBoundsSVM(t *testing.T) {
	t.Parallel()
	linear := func(conversion string) func(*record.Run) {
		return func(r *record.Run) {
			perceptronPass(conversion)(r)
			r.Params["kernel"] = "linear"
		}
	}
	for _, c := range []struct {
		bound        string
		run          *record.Run
		at           []int
		value, limit []float64
	}{
		// f is nu over the hinge loss where the norm is above 1, else 0.
		{"sbp-average", svmBoundRun("sbp", nil), []int{0, 1, 2}, []float64{0.05, 0.05 - 0.02, 0.05 - 0.04}, []float64{4, 0.31, 0.0301}},
		{"sgd-average", svmBoundRun("sgd", nil), []int{0, 1, 2}, []float64{0.8, 0.3, 0.05}, []float64{20*math.Sqrt(8) + 20, 2*math.Sqrt(8) + 0.2, 0.2*math.Sqrt(8) + 0.002}},
		{"sgd-average-printed", svmBoundRun("sgd", nil), []int{0, 1, 2}, []float64{0.8, 0.3, 0.05}, []float64{20/math.Sqrt2 + 20, 2/math.Sqrt2 + 0.2, 0.2/math.Sqrt2 + 0.002}},
		// L = 1000 x 0.2: 200 + 20 sqrt(200) + 400.
		{"perceptron-mistakes", svmBoundRun("perceptron", perceptronPass("last")), []int{0, 1}, []float64{1, 50}, []float64{882.842712, 882.842712}},
		{"perceptron-conversion", svmBoundRun("perceptron", linear("last")), []int{0, 1}, []float64{1, 0.5}, []float64{0.01 + 0.5 + 25, 0.01 + 0.05 + 0.25}},
		{"perceptron-conversion", svmBoundRun("perceptron", linear("average")), []int{0, 1}, []float64{2, 0.51}, []float64{0.01 + 0.5 + 25, 0.01 + 0.05 + 0.25}},
	} {
		b, ok := bounds()[c.bound]
		if !ok {
			t.Fatalf("no bound %q", c.bound)
		}
		at, value, limit, err := evaluated(b, c.run)
		if err != nil || !slices.Equal(at, c.at) || len(value) != len(at) || len(limit) != len(at) {
			t.Fatalf("%s: at %v, %v <= %v, %v", c.bound, at, value, limit, err)
		}
		for i := range at {
			if math.Abs(value[i]-c.value[i]) > 1e-6 || math.Abs(limit[i]-c.limit[i]) > 1e-6 {
				t.Errorf("%s at %d: %.7f <= %.7f, want %.7f <= %.7f", c.bound, at[i], value[i], limit[i], c.value[i], c.limit[i])
			}
		}
	}
}

func TestBoundsSVMHypotheses(t *testing.T) {
	t.Parallel()
	param := func(name string, v any) func(*record.Run) {
		return func(r *record.Run) { r.Params[name] = v }
	}
	lacks := func(fact string) func(*record.Run) {
		return func(r *record.Run) { delete(r.Facts, fact) }
	}
	both := func(a, b func(*record.Run)) func(*record.Run) {
		return func(r *record.Run) { a(r); b(r) }
	}
	for _, c := range []struct {
		bound, algorithm string
		change           func(*record.Run)
		want             string
	}{
		{"sbp-average", "sgd", nil, "algorithm is sgd, but the bound needs sbp"},
		{"sbp-average", "sbp", lacks("nu"), "no fact or parameter nu"},
		{"sbp-average", "sbp", func(r *record.Run) { r.Facts["nu"] = 3e-14 }, "nu is 3e-14, too small"},
		{"sbp-average", "sbp", param("kernel", "linear"), "kernel is linear"},
		{"sbp-average", "sbp", func(r *record.Run) { delete(r.Curve.Metrics["train"], "hinge") }, "no hinge on record"},
		{"sbp-average", "sbp", func(r *record.Run) { r.Curve.Cost = nil }, "no point on record"},
		{"sgd-average", "sgd", param("iterate", "last"), "iterate is last, but the bound needs average"},
		{"sgd-average", "sgd", param("order", "pass"), "order is pass, but the bound needs uniform"},
		{"sgd-average", "sgd", lacks("reference_hinge"), "no fact or parameter reference_hinge"},
		{"sgd-average", "sgd", func(r *record.Run) { r.Facts["R"] = 10 }, "the norm of the optimum is 20, R = 10"},
		{"perceptron-mistakes", "perceptron", perceptronPass("average"), "conversion is average"},
		{"perceptron-mistakes", "perceptron", both(perceptronPass("last"), param("order", "uniform")), "order is uniform"},
		{"perceptron-mistakes", "perceptron", both(perceptronPass("last"), func(r *record.Run) { r.Curve.Cost["iterations"] = []int64{2000, 3000, 10000} }), "there is no bound at any recorded point"},
		{"perceptron-conversion", "perceptron", perceptronPass("last"), "kernel is gaussian, but the bound needs linear"},
		{"perceptron-conversion", "perceptron", both(perceptronPass("sample"), param("kernel", "linear")), "conversion is sample"},
		{"perceptron-conversion", "perceptron", both(both(perceptronPass("last"), param("kernel", "linear")), lacks("u_norm")), "no fact or parameter u_norm"},
	} {
		b := bounds()[c.bound]
		_, _, _, err := evaluated(b, svmBoundRun(c.algorithm, c.change))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", c.bound, err, c.want)
		}
	}
}

// TestBoundsSVMAreBroken: runs that a theorem excludes break its bound.
func TestBoundsSVMAreBroken(t *testing.T) {
	t.Parallel()
	for bound, run := range map[string]*record.Run{
		// gamma = 0.01/0.5 = 0.02 after 10,000 steps, where 0.05 - 0.0301 is guaranteed.
		"sbp-average": svmBoundRun("sbp", func(r *record.Run) { r.Curve.Metrics["train"]["hinge"][2] = 0.53 }),
		// A classifier that still is not scaled has f <= 0.
		"sgd-average":         svmBoundRun("sgd", func(r *record.Run) { r.Curve.Metrics["train"]["hinge"][2] = 0.8 }),
		"perceptron-mistakes": svmBoundRun("perceptron", func(r *record.Run) { perceptronPass("last")(r); r.Curve.Metrics["state"]["support"][1] = 883 }),
		"perceptron-conversion": svmBoundRun("perceptron", func(r *record.Run) {
			perceptronPass("last")(r)
			r.Params["kernel"] = "linear"
		}),
	} {
		if holds, err := boundHolds(bound, run); err != nil || holds {
			t.Errorf("%s holds, %v", bound, err)
		}
	}
	unscaled := svmBoundRun("sbp", func(r *record.Run) { r.Curve.Metrics["state"]["norm"][2] = 0.9 })
	if holds, err := boundHolds("sbp-average", unscaled); err != nil || holds {
		t.Errorf("f <= 0 after 10,000 steps is within the bound, %v", err)
	}
}

// boundHolds reports whether a bound holds at all points of a run.
func boundHolds(name string, r *record.Run) (bool, error) {
	b, ok := bounds()[name]
	if !ok {
		return false, errors.New("no such bound")
	}
	at, value, limit, err := evaluated(b, r)
	for i := range at {
		if value[i] > limit[i] {
			return false, err
		}
	}
	return true, err
}

// TestExponentsOfSVMBounds: the exponents of 1/epsilon that configs/svm-bounds.yaml
// allows are the least-squares slopes of the bounds, with L* = 0.01 and the norm
// R sqrt(log2(1/epsilon)), at the errors of its tables.
func TestExponentsOfSVMBounds(t *testing.T) {
	t.Parallel()
	slope := func(rate, factors, norms float64) float64 {
		const optimum = 0.01
		targets := []float64{0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.0175}
		var x, y []float64
		for _, eps := range targets {
			x = append(x, math.Log(1/eps))
			y = append(y, math.Log(math.Pow((optimum+eps)/eps, factors)*math.Pow(math.Log2(1/eps), norms/2)*math.Pow(eps, -rate)))
		}
		_, b := stat.LinearRegression(x, y, nil, false)
		return b
	}
	text, err := os.ReadFile("../../../configs/svm-bounds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "targets: [0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.0175]") || !strings.Contains(string(text), "noise: 0.005") {
		t.Fatal("the errors of the tables, or L*, have changed")
	}
	allowed := make(map[string][]string)
	for _, m := range regexp.MustCompile(`exponent: \{series: ([a-z]+), table: [a-z-]+, column: ([ks]_epsilon), between: \[null, ([0-9.]+)\]\}`).FindAllStringSubmatch(string(text), -1) {
		allowed[m[1]+" "+m[2]] = append(allowed[m[1]+" "+m[2]], m[3])
	}
	for name, want := range map[string][]float64{
		"sbp k_epsilon":        {slope(1, 3, 4)},
		"sgd k_epsilon":        {slope(3, 1, 4)},
		"pegasos k_epsilon":    {slope(3, 2, 4)},
		"sdca k_epsilon":       {slope(2, 2, 4)},
		"smo k_epsilon":        {slope(2, 2, 4)},
		"perceptron k_epsilon": {slope(1, 3, 4)},
		"rff k_epsilon":        {slope(3, 1, 4)},
		"sbp s_epsilon":        {slope(0, 2, 2)},
		"sgd s_epsilon":        {slope(2, 0, 2)},
		"pegasos s_epsilon":    {slope(2, 0, 2)},
		"sdca s_epsilon":       {slope(1, 1, 2)},
		"smo s_epsilon":        {slope(1, 1, 2)},
		"perceptron s_epsilon": {slope(0, 2, 2)},
	} {
		var texts []string
		for _, v := range want {
			texts = append(texts, strconv.FormatFloat(math.Round(v*100)/100, 'g', -1, 64))
		}
		if got := allowed[name]; !slices.Equal(got, texts) {
			t.Errorf("%s: at most %v, want %v", name, got, texts)
		}
	}
	// The rate of the SBP is the nearest whole power, beside that of the logarithm.
	rate := slope(1, 0, 4)
	if want := fmt.Sprintf("series: sbp, table: tab-bounds, column: k_epsilon, between: [%.2f, %.2f]", rate-0.5, rate+0.5); !strings.Contains(string(text), want) {
		t.Errorf("no claim has %s", want)
	}
	if len(allowed) != 13 {
		t.Errorf("%d exponents of 1/epsilon, want 13", len(allowed))
	}
}
