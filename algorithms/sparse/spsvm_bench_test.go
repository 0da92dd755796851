package sparse

import (
	"context"
	"testing"

	"stochopt/algorithms/svm"
)

// BenchmarkSpSVM times the addition of a function to 100 at n = 10,000, without
// the kernel.
func BenchmarkSpSVM(b *testing.B) {
	const n = 10000
	rng := basisRand(19)
	x := basisPoints(rng, n, n/2)
	rows := &lazyMatrix{x: x, diag: make([]float64, n), row: [2][]float32{make([]float32, n), make([]float32, n)}}
	for i := range rows.diag {
		rows.diag[i] = 1
	}
	p := svm.Problem{Rows: rows, Positive: n / 2}
	for b.Loop() {
		b.StopTimer()
		a, err := NewSpSVM(context.Background(), SpSVMConfig{C: 1, Bias: true, Support: n, Candidates: 1}, p, basisRand(20))
		if err != nil {
			b.Fatal(err)
		}
		for range 100 {
			a.Step()
		}
		b.StartTimer()
		a.Step()
	}
}

// lazyMatrix computes rows of the Cauchy kernel.
type lazyMatrix struct {
	x    [][2]float64
	diag []float64
	row  [2][]float32
	turn int
}

func (m *lazyMatrix) Train() int      { return len(m.x) }
func (m *lazyMatrix) Len() int        { return len(m.x) }
func (m *lazyMatrix) Diag() []float64 { return m.diag }

func (m *lazyMatrix) Row(i int) []float32 {
	m.turn = 1 - m.turn
	row := m.row[m.turn]
	for j, v := range m.x {
		d0, d1 := v[0]-m.x[i][0], v[1]-m.x[i][1]
		row[j] = float32(1 / (1 + d0*d0 + d1*d1))
	}
	return row
}
