package registry

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// of returns an existing algorithm.
func of(task, id string) *Algorithm {
	a, err := Lookup(task, id)
	if err != nil {
		panic(err)
	}
	return a
}

// check calls the catalog's check for an existing algorithm.
func check(task, id string, p Params) error { return Catalog().Task(task).Algorithm(id).Check(p) }

func TestEntriesAreDocumented(t *testing.T) {
	t.Parallel()
	shared := map[string][]spec.Param{record.TaskPCA: {paramK}, record.TaskSVM: paramsProblem, record.TaskSparse: paramsProblem}
	for _, task := range Catalog().TaskNames() {
		ids := make(map[string]bool)
		for _, e := range Algorithms(task) {
			if ids[e.ID] || e.ID == "" {
				t.Errorf("%s: the id %q is used twice", task, e.ID)
			}
			ids[e.ID] = true
			if e.Title == "" || e.Source == "" || e.Version < 1 || e.Task != task {
				t.Errorf("the entry %+v is incomplete", e)
			}
			checkParams(t, e.ID, e.Params)
			for i, q := range shared[task] {
				if got := e.Params[i]; got.Name != q.Name || got.Required != q.Required {
					t.Errorf("%s: parameter %d is %s, want %s", e.ID, i, got.Name, q.Name)
				}
			}
			a := of(task, e.ID)
			if task == record.TaskSparse && a.bias == withoutBias {
				t.Errorf("%s rejects problems with a bias, unlike the other methods", e.ID)
			}
			offers := slices.ContainsFunc(e.Params, func(p spec.Param) bool { return slices.Contains(p.Choices, "theory") })
			if offers != (a.theory != nil) {
				t.Errorf("%s: schedule theory is a choice: %v, is implemented: %v", e.ID, offers, !offers)
			}
		}
	}
}

func checkParams(t *testing.T, owner string, params []spec.Param) {
	t.Helper()
	names := make(map[string]bool)
	for _, p := range params {
		if names[p.Name] {
			t.Errorf("%s has the parameter %s twice", owner, p.Name)
		}
		names[p.Name] = true
		if p.Doc == "" || !slices.Contains([]string{"int", "float", "string", "bool"}, p.Kind) {
			t.Errorf("%s: the parameter %+v is not documented", owner, p)
		}
		if p.Default != nil {
			if v, err := p.Coerce(p.Default); err != nil || v != p.Default {
				t.Errorf("%s: the default %v of %s is %v, %v as a %s", owner, p.Default, p.Name, v, err, p.Kind)
			}
		}
		if p.Required && p.Default != nil || len(p.Choices) > 0 && p.Kind != "string" {
			t.Errorf("%s: the parameter %+v is inconsistent", owner, p)
		}
	}
}

// TestEveryKernelMethod and TestEverythingReachesTheKernelMethod test the other needs of methods.
func TestNeeds(t *testing.T) {
	t.Parallel()
	biased := Params{"bias": true}
	for _, test := range []struct {
		task, id string
		p        Params
		working  int
		steps    int64
		counts   bool
	}{
		{record.TaskSVM, "sbp", Params{}, 1, 0, true},
		{record.TaskSVM, "sbp", biased, 2, 0, true},
		{record.TaskSVM, "sbp", Params{"bias": true, "draw": "one"}, 1, 0, true},
		{record.TaskSVM, "smo", Params{}, 1, 0, true},
		{record.TaskSVM, "smo", biased, 2, 0, true},
		{record.TaskSVM, "decomposition", Params{"size": int64(7)}, 7, 0, true},
		{record.TaskSVM, "perceptron", Params{}, 1, 0, true},
		{record.TaskSVM, "rff", Params{"pairs": int64(1024)}, 1, 11, false},
		{record.TaskSVM, "rff", Params{"pairs": int64(1025)}, 1, 12, false},
		{record.TaskSVM, "simba", Params{}, 1, 0, false},
		{record.TaskSVM, "libsvm", biased, 1, 1, false},
		{record.TaskSparse, "sparsify", Params{}, 1, 0, true},
		{record.TaskSparse, "sparsify", biased, 2, 0, true},
		{record.TaskSparse, "sparsify", Params{"bias": true, "relearn": false}, 1, 0, true},
		{record.TaskSparse, "osuna-girosi", biased, 2, 0, true},
		{record.TaskSparse, "ramp", biased, 2, 0, true},
		{record.TaskSparse, "zhan-shen", biased, 2, 0, true},
		{record.TaskSparse, "spsvm", Params{"candidates": int64(5)}, 5, 0, true},
	} {
		a := of(test.task, test.id)
		n := a.Needs(a.Resolve(test.p))
		if n.WorkingSet != test.working || n.Steps != test.steps || n.CountsKernelEvals() != test.counts {
			t.Errorf("%s %v needs %+v; kernel evaluations are counted: %v", test.id, test.p, n, n.CountsKernelEvals())
		}
	}
	for pairs, want := range map[int64]int64{1: 8*1000 + 24, 8192: 8192 * (8*1000 + 24), math.MaxInt64: math.MaxInt64} {
		if got := of(record.TaskSVM, "rff").Memory(Params{"pairs": pairs}, Shape{Points: 1000}); got != want {
			t.Errorf("%d pairs take %d bytes, want %d", pairs, got, want)
		}
	}
}

