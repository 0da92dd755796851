package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stochopt/harness/internal/cluster"
	"stochopt/harness/internal/experiment"
	"stochopt/internal/disk"
	"stochopt/internal/shell"
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

// follow tells how far the submissions of a results folder are. What is known without the
// queue is returned beside an error of it.
func (a *app) follow(ctx context.Context, dir string, e *record.Experiment) ([]*cluster.Progress, error) {
	all, err := cluster.Of(dir)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	done := completedOf(e)
	for _, r := range e.Runs { // failed and skipped ones are not to be waited for
		done[r.ID().Text()] = r
	}
	return cluster.Follow(ctx, a.slurm, all, func(key string) bool { _, ok := done[key]; return ok })
}

// submissionReport is what status says of a submission.
type submissionReport struct {
	ID      string `json:"id"`
	Tasks   int    `json:"tasks"`
	Queued  int    `json:"queued"`
	Running int    `json:"running"`
	Done    int    `json:"done"`
	Lost    int    `json:"lost"`
	// Unknown: the queue cannot be asked. Again: a later submission has their runs.
	Unknown int `json:"unknown,omitempty"`
	Again   int `json:"submitted_again,omitempty"`
	// LostRuns are missing, and no task is in the queue that would make them.
	LostRuns int `json:"lost_runs"`
	// Never: jobs wait for what will never be.
	Never bool `json:"never_starts,omitempty"`
	// Ended counts how lost tasks ended, where the cluster tells.
	Ended map[string]int `json:"ended,omitempty"`
}

func reportOf(p *cluster.Progress) submissionReport {
	r := submissionReport{ID: p.ID, Tasks: len(p.Tasks), Never: p.Never}
	for state, n := range map[string]*int{
		cluster.Queued: &r.Queued, cluster.Running: &r.Running, cluster.Done: &r.Done, cluster.Unknown: &r.Unknown, cluster.Again: &r.Again,
	} {
		*n, _ = p.Count(state)
	}
	r.Lost, r.LostRuns = p.Count(cluster.Lost)
	for _, t := range p.Tasks {
		if t.State == cluster.Lost && t.Ended != "" {
			if r.Ended == nil {
				r.Ended = make(map[string]int)
			}
			r.Ended[t.Ended]++
		}
	}
	return r
}

// printSubmissions says where the tasks of submissions are. Those that are over, and whose
// runs others have made, are left out.
func (a *app) printSubmissions(name, dir string, all []submissionReport) {
	lost := 0
	for _, r := range all {
		lost += r.LostRuns
		if r.Done+r.Again == r.Tasks && len(all) > 1 {
			continue
		}
		fmt.Fprintf(a.out, "%s: submission %s: %s: %d queued, %d running, %d done, %d lost", name, r.ID, words.Count(r.Tasks, "task"), r.Queued, r.Running, r.Done, r.Lost)
		if r.Again > 0 {
			fmt.Fprintf(a.out, ", %d submitted again", r.Again)
		}
		if r.Unknown > 0 {
			fmt.Fprintf(a.out, ", %d unknown", r.Unknown)
		}
		if len(r.Ended) > 0 {
			var parts []string
			for _, how := range slices.Sorted(maps.Keys(r.Ended)) {
				parts = append(parts, fmt.Sprintf("%s %d", how, r.Ended[how]))
			}
			fmt.Fprintf(a.out, " (%s)", strings.Join(parts, ", "))
		}
		fmt.Fprintln(a.out)
		if r.Never {
			fmt.Fprintf(a.out, "%s: submission %s: jobs wait for one that has failed, and will never start: stochopt cancel %s\n", name, r.ID, shell.Word(dir))
		}
	}
	if lost > 0 {
		fmt.Fprintf(a.out, "%s: lost tasks: why: stochopt logs %[2]s --failed; to submit their runs again: stochopt resubmit %[2]s\n", name, shell.Word(dir))
	}
}

func newCancel(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel DIR...",
		Short: "Take what was submitted to the cluster out of its queue",
		Long: `Cancel stops the jobs of all submissions in each results folder that are in the queue,
running or not. What they have recorded stays; resubmit submits the rest again.`,
		Example: "  stochopt cancel results/svm-experiments",
		Args:    atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachSubmitted(args, func(f *experiment.Folder, all []*cluster.Submission) error {
				return a.cancel(cmd.Context(), f, all)
			})
		},
	}
}

