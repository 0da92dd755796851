package pca

import (
	"fmt"
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/internal/finite"
)

// stream is the common part of all learners: source, step sizes, dimensions, cost and status.
type stream struct {
	src    Source
	step   algorithms.Schedule
	d, k   int
	cost   algorithms.Cost
	status algorithms.Status
}

// newStream returns a stream for the named algorithm. It returns an error if src or the schedule is nil,
// if the first step size is invalid, or unless 0 < k < d.
func newStream(name string, k int, src Source, step algorithms.Schedule) (stream, error) {
	if src == nil {
		return stream{}, errNil(name, "sample source")
	}
	if d := src.Dim(); k <= 0 || k >= d {
		return stream{}, fmt.Errorf("pca: %s: k = %d and d = %d; k must satisfy 0 < k < d", name, k, d)
	}
	if step == nil {
		return stream{}, errNil(name, "step-size schedule")
	}
	if eta := step.At(1); !(eta >= 0 && finite.Is(eta)) {
		return stream{}, fmt.Errorf("pca: %s: the schedule %v starts with %g; step sizes must be finite and not negative",
			name, step, eta)
	}
	return stream{src: src, step: step, d: src.Dim(), k: k}, nil
}

// noStep is the schedule of an algorithm without step sizes.
var noStep = algorithms.Constant{C: 1}

// newRandomStream is newStream for an algorithm with a random start.
func newRandomStream(name string, k int, src Source, step algorithms.Schedule, rng *rand.Rand) (stream, error) {
	if rng == nil {
		return stream{}, errNil(name, "random generator")
	}
	return newStream(name, k, src, step)
}

func errNil(name, what string) error { return fmt.Errorf("pca: %s: the %s is nil", name, what) }

// Dims implements Learner.
func (s *stream) Dims() (d, k int) { return s.d, s.k }

// Cost implements algorithms.Stepper.
func (s *stream) Cost() algorithms.Cost { return s.cost }

// next returns the sample and the step size of the next iteration. If they are not valid, it sets the
// status and returns false.
func (s *stream) next() (x []float64, eta float64, ok bool) {
	if s.status.Stop() {
		return nil, 0, false
	}
	t := s.cost.Iterations + 1
	x, ok = s.src.Next()
	if !ok {
		s.stop(algorithms.Exhausted, "the source has no sample %d", t)
		return nil, 0, false
	}
	if len(x) != s.d {
		s.stop(algorithms.Failed, "sample %d has %d entries, want %d", t, len(x), s.d)
		return nil, 0, false
	}
	if i := finite.Index(x); i >= 0 {
		s.stop(algorithms.Diverged, "sample %d is not finite: entry %d is %g", t, i, x[i])
		return nil, 0, false
	}
	eta = s.step.At(t)
	if !(eta >= 0 && finite.Is(eta)) {
		s.stop(algorithms.Failed, "the schedule %v gives %g in iteration %d: steps must be finite and not negative",
			s.step, eta, t)
		return nil, 0, false
	}
	return x, eta, true
}

// stop ends the run and returns its status.
func (s *stream) stop(state algorithms.State, format string, args ...any) algorithms.Status {
	s.status = algorithms.Status{State: state, Reason: fmt.Sprintf(format, args...)}
	return s.status
}

// diverged ends the run because the result of the next iteration, with step size eta, is not finite.
func (s *stream) diverged(eta float64) algorithms.Status {
	return s.stop(algorithms.Diverged,
		"iteration %d leaves the finite range: the step size %g is too large for the sample", s.cost.Iterations+1, eta)
}

// done counts a completed iteration whose iterate has rank kt. It adds kt^2 to SumKT2.
func (s *stream) done(kt int) algorithms.Status { return s.charge(kt, kt*kt) }

// charge counts a completed iteration. It adds kt to SumKT and kt2 to SumKT2.
func (s *stream) charge(kt, kt2 int) algorithms.Status {
	s.cost.Iterations++
	s.cost.SumKT += int64(kt)
	s.cost.SumKT2 += int64(kt2)
	return s.status
}
