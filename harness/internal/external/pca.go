package external

import (
	"context"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// sampleBytes bounds a block of samples, so that it stays in a processor's cache from the one
// who writes it to the other who reads it.
const sampleBytes = 1 << 20

// PCA shows a program as an algorithm for streaming principal component analysis. It serves
// the samples, in blocks.
type PCA struct {
	run
	source pca.Source
	d, k   int
	block  []float64
	fixed  bool

	state pca.State
	u     []float64
	sigma []float64
	drift float64
}

var (
	_ pca.Learner             = (*PCA)(nil)
	_ algorithms.BatchStepper = (*PCA)(nil)
	_ algorithms.Refresher    = (*PCA)(nil)
)

// NewPCA begins a run of a program that has said hello, for a subspace of k dimensions. The end
// of the context ends each of its steps.
func NewPCA(ctx context.Context, p *Process, i Init, source pca.Source) (*PCA, error) {
	a := &PCA{source: source, d: source.Dim(), k: i.K}
	i.D = a.d
	var err error
	var counted []string
	if a.fixed = p.Hello.Rank == "fixed"; a.fixed {
		counted = []string{"sum_kt", "sum_kt2"}
	}
	if a.run, err = newRun(ctx, p, i, counted...); err != nil {
		return nil, err
	}
	return a, nil
}

// Dims implements pca.Learner.
func (a *PCA) Dims() (d, k int) { return a.d, a.k }

// Rank implements pca.Learner: that of the iterate shown last.
func (a *PCA) Rank() int { return len(a.state.Sigma) }

// Step implements algorithms.Stepper.
func (a *PCA) Step() algorithms.Status { return a.StepTo(a.cost.Iterations + 1) }

// StepTo implements algorithms.BatchStepper.
func (a *PCA) StepTo(t int64) algorithms.Status {
	for a.cost.Iterations < t {
		to := min(t, a.cost.Iterations+int64(max(sampleBytes/8/a.d, 1)))
		advance := Advance{To: to}
		exhausted := false
		if a.process.Hello.Serves(ServeSamples) {
			n := a.draw(int(to - a.cost.Iterations))
			exhausted = int64(n) < to-a.cost.Iterations
			advance.To = a.cost.Iterations + int64(n)
			if n == 0 {
				return algorithms.Status{State: algorithms.Exhausted}
			}
			samples, err := writeArray(&a.process.files, "samples", []int{n, a.d}, a.block)
			if err != nil {
				return a.broke(err)
			}
			advance.Samples = &samples
		}
		before := a.cost.Iterations
		status := a.advance(advance, nil)
		if a.fixed {
			steps, k := a.cost.Iterations-before, int64(a.k)
			a.cost.SumKT += steps * k
			a.cost.SumKT2 += steps * k * k
		}
		if status.Stop() {
			return status
		}
		if exhausted {
			return algorithms.Status{State: algorithms.Exhausted}
		}
	}
	return algorithms.Status{}
}

// draw fills the block with at most so many samples, and returns how many there are.
func (a *PCA) draw(most int) (n int) {
	a.block = a.block[:0]
	for ; n < most; n++ {
		x, ok := a.source.Next()
		if !ok {
			break
		}
		a.block = append(a.block, x...)
	}
	return n
}

// Refresh implements algorithms.Refresher.
func (a *PCA) Refresh() algorithms.Status {
	s, err := a.process.State(a.ctx)
	if err == nil {
		err = a.take(s)
	}
	if err != nil {
		return a.broke(err)
	}
	return algorithms.Status{}
}

// mostDrift is how far a basis may be from orthonormal.
const mostDrift = 1e-5

// take checks a state and keeps it.
func (a *PCA) take(s *State) (err error) {
	u, ok := s.Arrays["U"]
	if !ok {
		return a.process.fail("its state has no array U, the basis")
	}
	if a.u, err = a.process.Array("U", u, a.u, a.d, -1); err != nil {
		return err
	}
	m := u.Shape[1]
	if m > a.d {
		return a.process.fail("U has %d columns of %d features", m, a.d)
	}
	if sigma, ok := s.Arrays["sigma"]; ok {
		if a.sigma, err = a.process.Array("sigma", sigma, a.sigma, m); err != nil {
			return err
		}
	} else {
		a.sigma = slices.Repeat([]float64{1}, m)
	}
	const rounding = 1e-9
	for j, v := range a.sigma {
		if v < -rounding || v > 1+rounding || j > 0 && v > a.sigma[j-1] {
			return a.process.fail("sigma, which is %v at %d, has to decrease, and to be at least 0 and at most 1", v, j)
		}
	}
	if !(s.Bulk >= 0 && s.Bulk <= 1) {
		return a.process.fail("bulk is %v; it has to be at least 0 and at most 1", s.Bulk)
	}
	a.state = pca.State{Sigma: a.sigma, Bulk: s.Bulk}
	if m > 0 {
		a.state.U = mat.NewDense(a.d, m, a.u)
	}
	if a.drift = pca.Orthonormality(a.state.U); a.drift > mostDrift {
		return a.process.fail("the columns of U are not orthonormal: UᵀU is %.2g from I", a.drift)
	}
	return nil
}

// StateTo implements pca.Learner: the state that was last shown.
func (a *PCA) StateTo(dst *pca.State) { *dst = *a.state.Clone() }
