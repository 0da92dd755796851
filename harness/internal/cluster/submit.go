package cluster

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"stochopt/harness/internal/plan"
	"stochopt/internal/shell"
	"stochopt/results/words"
)

// Beside is how many jobs a submission has beside those of its tasks.
const Beside = 2

// Submit gives the jobs to a Slurm: prepare, then the tasks, in as many arrays as the
// cluster's limit takes, then collect, whatever becomes of the tasks. Where the cluster
// refuses one, those before it are cancelled.
func (s *Submission) Submit(ctx context.Context, slurm Slurm, limits Limits) ([]Job, error) {
	jobs, err := s.submit(ctx, slurm, limits, s.note)
	if err == nil {
		return jobs, nil
	}
	// What is in the queue must leave it, also where the user has interrupted.
	if undo := slurm.Cancel(context.WithoutCancel(ctx), ids(jobs)...); undo != nil {
		return jobs, fmt.Errorf("%w; and %s of the submission are in the queue and could not be cancelled: %w", err, words.Count(len(jobs), "job"), undo)
	}
	return nil, err
}

func (s *Submission) submit(ctx context.Context, slurm Slurm, limits Limits, note func(Job) error) (jobs []Job, err error) {
	give := func(j Job, args ...string) error {
		log := Job{Job: "%j"}
		if j.Array {
			log.Job = "%A_%a"
		}
		id, err := slurm.Submit(ctx, append([]string{"--output=" + log.Log(0)}, args...)...)
		if err != nil {
			return fmt.Errorf("the job %s was not taken: %w", j.Kind, err)
		}
		j.Job = id
		jobs = append(jobs, j)
		return note(j)
	}
	script := func(kind string) string { return filepath.Join(s.Dir, kind+".sh") }
	if err := give(Job{Kind: Prepare}, append(s.options(Prepare), script(Prepare))...); err != nil {
		return jobs, err
	}
	options := s.options(Tasks, "afterok", jobs[0].Job)
	collect := []string{"afterany"}
	most := max(limits.Array-1, 1) // indices begin with 1
	for before := 0; before < s.Count; before += most {
		j := Job{Kind: Tasks, Before: before, Tasks: min(most, s.Count-before), Array: limits.Array > 1}
		args, first := options, before
		if j.Array {
			array := fmt.Sprintf("--array=1-%d", j.Tasks)
			if s.Throttle > 0 {
				array += fmt.Sprintf("%%%d", s.Throttle)
			}
			args = append(args[:len(args):len(args)], array)
		} else {
			first++ // the script has no index to add
		}
		if err := give(j, append(args[:len(args):len(args)], script(Tasks), fmt.Sprint(first))...); err != nil {
			return jobs, err
		}
		collect = append(collect, jobs[len(jobs)-1].Job)
	}
	return jobs, give(Job{Kind: Collect}, append(s.options(Collect, collect...), script(Collect))...)
}

func ids(jobs []Job) (list []string) {
	for _, j := range jobs {
		list = append(list, j.Job)
	}
	return list
}

// Preview writes what New and Submit would make and do.
func Preview(w io.Writer, s *Submission, limits Limits, program string, text []byte, tasks []*plan.Task) error {
	if _, err := s.describe(program, text, tasks); err != nil {
		return err
	}
	n := 0
	slurm := Slurm{Command: func(_ context.Context, name string, args ...string) (string, error) {
		n++
		_, err := fmt.Fprintf(w, "%s %s   # job %d\n", name, shell.Words(args), n)
		return fmt.Sprint(n), err
	}}
	if _, err := s.submit(context.Background(), slurm, limits, func(Job) error { return nil }); err != nil {
		return err
	}
	for _, kind := range kinds {
		script, err := s.Script(kind)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "\n### %s\n%s", filepath.Join(s.Dir, kind+".sh"), script); err != nil {
			return err
		}
	}
	return nil
}

// Machine is the architecture of this machine as uname has it.
func Machine(ctx context.Context, slurm Slurm) (string, error) {
	text, err := slurm.run(ctx, "uname", "-m")
	return strings.TrimSpace(text), err
}

// User is the name of who submits.
func User(ctx context.Context, slurm Slurm) (string, error) {
	text, err := slurm.run(ctx, "id", "-un")
	return strings.TrimSpace(text), err
}
