package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
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
	memory memoryOptions
	externalOptions
	shards, cpus int
	sbatch       []string
	dryRun       bool
}

func newSubmit(a *app) *cobra.Command {
	o := &submitOptions{}
	cmd := &cobra.Command{
		Use:   "submit SPEC...",
		Short: "Submit the missing runs to a Slurm cluster",
		Long: `Submit plans each spec and gives Slurm three jobs: prepare brings the data into the cache
and certifies the optima; an array performs the missing runs, one shard per task (see
run --shard); collect assembles the records, selects, draws and judges. Submit does not
wait for the jobs. The status verb shows their state and the last lines of failed tasks.

Submitting again submits what is missing: shards with runs that failed or are not on
record, unless they are in the queue. The jobs use copies of the program and of the spec in
OUT/<name>/cluster/<time>, so later changes do not affect them. They inherit the
environment and the working directory of submit.`,
		Example: `  stochopt submit configs/svm-experiments.yaml
  stochopt submit my.yaml --cpus 8 --sbatch partition=short --sbatch account=ml --sbatch time=4:00:00
  stochopt submit my.yaml --profile paper --shards 50 --dry-run`,
		Args: atLeastOne("spec"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.submit(cmd.Context(), a, args, passedOn(cmd.Flags()))
		},
	}
	o.experimentOptions.flags(cmd)
	o.memory.flags(cmd)
	o.externalOptions.flags(cmd)
	cmd.Flags().IntVar(&o.shards, "shards", 1000, "the largest number of shards; Slurm's limits on arrays reduce it")
	cmd.Flags().IntVar(&o.cpus, "cpus", 1, "processors of each job, which performs as many runs at a time")
	cmd.Flags().StringArrayVar(&o.sbatch, "sbatch", nil,
		"a long option of sbatch for every job, without the hyphens: partition=short, time=4:00:00, mem=8G, exclusive")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the commands, but submit nothing")
	return cmd
}

