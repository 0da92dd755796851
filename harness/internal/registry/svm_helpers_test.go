package registry

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/spec"
)

// The points of the tests: 24 positive, 16 negative, in the plane, and ten to
// evaluate on.
const (
	testTrain, testPositive, testPoints = 40, 24, 50
)

type plane struct{ x [][]float64 }

func newPlane() *plane {
	rng := rand.New(rand.NewPCG(1, 2))
	p := &plane{}
	for i := range testPoints {
		side := 0.6
		if i >= testPositive && i < testTrain || i >= testTrain && i%2 == 0 {
			side = -0.6
		}
		p.x = append(p.x, []float64{side + 0.3*rng.NormFloat64(), 0.3 * rng.NormFloat64()})
	}
	return p
}

func (p *plane) Dims() (n, d int)                    { return len(p.x), 2 }
func (p *plane) Sparse() bool                        { return false }
func (p *plane) Row(i int, _ []float64) []float64    { return p.x[i] }
func (p *plane) RowNonZero(int) ([]int32, []float64) { panic("dense") }
func (p *plane) Train() int                          { return testTrain }
func (p *plane) Len() int                            { return testPoints }
func (p *plane) Dim() int                            { return 2 }
func (p *plane) Dot(w []float64, j int) float64      { return w[0]*p.x[j][0] + w[1]*p.x[j][1] }
func (p *plane) NormSq(j int) float64                { return p.Dot(p.x[j], j) }
func (p *plane) AddTo(w []float64, a float64, j int) { w[0], w[1] = w[0]+a*p.x[j][0], w[1]+a*p.x[j][1] }

// gram is the kernel matrix of the plane.
type gram struct {
	rows [][]float32
	diag []float64
}

func newGram(p *plane, k kernel.Kernel) *gram {
	g := &gram{}
	for i := range testPoints {
		row := make([]float32, testPoints)
		for j := range row {
			row[j] = float32(k.Eval(p.Dot(p.x[i], j), p.NormSq(i), p.NormSq(j)))
		}
		g.rows = append(g.rows, row)
		g.diag = append(g.diag, float64(row[i]))
	}
	return g
}

func (g *gram) Train() int          { return testTrain }
func (g *gram) Len() int            { return testPoints }
func (g *gram) Row(i int) []float32 { return g.rows[i] }
func (g *gram) Diag() []float64     { return g.diag }

// pass is an order that does not hide what kind it was asked to be.
type pass struct {
	rng     *rand.Rand
	uniform bool
	left    []int
}

func (o *pass) Next() int {
	if o.uniform {
		return o.rng.IntN(testTrain)
	}
	if len(o.left) == 0 {
		o.left = o.rng.Perm(testTrain)
	}
	i := o.left[0]
	o.left = o.left[1:]
	return i
}

// svmEnvironment also counts what is asked of it.
func svmEnvironment(t *testing.T, id string, p Params) (Env, map[string]int) {
	t.Helper()
	k, err := KernelOf(p)
	if err != nil {
		t.Fatalf("%s %v: %v", id, p, err)
	}
	points, asked := newPlane(), make(map[string]int)
	need := of(TaskSVM, id).Needs(p)
	known := func(needed bool, v float64) float64 {
		if needed {
			return v
		}
		return math.NaN()
	}
	return Env{
		Kernel: func() svm.Problem {
			asked["kernel"]++
			return svm.Problem{Rows: newGram(points, k), Positive: testPositive}
		},
		Linear: func() svm.LinearProblem {
			asked["linear"]++
			return svm.LinearProblem{Features: points, Positive: testPositive}
		},
		Vectors: func() (kernel.Vectors, int, int) {
			asked["vectors"]++
			return points, testTrain, testPositive
		},
		Context: context.Background(),
		Clock:   func() float64 { return 0 },
		// What a method does not need it does not get.
		Lambda: known(need.Lambda, 0.02), Nu: known(need.Nu, 0.05), R: known(need.R, 3),
		Bias: p.Bool("bias"), Kern: k,
		Order: func(kind string) svm.Order {
			asked["order "+kind]++
			return &pass{rng: rand.New(rand.NewPCG(3, 4)), uniform: kind == "uniform"}
		},
		Rand: func(role string) *rand.Rand {
			asked["rand"]++
			return rand.New(rand.NewPCG(5, uint64(len(role))))
		},
	}, asked
}

// svmDefaults returns the parameters of an entry as a spec with C, sigma2 and
// the bias that the entry needs resolves them.
func svmDefaults(e spec.Algorithm) Params {
	p := Params{"C": 1.25}
	for _, q := range e.Params {
		if q.Default != nil {
			p[q.Name] = q.Default
		}
	}
	if p.Text("kernel") == "gaussian" {
		p["sigma2"] = 0.5
	}
	a := of(TaskSVM, e.ID)
	p["bias"] = a.bias == withBias
	if p.has("pairs") {
		p["pairs"] = int64(24)
	}
	return p
}

// svmVariants returns the defaults, and for each choice of each of the
// algorithm's own parameters, and each problem that it is made for, the
// defaults with that one changed.
func svmVariants(e spec.Algorithm) []Params {
	out := []Params{svmDefaults(e)}
	change := func(name string, v any) {
		p := svmDefaults(e)
		if p[name] != v {
			p[name] = v
			if v == "pair" {
				p["bias"] = true
			}
			out = append(out, p)
		}
	}
	for _, q := range e.Params[len(paramsProblem):] {
		for _, c := range q.Choices {
			change(q.Name, c)
		}
		if q.Kind == "bool" {
			change(q.Name, true)
			change(q.Name, false)
		}
	}
	a := of(TaskSVM, e.ID)
	if a.bias == eitherBias {
		change("bias", true)
	}
	if a.kernel == "" {
		p := svmDefaults(e)
		p["kernel"] = "polynomial"
		delete(p, "sigma2")
		out = append(out, p)
		p = maps.Clone(p)
		p["kernel"] = "linear"
		out = append(out, p)
	}
	return out
}

// svmFinal returns the classifier after a number of steps, or as many as the method
// takes, and what the method asked for.
func svmFinal(t *testing.T, id string, p Params, steps int) (svm.Solution, map[string]int) {
	t.Helper()
	e, asked := svmEnvironment(t, id, p)
	l, err := NewSVM(of(TaskSVM, id), e, p)
	if errors.Is(err, svm.ErrNoSolver) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%s %v: %v", id, p, err)
	}
	if own := of(TaskSVM, id).Needs(p).Steps; own > 0 {
		steps = int(own)
	}
	for i := range steps {
		if s := l.Step(); s.Stop() {
			if s.State != algorithms.Converged && s.State != algorithms.Exhausted {
				t.Fatalf("%s %v: step %d: %v", id, p, i, s)
			}
			break
		}
	}
	if own := of(TaskSVM, id).Needs(p).Steps; own > 0 && l.Cost().Iterations != own {
		t.Errorf("%s %v: %d iterations, want %d of its own", id, p, l.Cost().Iterations, own)
	}
	var s svm.Solution
	l.SolutionTo(&s)
	return s, asked
}
