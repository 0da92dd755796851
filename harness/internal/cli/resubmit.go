package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/cluster"
	"stochopt/harness/internal/experiment"

	"github.com/spf13/cobra"
)

func newResubmit(a *app) *cobra.Command {
	o := &queueOptions{}
	cmd := &cobra.Command{
		Use:   "resubmit DIR...",
		Short: "Submit to the cluster again what is missing of what was submitted",
		Long: `Resubmit makes a new submission of the runs that are missing in each results folder:
those that failed, that a task left undone, or that were cancelled; not those that are on
record or in the queue. It takes the program, the spec and the options of the last
submission in the folder. The settings of the cluster are read anew: give a longer time
there if that was what was missing.`,
		Example: "  stochopt resubmit results/svm-experiments\n  stochopt resubmit results --tasks 200",
		Args:    atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachSubmitted(args, func(_ *experiment.Folder, all []*cluster.Submission) error {
				return o.again(cmd.Context(), a, all[len(all)-1])
			})
		},
	}
	o.flags(cmd)
	return cmd
}

// eachSubmitted does something with each results folder that has submissions.
func (a *app) eachSubmitted(dirs []string, do func(*experiment.Folder, []*cluster.Submission) error) error {
	for i := range dirs {
		dir, err := filepath.Abs(dirs[i])
		if err != nil {
			return usage(err)
		}
		dirs[i] = dir
	}
	found := 0
	err := a.eachFolder(dirs, func(f *experiment.Folder) error {
		all, err := cluster.Of(f.Dir)
		if err != nil {
			return usage(err)
		}
		if len(all) == 0 {
			return nil
		}
		found++
		return do(f, all)
	})
	if err == nil && found == 0 {
		err = usagef("%s: nothing was submitted to a cluster from there; use submit SPEC", dirs[0])
	}
	return err
}

// again submits what is missing of a submission.
func (o *queueOptions) again(ctx context.Context, a *app, last *cluster.Submission) error {
	if name := filepath.Base(last.Results); name != last.Spec {
		return usagef("%s is the results folder of %s under another name; rename it, or use submit", last.Results, last.Spec)
	}
	own := &submitOptions{queueOptions: *o}
	if own.cluster == "" {
		own.cluster = last.Cluster
	}
	text, err := last.Text()
	if err != nil {
		return usage(err)
	}
	program, err := os.Executable()
	if err != nil {
		return failed(err)
	}
	if program, err = last.SameProgram(program); err != nil {
		return usage(err)
	}
	options := &cobra.Command{}
	own.runFlags(options)
	// A bound that followed from the settings follows from those of now.
	args := slices.DeleteFunc(slices.Clone(last.Arguments), func(arg string) bool {
		return last.Settings.Memory > 0 && arg == "--memory="+ordinaryText(last.Settings.Memory)
	})
	if err := options.ParseFlags(args); err != nil {
		return usagef("%s: the options of the submission cannot be read: %w; use submit", last.Dir, err)
	}
	own.out = filepath.Dir(last.Results)
	// Paths in the spec, and the project's clusters, are of the folder of before.
	here, err := os.Getwd()
	if err == nil {
		err = os.Chdir(last.Folder)
	}
	if err != nil {
		return usagef("the folder that it was submitted from cannot be entered: %w", err)
	}
	defer func() { _ = os.Chdir(here) }() // it was there
	if err := own.parse(); err != nil {
		return err
	}
	return own.one(ctx, a, filepath.Join(last.Dir, cluster.SpecFile), text, program, own.bound(given(options.Flags())))
}
