package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// The regularisation and the kernel width of the test problem.
const testC, testSigma2 = 1.25, 0.5

// plane returns 24 positive and 16 negative training points in the plane, and ten other points.
var plane = sync.OnceValue(func() sparsetest.Points {
	rng := rand.New(rand.NewPCG(1, 2))
	p := sparsetest.Points{Positive: 24, Eval: 10}
	for i := range 50 {
		side := -0.45
		if i < 24 || i >= 40 && i < 45 {
			side = 0.45
		}
		p.X = append(p.X, []float64{side + 0.3*rng.NormFloat64(), 0.3 * rng.NormFloat64()})
	}
	return p
})

// kernelEnv returns an environment with what a method needs, and the numbers of calls to its functions.
func kernelEnv(t *testing.T, a *Algorithm, p Params) (Env, map[string]int) {
	t.Helper()
	k, err := KernelOf(p)
	if err != nil {
		t.Fatalf("%s %v: %v", a.ID, p, err)
	}
	points, asked, need := plane(), make(map[string]int), a.Needs(p)
	rows := points
	if a.Task == record.TaskSparse {
		rows = points.Training()
	}
	gram := rows.Gram(func(x, y []float64) float64 {
		return k.Eval(x[0]*y[0]+x[1]*y[1], x[0]*x[0]+x[1]*x[1], y[0]*y[0]+y[1]*y[1])
	})
	known := func(needed bool, v float64) float64 {
		if needed {
			return v
		}
		return math.NaN()
	}
	return Env{
		Context: t.Context(),
		Kernel: func() svm.Problem {
			asked["kernel"]++
			return svm.Problem{Rows: gram, Positive: points.Positive}
		},
		Linear: func() svm.LinearProblem {
			asked["linear"]++
			return svm.LinearProblem{Features: points.Features(), Positive: points.Positive}
		},
		Vectors: func() (kernel.Vectors, int, int) { return points, points.Train(), points.Positive },
		Inputs: func() sparse.Inputs {
			asked["inputs"]++
			return points.Training().Inputs(gaussianGamma(p))
		},
		Reference: func() *sparse.Reference {
			asked["reference"]++
			reference, err := sparsetest.Train(gram, points.Positive, testC, p.Bool("bias"))
			if err != nil {
				t.Fatal(err)
			}
			return reference
		},
		Clock:  func() float64 { return 0 },
		C:      known(need.Lambda, testC),
		Lambda: known(need.Lambda, 1/(testC*40)),
		Nu:     known(need.Nu, 0.05),
		R:      known(need.R, 3),
		Bias:   p.Bool("bias"),
		Kern:   k,
		Order: func(kind string) svm.Order {
			asked["order "+kind]++
			return sparsetest.Uniform{Rng: rand.New(rand.NewPCG(3, uint64(len(kind)))), N: points.Train()}
		},
		Rand: func(role string) *rand.Rand {
			asked["rand "+role]++
			return rand.New(rand.NewPCG(5, uint64(len(role))))
		},
	}, asked
}

// kernelDefaults returns the parameters of a method in a spec with C and sigma2. The problem has a bias
// if the method supports one.
func kernelDefaults(a *Algorithm) Params {
	p := Params{"C": testC}
	for _, q := range a.Params {
		if q.Default != nil {
			p[q.Name] = q.Default
		}
	}
	if p.Text("kernel") == "gaussian" {
		p["sigma2"] = testSigma2
	}
	p["bias"] = a.bias == withBias || a.bias == eitherBias
	for name, v := range map[string]any{"pairs": int64(24), "ratio": 0.25} {
		if p.has(name) {
			p[name] = v
		}
	}
	return p
}

// outcome is the result of a run.
type outcome struct {
	text   string // the classifier
	scores []float64
	bias   float64
	size   int // the number of expansion vectors
	cost   algorithms.Cost
	status algorithms.Status
	asked  map[string]int
}

