package external

import (
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// sampleBytes bounds the size of a block of samples, so that it stays in the CPU cache until the program
// reads it.
const sampleBytes = 1 << 20

// PCA is a streaming PCA algorithm that a program performs. It sends the samples in blocks.
type PCA struct {
	*Process
	source pca.Source
	d, k   int
	fixed  bool
	block  []float64
	state  pca.State
}

var (
	_ pca.Learner             = (*PCA)(nil)
	_ algorithms.BatchStepper = (*PCA)(nil)
	_ algorithms.Refresher    = (*PCA)(nil)
)

// NewPCA starts a run of a program for a subspace of i.K dimensions.
func NewPCA(p *Process, i Init, source pca.Source) (*PCA, error) {
	i.D = source.Dim()
	a := &PCA{Process: p, source: source, d: i.D, k: i.K, fixed: p.Hello.Rank == "fixed"}
	var counted []string
	if a.fixed {
		counted = []string{"sum_kt", "sum_kt2"}
	}
	return a, p.begin(i, counted...)
}

// Dims implements pca.Learner.
func (a *PCA) Dims() (d, k int) { return a.d, a.k }

// Rank implements pca.Learner. It is the rank of the last refreshed iterate.
func (a *PCA) Rank() int { return len(a.state.Sigma) }

// Step implements algorithms.Stepper.
func (a *PCA) Step() algorithms.Status { return a.StepTo(a.cost.Iterations + 1) }

// StepTo implements algorithms.BatchStepper. The source must be endless.
func (a *PCA) StepTo(t int64) (status algorithms.Status) {
	most := int64(max(sampleBytes/8/a.d, 1))
	for a.cost.Iterations < t && !status.Stop() {
		before := a.cost.Iterations
		advance := Advance{To: min(t, before+most)}
		if a.serves("samples") {
			n := int(advance.To - before)
			a.block = a.block[:0]
			for range n {
				x, _ := a.source.Next()
				a.block = append(a.block, x...)
			}
			advance.Samples = writeArray(a.Process, "samples", a.block, n, a.d)
		}
		status = a.advance(advance, nil)
		if a.fixed {
			steps, k := a.cost.Iterations-before, int64(a.k)
			a.cost.SumKT += steps * k
			a.cost.SumKT2 += steps * k * k
		}
	}
	return status
}

// Refresh implements algorithms.Refresher.
func (a *PCA) Refresh() algorithms.Status { return a.refresh(a.take) }

// take checks and stores a state.
func (a *PCA) take(s *State) {
	u := a.array(s, "U", a.d, -1)
	m := len(u) / a.d
	if m > a.d || a.fixed && m != a.k {
		a.fail("state: U has %d columns; want at most d = %d, or k = %d if the rank is fixed", m, a.d, a.k)
	}
	sigma := slices.Repeat([]float64{1}, m)
	if _, ok := s.Arrays["sigma"]; ok {
		sigma = a.array(s, "sigma", m)
	}
	const rounding = 1e-9
	for j, v := range sigma {
		if v < -rounding || v > 1+rounding || j > 0 && v > sigma[j-1] {
			a.fail("state: number %d of sigma is %v; the numbers must be in [0, 1] and in decreasing order", j, v)
		}
	}
	if !(s.Bulk >= 0 && s.Bulk <= 1) {
		a.fail("state: bulk is %v; it must be in [0, 1]", s.Bulk)
	}
	a.state = pca.State{Sigma: sigma, Bulk: s.Bulk}
	if m > 0 {
		a.state.U = mat.NewDense(a.d, m, u)
	}
	const most = 1e-5
	if drift := pca.Orthonormality(a.state.U); drift > most {
		a.fail("state: the columns of U are not orthonormal: UᵀU differs from I by %.2g", drift)
	}
}

// StateTo implements pca.Learner. It returns the last refreshed state.
func (a *PCA) StateTo(dst *pca.State) { *dst = a.state }
