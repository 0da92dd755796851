package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stochopt/harness/internal/cluster"
	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

// slurmTimeout limits the wait for Slurm, so that status works even if the controller does not answer.
const slurmTimeout = 3 * time.Second

func newStatus(a *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "status DIR...",
		Short: "Show the progress and failures of experiments",
		Long: `Status shows how many runs are on record, which process writes to the folder, how long the missing
runs will take, and which runs failed. A folder of results folders stands for all of them.

The estimated time of a missing run is the mean time of the finished runs of its series on its data
set. Without such runs, it is the mean time of all finished runs.

For an experiment on a cluster, status shows the jobs of the last submission, the output of squeue
about them, and the last lines of the logs of failed tasks.`,
		Example: `  stochopt status results/pca-simulated
  stochopt status results`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := context.WithTimeout(cmd.Context(), slurmTimeout)
			defer stop()
			reports := []statusReport{}
			err := a.eachFolder(args, func(f *experiment.Folder) error {
				r, err := a.readStatus(ctx, f)
				if err == nil {
					reports = append(reports, r)
				}
				return err
			})
			if len(reports) > 0 && asJSON {
				return errors.Join(printJSON(a.out, reports), err)
			}
			for _, r := range reports {
				a.printStatus(r)
			}
			return err
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

type statusReport struct {
	Planned int    `json:"planned_runs"`
	Profile string `json:"profile"`
	experiment.Summary
	// Left is the estimated sequential time of the missing runs; 0 if no run has finished.
	Left float64 `json:"seconds_left,omitempty"`
	// Running lists the processes that write to the folder.
	Running []record.Holder `json:"running"`
	// Submission is the last submission to a cluster. Tasks lists its tasks that are queued or failed.
	Submission *cluster.Submission `json:"submission,omitempty"`
	Tasks      []cluster.Task      `json:"tasks,omitempty"`
}

func (a *app) readStatus(ctx context.Context, f *experiment.Folder) (statusReport, error) {
	m := &f.Manifest
	e, err := f.Records()
	if err != nil {
		return statusReport{}, usage(err)
	}
	s := experiment.Summarise(e)
	for i := range s.Series {
		if g := &s.Series[i]; g.Runs == 0 { // without records, only the manifest knows
			g.StandIn = slices.Contains(m.StandIns(), g.Dataset)
		}
	}
	s.Warnings = append(s.Warnings, m.Builds(f.Dir)...)
	r := statusReport{
		Planned: m.Planned, Profile: m.Profile, Summary: s, Left: s.MissingSeconds(), Running: record.Writers(f.Dir),
	}
	if r.Submission, err = cluster.Last(f.Dir); r.Submission != nil {
		r.Tasks, err = r.Submission.Tasks(ctx, a.slurm)
	}
	if err != nil {
		fmt.Fprintf(a.err, "note: %s: %v\n", e.Name, err)
	}
	return r, nil
}

func (a *app) printStatus(r statusReport) {
	counts := append([]string{fmt.Sprintf("%d finished", r.Finished)}, unfinished(r.Counts)...)
	fmt.Fprintf(a.out, "%s: %d of %d runs on record: %s", r.Experiment, r.Runs, r.Planned, strings.Join(counts, ", "))
	if r.Profile != "" {
		fmt.Fprintf(a.out, "; profile %s", r.Profile)
	}
	fmt.Fprintln(a.out)
	for _, h := range r.Running {
		fmt.Fprintf(a.out, "running: %v\n", h)
	}
	if len(r.Running) == 0 && r.Missing > 0 {
		fmt.Fprintln(a.out, "no process is running")
	}
	if r.Left > 0 {
		fmt.Fprintf(a.out, "%s missing: about %s of sequential time\n", words.Count(r.Missing, "run"), roundedTime(r.Left))
	}
	a.printSubmission(&r)
	if r.Damaged > 0 {
		fmt.Fprintf(a.out, "damaged rows or lines: %d\n", r.Damaged)
	}
	type series = experiment.SeriesSummary
	columns := []column[series]{
		{"dataset", func(s series) any { return dataName(s.Dataset, s.StandIn) }},
		{"series", func(s series) any { return s.Series }},
		{"runs", func(s series) any { return s.Runs }},
		{"finished", func(s series) any { return s.Finished }},
		{"diverged", func(s series) any { return s.Diverged }},
		{"failed", func(s series) any { return s.Failed }},
		{"step seconds", func(s series) any { return number(fmt.Sprintf("%.1f", s.StepSeconds)) }},
	}
	if r.Skipped > 0 {
		columns = append(columns, column[series]{"skipped", func(s series) any { return s.Skipped }})
	}
	if r.OutOfTime+r.OutOfMemory > 0 {
		columns = append(columns, column[series]{"out of time", func(s series) any { return s.OutOfTime }},
			column[series]{"out of memory", func(s series) any { return s.OutOfMemory }})
	}
	if r.Missing > 0 {
		columns = append(columns, column[series]{"missing", func(s series) any { return s.Missing }})
	}
	printTable(a.out, inTable, r.Series, columns)
	for _, p := range r.Problems {
		fmt.Fprintf(a.out, "%s: %s: %s\n", p.Status, p.Name, p.Reason)
	}
	a.warn(r.Warnings...)
}

// printSubmission prints the last submission and at most maxTasks of its tasks.
func (a *app) printSubmission(r *statusReport) {
	const maxTasks = 20
	if r.Submission == nil {
		return
	}
	fmt.Fprintf(a.out, "jobs %s (prepare, shards, collect); logs: %s\n",
		strings.Join(r.Submission.Jobs, ", "), r.Submission.Log("*"))
	for _, t := range r.Tasks[:min(len(r.Tasks), maxTasks)] {
		if t.Failed != nil {
			lines := strings.Join(t.Failed, "\n        ")
			fmt.Fprintf(a.out, "    %s failed; last lines of %s:\n        %s\n", t.Name, t.Log, lines)
		} else {
			fmt.Fprintf(a.out, "    %s\n", t.Queue)
		}
	}
	if more := len(r.Tasks) - maxTasks; more > 0 {
		fmt.Fprintf(a.out, "    and %d more in the queue or failed\n", more)
	}
}