// runKernel takes at most the given number of steps. edit, if not nil, changes the environment.
func runKernel(t *testing.T, a *Algorithm, p Params, steps int, edit func(*Env)) (o outcome) {
	t.Helper()
	env, asked := kernelEnv(t, a, p)
	o.asked = asked
	if edit != nil {
		edit(&env)
	}
	advance := func(l algorithms.Stepper, err error) {
		if errors.Is(err, svm.ErrNoSolver) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		for range steps {
			if o.status = l.Step(); o.status.Stop() {
				break
			}
		}
		o.cost = l.Cost()
	}
	if a.Task == record.TaskSVM {
		l, err := NewSVM(a, env, p)
		advance(l, err)
		var s svm.Solution
		l.SolutionTo(&s)
		o.scores, o.bias, o.text = s.Scores, s.Bias, fmt.Sprint(s.Scores)
		return o
	}
	l, err := NewSparse(a, env, p)
	advance(l, err)
	var e sparse.Expansion
	l.ExpansionTo(&e)
	o.bias, o.size, o.text = e.Bias, l.Support(), fmt.Sprint(e)
	if p.Text("kernel") == "gaussian" {
		o.scores = sparsetest.Scores(plane(), &e, gaussianGamma(p))
	}
	return o
}

// kernelMethods runs a test on each method of the tasks svm and svm-sparse.
func kernelMethods(t *testing.T, test func(t *testing.T, a *Algorithm)) {
	t.Helper()
	for _, task := range []string{record.TaskSVM, record.TaskSparse} {
		for _, e := range Algorithms(task) {
			t.Run(task+" "+e.ID, func(t *testing.T) { test(t, of(task, e.ID)) })
		}
	}
}

// settings returns p and variants of p. Each variant changes one described parameter to another of its
// choices.
func settings(p Params, described []spec.Param) []Params {
	out := []Params{p}
	for _, q := range described {
		values := []any{}
		for _, choice := range q.Choices {
			values = append(values, choice)
		}
		if q.Kind == "bool" {
			values = append(values, true, false)
		}
		for _, v := range values {
			if v != p[q.Name] {
				changed := maps.Clone(p)
				changed[q.Name] = v
				out = append(out, changed)
			}
		}
	}
	return out
}

// Every method works with its defaults and with every choice of a parameter. It uses exactly what it
// declares in Needs, calls each function once, does not change the parameters, and learns.
func TestEveryKernelMethod(t *testing.T) {
	t.Parallel()
	kernelMethods(t, func(t *testing.T, a *Algorithm) {
		for i, p := range settings(kernelDefaults(a), a.Params) {
			if p.Text("kernel") != "gaussian" {
				delete(p, "sigma2")
			}
			if err := check(a.Task, a.ID, p); err != nil && i > 0 {
				continue // TestCheck tests invalid combinations
			} else if err != nil {
				t.Errorf("%v: %v", p, err)
			}
			before, need := fmt.Sprint(p), a.Needs(p)
			o := runKernel(t, a, p, 200, nil)
			if fmt.Sprint(p) != before {
				t.Errorf("the method changed its parameters to %v", p)
			}
			for what, n := range o.asked {
				if n > 1 {
					t.Errorf("%v: calls %s %d times", p, what, n)
				}
			}
			asks := func(what string) bool { return o.asked[what] > 0 }
			if asks("kernel") != need.Kernel || asks("reference") != need.Reference || asks("inputs") != need.Inputs {
				t.Errorf("%v: calls %v, but needs %+v", p, o.asked, need)
			}
			if order := p.Text("order"); order != "" && !asks("order "+order) {
				t.Errorf("%v: calls %v", p, o.asked)
			}
			if random := asks("rand "+seed.RoleInit) || asks("order uniform") || asks("order pass"); random == a.Deterministic {
				t.Errorf("%v: deterministic: %v, opens the streams %v", p, a.Deterministic, o.asked)
			}
			// Random Fourier features order the coordinates with a separate stream. Otherwise the directions
			// would depend on the number of optimisation steps before.
			if asks("rand "+seed.RoleOrder) != (a.ID == "rff") {
				t.Errorf("%v: opens the streams %v", p, o.asked)
			}
			if need.Steps > 0 && o.cost.Iterations != need.Steps {
				t.Errorf("%v: %d iterations, want %d of its own", p, o.cost.Iterations, need.Steps)
			}
			if s := o.status.State; s == algorithms.Failed || s == algorithms.Diverged {
				t.Errorf("%v: %v", p, o.status)
			}
			if wrong := mistakes(o.scores); wrong > len(o.scores)/4 {
				t.Errorf("%v: %d of %d points are wrong", p, wrong, len(o.scores))
			}
			if biased := p.Bool("bias") && a.bias != ignoresBias; (o.bias != 0) != biased {
				t.Errorf("%v: the bias is %v", p, o.bias)
			}
		}
	})
}