// A run that converts its regularisation to another form depends on the optimum. Other runs may be
// compared with it.
func TestWhatRunsDependOn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		task, id, given             string
		converts, depends, compares bool
	}{
		{record.TaskSVM, "sbp", "C", true, true, false},
		{record.TaskSVM, "sbp", "lambda", true, true, false},
		{record.TaskSVM, "sbp", "nu", false, false, false},
		{record.TaskSVM, "sbp", "R", true, true, false},
		{record.TaskSVM, "sgd", "C", true, true, false},
		{record.TaskSVM, "sgd", "nu", true, true, false},
		{record.TaskSVM, "sgd", "R", false, false, false},
		{record.TaskSVM, "smo", "C", false, false, true},
		{record.TaskSVM, "smo", "lambda", false, false, true},
		{record.TaskSVM, "smo", "nu", true, true, false},
		{record.TaskSVM, "smo", "R", true, true, false},
		{record.TaskSVM, "perceptron", "", false, false, false},
		{record.TaskSVM, "rff", "C", false, false, false}, // solves an approximation
		{record.TaskSVM, "linear-sdca", "C", false, false, true},
		{record.TaskSVM, "simba", "C", true, true, false},
		{record.TaskSVM, "libsvm", "C", false, false, true},
		{record.TaskSparse, "sparsify", "C", false, true, false},
		{record.TaskSparse, "sparsify", "nu", true, true, false},
		{record.TaskSparse, "rsvm", "C", false, false, false},
		{record.TaskSparse, "rsvm", "R", true, true, false},
		{record.TaskSparse, "forgetron", "nu", false, false, false},
	} {
		a := of(test.task, test.id)
		p := Params{"kernel": "gaussian", test.given: 1.0}
		if a.kernel == "linear" {
			p["kernel"] = a.kernel
		}
		if a.Converts(p) != test.converts || a.DependsOnReference(p) != test.depends || a.Compares(p) != test.compares {
			t.Errorf("%s given %q converts: %v, depends on the reference: %v, is compared with it: %v",
				test.id, test.given, a.Converts(p), a.DependsOnReference(p), a.Compares(p))
		}
	}
}

// Omitting a default and stating it give the same run.
func TestResolve(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		task, id string
		p, added Params
	}{
		{record.TaskPCA, "capped-msg", Params{"k": int64(2)}, Params{"cap": int64(3), "start": "random-low-rank"}},
		{record.TaskPCA, "capped-msg", Params{"k": int64(2), "cap": int64(2)}, Params{"start": "random-subspace"}},
		{record.TaskSVM, "sdca", Params{"kernel": "polynomial"}, Params{"degree": int64(3), "gamma": 1.0, "coef0": 0.0}},
		{record.TaskSVM, "sbp", Params{"bias": false}, Params{"draw": "one"}},
		{record.TaskSVM, "sbp", Params{"bias": true}, Params{"draw": "pair"}},
		{record.TaskSVM, "sbp", Params{"bias": true, "draw": "one"}, nil},
		{record.TaskSparse, "sbp", Params{"bias": true}, Params{"draw": "pair"}},
		{record.TaskSparse, "sparsify", Params{"bias": false}, Params{"relearn": false}},
		{record.TaskSparse, "sparsify-smooth", Params{"bias": true}, Params{"relearn": true}},
		{record.TaskSparse, "sparsify-aggressive", Params{"bias": true, "relearn": false}, nil},
		// The bias of the problem does not affect a method without a bias and without a reference.
		{record.TaskSparse, "forgetron", Params{"bias": true, "C": 1.0}, Params{"bias": false}},
		{record.TaskSparse, "pegasos", Params{"bias": true, "C": 1.0}, Params{"bias": false}},
		{record.TaskSparse, "pegasos", Params{"bias": true, "nu": 1.0}, nil},
		{record.TaskSparse, "smo", Params{"bias": true, "C": 1.0}, nil},
	} {
		before, want := fmt.Sprint(test.p), maps.Clone(test.p)
		maps.Copy(want, test.added)
		if got := of(test.task, test.id).Resolve(test.p); !maps.Equal(got, want) || fmt.Sprint(test.p) != before {
			t.Errorf("%s: %s resolves to %v, want %v", test.id, before, got, want)
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
		{Params{"kernel": "polynomial", "degree": int64(2), "gamma": 0.5, "coef0": 1.0},
			"polynomial(degree=2, gamma=0.5, coef0=1)"},
	} {
		before := fmt.Sprint(test.p)
		k, err := KernelOf(test.p)
		if err != nil || k.String() != test.want || fmt.Sprint(test.p) != before {
			t.Errorf("%s is %v, %v; want %s", before, k, err, test.want)
		}
	}
	if k, err := KernelOf(Params{"kernel": "sigmoid"}); err == nil {
		t.Errorf("the kernel sigmoid is %v", k)
	}
}

