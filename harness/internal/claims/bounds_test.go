package claims

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stochopt/internal/record"

	"gonum.org/v1/gonum/stat"
)

// boundRun returns a run of three points with all numbers that the bounds read.
//
// For PCA the data are the orthogonal distribution with d = 32 and k = 4. Its optimum is 0.363571918911505
// (the sum of the four largest normalised probabilities sqrt(sigma_i)). The kernel problem has R = |u| = 20
// and nu = 0.01, so the mean hinge loss of u is 0.2. The sparse problem approximates this classifier.
func boundRun(algorithm string, change func(*record.Run)) *record.Run {
	const optimum = 0.363571918911505
	r := &record.Run{
		Algorithm: algorithm, Status: record.StatusFinished, Reason: "converged: value 0.4 <= epsilon 0.5",
		Params: record.Params{
			"k": int64(4), "iterate": "average", "unrelax": "decompose", "start": "uniform", "step.schedule": "theory",
			"kernel": "gaussian", "order": "uniform", "conversion": "last",
			"eta": 0.5, "epsilon": 0.5, "relearn": false, "bias": true,
		},
		Rows: map[string]int64{"train": 1000, "test": 100},
		Facts: map[string]float64{
			"R": 20, "nu": 0.01, "u_norm": 5, "l_star": 0.01, "reference_norm": 20, "reference_hinge": 0.2,
			"reference_train_error": 0.05, "reference_support": 300,
		},
		Curve: record.Curve{
			Cost: map[string][]int64{"iterations": {1, 100, 10000}, "sum_kt": {32, 3000, 120000}},
			Metrics: map[string]map[string][]float64{
				"population": {
					"objective":     {0.1, 0.2, optimum - 0.013},
					"suboptimality": {optimum - 0.1, optimum - 0.2, 0.013},
				},
				"train": {"hinge": {1, 0.5, 0.25}, "slant": {0.5, 0.3, 0.15}},
				"test":  {"slant": {0.5, 0.32, 0.2}},
				"state": {"norm": {0.5, 12, 19}, "value": {0.9, 0.5, 0.4}, "support": {1, 50, 90}},
			},
			Spectrum: [][]float64{{1, 1, 1, 0.9, 0.1}, {1, 1, 0.8, 0.6, 0.4, 0.2}, {1, 1, 1, 0.8, 0.15, 0.04, 0.01}},
		},
	}
	if change != nil {
		change(r)
	}
	return r
}

func with(params record.Params) func(*record.Run) {
	return func(r *record.Run) { maps.Copy(r.Params, params) }
}

func fact(name string, v float64) func(*record.Run) {
	return func(r *record.Run) { r.Facts[name] = v }
}

var (
	// stepOfWarmuthKuzmin is ln(1 + sqrt(2 B/(T L*))) with B = 28 ln(32/28) = 3.738879 and L* = 0.636428.
	stepOfWarmuthKuzmin = with(record.Params{"step.schedule": "constant", "step.c": 0.0337033})
	pass                = with(record.Params{"order": "pass"})
	linearPass          = with(record.Params{"order": "pass", "kernel": "linear"})
)