// passedOn returns the options of run that submit was given.
func passedOn(flags *pflag.FlagSet) (args []string) {
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"shards", "cpus", "sbatch", "dry-run"}, f.Name) {
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

func (o *submitOptions) submit(ctx context.Context, a *app, files, args []string) error {
	if o.shards < 1 || o.cpus < 1 {
		return usagef("--shards %d, --cpus %d: both must be at least 1", o.shards, o.cpus)
	}
	options := []string{fmt.Sprintf("--cpus-per-task=%d", o.cpus)}
	for _, option := range o.sbatch {
		if option == "" || option[0] == '-' {
			return usagef("--sbatch %q: want a long option of sbatch without the hyphens, such as partition=short", option)
		}
		options = append(options, "--"+option)
	}
	if _, err := o.memory.bytes(); err != nil {
		return err
	}
	o.data.memory = o.memory
	args = append(args, fmt.Sprintf("--jobs=%d", o.cpus))
	for _, file := range files {
		// One at a time: together, their data need not fit in the memory.
		s := &cluster.Submission{Run: args, Sbatch: options, Parts: make(map[int]string)}
		if err := o.one(ctx, a, file, s); err != nil {
			return err
		}
	}
	return nil
}

// one submits the missing runs of one spec.
func (o *submitOptions) one(ctx context.Context, a *app, file string, s *cluster.Submission) error {
	text, err := spec.ReadFile(a.path(file))
	if err != nil {
		return usage(readError(err))
	}
	plans, err := o.build(ctx, a, []string{file}, math.MaxInt64)
	if err != nil {
		return err
	}
	p := plans[0]
	dir := folder(o.out, p.Spec)
	after, err := o.choose(ctx, a, p, dir, s)
	if err != nil || len(s.Parts) == 0 {
		return err
	}
	if p.Spec.Record.Alone {
		s.Sbatch = append(slices.Clone(s.Sbatch), "--exclusive")
	}
	if err := s.Place(dir); err != nil {
		return usage(err)
	}
	if o.dryRun {
		return s.Submit(ctx, printed(a), after)
	}
	if err := o.describe(a, file, p, dir); err != nil {
		return err
	}
	program, err := os.Executable()
	if err == nil {
		err = s.Create(program, text)
	}
	if err != nil {
		return usage(fmt.Errorf("cannot make a submission in %s: %w", dir, err))
	}
	if err := s.Submit(ctx, a.slurm, after); err != nil {
		_ = os.RemoveAll(s.Dir) // the first error says more
		return failed(fmt.Errorf("%s: nothing was submitted: %w", p.Spec.Name, err))
	}
	fmt.Fprintf(a.out, "%s: submitted %d of %s as jobs %s; to follow them: stochopt status %s\n",
		p.Spec.Name, len(s.Parts), words.Count(s.Shards, "shard"), strings.Join(s.Jobs, ", "), shell.Word(dir))
	return failed(s.Save())
}

// printed is a Slurm that prints commands instead of running them.
func printed(a *app) cluster.Slurm {
	jobs := 0
	return cluster.Slurm{Command: func(_ context.Context, name string, args ...string) (string, error) {
		jobs++
		_, err := fmt.Fprintf(a.out, "%s %s   # job %d\n", name, shell.Words(args), jobs)
		return fmt.Sprint(jobs), err
	}}
}

// choose cuts the plan into shards and chooses those that have missing runs and are not in the
// queue. It returns the jobs in the queue that perform other shards of the experiment, perhaps with
// the same runs.
func (o *submitOptions) choose(ctx context.Context, a *app, p *plan.Plan, dir string, s *cluster.Submission) ([]string, error) {
	onRecord, err := a.recorded(dir)
	if err != nil {
		return nil, err
	}
	pending, planned := run.Pending(p, onRecord, run.Options{})
	if err := o.permit(pending); err != nil {
		return nil, err
	}
	most, queue, err := o.askSlurm(ctx, a, dir)
	if err != nil {
		return nil, err
	}
	missing := make(map[*plan.Item]bool)
	for _, it := range pending {
		missing[it] = true
	}
	shards := run.Cut(p, min(o.shards, most))
	s.Shards = len(shards)
	for i, items := range shards {
		name := run.ShardName(i, items)
		switch _, ok := queue[name]; {
		case ok:
			delete(queue, name)
		case slices.ContainsFunc(items, func(it *plan.Item) bool { return missing[it] }):
			s.Parts[i+1] = name
		}
	}
	if len(s.Parts) == 0 {
		fmt.Fprintf(a.out, "%s: nothing to submit: of %s, %d are on record and %d in the queue\n",
			p.Spec.Name, words.Count(planned, "run"), planned-len(pending), len(pending))
	}
	var after []string
	for _, job := range queue {
		after = words.AddOnce(after, job)
	}
	slices.Sort(after)
	return after, nil
}

// askSlurm returns how many tasks an array may have, and the jobs in the queue that perform shards
// of a results folder, by the names of the shards.
func (o *submitOptions) askSlurm(ctx context.Context, a *app, dir string) (int, map[string]string, error) {
	earlier, err := cluster.Of(dir)
	if err != nil {
		return 0, nil, usage(err)
	}
	most, err := a.slurm.MostTasks(ctx)
	lines, queueErr := cluster.Queue(ctx, a.slurm, earlier)
	if err = errors.Join(err, queueErr); err != nil && !(o.dryRun && errors.Is(err, cluster.ErrNoSlurm)) {
		return 0, nil, failed(err)
	}
	queue := make(map[string]string)
	for _, s := range earlier {
		for _, t := range s.Tasks(lines) {
			if t.Queue != "" && t.Part != "" {
				queue[t.Part] = t.Job
			}
		}
	}
	return most, queue, nil
}

// describe writes the plan, the spec and the manifest into the results folder, so that status can
// read it before the first job starts. Jobs may be at work there.
func (o *submitOptions) describe(a *app, file string, p *plan.Plan, dir string) error {
	r := &runOptions{experimentOptions: o.experimentOptions, below: make(map[string][]claims.Shortfall)}
	r.prepare, r.below[p.Spec.Name] = true, a.belowPaper(file, p.Spec, wholeSizes(p))
	store, err := record.Open(dir, record.Options{Part: "submit"})
	if err != nil {
		return usage(err)
	}
	return errors.Join(r.introduce(a, p, dir, store, experiment.ThisTool()), failed(store.Close()))
}