// Each invalid combination of parameters has its own error, which ends with advice.
func TestCheck(t *testing.T) {
	t.Parallel()
	const none = "the regularisation is missing: set one of C, lambda, nu, R"
	linear := Params{"kernel": "linear", "sigma2": nil}
	for _, test := range []struct {
		task, id string
		change   Params
		want     string // without the advice, "" for no error
	}{
		{record.TaskPCA, "incremental", nil, ""},
		{record.TaskPCA, "capped-msg", Params{"cap": int64(1)},
			"cap = 1 is less than k = 2: iterates need rank at least k"},
		{record.TaskPCA, "capped-msg", Params{"cap": int64(2)}, ""},
		{record.TaskPCA, "capped-msg", Params{"cap": int64(2), "start": "random-low-rank"},
			"cap = 2 is less than k+1 = 3, the rank of start: random-low-rank"},
		{record.TaskPCA, "capped-msg", Params{"cap": int64(3), "start": "random-low-rank"}, ""},
		{record.TaskPCA, "msg", Params{"start": "zero", "unrelax": "decompose"},
			"unrelax: decompose needs tr M = k, but with start: zero it may be less"},
		{record.TaskPCA, "msg", Params{"step.c": nil}, "step.c is missing: set the constant of the inverse schedule"},
		{record.TaskPCA, "msg", Params{"step.c": nil, "step.schedule": "theory"}, ""},
		{record.TaskPCA, "msg", Params{"step.c": 0.0}, "step.c = 0: the step size must be positive"},
		{record.TaskPCA, "msg", Params{"step.c": int64(2)}, ""},
		{record.TaskSVM, "sbp", nil, ""},
		{record.TaskSVM, "sbp", Params{"bias": true, "draw": "pair"}, ""},
		{record.TaskSVM, "sbp", Params{"draw": "one"}, ""},
		{record.TaskSVM, "sbp", Params{"draw": "pair"}, "draw: pair is for problems with a bias"},
		{record.TaskSparse, "sbp", Params{"draw": "pair"}, "draw: pair is for problems with a bias"},
		{record.TaskSVM, "sbp", Params{"gamma": 0.02}, "sigma2 and gamma are both set, but gamma is 1/(2 sigma2)"},
		{record.TaskSVM, "sbp", Params{"sigma2": nil},
			"the gaussian kernel exp(-gamma |x-x'|^2) has no width: set sigma2, or gamma = 1/(2 sigma2)"},
		{record.TaskSVM, "sbp", Params{"sigma2": 1e-320}, "gaussian kernel: gamma is +Inf"},
		{record.TaskSVM, "sbp", Params{"degree": int64(2)}, "degree is not a parameter of the gaussian kernel"},
		{record.TaskSVM, "sbp", Params{"kernel": "linear"}, "sigma2 is not a parameter of the linear kernel"},
		{record.TaskSVM, "sbp", linear, ""},
		{record.TaskSVM, "sbp", Params{"kernel": "polynomial", "sigma2": nil, "degree": int64(2), "gamma": 0.5}, ""},
		{record.TaskSVM, "sbp", Params{"nu": 0.1}, "C and nu are forms of one parameter (C = 1/(lambda n))"},
		{record.TaskSVM, "sbp", Params{"C": nil}, none},
		{record.TaskSVM, "perceptron", Params{"C": nil}, ""},
		{record.TaskSVM, "sbp", Params{"C": nil, "nu": 0.0}, ""},
		{record.TaskSVM, "sdca", Params{"C": nil, "nu": 0.0}, "nu = 0 means a hard margin, which has no C, lambda or R"},
		{record.TaskSVM, "sgd", Params{"bias": true}, "bias: true, but sgd has no unregularised bias"},
		{record.TaskSVM, "libsvm", nil, "bias: false, but libsvm always trains with an unregularised bias"},
		{record.TaskSVM, "libsvm", Params{"bias": true}, ""},
		{record.TaskSVM, "rff", linear, "rff supports only the gaussian kernel, but the kernel is linear"},
		{record.TaskSVM, "simba", nil, "simba solves linear SVMs, but the kernel is gaussian"},
		{record.TaskSVM, "simba", linear, ""},
		{record.TaskSVM, "decomposition", Params{"size": int64(1)}, ""},
		{record.TaskSVM, "decomposition", Params{"size": int64(1), "bias": true},
			"size = 1, but with a bias coefficients change in pairs"},
		{record.TaskSparse, "sparsify", nil, ""},
		{record.TaskSparse, "sparsify", linear, ""},
		{record.TaskSparse, "sparsify", Params{"C": nil}, none},
		{record.TaskSparse, "sparsify", Params{"C": nil, "nu": 0.0}, "nu = 0 means a hard margin, which has no C, lambda or R"},
		{record.TaskSparse, "sparsify", Params{"relearn": true}, "relearn: true, but the problem has no bias to learn"},
		{record.TaskSparse, "sparsify", Params{"relearn": true, "bias": true}, ""},
		{record.TaskSparse, "ramp", Params{"C": nil}, none},
		{record.TaskSparse, "forgetron", Params{"C": nil, "bias": true}, ""},
		{record.TaskSparse, "cpsp", linear, "cpsp works in the input space of the gaussian kernel, but the kernel is linear"},
	} {
		p := Params{"kernel": "gaussian", "sigma2": 25.0, "C": 1.0, "bias": false}
		if test.task == record.TaskPCA {
			p = Params{"k": int64(2), "step.schedule": "inverse", "step.c": 1.0}
		}
		for name, v := range test.change {
			if p[name] = v; v == nil {
				delete(p, name)
			}
		}
		before := maps.Clone(p)
		err := check(test.task, test.id, p)
		if got, _, _ := strings.Cut(fmt.Sprint(err), ";"); got != test.want && (err != nil || test.want != "") {
			t.Errorf("%s %v: %v, want %q", test.id, p, err, test.want)
		}
		if !maps.Equal(p, before) {
			t.Errorf("%s: the check changed the parameters to %v", test.id, p)
		}
	}
}