// TestBounds compares values and bounds with hand calculations, and changes each parameter that a theorem
// restricts.
func TestBounds(t *testing.T) {
	t.Parallel()
	all := func(v ...float64) []float64 { return v }
	last := func(v float64) []float64 { return all(noBound, noBound, v) }
	many := func(r *record.Run) { r.Params["bias"], r.Rows["train"] = false, 1e6 }
	c := func(k float64) float64 { return (k*math.Log(1e6) + math.Log(100)) / 1e6 }
	const rounded = 1 + 1e-5 // kernel rows are of single precision
	for _, tt := range []struct {
		bound, algorithm string
		change           func(*record.Run)
		needs            string
		value, limit     []float64
	}{
		{"msg-rate", "msg", nil, "algorithm iterate step.c step.schedule unrelax", last(0.013), last(0.04)},
		{"msg-rate", "msg", with(record.Params{"iterate": "sample", "step.c": 1.0}), "", last(0.013), last(0.04)},
		{"warmuth-kuzmin-mirror-rate", "warmuth-kuzmin", nil, "algorithm iterate start step.c step.schedule unrelax",
			last(0.013), last(0.1058300524)},
		{"warmuth-kuzmin-rate", "warmuth-kuzmin", stepOfWarmuthKuzmin, "algorithm iterate start step.schedule unrelax",
			last(0.013), last(0.0323105771)},
		// 0.02 + sqrt(2 ln 20/10^4) + sqrt(8 ln 40/10^4).
		{"saa-rate", "saa", nil, "algorithm", last(0.013), last(0.0988015289)},
		{"extra-eigenvalues", "any", nil, "", last(2.0 / 3), last(0.5)},
		{"stuck", "any", nil, "", last(0.01), last(0.013)},
		{"free", "any", nil, "", last(0.013), last(0.01)},
		{"trace-concentrates", "any", nil, "", last(0.2), last(0.3)},
		// f is nu divided by the hinge loss if the norm exceeds 1, otherwise 0.
		{"sbp-average", "sbp", nil, "algorithm kernel", all(noBound, 0.05-0.02, 0.05-0.04), all(noBound, 0.31, 0.0301)},
		{"sgd-average", "sgd", nil, "algorithm iterate kernel order",
			all(noBound, 0.3, 0.05), all(noBound, 2*math.Sqrt(8)+0.2, 0.2*math.Sqrt(8)+0.002)},
		{"sgd-average-printed", "sgd", nil, "algorithm iterate kernel order",
			all(noBound, 0.3, 0.05), all(noBound, 2/math.Sqrt2+0.2, 0.2/math.Sqrt2+0.002)},
		// L = 1000 x 0.02: 20 + 2 sqrt(20) + 4, which more than one of 100 examples can exceed.
		{"perceptron-mistakes", "perceptron", func(r *record.Run) {
			pass(r)
			r.Facts["reference_hinge"], r.Facts["reference_norm"] = 0.02, 2
		}, "algorithm conversion kernel order", all(noBound, 50, noBound), all(noBound, 24+2*math.Sqrt(20), noBound)},
		{"perceptron-conversion", "perceptron", linearPass, "algorithm conversion kernel order",
			all(noBound, 0.5, noBound), all(noBound, 0.01+0.05+0.25, noBound)},
		{"perceptron-conversion", "perceptron",
			with(record.Params{"order": "pass", "kernel": "linear", "conversion": "average"}), "",
			all(noBound, 0.51, noBound), all(noBound, 0.01+0.05+0.25, noBound)},
		{"sparsify-steps", "sparsify", nil, "algorithm kernel", last(10000), last(1600 * rounded)},
		{"sparsify-steps", "sparsify-aggressive", with(record.Params{"relearn": true}), "",
			last(10000), last(800 * rounded)},
		// 400/(1/4 x (2/3 - 1/4)).
		{"sparsify-steps", "sparsify-smooth", with(record.Params{"eta": 0.25, "epsilon": 1.0 / 3}), "",
			last(10000), last(3840 * rounded)},
		{"sparsify-support", "sparsify", many, "algorithm kernel", last(90), last(1600 * rounded)},
		{"sparsify-norm", "sparsify", nil, "algorithm kernel",
			all(0.5, 12, 19), all(40*rounded, 40*rounded, 40*rounded)},
		{"sparsify-norm-constraint", "sparsify-smooth", nil, "algorithm",
			all(0.5, 12, 19), all(20*rounded, 20*rounded, 20*rounded)},
		{"sparsify-slant", "sparsify", nil, "algorithm", all(noBound, 0.3, 0.15), all(noBound, 0.200012, 0.200012)},
		{"sparsify-slant", "sparsify-aggressive", nil, "", last(0.15), last(0.200012)},
		{"perceptron-support", "perceptron-separable", nil, "algorithm kernel",
			all(1, 50, 90), all(400*rounded, 400*rounded, 400*rounded)},
		{"sparsify-sbp-support", "sparsify-sbp", many, "algorithm epsilon eta kernel",
			all(1, 50, 90), all(6400*rounded, 6400*rounded, 6400*rounded)},
		{"compression", "sparsify", many, "algorithm bias", all(0.5, 0.32, noBound),
			all(0.5+math.Sqrt(16*c(1))+8*c(1), 0.3+math.Sqrt(9.6*c(100))+8*c(100), noBound)},
		{"reference-errors-support", "csvm", nil, "", last(0.05), last(0.3)},
	} {
		b := bounds()[tt.bound]
		points, err := b.along(boundRun(tt.algorithm, tt.change))
		if err != nil {
			t.Fatalf("%s: %v", tt.bound, err)
		}
		value, limit := all(noBound, noBound, noBound), all(noBound, noBound, noBound)
		for _, p := range points {
			value[p.index], limit[p.index] = p.value, p.limit
		}
		for i, want := range tt.limit {
			differ := math.Abs(limit[i]-want) > 1e-9*(1+want) || math.Abs(value[i]-tt.value[i]) > 1e-9
			if differ || (limit[i] == noBound) != (want == noBound) {
				t.Errorf("%s at %d: %v <= %v, want %v <= %v", tt.bound, i, value[i], limit[i], tt.value[i], want)
			}
		}
		for name := range strings.FieldsSeq(tt.needs) {
			r := boundRun(tt.algorithm, tt.change)
			if r.Params[name] = "something-else"; name == record.VarAlgorithm {
				r.Algorithm = "something-else"
			}
			if _, err := b.along(r); err == nil || !strings.Contains(err.Error(), name+" is something-else") {
				t.Errorf("%s with another %s: %v", tt.bound, name, err)
			}
		}
	}
}

