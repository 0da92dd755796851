package registry

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"stochopt/harness/internal/spec"
)

// Every entry of the table works with its defaults and with every choice, asks
// for what it says it needs and no more, does not change the parameters, and
// learns.
func TestEverySVMEntryConstructsAndSteps(t *testing.T) {
	t.Parallel()
	for _, e := range Algorithms(TaskSVM) {
		t.Run(e.ID, func(t *testing.T) {
			for _, p := range svmVariants(e) {
				if err := check(TaskSVM, e.ID, p); err != nil {
					t.Errorf("%v: %v", p, err)
					continue
				}
				before := fmt.Sprint(p)
				s, asked := svmFinal(t, e.ID, p, 400)
				if fmt.Sprint(p) != before {
					t.Errorf("changed its parameters to %v", p)
				}
				need := of(TaskSVM, e.ID).Needs(p)
				if (asked["kernel"] > 0) != need.Kernel || asked["kernel"] > 1 {
					t.Errorf("%v: asks %d times for the kernel matrix, needs it: %v", p, asked["kernel"], need.Kernel)
				}
				if order := p.Text("order"); order != "" && asked["order "+order] != 1 {
					t.Errorf("%v: asks for %v", p, asked)
				}
				wrong := 0
				for j, g := range s.Scores {
					positive := j < testPositive || j >= testTrain && j%2 == 1
					if (g > 0) != positive {
						wrong++
					}
				}
				if most := 10; len(s.Scores) != testPoints || wrong > most {
					t.Errorf("%v: %d of %d points are wrong, want at most %d", p, wrong, len(s.Scores), most)
				}
				if (s.Bias != 0) != p.Bool("bias") {
					t.Errorf("%v: the bias is %v", p, s.Bias)
				}
			}
		})
	}
}

// A parameter that a spec can set must do something.
func TestSVMParametersReachTheAlgorithm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id, name string
		value    any
	}{
		{"sgd", "order", "pass"}, {"sgd", "iterate", "last"},
		{"pegasos", "order", "pass"}, {"pegasos", "iterate", "last"},
		{"sdca", "order", "pass"},
		{"sbp", "draw", "one"},
		{"smo", "tolerance", 0.3},
		{"decomposition", "size", int64(2)}, {"decomposition", "tolerance", 0.3},
		{"perceptron", "order", "uniform"}, {"perceptron", "conversion", "average"},
		{"rff", "pairs", int64(5)}, {"rff", "tolerance", 0.1}, {"rff", "sigma2", 1.0},
		{"linear-sdca", "order", "pass"}, {"linear-sdca", "tolerance", 0.1},
		{"linear-pegasos", "order", "pass"}, {"linear-pegasos", "iterate", "last"},
	} {
		e := of(TaskSVM, test.id).Algorithm
		p := svmDefaults(e)
		switch test.id {
		case "smo": // without a bias it looks only now and then whether it is done
			p["bias"] = true
		case "sbp": // without a bias there is but one way to draw
			p["bias"] = true
		case "decomposition": // with the default size a few steps solve the problem exactly
			p["size"] = int64(3)
		}
		steps := 400
		if test.id == "perceptron" {
			steps = 1 // soon it makes no mistakes
		}
		base, _ := svmFinal(t, test.id, p, steps)
		p[test.name] = test.value
		if changed, _ := svmFinal(t, test.id, p, steps); slices.Equal(base.Scores, changed.Scores) {
			t.Errorf("%s: %s = %v changes nothing", test.id, test.name, test.value)
		}
	}
}

func TestSVMEntriesAreDocumented(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, e := range Algorithms(TaskSVM) {
		if e.Title == "" || e.Source == "" || e.Version < 1 || e.Task != TaskSVM {
			t.Errorf("the entry %+v is incomplete", e)
		}
		ids = append(ids, e.ID)
		checkParams(t, e.ID, e.Params)
		for i, q := range paramsProblem {
			if got := e.Params[i]; got.Name != q.Name {
				t.Errorf("%s: parameter %d is %s, want %s", e.ID, i, got.Name, q.Name)
			}
		}
		n := of(TaskSVM, e.ID).Needs(svmDefaults(e))
		forms := 0
		for _, needed := range []bool{n.Lambda, n.Nu, n.R} {
			if needed {
				forms++
			}
		}
		if forms > 1 || n.WorkingSet < 1 {
			t.Errorf("%s needs %+v", e.ID, n)
		}
	}
	slices.Sort(ids)
	if n := len(ids); len(slices.Compact(ids)) != n {
		t.Errorf("an id is listed twice among %v", ids)
	}
}