// A default may exceed the number of training points.
func TestCheckTrainRows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id string
		p  Params
		ok bool
	}{
		{"spsvm", Params{"support": int64(40)}, true},
		{"spsvm", Params{"support": int64(41)}, false},
		{"spsvm", Params{"support": int64(1024)}, true}, // the default
		{"spsvm", Params{"support": int64(1025)}, false},
		{"cpsp", Params{"basis": int64(64)}, false},
		{"rsvm", Params{"ratio": 1.0}, true},
	} {
		if err := of(record.TaskSparse, test.id).CheckTrainRows(test.p, 40); (err == nil) != test.ok {
			t.Errorf("%s %v: %v", test.id, test.p, err)
		}
	}
}

// The bounds on parameters match the constructors.
func TestParameterBounds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id, name string
		value    any
		ok       bool
	}{
		{"rff", "pairs", int64(1 << 19), true},
		{"rff", "pairs", int64(1<<19 + 1), false},
		{"rff", "pairs", int64(0), false},
		{"rff", "tolerance", 0.0, false},
		{"libsvm", "tolerance", 0.0, false},
		{"libsvm", "tolerance", 1e-9, true},
		{"smo", "tolerance", 0.0, true},
		{"decomposition", "tolerance", 0.0, true},
		{"linear-sdca", "tolerance", 0.0, true},
	} {
		described := of(record.TaskSVM, test.id).Params
		i := slices.IndexFunc(described, func(p spec.Param) bool { return p.Name == test.name })
		if _, err := described[i].Coerce(test.value); (err == nil) != test.ok {
			t.Errorf("%s: %s = %v: %v", test.id, test.name, test.value, err)
		}
	}
}

func TestLosses(t *testing.T) {
	t.Parallel()
	for _, e := range Algorithms(record.TaskLoss) {
		a := of(record.TaskLoss, e.ID)
		plain, moved := NewLoss(a, nil), NewLoss(a, Params{"shift": 0.25})
		for z := -2.0; z <= 2; z += 0.125 {
			if got, want := moved(z), plain(z-0.25); got != want {
				t.Errorf("%s shifted by 1/4 is %g at %g, want %g", e.ID, got, z, want)
			}
		}
	}
}
