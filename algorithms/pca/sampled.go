package pca

import (
	"math/rand/v2"

	"stochopt/algorithms"
)

// Sampled makes a uniformly random one of the iterates M^(1), …, M^(T) of a
// learner, those that met the samples x_1, …, x_T, its solution, as the analysis
// of Warmuth & Kuzmin's algorithm has it. Before the first step it is the start.
// It is kept by reservoir sampling, so that it is uniform after every step, though
// from one step to the next it is mostly the same.
//
// Cost and Rank are those of the learner.
//
// Source: Cotter 2013, section 5.4, the lemma on the rate of the algorithm.
type Sampled struct {
	Learner
	rng  *rand.Rand
	n    int64
	held State
}

var _ Learner = (*Sampled)(nil)

// NewSampled returns a random iterate of inner, which has not been stepped yet and
// belongs to the result from now on. rng is for the choice only: it must not be
// the generator of inner. It returns an error if one of them is nil.
func NewSampled(inner Learner, rng *rand.Rand) (*Sampled, error) {
	if inner == nil {
		return nil, errNil("sampled", "learner")
	}
	if rng == nil {
		return nil, errNil("sampled", "random generator")
	}
	s := &Sampled{Learner: inner, rng: rng}
	inner.StateTo(&s.held)
	return s, nil
}

// Step implements algorithms.Stepper.
func (s *Sampled) Step() algorithms.Status {
	take := s.rng.Int64N(s.n+1) == 0
	var met State
	if take {
		s.Learner.StateTo(&met)
	}
	status := s.Learner.Step()
	if status.Stop() {
		return status
	}
	s.n++
	if take {
		s.held = met
	}
	return status
}

// StateTo implements Learner: the sampled iterate.
func (s *Sampled) StateTo(dst *State) { *dst = *s.held.Clone() }
