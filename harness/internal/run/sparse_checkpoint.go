package run

import (
	"math"

	"stochopt/algorithms/checkpoint"
	"stochopt/results/record"
)

// computed implements counting.
func (t *sparseTrial) computed() int64 {
	r := t.run
	n := r.computed + r.rows.Computed() + r.seen.computed()
	if r.others != nil {
		n += r.others.computed()
	}
	return n
}

// discard ends what a trial that is not run has begun.
func (t *sparseTrial) discard() { t.limit.end() }

// saves implements resumable.
func (t *sparseTrial) saves() bool { return checkpoint.Saves(t.Learner) }

// checkpoint implements resumable.
func (t *sparseTrial) checkpoint(s *checkpoint.State) {
	t.pause()
	s.Part(t.Learner)
	t.run.draws.Checkpoint(s)
	s.Int64((*int64)(&t.limit.spent))
	t.spent.checkpoint(s)
	s.Int64(&t.steps)
	s.Int64(&t.observed)
	t.sizes.checkpoint(s)
	t.curve.checkpoint(s)
	points := s.Len(len(t.curve.Mistakes), math.MaxInt, 9)
	if s.Loads() {
		t.curve.Mistakes = make([]record.IndexSet, points)
	}
	for k := range t.curve.Mistakes {
		checkpoint.Indices(s, (*[]int32)(&t.curve.Mistakes[k]), t.run.shared.layout.Test, 0, t.run.shared.layout.Test-1)
	}
	checkpointTook(s, &t.times)
	t.checkpointSnapshots(s)
}

// checkpointSnapshots visits the classifier that is kept, and those that wait.
func (t *sparseTrial) checkpointSnapshots(s *checkpoint.State) {
	kept := t.kept != nil
	s.Bool(&kept)
	waiting := s.Len(len(t.wait), math.MaxInt, 64)
	if s.Loads() {
		t.kept, t.wait = nil, nil
		if kept {
			t.kept = new(snapshot)
		}
		for range waiting {
			t.wait = append(t.wait, new(snapshot))
		}
	}
	if kept {
		t.kept.checkpoint(s, t.run)
	}
	for _, w := range t.wait {
		w.checkpoint(s, t.run)
	}
}

// checkpoint visits a classifier of a run.
func (w *snapshot) checkpoint(s *checkpoint.State, r *sparseRun) {
	w.expansion.Checkpoint(s, r.shared.layout.Train, r.it.Problem.Data.Table.D)
	s.Cost(&w.cost)
	w.took.checkpoint(s)
	s.Float(&w.value)
	s.Bool(&w.pending)
	s.Int64(&w.vectors)
}

// checkpoint visits what has been recorded.
func (z *supportSizes) checkpoint(s *checkpoint.State) {
	s.Index(&z.exceeded, 0, len(z.sizes))
	checkpoint.Slice(s, z.peaked)
	checkpoint.Slice(s, z.fallen)
	s.Int64(&z.last)
	s.Int64(&z.most)
}

// checkpoint visits times.
func (t *took) checkpoint(s *checkpoint.State) {
	s.Int64((*int64)(&t.wall))
	s.Int64((*int64)(&t.cpu))
}

func checkpointTook(s *checkpoint.State, times *[]took) {
	n := s.Len(len(*times), math.MaxInt, 18)
	if s.Loads() {
		*times = make([]took, n)
	}
	for k := range *times {
		(*times)[k].checkpoint(s)
	}
}
