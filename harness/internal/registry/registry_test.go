package registry

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/spec"
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

func TestTasks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, metric       string
		supervised, sparse bool
	}{
		{TaskPCA, "suboptimality", false, false},
		{TaskSVM, "error", true, false},
		{TaskSparse, "error", true, true},
	} {
		got := Catalog().Task(test.name)
		if got.Metrics[0] != test.metric || got.Supervised != test.supervised || got.Sparse != test.sparse {
			t.Errorf("the task %s is %+v", test.name, got)
		}
		if _, err := Lookup(test.name, "no-such"); err == nil {
			t.Errorf("the task %s has an algorithm that does not exist", test.name)
		}
	}
	if got := Algorithms("svn"); len(got) != 0 || len(Catalog().Task("svn").Metrics) != 0 {
		t.Errorf("the task svn has the algorithms %v", got)
	}
	if !of(TaskSVM, "sgd").AssumesUnitNorm || of(TaskSVM, "sdca").AssumesUnitNorm {
		t.Error("the wrong algorithms assume K(x, x) <= 1")
	}
}

func TestEntriesAreDocumented(t *testing.T) {
	t.Parallel()
	shared := map[string][]spec.Param{TaskPCA: {paramK}, TaskSVM: paramsProblem, TaskSparse: paramsProblem}
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
			if task == TaskSparse && a.bias == withoutBias {
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
		{TaskSVM, "sbp", Params{}, 1, 0, true},
		{TaskSVM, "sbp", biased, 2, 0, true},
		{TaskSVM, "sbp", Params{"bias": true, "draw": "one"}, 1, 0, true},
		{TaskSVM, "smo", Params{}, 1, 0, true},
		{TaskSVM, "smo", biased, 2, 0, true},
		{TaskSVM, "decomposition", Params{"size": int64(7)}, 7, 0, true},
		{TaskSVM, "perceptron", Params{}, 1, 0, true},
		{TaskSVM, "rff", Params{"pairs": int64(1024)}, 1, 11, false},
		{TaskSVM, "rff", Params{"pairs": int64(1025)}, 1, 12, false},
		{TaskSVM, "simba", Params{}, 1, 0, false},
		{TaskSVM, "libsvm", biased, 1, 1, false},
		{TaskSparse, "sparsify", Params{}, 1, 0, true},
		{TaskSparse, "sparsify", biased, 2, 0, true},
		{TaskSparse, "sparsify", Params{"bias": true, "relearn": false}, 1, 0, true},
		{TaskSparse, "osuna-girosi", biased, 2, 0, true},
		{TaskSparse, "ramp", biased, 2, 0, true},
		{TaskSparse, "zhan-shen", biased, 2, 0, true},
		{TaskSparse, "spsvm", Params{"candidates": int64(5)}, 5, 0, true},
	} {
		a := of(test.task, test.id)
		n := a.Needs(a.Resolve(test.p))
		if n.WorkingSet != test.working || n.Steps != test.steps || n.CountsKernelEvals() != test.counts {
			t.Errorf("%s %v needs %+v; kernel evaluations are counted: %v", test.id, test.p, n, n.CountsKernelEvals())
		}
	}
	for pairs, want := range map[int64]int64{1: 8*1000 + 24, 8192: 8192 * (8*1000 + 24), math.MaxInt64: math.MaxInt64} {
		if got := of(TaskSVM, "rff").Memory(Params{"pairs": pairs}, Shape{Points: 1000}); got != want {
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
		{TaskSVM, "sbp", "C", true, true, false},
		{TaskSVM, "sbp", "lambda", true, true, false},
		{TaskSVM, "sbp", "nu", false, false, false},
		{TaskSVM, "sbp", "R", true, true, false},
		{TaskSVM, "sgd", "C", true, true, false},
		{TaskSVM, "sgd", "nu", true, true, false},
		{TaskSVM, "sgd", "R", false, false, false},
		{TaskSVM, "smo", "C", false, false, true},
		{TaskSVM, "smo", "lambda", false, false, true},
		{TaskSVM, "smo", "nu", true, true, false},
		{TaskSVM, "smo", "R", true, true, false},
		{TaskSVM, "perceptron", "", false, false, false},
		{TaskSVM, "rff", "C", false, false, false}, // solves an approximation
		{TaskSVM, "linear-sdca", "C", false, false, true},
		{TaskSVM, "simba", "C", true, true, false},
		{TaskSVM, "libsvm", "C", false, false, true},
		{TaskSparse, "sparsify", "C", false, true, false},
		{TaskSparse, "sparsify", "nu", true, true, false},
		{TaskSparse, "rsvm", "C", false, false, false},
		{TaskSparse, "rsvm", "R", true, true, false},
		{TaskSparse, "forgetron", "nu", false, false, false},
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
		{TaskPCA, "capped-msg", Params{"k": int64(2)}, Params{"cap": int64(3), "start": "random-low-rank"}},
		{TaskPCA, "capped-msg", Params{"k": int64(2), "cap": int64(2)}, Params{"start": "random-subspace"}},
		{TaskSVM, "sdca", Params{"kernel": "polynomial"}, Params{"degree": int64(3), "gamma": 1.0, "coef0": 0.0}},
		{TaskSVM, "sbp", Params{"bias": false}, Params{"draw": "one"}},
		{TaskSVM, "sbp", Params{"bias": true}, Params{"draw": "pair"}},
		{TaskSVM, "sbp", Params{"bias": true, "draw": "one"}, nil},
		{TaskSparse, "sbp", Params{"bias": true}, Params{"draw": "pair"}},
		{TaskSparse, "sparsify", Params{"bias": false}, Params{"relearn": false}},
		{TaskSparse, "sparsify-smooth", Params{"bias": true}, Params{"relearn": true}},
		{TaskSparse, "sparsify-aggressive", Params{"bias": true, "relearn": false}, nil},
		// The bias of the problem does not affect a method without a bias and without a reference.
		{TaskSparse, "forgetron", Params{"bias": true, "C": 1.0}, Params{"bias": false}},
		{TaskSparse, "pegasos", Params{"bias": true, "C": 1.0}, Params{"bias": false}},
		{TaskSparse, "pegasos", Params{"bias": true, "nu": 1.0}, nil},
		{TaskSparse, "smo", Params{"bias": true, "C": 1.0}, nil},
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
		{TaskPCA, "incremental", nil, ""},
		{TaskPCA, "capped-msg", Params{"cap": int64(1)},
			"cap = 1 is less than k = 2: iterates need rank at least k"},
		{TaskPCA, "capped-msg", Params{"cap": int64(2)}, ""},
		{TaskPCA, "capped-msg", Params{"cap": int64(2), "start": "random-low-rank"},
			"cap = 2 is less than k+1 = 3, the rank of start: random-low-rank"},
		{TaskPCA, "capped-msg", Params{"cap": int64(3), "start": "random-low-rank"}, ""},
		{TaskPCA, "msg", Params{"start": "zero", "unrelax": "decompose"},
			"unrelax: decompose needs tr M = k, but with start: zero it may be less"},
		{TaskPCA, "msg", Params{"step.c": nil}, "step.c is missing: set the constant of the inverse schedule"},
		{TaskPCA, "msg", Params{"step.c": nil, "step.schedule": "theory"}, ""},
		{TaskPCA, "msg", Params{"step.c": 0.0}, "step.c = 0: the step size must be positive"},
		{TaskPCA, "msg", Params{"step.c": int64(2)}, ""},
		{TaskSVM, "sbp", nil, ""},
		{TaskSVM, "sbp", Params{"bias": true, "draw": "pair"}, ""},
		{TaskSVM, "sbp", Params{"draw": "one"}, ""},
		{TaskSVM, "sbp", Params{"draw": "pair"}, "draw: pair is for problems with a bias"},
		{TaskSparse, "sbp", Params{"draw": "pair"}, "draw: pair is for problems with a bias"},
		{TaskSVM, "sbp", Params{"gamma": 0.02}, "sigma2 and gamma are both set, but gamma is 1/(2 sigma2)"},
		{TaskSVM, "sbp", Params{"sigma2": nil},
			"the gaussian kernel exp(-gamma |x-x'|^2) has no width: set sigma2, or gamma = 1/(2 sigma2)"},
		{TaskSVM, "sbp", Params{"sigma2": 1e-320}, "gaussian kernel: gamma is +Inf"},
		{TaskSVM, "sbp", Params{"degree": int64(2)}, "degree is not a parameter of the gaussian kernel"},
		{TaskSVM, "sbp", Params{"kernel": "linear"}, "sigma2 is not a parameter of the linear kernel"},
		{TaskSVM, "sbp", linear, ""},
		{TaskSVM, "sbp", Params{"kernel": "polynomial", "sigma2": nil, "degree": int64(2), "gamma": 0.5}, ""},
		{TaskSVM, "sbp", Params{"nu": 0.1}, "C and nu are forms of one parameter (C = 1/(lambda n))"},
		{TaskSVM, "sbp", Params{"C": nil}, none},
		{TaskSVM, "perceptron", Params{"C": nil}, ""},
		{TaskSVM, "sbp", Params{"C": nil, "nu": 0.0}, ""},
		{TaskSVM, "sdca", Params{"C": nil, "nu": 0.0}, "nu = 0 means a hard margin, which has no C, lambda or R"},
		{TaskSVM, "sgd", Params{"bias": true}, "bias: true, but sgd has no unregularised bias"},
		{TaskSVM, "libsvm", nil, "bias: false, but libsvm always trains with an unregularised bias"},
		{TaskSVM, "libsvm", Params{"bias": true}, ""},
		{TaskSVM, "rff", linear, "rff supports only the gaussian kernel, but the kernel is linear"},
		{TaskSVM, "simba", nil, "simba solves linear SVMs, but the kernel is gaussian"},
		{TaskSVM, "simba", linear, ""},
		{TaskSVM, "decomposition", Params{"size": int64(1)}, ""},
		{TaskSVM, "decomposition", Params{"size": int64(1), "bias": true},
			"size = 1, but with a bias coefficients change in pairs"},
		{TaskSparse, "sparsify", nil, ""},
		{TaskSparse, "sparsify", linear, ""},
		{TaskSparse, "sparsify", Params{"C": nil}, none},
		{TaskSparse, "sparsify", Params{"C": nil, "nu": 0.0}, "nu = 0 means a hard margin, which has no C, lambda or R"},
		{TaskSparse, "sparsify", Params{"relearn": true}, "relearn: true, but the problem has no bias to learn"},
		{TaskSparse, "sparsify", Params{"relearn": true, "bias": true}, ""},
		{TaskSparse, "ramp", Params{"C": nil}, none},
		{TaskSparse, "forgetron", Params{"C": nil, "bias": true}, ""},
		{TaskSparse, "cpsp", linear, "cpsp works in the input space of the gaussian kernel, but the kernel is linear"},
	} {
		p := Params{"kernel": "gaussian", "sigma2": 25.0, "C": 1.0, "bias": false}
		if test.task == TaskPCA {
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
		if err := of(TaskSparse, test.id).CheckTrainRows(test.p, 40); (err == nil) != test.ok {
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
		described := of(TaskSVM, test.id).Params
		i := slices.IndexFunc(described, func(p spec.Param) bool { return p.Name == test.name })
		if _, err := described[i].Coerce(test.value); (err == nil) != test.ok {
			t.Errorf("%s: %s = %v: %v", test.id, test.name, test.value, err)
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
				t.Errorf("%s shifted by 1/4 is %g at %g, want %g", e.ID, got, z, want)
			}
		}
	}
	if _, err := NewLoss("cubic", nil); err == nil {
		t.Error("an unknown loss: no error")
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	p := Params{"i": int64(3), "f": 1.5, "s": "x"}
	if p.Int("i") != 3 || p.Int("f") != 0 || p.Int("none") != 0 {
		t.Error("Int")
	}
	if p.Float("f") != 1.5 || p.Float("i") != 3 || p.Float("s") != 0 {
		t.Error("Float")
	}
	if p.Text("s") != "x" || p.Text("i") != "" {
		t.Error("Text")
	}
}