func TestNeedsOfSVM(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id   string
		p    Params
		want Needs
	}{
		{"sbp", Params{}, Needs{Kernel: true, Nu: true, WorkingSet: 1}},
		{"sbp", Params{"bias": true}, Needs{Kernel: true, Nu: true, WorkingSet: 2}},
		{"sbp", Params{"bias": true, "draw": "one"}, Needs{Kernel: true, Nu: true, WorkingSet: 1}},
		{"sgd", nil, Needs{Kernel: true, R: true, WorkingSet: 1}},
		{"smo", nil, Needs{Kernel: true, Lambda: true, WorkingSet: 1}},
		{"smo", Params{"bias": true}, Needs{Kernel: true, Lambda: true, WorkingSet: 2}},
		{"decomposition", Params{"size": int64(7)}, Needs{Kernel: true, Lambda: true, WorkingSet: 7}},
		{"perceptron", nil, Needs{Kernel: true, WorkingSet: 1}},
		{"rff", Params{"pairs": int64(1)}, Needs{Lambda: true, Steps: 1, WorkingSet: 1}},
		{"rff", Params{"pairs": int64(1024)}, Needs{Lambda: true, Steps: 11, WorkingSet: 1}},
		{"rff", Params{"pairs": int64(1000)}, Needs{Lambda: true, Steps: 11, WorkingSet: 1}},
		{"rff", Params{"pairs": int64(1025)}, Needs{Lambda: true, Steps: 12, WorkingSet: 1}},
		{"simba", nil, Needs{Nu: true, WorkingSet: 1}},
		{"libsvm", nil, Needs{Kernel: true, Lambda: true, Steps: 1, WorkingSet: 1}},
	} {
		a := of(TaskSVM, test.id)
		if got := a.Needs(a.Resolve(test.p)); got != test.want {
			t.Errorf("%s %v needs %+v, want %+v", test.id, test.p, got, test.want)
		}
	}
	if _, err := Lookup(TaskSVM, "msg"); err == nil || err.Error() != `unknown algorithm "msg"` {
		t.Errorf("error is %v", err)
	}
	if !of(TaskSVM, "sgd").AssumesUnitNorm || of(TaskSVM, "sdca").AssumesUnitNorm {
		t.Error("the wrong algorithms assume K(x, x) <= 1")
	}
}

func TestCountsKernelEvals(t *testing.T) {
	t.Parallel()
	var without []string
	for _, e := range Algorithms(TaskSVM) {
		if !of(TaskSVM, e.ID).Needs(svmDefaults(e)).CountsKernelEvals() {
			without = append(without, e.ID)
		}
	}
	if want := []string{"rff", "linear-sdca", "linear-pegasos", "simba", "libsvm"}; !slices.Equal(without, want) {
		t.Errorf("no kernel evaluations are known of %v, want %v", without, want)
	}
}

func TestMemoryOfSVM(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id   string
		p    Params
		want int64
	}{
		{"rff", Params{"pairs": int64(1)}, 8*1000 + 24},
		{"rff", Params{"pairs": int64(8192)}, 8192 * (8*1000 + 24)},
		{"rff", Params{"pairs": int64(math.MaxInt64)}, math.MaxInt64},
		{"sbp", Params{}, 0}, {"libsvm", Params{}, 0},
	} {
		if got := of(TaskSVM, test.id).Memory(test.p, Shape{Points: 1000}); got != test.want {
			t.Errorf("%s %v takes %d bytes, want %d", test.id, test.p, got, test.want)
		}
	}
}

// The bounds on parameters are those of what is behind them.
func TestSVMParameterBounds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id, name string
		value    any
		want     string
	}{
		{"rff", "pairs", int64(1 << 19), ""},
		{"rff", "pairs", int64(1_000_000_000), "must be at most 524288, got 1000000000"},
		{"rff", "pairs", int64(0), "must be at least 1, got 0"},
		{"rff", "tolerance", 0.0, "must be more than 0, got 0"},
		{"libsvm", "tolerance", 0.0, "must be more than 0, got 0"},
		{"libsvm", "tolerance", 1e-9, ""},
		{"smo", "tolerance", 0.0, ""}, {"decomposition", "tolerance", 0.0, ""}, {"linear-sdca", "tolerance", 0.0, ""},
	} {
		e := of(TaskSVM, test.id).Algorithm
		i := slices.IndexFunc(e.Params, func(p spec.Param) bool { return p.Name == test.name })
		if _, err := e.Params[i].Coerce(test.value); fmt.Sprint(err) != test.want && !(err == nil && test.want == "") {
			t.Errorf("%s: %s = %v: %v, want %q", test.id, test.name, test.value, err, test.want)
		}
	}
}

