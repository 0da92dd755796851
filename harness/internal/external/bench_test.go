package external_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/external"
	"stochopt/harness/internal/external/externaltest"
)

func TestMain(m *testing.M) {
	externaltest.Main()
	os.Exit(m.Run())
}

// start starts a method of externaltest.
func start(t testing.TB, task, method string) *external.Process {
	t.Helper()
	program, err := external.NewProgram(external.Program{
		ID: method, Task: task, Version: 1, Env: map[string]string{externaltest.Variable: method},
	}, []string{os.Args[0]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := external.Start(t.Context(), program, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// noise is a source of Gaussian noise.
type noise struct {
	rng *rand.Rand
	x   []float64
}

func (s *noise) Dim() int { return len(s.x) }

func (s *noise) Next() ([]float64, bool) {
	for i := range s.x {
		s.x[i] = s.rng.NormFloat64()
	}
	return s.x, true
}

// BenchmarkRefresh measures the request of a 784 x 8 basis: the program writes it, and the harness reads
// and checks it.
func BenchmarkRefresh(b *testing.B) {
	const d, k = 784, 8
	p := start(b, "pca", "incremental")
	a, err := external.NewPCA(p, external.Init{K: k, Iterations: 1 << 40}, &noise{rand.New(rand.NewPCG(1, 2)), make([]float64, d)})
	if err != nil {
		b.Fatal(err)
	}
	if status := a.StepTo(20); status.Stop() {
		b.Fatal(status)
	}
	var s pca.State
	for b.Loop() {
		if status := a.Refresh(); status.Stop() {
			b.Fatal(status)
		}
		a.StateTo(&s)
	}
	if r, c := s.U.Dims(); r != d || c != k {
		b.Fatalf("a basis of %d x %d", r, c)
	}
}

// gram is a kernel matrix of ones.
type gram struct {
	row  []float32
	diag []float64
}

func (g gram) Train() int { return len(g.row) }

func (g gram) Len() int { return len(g.row) }

func (g gram) Row(int) []float32 { return g.row }

func (g gram) Diag() []float64 { return g.diag }

// inOrder returns indices cyclically.
type inOrder struct{ n, next int }

func (o *inOrder) Next() int { o.next++; return o.next % o.n }

// points has 10,000 points with one feature.
type points struct{ kernel.Vectors }

func (points) Dims() (n, d int) { return 10_000, 1 }

// BenchmarkRow measures the request of a kernel row of 10,000 numbers during an advance: the harness writes
// it, and the method reads it.
func BenchmarkRow(b *testing.B) {
	const n = 10_000
	p := start(b, "svm", "ask")
	rows := gram{make([]float32, n), make([]float64, n)}
	for i := range rows.diag {
		rows.row[i], rows.diag[i] = 1, 1
	}
	lambda := 1e-4
	a, err := external.NewSVM(p, external.Init{Iterations: 1 << 40, Params: map[string]any{"lambda": lambda}}, external.Problem{
		Problem: svm.Problem{Rows: rows, Positive: n / 2}, Order: &inOrder{n: n}, Points: points{}, Kern: kernel.Linear{},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	if status := a.StepTo(int64(b.N)); status.Stop() {
		b.Fatal(status)
	}
	if evals := a.Cost().KernelEvals; evals != int64(b.N)*n {
		b.Fatalf("%d kernel evaluations of %d rows", evals, b.N)
	}
}