func mistakes(scores []float64) (n int) {
	for i, g := range scores {
		if g*plane().Label(i) <= 0 {
			n++
		}
	}
	return n
}

// Every parameter of a method and its regularisation affect the result.
func TestEverythingReachesTheKernelMethod(t *testing.T) {
	t.Parallel()
	numbers := map[string]any{
		"eta": 0.75, "epsilon": 5.0, "tolerance": 0.3, "candidates": int64(1), "ratio": 0.1, "support": int64(4),
		"basis": int64(4), "s": 0.5, "exclude": 0.0, "starts": int64(1), "every": int64(1), "size": int64(2),
		"pairs": int64(5), "sigma2": 1.0, "training": int64(2),
	}
	kernelMethods(t, func(t *testing.T, a *Algorithm) {
		if a.ID == "libsvm" {
			t.Skip("svm-train has settings that change only its time")
		}
		p, steps := a.Resolve(kernelDefaults(a)), 100
		switch {
		case a.Task == record.TaskSVM && a.ID == "perceptron":
			steps = 1 // later it makes no mistakes
		case a.ID == "decomposition": // with the default size, a few steps solve the problem exactly
			p["size"] = int64(3)
		case a.ID == "sparsify-sbp": // the default training is longer than the run
			p["training"] = int64(1)
		case a.ID == "cpsp":
			p["basis"] = int64(8)
		}
		base := runKernel(t, a, p, steps, nil)
		own := a.Params[len(paramsProblem):]
		changed := settings(p, own)[1:]
		if p.has("sigma2") {
			own = append(own, spec.Param{Name: "sigma2"})
		}
		for _, q := range own {
			if v, ok := numbers[q.Name]; ok {
				next := maps.Clone(p)
				next[q.Name] = v
				changed = append(changed, next)
			} else if len(q.Choices) == 0 && q.Kind != "bool" {
				t.Errorf("this test has no value for %s", q.Name)
			}
		}
		for _, q := range changed {
			if check(a.Task, a.ID, q) != nil {
				continue
			}
			o := runKernel(t, a, q, steps, nil)
			if o.text == base.text {
				t.Errorf("%v changes nothing", q)
			}
			for _, count := range supportParams {
				if q.has(count) && q[count] != p[count] && o.size != q.Int(count) {
					t.Errorf("%v: %d expansion vectors", q, o.size)
				}
			}
		}
		n := a.Needs(p)
		regular := runKernel(t, a, p, steps, func(e *Env) {
			e.C, e.Lambda, e.Nu, e.R = e.C/50, e.Lambda*50, e.Nu*10, e.R/50
		})
		if (regular.text != base.text) != (n.Lambda || n.Nu || n.R) {
			t.Errorf("needs %+v; another regularisation changes the result: %v", n, regular.text != base.text)
		}
		if slices.Contains([]string{"spsvm", "rsvm", "cpsp", "csvm"}, a.ID) {
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if o := runKernel(t, a, p, steps, func(e *Env) { e.Context = ended }); o.status.State != algorithms.Failed {
				t.Errorf("%v after its context has ended", o.status)
			}
		}
	})
}