func TestConverts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id   string
		p    Params
		want bool
	}{
		{"sbp", Params{"C": 1.0}, true}, {"sbp", Params{"lambda": 1.0}, true}, {"sbp", Params{"nu": 0.1}, false}, {"sbp", Params{"R": 1.0}, true},
		{"sgd", Params{"C": 1.0}, true}, {"sgd", Params{"nu": 0.1}, true}, {"sgd", Params{"R": 1.0}, false},
		{"sdca", Params{"C": 1.0}, false}, {"sdca", Params{"lambda": 1.0}, false}, {"sdca", Params{"nu": 0.1}, true}, {"sdca", Params{"R": 1.0}, true},
		{"perceptron", Params{"C": 1.0}, false}, {"perceptron", Params{}, false},
	} {
		if got := of(TaskSVM, test.id).Converts(test.p); got != test.want {
			t.Errorf("%s %v converts: %v, want %v", test.id, test.p, got, test.want)
		}
	}
}

func TestCompares(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id   string
		p    Params
		want bool
	}{
		{"smo", Params{"C": 1.0}, true}, {"smo", Params{"lambda": 1.0}, true},
		{"smo", Params{"nu": 0.1}, false}, {"smo", Params{"R": 1.0}, false}, {"perceptron", Params{}, false},
		// These know the optimum anyway, or have their own form.
		{"sbp", Params{"C": 1.0}, false}, {"sgd", Params{"lambda": 1.0}, false}, {"sbp", Params{"nu": 0.1}, false},
		{"rff", Params{"C": 1.0, "kernel": "gaussian"}, false},
		{"linear-sdca", Params{"C": 1.0, "kernel": "linear"}, true}, {"simba", Params{"C": 1.0, "kernel": "linear"}, false},
		{"libsvm", Params{"C": 1.0, "kernel": "gaussian"}, true},
	} {
		if got := of(TaskSVM, test.id).Compares(test.p); got != test.want {
			t.Errorf("%s %v compares: %v, want %v", test.id, test.p, got, test.want)
		}
	}
}

func TestKernelOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		p    Params
		want string
	}{
		{Params{"kernel": "gaussian", "sigma2": 25.0}, "gaussian(gamma=0.02)"},
		{Params{"kernel": "gaussian", "gamma": 0.02}, "gaussian(gamma=0.02)"},
		{Params{"kernel": "linear"}, "linear"},
		{Params{"kernel": "polynomial"}, "polynomial(degree=3, gamma=1, coef0=0)"},
		{Params{"kernel": "polynomial", "degree": int64(2), "gamma": 0.5, "coef0": 1.0}, "polynomial(degree=2, gamma=0.5, coef0=1)"},
	} {
		before := fmt.Sprint(test.p)
		k, err := KernelOf(test.p)
		if err != nil || k.String() != test.want {
			t.Errorf("%v is %v, %v; want %s", test.p, k, err, test.want)
		}
		if fmt.Sprint(test.p) != before {
			t.Errorf("%s became %v", before, test.p)
		}
	}
	if k, err := KernelOf(Params{"kernel": "sigmoid"}); err == nil {
		t.Errorf("the kernel sigmoid is %v", k)
	}
	// What is left out and what is spelled out is the same run.
	got := of(TaskSVM, "sdca").Resolve(Params{"kernel": "polynomial"})
	if want := (Params{"kernel": "polynomial", "degree": int64(3), "gamma": 1.0, "coef0": 0.0}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("resolved to %v, want %v", got, want)
	}
}

// What is left out and what is spelled out is the same run.
func TestResolveDraw(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ p, want Params }{
		{Params{"bias": false}, Params{"bias": false, "draw": "one"}},
		{Params{"bias": true}, Params{"bias": true, "draw": "pair"}},
		{Params{"bias": true, "draw": "one"}, Params{"bias": true, "draw": "one"}},
	} {
		if got := of(TaskSVM, "sbp").Resolve(test.p); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%v is resolved to %v, want %v", test.p, got, test.want)
		}
	}
}

func TestDeterministic(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, e := range Algorithms(TaskSVM) {
		if e.Deterministic {
			ids = append(ids, e.ID)
		}
	}
	if want := []string{"smo", "decomposition", "libsvm"}; !slices.Equal(ids, want) {
		t.Errorf("deterministic are %v, want %v", ids, want)
	}
	// They ask for no random numbers.
	for _, id := range ids {
		e := of(TaskSVM, id).Algorithm
		for _, p := range svmVariants(e) {
			if _, asked := svmFinal(t, id, p, 20); asked["rand"] > 0 || asked["order uniform"] > 0 || asked["order pass"] > 0 {
				t.Errorf("%s %v asks for %v", id, p, asked)
			}
		}
	}
}

