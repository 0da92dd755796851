package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"stochopt/harness/internal/cluster"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/shell"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type submitOptions struct {
	experimentOptions
	externalOptions
	shards, cpus int
	sbatch       []string
	// sbatchArgs and runArgs are the arguments of sbatch and of run for all jobs.
	sbatchArgs, runArgs []string
}

func newSubmit(a *app) *cobra.Command {
	o := &submitOptions{}
	cmd := &cobra.Command{
		Use:   "submit SPEC...",
		Short: "Submit the missing runs to a Slurm cluster",
		Long: `Submit plans each spec and submits three jobs to Slurm. The first job, prepare, downloads the data
and certifies the optima. The second job is an array that performs the missing runs, one shard per
task (see run --shard). The third job, collect, combines the records, selects, draws and judges.
Submit does not wait for the jobs. Use status to see their state and the last lines of failed tasks.

When the jobs have ended, submit the spec again to perform the runs that failed or are missing. The
jobs use copies of the program and of the spec in OUT/<name>/cluster/<time>, so later changes do not
affect them. They inherit the environment and the working directory of submit.`,
		Example: `  stochopt submit configs/svm-experiments.yaml
  stochopt submit my.yaml --cpus 8 --sbatch partition=short --sbatch account=ml --sbatch time=4:00:00
  stochopt submit my.yaml --profile paper --shards 50`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.submit(cmd.Context(), a, args, cmd.Flags())
		},
	}
	o.experimentOptions.flags(cmd)
	o.externalOptions.flags(cmd)
	cmd.Flags().IntVar(&o.shards, "shards", 1000, "maximum number of shards; Slurm's limits on arrays may reduce it")
	cmd.Flags().IntVar(&o.cpus, "cpus", 1, "processors of each job, and number of concurrent runs")
	cmd.Flags().StringArrayVar(&o.sbatch, "sbatch", nil,
		"a long option of sbatch for all jobs, without hyphens: partition=short, time=4:00:00, mem=8G, exclusive; repeatable")
	return cmd
}

// runFlags returns the flags of submit that the user has set and that run also has.
func runFlags(flags *pflag.FlagSet) (args []string) {
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"shards", "cpus", "sbatch"}, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, v := range values {
			args = append(args, "--"+f.Name+"="+v)
		}
	})
	return args
}

func (o *submitOptions) submit(ctx context.Context, a *app, files []string, flags *pflag.FlagSet) error {
	if o.shards < 1 || o.cpus < 1 {
		return usagef("--shards %d, --cpus %d: both must be at least 1", o.shards, o.cpus)
	}
	o.sbatchArgs = []string{fmt.Sprintf("--cpus-per-task=%d", o.cpus)}
	for _, option := range o.sbatch {
		if option == "" || option[0] == '-' {
			return usagef("--sbatch %q: want a long option of sbatch without the hyphens, such as partition=short", option)
		}
		o.sbatchArgs = append(o.sbatchArgs, "--"+option)
	}
	o.runArgs = append(runFlags(flags), fmt.Sprintf("--jobs=%d", o.cpus))
	specs, err := o.load(files)
	if err != nil {
		return err
	}
	for i, s := range specs {
		if err := o.submitSpec(ctx, a, files[i], s); err != nil {
			return err
		}
	}
	return nil
}

// submitSpec submits the missing runs of a spec.
func (o *submitOptions) submitSpec(ctx context.Context, a *app, file string, s *spec.Spec) error {
	text, err := spec.ReadFile(file)
	if err != nil {
		return usage(readError("spec", err))
	}
	p, err := o.plan(ctx, a, s, nil)
	if err != nil {
		return err
	}
	dir := o.folder(s)
	job := &cluster.Submission{Run: o.runArgs, Sbatch: o.sbatchArgs}
	if s.Record.Alone {
		job.Sbatch = append(slices.Clone(job.Sbatch), "--exclusive")
	}
	if err := o.selectShards(ctx, a, p, dir, job); err != nil || len(job.Parts) == 0 {
		return err
	}
	// Write the plan now, so that status can read it before the first job starts.
	store, err := a.openStore(p, dir, "submit", o.manifest(a, file, p))
	if err != nil {
		return err
	}
	if err := store.Close(); err != nil {
		return failed(err)
	}
	program, err := os.Executable()
	if err == nil {
		err = job.Submit(ctx, a.slurm, dir, program, text)
	}
	if err != nil {
		return usagef("%s: nothing was submitted: %w", s.Name, err)
	}
	fmt.Fprintf(a.out, "%s: submitted %d of %s as jobs %s; to see their state: stochopt status %s\n",
		s.Name, len(job.Parts), words.Count(job.Shards, "shard"), strings.Join(job.Jobs, ", "), shell.Word(dir))
	return nil
}

