package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

func newStatus(a *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "status DIR...",
		Short: "Progress and failures of a running, stopped or complete experiment",
		Long: `Status shows how many runs are on record, how long the missing runs will take, and which
runs failed. A folder of results folders stands for all in it.

A missing run is estimated to take as long as the finished runs of its series on its data
set, or else as all finished runs, on average.

For an experiment that was submitted to a cluster, it shows the jobs, what squeue prints
about them, and the last lines of the logs of failed tasks.`,
		Example: `  stochopt status results/pca-simulated
  stochopt status results`,
		Args: atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			all := []progressReport{}
			unread := a.eachFolder(args, func(f *experiment.Folder) error {
				r, err := a.readProgress(cmd.Context(), f)
				if err == nil {
					all = append(all, r)
				}
				return err
			})
			if len(all) == 0 {
				return unread
			}
			if asJSON {
				return errors.Join(printJSON(a.out, all), unread)
			}
			for _, r := range all {
				if err := a.printStatus(r); err != nil {
					return err
				}
			}
			return unread
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

type progressReport struct {
	Planned int    `json:"planned_runs"`
	Profile string `json:"profile"`
	experiment.Summary
	// Left is how many seconds the missing runs take one after the other, estimated from the
	// finished runs; 0 if no run has finished.
	Left float64 `json:"seconds_left,omitempty"`
	// Submissions are those to a cluster.
	Submissions []submissionReport `json:"submissions,omitempty"`
}

func (a *app) readProgress(ctx context.Context, f *experiment.Folder) (progressReport, error) {
	m := &f.Manifest
	e, err := f.Records()
	if err != nil {
		return progressReport{}, usage(err)
	}
	s := experiment.Summarise(e)
	for i := range s.Series {
		if g := &s.Series[i]; g.Runs == 0 { // its records do not say yet
			g.StandIn = slices.Contains(m.StandIns(), g.Dataset)
		}
	}
	s.Warnings = append(s.Warnings, m.Builds(f.Dir)...)
	r := progressReport{Planned: m.Planned, Profile: m.Profile, Summary: s, Left: s.MissingSeconds()}
	if r.Submissions, err = a.submissions(ctx, f.Dir); err != nil {
		fmt.Fprintf(a.err, "note: %s: %v\n", e.Name, err)
	}
	return r, nil
}

func (a *app) printStatus(r progressReport) error {
	fmt.Fprintf(a.out, "%s: %d of %d runs on record: %d finished, %d diverged, %d failed", r.Experiment, r.Runs, r.Planned, r.Finished, r.Diverged, r.Failed)
	if r.Skipped > 0 {
		fmt.Fprintf(a.out, ", %d skipped", r.Skipped)
	}
	if n := r.OutOfTime + r.OutOfMemory; n > 0 {
		fmt.Fprintf(a.out, ", %d out of time or memory", n)
	}
	if r.Profile != "" {
		fmt.Fprintf(a.out, "; profile %s", r.Profile)
	}
	fmt.Fprintln(a.out)
	if r.Left > 0 {
		fmt.Fprintf(a.out, "%s missing: about %s, one after the other\n", words.Count(r.Missing, "run"), inWords(r.Left))
	}
	a.printSubmissions(r.Experiment, r.Submissions)
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
	if err := printTable(a.out, inTable, r.Series, columns); err != nil {
		return err
	}
	for _, p := range r.Problems {
		fmt.Fprintf(a.out, "%s: %s: %s\n", p.Status, p.Name, p.Reason)
	}
	a.warn(r.Warnings)
	return nil
}