func (a *app) cancel(ctx context.Context, f *experiment.Folder, all []*cluster.Submission) error {
	var jobs []string
	for _, s := range all {
		of, err := s.Jobs()
		if err != nil {
			return usage(err)
		}
		for _, j := range of {
			jobs = append(jobs, j.Job)
		}
	}
	queue, err := a.slurm.Queue(ctx, jobs...)
	if err != nil {
		return failed(err)
	}
	jobs = jobs[:0]
	for _, q := range queue {
		jobs = words.AddOnce(jobs, q.Job)
	}
	if err := a.slurm.Cancel(ctx, jobs...); err != nil {
		return failed(err)
	}
	fmt.Fprintf(a.out, "%s: %s cancelled\n", filepath.Base(f.Dir), words.Count(len(jobs), "job"))
	return nil
}

type logsOptions struct {
	failed bool
	tasks  []int
}

func newLogs(a *app) *cobra.Command {
	o := &logsOptions{}
	cmd := &cobra.Command{
		Use:   "logs DIR...",
		Short: "Print what the jobs of a cluster have said",
		Long: `Logs prints the logs of the jobs of the last submission in each results folder, or of
some of its tasks. With --failed it prints those of jobs that ended with an error, of tasks
that have left runs undone, and of tasks with runs that failed.`,
		Example: "  stochopt logs results/svm-experiments --failed\n  stochopt logs results/svm-experiments --task 3",
		Args:    atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachSubmitted(args, func(f *experiment.Folder, all []*cluster.Submission) error {
				return o.print(cmd.Context(), a, f)
			})
		},
	}
	cmd.Flags().BoolVar(&o.failed, "failed", false, "only the logs of what went wrong")
	cmd.Flags().IntSliceVar(&o.tasks, "task", nil, "only the logs of these tasks, by their numbers")
	return cmd
}

// mostLog bounds what is printed of a log, in bytes, from its end.
const mostLog = 1 << 20

func (o *logsOptions) print(ctx context.Context, a *app, f *experiment.Folder) error {
	e, err := f.Records()
	if err != nil {
		return usage(err)
	}
	follow, err := a.follow(ctx, f.Dir, e)
	if err != nil {
		fmt.Fprintf(a.err, "note: %v\n", err)
	}
	if len(follow) == 0 {
		return nil
	}
	p := follow[len(follow)-1]
	for _, j := range p.Jobs {
		if j.Kind != cluster.Tasks && len(o.tasks) == 0 {
			if err := o.show(a, p, j.Kind, j.Log(0), false); err != nil {
				return err
			}
		}
	}
	status := make(map[string]string)
	for _, r := range e.Runs {
		status[r.ID().Text()] = r.Status
	}
	for _, t := range p.Tasks {
		if len(o.tasks) > 0 && !slices.Contains(o.tasks, t.Number) {
			continue
		}
		bad := t.State == cluster.Lost
		for _, key := range t.Keys {
			bad = bad || status[key] == record.StatusFailed
		}
		title := fmt.Sprintf("task %d, %s", t.Number, t.State)
		if t.Job.Job == "" {
			continue // it was not submitted
		}
		if err := o.show(a, p, title, t.Job.Log(t.Index), bad); err != nil {
			return err
		}
	}
	return nil
}

// show prints a log. bad: what it is of went wrong, whatever it says.
func (o *logsOptions) show(a *app, p *cluster.Progress, title, log string, bad bool) error {
	path := filepath.Join(p.Dir, log)
	text, err := tail(path)
	switch {
	case os.IsNotExist(err) && o.failed && !bad:
		return nil
	case os.IsNotExist(err):
		text = "(no log yet)\n"
	case err != nil:
		return usage(err)
	}
	code, over := exitOf(text)
	if o.failed && !bad && (!over || code == 0) {
		return nil
	}
	fmt.Fprintf(a.out, "=== %s: %s\n%s\n", title, path, strings.TrimRight(text, "\n"))
	return nil
}

// tail reads a file, or the end of a long one.
func tail(path string) (string, error) {
	f, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	data := make([]byte, min(info.Size(), mostLog))
	n, err := f.ReadAt(data, info.Size()-int64(len(data)))
	if n < len(data) {
		return "", err
	}
	return string(data), nil
}

// exitOf reads the last line of a log, which says how the job ended. over is false where it
// does not.
func exitOf(text string) (code int, over bool) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	_, number, ok := strings.Cut(lines[len(lines)-1], cluster.EndedWith)
	if !ok {
		return 0, false
	}
	code, err := strconv.Atoi(number)
	return code, err == nil
}