// selectShards splits the plan into shards and adds those with missing runs to the submission. Jobs of an
// earlier submission may perform the same runs, so it returns an error if they are in the queue.
func (o *submitOptions) selectShards(
	ctx context.Context, a *app, p *plan.Plan, dir string, job *cluster.Submission,
) error {
	recorded, err := a.recorded(dir)
	if err != nil {
		return err
	}
	pending, planned := run.Pending(p, recorded, run.Options{})
	if len(pending) == 0 {
		fmt.Fprintf(a.out, "%s: nothing to submit: all of %s are on record\n", p.Spec.Name, words.Count(planned, "run"))
		return nil
	}
	if err := o.checkPermission(pending); err != nil {
		return err
	}
	var tasks []cluster.Task
	earlier, err := cluster.Last(dir)
	if earlier != nil {
		tasks, err = earlier.Tasks(ctx, a.slurm)
	}
	if err != nil {
		return usage(err)
	}
	if slices.ContainsFunc(tasks, func(t cluster.Task) bool { return t.Queue != "" }) {
		return usagef("%s: jobs %s are in the queue: wait until they end, or cancel them with scancel %s",
			p.Spec.Name, strings.Join(earlier.Jobs, ", "), strings.Join(earlier.Jobs, " "))
	}
	maxTasks, err := a.slurm.MaxTasks(ctx)
	if err != nil {
		return usage(err)
	}
	missing := make(map[*plan.Item]bool)
	for _, it := range pending {
		missing[it] = true
	}
	shards := run.Shards(p, min(o.shards, maxTasks))
	job.Shards = len(shards)
	for i, items := range shards {
		if slices.ContainsFunc(items, func(it *plan.Item) bool { return missing[it] }) {
			job.Parts = append(job.Parts, strconv.Itoa(i+1))
		}
	}
	return nil
}

func newCollect(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "collect DIR...",
		Short: "Combine the records of all shards; select, draw and judge claims",
		Long: `Collect combines the records of all shards in each results folder, selects step sizes, draws figures
and tables and judges the claims, as run does after its last run. It performs no run. Shards may still
be running: collect reports how many runs are missing.

The last job of submit does the same. The exit code is 1 if runs are missing or failed.`,
		Example: "  stochopt collect results/svm-experiments\n  stochopt collect results",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.eachFolder(args, a.collect) },
	}
}

// collect combines the records of an experiment and derives its products. It is an error if runs are missing or
// failed.
func (a *app) collect(f *experiment.Folder) error {
	started := time.Now()
	s, err := f.Spec()
	if err != nil {
		return usage(err)
	}
	if err := a.importParts(f.Dir); err != nil {
		return err
	}
	e, err := f.Records()
	if err != nil {
		return usage(err)
	}
	missing, failures := f.Planned(e)-len(e.Runs), experiment.Summarise(e).Failed
	if missing > 0 {
		err = failed(fmt.Errorf("%s: PARTIAL: %s missing; run or submit the spec again", e.Name, words.Count(missing, "run")))
	} else if failures > 0 {
		err = failed(fmt.Errorf("%s: %s failed; status lists them", e.Name, words.Count(failures, "run")))
	}
	if len(e.Runs) == 0 {
		return err
	}
	d, products, productErr := a.products(f, s, experiment.AllKinds)
	if productErr != nil {
		return productErr
	}
	sum := run.Summary{Planned: len(e.Runs), Reused: len(e.Runs)}
	return errors.Join(a.printSummary(d, products, sum, started), err)
}

// importParts imports the parts of a results folder into its database. Shards may still be running.
func (a *app) importParts(dir string) error {
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		return usage(err)
	}
	defer store.Close()
	a.warn(store.Warnings()...)
	if len(store.Plan()) == 0 {
		return usagef("%s has no plan; run or submit the spec", dir)
	}
	if err := experiment.CopyDescription(store, dir, experiment.ThisTool()); err != nil {
		return failed(err)
	}
	return failed(store.Close())
}
