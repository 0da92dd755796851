package svm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// prototypes is the kernel matrix of many points at few places, with a row in
// memory for each place: as large a matrix as one likes whose rows still come from
// beyond the caches.
type prototypes struct {
	n, length int
	rows      [][]float32
	diag      []float64
}

func newPrototypes(n, length, places int) *prototypes {
	rng := rand.New(rand.NewPCG(1, 2))
	p := suite.Blobs(rng, places/2, places-places/2, 0, 10, 1, 0)
	k := p.Gram(suite.Cauchy(0.1))
	place := make([]int, length)
	for j := range place {
		place[j] = rng.IntN(places)
	}
	m := &prototypes{n: n, length: length}
	at := make([][]float32, places)
	for i := range at {
		at[i] = make([]float32, length)
		for j, q := range place {
			at[i][j] = k.Row(i)[q]
		}
	}
	for j, q := range place {
		if j < n {
			m.rows = append(m.rows, at[q])
		}
		m.diag = append(m.diag, float64(at[q][j]))
	}
	return m
}

func (m *prototypes) Train() int          { return m.n }
func (m *prototypes) Len() int            { return m.length }
func (m *prototypes) Row(i int) []float32 { return m.rows[i] }
func (m *prototypes) Diag() []float64     { return m.diag }

// BenchmarkSMOStep measures a step at the sizes of Adult.
func BenchmarkSMOStep(b *testing.B) {
	const n = 32561
	m := newPrototypes(n, n+16281, 512)
	for _, bias := range []bool{false, true} {
		b.Run(fmt.Sprintf("bias=%t", bias), func(b *testing.B) {
			newSMO := func() *svm.SMO {
				s, err := svm.NewSMO(svm.SMOConfig{Lambda: 1e-6, Bias: bias}, svm.Problem{Rows: m, Positive: n / 4})
				if err != nil {
					b.Fatal(err)
				}
				return s
			}
			s := newSMO()
			for b.Loop() {
				if s.Step().Stop() {
					b.StopTimer()
					s = newSMO()
					b.StartTimer()
				}
			}
		})
	}
}

// BenchmarkDualSolve measures a whole solution at n = 2000, lambda = 1e-5, up to a
// violation of 1e-3.
func BenchmarkDualSolve(b *testing.B) {
	p := suite.Blobs(rand.New(rand.NewPCG(3, 4)), 800, 1200, 1000, 10, 2, 0)
	problem := svm.Problem{Rows: p.Gram(suite.Cauchy(0.05)), Positive: p.Positive}
	for _, bias := range []bool{false, true} {
		solve := func(name string, create func() (svm.Learner, error)) {
			b.Run(fmt.Sprintf("%s/bias=%t", name, bias), func(b *testing.B) {
				var steps int64
				for b.Loop() {
					l, err := create()
					if err != nil {
						b.Fatal(err)
					}
					for !l.Step().Stop() {
					}
					steps = l.Cost().Iterations
				}
				b.ReportMetric(float64(steps), "steps")
			})
		}
		solve("smo", func() (svm.Learner, error) {
			return svm.NewSMO(svm.SMOConfig{Lambda: 1e-5, Bias: bias, Tolerance: 1e-3}, problem)
		})
		if !bias {
			solve("smo-pairs", func() (svm.Learner, error) {
				return svm.NewSMO(svm.SMOConfig{Lambda: 1e-5, Pairs: true, Tolerance: 1e-3}, problem)
			})
		}
		solve("decomposition", func() (svm.Learner, error) {
			return svm.NewDecomposition(svm.DecompositionConfig{Lambda: 1e-5, Bias: bias, Size: 10, Tolerance: 1e-3}, problem)
		})
	}
}