func TestSVMCheck(t *testing.T) {
	t.Parallel()
	gaussian := Params{"kernel": "gaussian", "sigma2": 25.0, "C": 1.0}
	for _, test := range []struct {
		id     string
		change Params
		want   string
	}{
		{"sbp", nil, ""},
		{"sbp", Params{"bias": true}, ""},
		{"sbp", Params{"bias": true, "draw": "pair"}, ""},
		{"sbp", Params{"draw": "one"}, ""},
		{"sbp", Params{"draw": "pair"}, "draw: pair takes a point of each class, for problems with a bias; set bias: true or draw: one"},
		{"sbp", Params{"gamma": 0.02}, "both sigma2 and gamma are given, and gamma is 1/(2 sigma2); remove one of them"},
		{"sbp", Params{"sigma2": nil}, "the gaussian kernel exp(-gamma |x-x'|^2) has no width: give sigma2, or gamma = 1/(2 sigma2)"},
		{"sbp", Params{"sigma2": 1e-320}, "gaussian kernel: gamma is +Inf; it must be positive and finite (gamma = 1/(2 sigma^2))"},
		{"sbp", Params{"degree": int64(2)}, "degree is not a parameter of the gaussian kernel; remove it, or, if other algorithms need it, give it in the with of each of them"},
		{"sbp", Params{"kernel": "linear"}, "sigma2 is not a parameter of the linear kernel; remove it, or, if other algorithms need it, give it in the with of each of them"},
		{"sbp", Params{"kernel": "linear", "sigma2": nil}, ""},
		{"sbp", Params{"kernel": "polynomial", "sigma2": nil, "degree": int64(2), "gamma": 0.5}, ""},
		{"sbp", Params{"nu": 0.1}, "C and nu are forms of one parameter (C = 1/(lambda n)); give only one"},
		{"sdca", Params{"lambda": 0.1}, "C and lambda are forms of one parameter (C = 1/(lambda n)); give only one"},
		{"sbp", Params{"C": nil}, "no regularisation is given: give one of C, lambda, nu, R"},
		{"perceptron", Params{"C": nil}, ""},
		{"sbp", Params{"C": nil, "nu": 0.0}, ""},
		{"sdca", Params{"C": nil, "nu": 0.0}, "nu = 0 is a hard margin, which no C, lambda or R gives; sdca needs nu > 0"},
		{"sgd", Params{"bias": true}, "bias: true, but sgd has no unregularised bias; those that do are sbp, smo, decomposition, libsvm"},
		{"libsvm", nil, "bias: false, but libsvm always trains with an unregularised bias; set bias: true"},
		{"libsvm", Params{"bias": true}, ""},
		{"rff", Params{"kernel": "linear", "sigma2": nil}, "rff takes the gaussian kernel only, and the kernel is linear"},
		{"simba", nil, "simba solves linear SVMs, and the kernel is gaussian; set kernel: linear, or use a kernel method"},
		{"simba", Params{"kernel": "linear", "sigma2": nil}, ""},
		{"decomposition", Params{"size": int64(1)}, ""},
		{"decomposition", Params{"size": int64(1), "bias": true}, "size = 1, but with a bias coefficients change in pairs; set size: 2 or more"},
	} {
		p := maps.Clone(gaussian)
		for name, v := range test.change {
			if p[name] = v; v == nil {
				delete(p, name)
			}
		}
		err := check(TaskSVM, test.id, p)
		if got := fmt.Sprint(err); got != test.want && !(err == nil && test.want == "") {
			t.Errorf("Check(%s, %v) = %v, want %q", test.id, p, err, test.want)
		}
	}
}

// Within a task an id names one algorithm. The optimisers of the task svm are in
// svm-sparse too, where few steps make few support vectors.
func TestIDsAreUnique(t *testing.T) {
	t.Parallel()
	for _, task := range Catalog().TaskNames() {
		seen := make(map[string]bool)
		for _, e := range Algorithms(task) {
			if seen[e.ID] {
				t.Errorf("two algorithms of the task %s are called %s", task, e.ID)
			}
			seen[e.ID] = true
		}
	}
	for task, first := range map[string]string{TaskPCA: "suboptimality", TaskSVM: "error", TaskSparse: "error"} {
		if got := Catalog().Task(task).Metrics; got[0] != first {
			t.Errorf("%s selects by %s, want %s", task, got[0], first)
		}
	}
	if Catalog().Task(TaskPCA).Supervised || !Catalog().Task(TaskSVM).Supervised || !Catalog().Task(TaskSparse).Supervised {
		t.Error("the wrong tasks learn labels")
	}
	if Catalog().Task(TaskSVM).Sparse || !Catalog().Task(TaskSparse).Sparse {
		t.Error("the wrong tasks seek sparse classifiers")
	}
}
