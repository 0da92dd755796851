package cluster

import (
	"context"
	"errors"
	"slices"

	"stochopt/harness/internal/plan"
)

// Where a task is. Records decide first: a task whose runs are all there is done.
const (
	Done    = "done"
	Running = "running"
	Queued  = "queued"
	// Lost: runs are missing, and nothing is in the queue that would make them.
	Lost = "lost"
	// Unknown: runs are missing, and the queue cannot be asked.
	Unknown = "unknown"
	// Again: runs are missing, and a later submission is to make them.
	Again = "submitted again"
)

// Completed is how a task ended, by Slurm, that went through all its runs.
const Completed = "COMPLETED"

// TaskState is where a task of a submission is.
type TaskState struct {
	*plan.Task
	Job   Job
	Index int
	State string
	// Missing are its runs that are not on record, without those that later submissions have.
	Missing []string
	// Ended is how Slurm says that it ended, "" where it does not.
	Ended string
}

// Progress is how far a submission is.
type Progress struct {
	*Submission
	Jobs  []Job
	Tasks []TaskState
	// Never: jobs wait for what will never be.
	Never bool
}

// Count returns how many tasks are in a state, and how many of their runs are not on
// record.
func (p *Progress) Count(state string) (tasks, missing int) {
	for _, t := range p.Tasks {
		if t.State == state {
			tasks++
			missing += len(t.Missing)
		}
	}
	return tasks, missing
}

// Follow tells how far submissions are. done says whether a run, by the text of its ID, is
// on record. An error of the queue is returned beside what is known without it.
func Follow(ctx context.Context, slurm Slurm, all []*Submission, done func(key string) bool) ([]*Progress, error) {
	var out []*Progress
	var jobs []string
	var errs []error
	for _, s := range all {
		p := &Progress{Submission: s}
		tasks, err := s.Tasks()
		if err == nil {
			p.Jobs, err = s.Jobs()
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, t := range tasks {
			state := TaskState{Task: t, State: Lost}
			for _, key := range t.Keys {
				if !done(key) {
					state.Missing = append(state.Missing, key)
				}
			}
			if len(state.Missing) == 0 {
				state.State = Done
			}
			for _, j := range p.Jobs {
				if j.Kind == Tasks && j.Before < t.Number && t.Number <= j.Before+j.Tasks {
					state.Job, state.Index = j, t.Number-j.Before
				}
			}
			p.Tasks = append(p.Tasks, state)
		}
		jobs = append(jobs, ids(p.Jobs)...)
		out = append(out, p)
	}
	queue, err := slurm.Queue(ctx, jobs...)
	if err != nil {
		errs = append(errs, err)
	}
	states, never := byName(queue)
	ended := slurm.Ended(ctx, jobs...)
	later := make(map[string]bool)
	for _, p := range slices.Backward(out) {
		p.annotate(states, ended, err == nil)
		p.Never = slices.ContainsFunc(p.Jobs, func(j Job) bool { return never[j.Job] })
		p.yield(later)
	}
	return out, errors.Join(errs...)
}

// yield leaves missing runs to later submissions that have them too, and adds its own to
// those of later ones.
func (p *Progress) yield(later map[string]bool) {
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if t.State == Lost {
			t.Missing = slices.DeleteFunc(t.Missing, func(key string) bool { return later[key] })
			if len(t.Missing) == 0 {
				t.State = Again
			}
		}
		for _, key := range t.Missing {
			later[key] = true
		}
	}
}

// byName returns where jobs and tasks of arrays are in the queue, by their names, and the
// jobs that wait, in part or as a whole, for what will never be.
func byName(queue []State) (states map[string]string, never map[string]bool) {
	states, never = make(map[string]string, len(queue)), make(map[string]bool)
	for _, q := range queue {
		name := Job{Job: q.Job, Array: q.Index > 0}.name(q.Index)
		switch {
		case q.Running:
			states[name] = Running
		case q.Never():
			never[q.Job] = true
		default:
			states[name] = Queued
		}
	}
	return states, never
}

// annotate tells of the tasks that are not done where the queue has them.
func (p *Progress) annotate(states, ended map[string]string, asked bool) {
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if t.State == Done {
			continue
		}
		if !asked {
			t.State = Unknown
		}
		name := t.Job.name(t.Index)
		if state, ok := states[name]; ok {
			t.State = state
		}
		t.Ended = ended[name]
	}
}