// TestBoundsRefuseRuns changes runs so that a bound does not apply to them.
func TestBoundsRefuseRuns(t *testing.T) {
	t.Parallel()
	const never = "no recorded point could contradict the bound"
	noRankAboveK := func(r *record.Run) { r.Curve.Spectrum = [][]float64{{1, 0.9}, {1}, {1, 1}} }
	for _, tt := range []struct {
		bound, algorithm string
		change           func(*record.Run)
		want             string
	}{
		{"msg-rate", "msg", func(r *record.Run) { delete(r.Params, "k") }, "no fact or parameter k"},
		{"msg-rate", "msg", func(r *record.Run) { delete(r.Curve.Metrics, "population") },
			"no suboptimality on record for the split population"},
		{"warmuth-kuzmin-mirror-rate", "warmuth-kuzmin", func(r *record.Run) { r.Curve.Cost["iterations"][0] = 2 },
			"no rank after the first iteration"},
		{"warmuth-kuzmin-mirror-rate", "warmuth-kuzmin", func(r *record.Run) { r.Curve.Cost["sum_kt"][0] = 4 },
			"did not start at I/d"},
		{"warmuth-kuzmin-rate", "warmuth-kuzmin", with(record.Params{"step.schedule": "constant", "step.c": 0.03}),
			"the step size is 0.03, but the bound needs ln(1 + sqrt(2B/(T L*))) = 0.033703"},
		{"warmuth-kuzmin-rate", "warmuth-kuzmin", func(r *record.Run) {
			stepOfWarmuthKuzmin(r)
			r.Curve.Metrics["population"]["objective"][2] = 1.1
		}, "E|x|^2 is above 1"},
		{"extra-eigenvalues", "any", noRankAboveK, "no iterate has a rank above k"},
		{"trace-concentrates", "any", noRankAboveK, "no iterate has a rank above k"},
		{"trace-concentrates", "any", func(r *record.Run) { r.Curve.Spectrum = nil }, "no record of the eigenvalues"},
		{"plateau", "any", func(r *record.Run) { r.Curve.Metrics = nil }, "no record of suboptimality"},
		{"sbp-average", "sbp", fact("nu", 3e-14), "nu is 3e-14, too small"},
		{"sbp-average", "sbp", fact("R", -1), "R is -1, outside the range"},
		{"sbp-average", "sbp", func(r *record.Run) { r.Curve.Cost = nil }, never},
		{"sgd-average", "sgd", fact("R", 10), "the norm of the optimum is 20, R = 10"},
		{"perceptron-mistakes", "perceptron", func(r *record.Run) { pass(r); r.Rows = nil }, never},
		{"perceptron-conversion", "perceptron", func(r *record.Run) { linearPass(r); r.Rows = nil }, never},
		{"sparsify-steps", "sparsify", with(record.Params{"eta": 1.0}), "needs eta < 2 epsilon = 1"},
		{"sparsify-norm", "sparsify", with(record.Params{"epsilon": 0.25}), "needs eta < 2 epsilon = 0.5"},
		{"sparsify-slant", "sparsify-aggressive", func(r *record.Run) { r.Reason = "budget of 300 iterations" }, never},
		{"compression", "sparsify", with(record.Params{"bias": false}), never},
		// A bound that no run could exceed does not count: an optimum of 0.36, 90 mistakes in 100 steps, an error of 1.
		{"msg-rate", "msg", func(r *record.Run) { r.Curve.Cost["iterations"][2] = 100 }, never},
		{"warmuth-kuzmin-mirror-rate", "warmuth-kuzmin", func(r *record.Run) { r.Curve.Cost["iterations"][2] = 200 }, never},
		{"saa-rate", "saa", func(r *record.Run) { r.Curve.Cost["iterations"][2] = 200 }, never},
		{"warmuth-kuzmin-rate", "warmuth-kuzmin", func(r *record.Run) {
			r.Curve.Cost["iterations"][2] = 10
			stepOfWarmuthKuzmin(r)
			r.Params["step.c"] = 0.7342 // ln(1 + sqrt(2 B/(10 L*)))
		}, never},
		{"sbp-average", "sbp", func(r *record.Run) { r.Curve.Cost["iterations"] = []int64{1, 2, 3} }, never},
		{"sgd-average", "sgd", func(r *record.Run) { r.Curve.Cost["iterations"] = []int64{1, 2, 3} }, never},
		{"perceptron-mistakes", "perceptron", pass, never},
		{"perceptron-conversion", "perceptron", func(r *record.Run) { linearPass(r); r.Facts["l_star"] = 0.9 }, never},
		{"sparsify-support", "sparsify", fact("reference_norm", 32), never},
		{"perceptron-support", "perceptron-separable", fact("reference_norm", 32), never},
		{"sparsify-sbp-support", "sparsify-sbp", nil, never},
		{"sparsify-slant", "sparsify", fact("reference_hinge", 1), never},
		{"reference-errors-support", "csvm", fact("reference_support", 1000), never},
	} {
		_, err := bounds()[tt.bound].along(boundRun(tt.algorithm, tt.change))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.bound, err, tt.want)
		}
	}
}

