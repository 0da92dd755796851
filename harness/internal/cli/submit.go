package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/cluster"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/shell"
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// submitOptions are what submit and resubmit have in common.
type submitOptions struct {
	experimentOptions
	memory     memoryOptions
	checkpoint time.Duration
	externalOptions
	queueOptions
}

// runFlags are the options of run that jobs are given.
func (o *submitOptions) runFlags(cmd *cobra.Command) {
	o.experimentOptions.flags(cmd)
	o.memory.flags(cmd)
	checkpointFlag(cmd, &o.checkpoint)
	o.externalOptions.flags(cmd)
}

// passed are the options of run that jobs are given as they were given to submit.
var passed = []string{"profile", "set", "cache", "offline", "stand-in", "memory", "checkpoint", "external"}

func newSubmit(a *app) *cobra.Command {
	o := &submitOptions{}
	cmd := &cobra.Command{
		Use:   "submit SPEC...",
		Short: "Have a Slurm cluster make what is missing, without waiting for it",
		Long: `Submit plans each spec, divides the runs that are not on record yet into tasks, and gives
Slurm three jobs. The first prepares the data and the certified optima, an array of tasks performs the runs, and the last collects: it compacts the
records, selects, draws and judges, however the tasks ended. Submit does not wait for
them. status tells how far the jobs are, logs prints what they wrote, cancel stops them,
and resubmit submits what is still missing.

The program and the spec are copied into OUT/<name>/cluster/<time>, and the jobs use the
copies: what is built or edited later changes nothing. Runs that are in the queue already
are not submitted again. Settings of jobs, such as the partition, the account and the time
limit, are read from ` + clustersFile + ` in this folder or in your configuration folder
(docs/cluster.md). A cluster that needs none of them needs no file.`,
		Example: `  stochopt submit configs/svm-experiments.yaml
  stochopt submit my.yaml --profile paper --tasks 200 --throttle 50
  stochopt submit my.yaml --cluster campus --dry-run`,
		Args: atLeastOne("spec"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.submit(cmd.Context(), a, args, given(cmd.Flags()))
		},
	}
	o.runFlags(cmd)
	o.queueOptions.flags(cmd)
	return cmd
}

