package external

import (
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// sampleBytes bounds a block of samples, which then stays in the cache of the processor between the
// process that writes it and the one that reads it.
const sampleBytes = 1 << 20

// PCA shows a program as an algorithm for streaming principal component analysis. It serves the
// samples in blocks.
type PCA struct {
	*Process
	source pca.Source
	d, k   int
	fixed  bool
	block  []float64

	state    pca.State
	u, sigma []float64
}

var (
	_ pca.Learner             = (*PCA)(nil)
	_ algorithms.BatchStepper = (*PCA)(nil)
	_ algorithms.Refresher    = (*PCA)(nil)
)

// NewPCA begins the run of a program for a subspace of i.K dimensions.
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

// Rank implements pca.Learner: that of the iterate shown last.
func (a *PCA) Rank() int { return len(a.state.Sigma) }

// Step implements algorithms.Stepper.
func (a *PCA) Step() algorithms.Status { return a.StepTo(a.cost.Iterations + 1) }

// StepTo implements algorithms.BatchStepper. The sources of the harness have no end.
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
			samples, err := writeArray(a.Process, "samples", a.block, n, a.d)
			if err != nil {
				_ = a.fail("samples: %w", err)
				return a.status()
			}
			advance.Samples = &samples
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

// take checks a state and keeps it.
func (a *PCA) take(s *State) (err error) {
	if a.u, err = a.array(s, "U", a.u, a.d, -1); err != nil {
		return err
	}
	m := s.Arrays["U"].Shape[1]
	if m > a.d || a.fixed && m != a.k {
		return a.fail("state: U has %d columns; want at most d = %d, and k = %d if the rank is fixed", m, a.d, a.k)
	}
	if _, ok := s.Arrays["sigma"]; !ok {
		a.sigma = slices.Repeat([]float64{1}, m)
	} else if a.sigma, err = a.array(s, "sigma", a.sigma, m); err != nil {
		return err
	}
	const rounding = 1e-9
	for j, v := range a.sigma {
		if v < -rounding || v > 1+rounding || j > 0 && v > a.sigma[j-1] {
			return a.fail("state: number %d of sigma is %v; sigma must decrease within [0, 1]", j, v)
		}
	}
	if !(s.Bulk >= 0 && s.Bulk <= 1) {
		return a.fail("state: bulk is %v; it must be in [0, 1]", s.Bulk)
	}
	a.state = pca.State{Sigma: a.sigma, Bulk: s.Bulk}
	if m > 0 {
		a.state.U = mat.NewDense(a.d, m, a.u)
	}
	const mostDrift = 1e-5
	if drift := pca.Orthonormality(a.state.U); drift > mostDrift {
		return a.fail("state: the columns of U are not orthonormal: UᵀU is %.2g from I", drift)
	}
	return nil
}

// StateTo implements pca.Learner: the state that was shown last.
func (a *PCA) StateTo(dst *pca.State) { *dst = *a.state.Clone() }