func TestBoundPlateau(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		y    []float64
		want float64
	}{
		{"from 10 to 40, then on", []float64{1, 1, 0.5, 0.5, 0.48, 0.46, 0.1, 0.01}, 2.0 / 4},
		{"no return", []float64{1, 1, 0.5, 0.5, 0.48, 0.46, 0.2, 0.1}, 2},
		{"the start only", []float64{1, 1, 0.8, 0.4, 0.2, 0.1, 0.05, 0.001}, 2},
		{"up and down", []float64{1, 1, 0.5, 0.1, 0.5, 0.1, 0.5, 0.001}, 2},
		{"late and short", []float64{1, 0.9, 0.5, 0.3, 0.2, 0.1, 0.1, 0.001}, 2.0 / 2},
		{"within rounding", []float64{1, 0.1, 1e-3, 1e-15, 1e-15, 1e-15, 1e-15, 1e-17}, 2},
	} {
		points, err := bounds()["plateau"].along(boundRun("any", func(r *record.Run) {
			r.Curve.Cost["iterations"] = []int64{1, 5, 10, 20, 30, 40, 80, 100}
			r.Curve.Metrics["population"]["suboptimality"] = tt.y
		}))
		if err != nil || len(points) != 1 || points[0].limit != 1 || math.Abs(points[0].value-tt.want) > 1e-12 {
			t.Errorf("%s: %+v, %v; want %v", tt.name, points, err, tt.want)
		}
	}
}