// given returns the options of run among those of a command.
func given(flags *pflag.FlagSet) (args []string) {
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(passed, f.Name) {
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

// job is a spec that is being submitted.
type job struct {
	plan    *plan.Plan
	text    []byte
	pending []*plan.Item
	limits  cluster.Limits
	below   map[string][]claims.Shortfall
}

func (o *submitOptions) submit(ctx context.Context, a *app, files, args []string) error {
	if err := checkCheckpoint(o.checkpoint); err != nil {
		return err
	}
	if err := o.parse(); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return failed(fmt.Errorf("cannot find the program to submit: %w", err))
	}
	args = o.bound(args)
	for _, file := range files {
		// One at a time: their data need not fit in the memory together.
		text, err := spec.ReadFile(file)
		if err != nil {
			return usage(readError(err))
		}
		if err := o.one(ctx, a, file, text, program, args); err != nil {
			return err
		}
	}
	return nil
}

// bound bounds the memory of runs, where nothing else is asked for, by that of a job: the
// nodes may have more.
func (o *submitOptions) bound(args []string) []string {
	if o.memory.text != "" || o.settings.Memory == 0 {
		return args
	}
	o.memory.text = ordinaryText(o.settings.Memory)
	return append(args[:len(args):len(args)], "--memory="+o.memory.text)
}

// ordinaryText is the default of --memory in a job of so many bytes.
func ordinaryText(job spec.Size) string { return fmt.Sprint(ordinary(int64(job))) }

// one submits one spec, whose file has that text.
func (o *submitOptions) one(ctx context.Context, a *app, file string, text []byte, program string, args []string) error {
	bytes, err := o.memory.bytes()
	if err != nil {
		return err
	}
	o.data.memory = o.memory
	defer run.LimitHeap(bytes)()
	plans, err := o.build(ctx, a, []string{file}, math.MaxInt64)
	if err != nil {
		return err
	}
	p := plans[0]
	if err := o.memory.warn(a, plans); err != nil {
		return err
	}
	dir := folder(o.out, p.Spec)
	j := &job{plan: p, text: text, below: map[string][]claims.Shortfall{p.Spec.Name: a.belowPaper(file, p.Spec, wholeSizes(p))}}
	if err := o.missing(ctx, a, j, dir); err != nil || len(j.pending) == 0 {
		return err
	}
	if err := o.permit(j.pending); err != nil {
		return err
	}
	if j.limits, err = o.limits(ctx, a); err != nil {
		return err
	}
	tasks, err := o.divide(a, j, j.limits)
	if err != nil {
		return err
	}
	s, err := o.describe(ctx, a, j, dir, args)
	if err != nil {
		return err
	}
	if o.dryRun {
		return usage(cluster.Preview(a.out, s, j.limits, program, text, tasks))
	}
	if err := o.begin(a, j, dir); err != nil {
		return err
	}
	if err := cluster.New(s, program, text, tasks); err != nil {
		return usage(fmt.Errorf("cannot make a submission in %s: %w", dir, err))
	}
	jobs, err := s.Submit(ctx, a.slurm, j.limits)
	if err != nil {
		return failed(fmt.Errorf("%s: %w; nothing of it is in the queue. If there are too many jobs, divide the runs among fewer tasks: --tasks N", p.Spec.Name, err))
	}
	o.tell(a, s, jobs, dir)
	return nil
}

// missing finds the runs that are neither on record nor in the queue.
func (o *submitOptions) missing(ctx context.Context, a *app, j *job, dir string) error {
	e, err := a.recorded(dir)
	if err != nil {
		return err
	}
	p, done := j.plan, completedOf(e)
	pending, planned := run.Pending(p, done, run.Options{})
	all, err := cluster.Of(dir)
	if err != nil {
		return usage(err)
	}
	follow, err := cluster.Follow(ctx, a.slurm, all, func(key string) bool { _, ok := done[key]; return ok })
	if err != nil && !(o.dryRun && errors.Is(err, cluster.ErrNoSlurm)) {
		return failed(err)
	}
	queued := make(map[string]string)
	for _, f := range follow {
		for _, t := range f.Tasks {
			for _, key := range t.Missing {
				if t.State == cluster.Queued || t.State == cluster.Running {
					queued[key] = f.ID
				}
			}
		}
	}
	n := len(pending)
	j.pending = slices.DeleteFunc(pending, func(it *plan.Item) bool { return queued[it.ID.Text()] != "" })
	if n -= len(j.pending); n > 0 {
		fmt.Fprintf(a.err, "%s: %s in the queue already, and not submitted again\n", p.Spec.Name, words.Count(n, "run"))
	}
	if len(j.pending) == 0 {
		fmt.Fprintf(a.out, "%s: nothing to submit: of %s %d are on record, %d in the queue\n", p.Spec.Name, words.Count(planned, "run"), planned-n, n)
	}
	return nil
}

func (o *submitOptions) limits(ctx context.Context, a *app) (cluster.Limits, error) {
	user, err := cluster.User(ctx, a.slurm)
	var limits cluster.Limits
	if err == nil {
		limits, err = a.slurm.Limits(ctx, user)
	}
	switch {
	case err == nil:
		return limits, nil
	case o.dryRun:
		fmt.Fprintln(a.err, "note: there is no Slurm here to ask for its limits; arrays are as large as Slurm's default lets them be")
		return cluster.Limits{Array: cluster.DefaultArray, Jobs: math.MaxInt}, nil
	}
	return limits, failed(err)
}

// describe says what is submitted, with all paths absolute: jobs may begin elsewhere.
func (o *submitOptions) describe(ctx context.Context, a *app, j *job, dir string, args []string) (*cluster.Submission, error) {
	machine, err := cluster.Machine(ctx, a.slurm)
	if err != nil {
		return nil, failed(err)
	}
	absolute := func(path string) string {
		path, e := filepath.Abs(path)
		err = errors.Join(err, e)
		return path
	}
	p := j.plan
	s := &cluster.Submission{
		Spec: p.Spec.Name, Made: time.Now().UTC(), Folder: absolute("."), Mirror: a.getenv("HARNESS_MIRROR"),
		Cluster: o.named, Settings: o.settings, Throttle: o.throttle, Alone: p.Spec.Record.Alone, Machine: machine,
	}
	if info, err := os.Stat(s.Mirror); err == nil && info.IsDir() { // no URL
		s.Mirror = absolute(s.Mirror)
	}
	s.Results = absolute(dir)
	s.Arguments = append(slices.Clone(args), "--out="+absolute(o.out))
	for i, arg := range s.Arguments {
		if cache, ok := strings.CutPrefix(arg, "--cache="); ok {
			s.Arguments[i] = "--cache=" + absolute(cache)
		}
	}
	if s.Alone {
		fmt.Fprintf(a.err, "%s: record.alone: each task has a node to itself; times compare only between nodes of the same kind\n", p.Spec.Name)
	}
	return s, usage(err)
}

// begin has the results folder describe the plan, so that status and others can read it
// before the first job has begun. Nobody is kept from the folder, and nobody waited for.
func (o *submitOptions) begin(a *app, j *job, dir string) error {
	tool := experiment.ThisTool()
	if err := experiment.CheckArithmetic(dir, tool); err != nil {
		return usage(err)
	}
	store, err := record.Open(dir, record.Options{Shared: true})
	if err != nil {
		return usage(err)
	}
	r := &runOptions{experimentOptions: o.experimentOptions, memory: o.memory, below: j.below}
	r.prepare = true
	err = r.introduce(a, j.plan, dir, store, tool)
	return errors.Join(err, failed(store.Close()))
}

// tell says what was submitted.
func (o *submitOptions) tell(a *app, s *cluster.Submission, jobs []cluster.Job, dir string) {
	var names []string
	for _, j := range jobs {
		name := j.Job + " " + j.Kind
		if j.Kind == cluster.Tasks {
			name = fmt.Sprintf("%s %d-%d", name, j.Before+1, j.Before+j.Tasks)
		}
		names = append(names, name)
	}
	fmt.Fprintf(a.out, "%s: %s in %s, as submission %s\n", s.Spec, words.Count(s.Runs, "run"), words.Count(s.Count, "task"), s.ID)
	fmt.Fprintf(a.out, "  jobs: %s\n", words.List(names, 6))
	fmt.Fprintf(a.out, "  how far they are: stochopt status %s\n", shell.Word(dir))
}
