package pca

import (
	"fmt"
	"math"
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/internal/finite"
)

// stream is the side of a learner that faces its source: dimensions, samples,
// cost and status.
type stream struct {
	src    Source
	d, k   int
	cost   algorithms.Cost
	status algorithms.Status
}

// newStream returns a stream for the named algorithm, or an error if src is nil
// or 0 < k < d does not hold.
func newStream(name string, k int, src Source) (stream, error) {
	if src == nil {
		return stream{}, fmt.Errorf("pca: %s: the sample source is nil", name)
	}
	d := src.Dim()
	if k <= 0 || k >= d {
		return stream{}, fmt.Errorf("pca: %s: a subspace of dimension k = %d of samples of dimension d = %d: k must satisfy 0 < k < d", name, k, d)
	}
	return stream{src: src, d: d, k: k}, nil
}

// newRandomStream is newStream for an algorithm with step sizes and a random
// start, which it checks too.
func newRandomStream(name string, k int, src Source, step algorithms.Schedule, rng *rand.Rand) (stream, error) {
	s, err := newStream(name, k, src)
	if err != nil {
		return stream{}, err
	}
	if err := checkStep(name, step); err != nil {
		return stream{}, err
	}
	if rng == nil {
		return stream{}, errNoRand(name)
	}
	return s, nil
}

// checkStep returns an error if the step-size schedule cannot be used.
func checkStep(name string, step algorithms.Schedule) error {
	if step == nil {
		return fmt.Errorf("pca: %s: the step-size schedule is nil", name)
	}
	if eta := step.At(1); !(eta >= 0) || math.IsInf(eta, 1) {
		return fmt.Errorf("pca: %s: the first step size of the schedule %v is %g: steps must be finite and not negative", name, step, eta)
	}
	return nil
}

// Dims implements Learner.
func (s *stream) Dims() (d, k int) { return s.d, s.k }

// Cost implements algorithms.Stepper.
func (s *stream) Cost() algorithms.Cost { return s.cost }

// next returns the sample of the coming iteration, and whether there is one
// that can be used; if not, the status says why.
func (s *stream) next() (x []float64, ok bool) {
	if s.status.Stop() {
		return nil, false
	}
	t := s.cost.Iterations + 1
	x, ok = s.src.Next()
	if !ok {
		s.stop(algorithms.Exhausted, "the source has no sample %d", t)
		return nil, false
	}
	if len(x) != s.d {
		s.stop(algorithms.Failed, "sample %d has %d entries, want %d", t, len(x), s.d)
		return nil, false
	}
	if i := finite.Index(x); i >= 0 {
		s.stop(algorithms.Diverged, "sample %d is not finite: entry %d is %g", t, i, x[i])
		return nil, false
	}
	return x, true
}

// nextStep returns the sample and the step size of the coming iteration, and whether
// they can be used; if not, the status says why.
func (s *stream) nextStep(step algorithms.Schedule) (x []float64, eta float64, ok bool) {
	if x, ok = s.next(); ok {
		eta, ok = s.stepSize(step)
	}
	return x, eta, ok
}

// stepSize returns the step size of the coming iteration, and whether it can be
// used; if not, the status says why.
func (s *stream) stepSize(step algorithms.Schedule) (eta float64, ok bool) {
	t := s.cost.Iterations + 1
	eta = step.At(t)
	if !(eta >= 0) || !finite.Is(eta) {
		s.stop(algorithms.Failed, "the schedule %v gives the step size %g in iteration %d: steps must be finite and not negative", step, eta, t)
		return 0, false
	}
	return eta, true
}

// stop ends the run.
func (s *stream) stop(state algorithms.State, format string, args ...any) algorithms.Status {
	s.status = algorithms.Status{State: state, Reason: fmt.Sprintf(format, args...)}
	return s.status
}

// diverged ends the run because the coming iteration, of step size eta, leaves
// the finite range.
func (s *stream) diverged(eta float64) algorithms.Status {
	return s.stop(algorithms.Diverged, "iteration %d leaves the finite range: the step size %g is too large for the sample", s.cost.Iterations+1, eta)
}

// done counts a completed iteration that leaves an iterate of rank kt and costs
// d kt^2.
func (s *stream) done(kt int) algorithms.Status { return s.charge(kt, kt*kt) }

// charge counts a completed iteration that leaves an iterate of rank kt and costs
// d*kt2.
func (s *stream) charge(kt, kt2 int) algorithms.Status {
	s.cost.Iterations++
	s.cost.SumKT += int64(kt)
	s.cost.SumKT2 += int64(kt2)
	return s.status
}

func errNoRand(name string) error {
	return fmt.Errorf("pca: %s: the random generator is nil", name)
}