// TestExponentsOfBounds compares the exponents of 1/epsilon that the configurations allow with the
// least-squares slopes of the bounds at the errors of their tables, for L* = 0.01 and the norm R
// sqrt(log2(1/epsilon)).
func TestExponentsOfBounds(t *testing.T) {
	t.Parallel()
	type exponents struct{ rate, factors, norms float64 }
	for _, tt := range []struct {
		config, claims string
		targets        []float64
		want           map[string]exponents
	}{
		{"svm-bounds", `exponent: \{series: ([a-z]+), table: [a-z-]+, column: ([ks])_epsilon, between: \[null, ([0-9.]+)\]\}`,
			[]float64{0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.0175}, map[string]exponents{
				"sbp k": {1, 3, 4}, "sgd k": {3, 1, 4}, "pegasos k": {3, 2, 4}, "sdca k": {2, 2, 4},
				"smo k": {2, 2, 4}, "perceptron k": {1, 3, 4}, "rff k": {3, 1, 4},
				"sbp s": {0, 2, 2}, "sgd s": {2, 0, 2}, "pegasos s": {2, 0, 2}, "sdca s": {1, 1, 2},
				"smo s": {1, 1, 2}, "perceptron s": {0, 2, 2},
			}},
		{"svm-sparse-bounds", `series: ([a-z]+), table: tab-bounds, column: (s)_epsilon, between: \[null, ([0-9.]+)\]`,
			[]float64{0.14, 0.1, 0.07, 0.05, 0.035, 0.025}, map[string]exponents{
				"sparsify s": {0, 0, 2}, "sbp s": {0, 2, 2}, "sgd s": {2, 0, 2}, "sdca s": {1, 1, 2},
				"smo s": {1, 1, 2}, "perceptron s": {0, 2, 2},
			}},
	} {
		file, err := os.ReadFile("../../../configs/" + tt.config + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		text := string(file)
		targets := "targets: [" + strings.Trim(strings.ReplaceAll(fmt.Sprint(tt.targets), " ", ", "), "[]") + "]"
		if !strings.Contains(text, targets) || !strings.Contains(text, "noise: 0.005") {
			t.Fatalf("%s: the errors of the tables, or L*, have changed", tt.config)
		}
		slope := func(of exponents) float64 {
			var x, y []float64
			for _, eps := range tt.targets {
				x = append(x, math.Log(1/eps))
				norms := math.Pow(math.Log2(1/eps), of.norms/2)
				y = append(y, math.Log(math.Pow((0.01+eps)/eps, of.factors)*norms*math.Pow(eps, -of.rate)))
			}
			_, b := stat.LinearRegression(x, y, nil, false)
			return b
		}
		found := regexp.MustCompile(tt.claims).FindAllStringSubmatch(text, -1)
		for _, m := range found {
			name := m[1] + " " + m[2]
			of, known := tt.want[name]
			got, err := strconv.ParseFloat(m[3], 64)
			if !known || err != nil || math.Abs(got-slope(of)) > 0.00501 {
				t.Errorf("%s, %s: at most %v, want %v", tt.config, name, m[3], slope(of))
			}
		}
		if len(found) != len(tt.want) {
			t.Errorf("%s: %d exponents of 1/epsilon, want %d", tt.config, len(found), len(tt.want))
		}
	}
}
