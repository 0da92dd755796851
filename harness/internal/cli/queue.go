package cli

import (
	"context"
	"fmt"
	"strings"

	"stochopt/harness/internal/cluster"
)

// submissionReport is what status says about a submission to a cluster.
type submissionReport struct {
	// Jobs are prepare, the array of shards, and collect.
	Jobs []string `json:"jobs"`
	// Logs is the pattern of the paths of the logs.
	Logs string `json:"logs"`
	// Tasks lists those in the queue and those that failed.
	Tasks []cluster.Task `json:"tasks"`
}

// submissions reports the last submission of a results folder and those with tasks in the
// queue. If Slurm does not answer, the report says what is known without it.
func (a *app) submissions(ctx context.Context, dir string) (reports []submissionReport, err error) {
	all, err := cluster.Of(dir)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	queue, err := cluster.Queue(ctx, a.slurm, all)
	for i, s := range all {
		r, live := submissionReport{Jobs: s.Jobs, Logs: s.Log("*")}, false
		for _, t := range s.Tasks(queue) {
			if err == nil && (t.Queue != "" || t.Failed != nil) {
				r.Tasks = append(r.Tasks, t)
				live = live || t.Queue != ""
			}
		}
		if live || i == len(all)-1 {
			reports = append(reports, r)
		}
	}
	return reports, err
}

func (a *app) printSubmissions(name string, all []submissionReport) {
	for _, r := range all {
		fmt.Fprintf(a.out, "%s: jobs %s (prepare, shards, collect); logs: %s\n", name, strings.Join(r.Jobs, ", "), r.Logs)
		for i, t := range r.Tasks {
			switch {
			case i == 20:
				fmt.Fprintf(a.out, "    and %d more in the queue or failed\n", len(r.Tasks)-i)
				return
			case t.Failed != nil:
				end := strings.Join(t.Failed, "\n        ")
				fmt.Fprintf(a.out, "    %s failed; the end of %s:\n        %s\n", t.Name, t.Log, end)
			default:
				fmt.Fprintf(a.out, "    %s\n", t.Queue)
			}
		}
	}
}
