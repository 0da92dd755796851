package cli

import (
	"context"
	"fmt"
	"strings"

	"stochopt/harness/internal/cluster"
)

// submissionReport is what status says about a submission to a cluster.
type submissionReport struct {
	Jobs []cluster.Job `json:"jobs"`
	// Logs is the pattern of the paths of the logs.
	Logs string `json:"logs"`
	// Queue lists what squeue prints about the jobs and tasks that wait or run, Failed those
	// that failed.
	Queue  []string          `json:"queue"`
	Failed []cluster.Failure `json:"failed"`
}

// submissions reports the last submission of a results folder and those with jobs in the
// queue. If Slurm does not answer, the report says what is known without it.
func (a *app) submissions(ctx context.Context, dir string) (reports []submissionReport, err error) {
	all, err := cluster.Of(dir)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	queue, slurmErr := a.slurm.Queue(ctx, cluster.IDs(all...)...)
	for i, s := range all {
		r := submissionReport{Jobs: s.Jobs, Logs: s.Log("*")}
		names, _ := s.Tasks()
		for _, name := range names {
			if line := queue[name]; line != "" {
				r.Queue = append(r.Queue, line)
			}
		}
		if slurmErr == nil {
			if r.Failed, err = s.Failures(queue); err != nil {
				return reports, err
			}
		}
		if i == len(all)-1 || len(r.Queue) > 0 {
			reports = append(reports, r)
		}
	}
	return reports, slurmErr
}

func (a *app) printSubmissions(name string, all []submissionReport) {
	const most = 10
	for _, r := range all {
		var jobs []string
		for _, j := range r.Jobs {
			jobs = append(jobs, j.ID+" ("+j.Kind+")")
		}
		fmt.Fprintf(a.out, "%s: jobs %s, %d in the queue, %d failed; logs: %s\n", name, strings.Join(jobs, ", "), len(r.Queue), len(r.Failed), r.Logs)
		for _, line := range r.Queue[:min(len(r.Queue), most)] {
			fmt.Fprintf(a.out, "    %s\n", line)
		}
		for _, f := range r.Failed[:min(len(r.Failed), most)] {
			fmt.Fprintf(a.out, "%s: job %s failed; the end of %s:\n    %s\n", name, f.Task, f.Log, strings.Join(f.Lines, "\n    "))
		}
	}
}
