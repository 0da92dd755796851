package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

type runOptions struct {
	experimentOptions
	externalOptions
	only    onlyOptions
	shard   string
	workers int

	part run.Part
	// prepare: only what all shards share is computed.
	prepare bool
	summary summary
	// unfit counts the runs that do not fit in the memory.
	unfit int
}

func newRun(a *app) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run SPEC...",
		Short: "Plan, run what is missing, select, draw, judge claims",
		Long: `Run performs the runs of each spec that are not on record yet, on all cores, one spec after the
other. Then it selects step sizes, writes tidy curves, draws the spec's figures and tables into
OUT/<name>, and judges the spec's claims. Run the same command to resume after an interruption or
a crash: finished runs are on record, and a run that was in progress starts again. To discard the
records, remove the folder OUT/<name>.

Standard error shows progress. At the end standard output has a summary: the results, the
verdicts on claims, counts of warnings and of runs without a result, and which files to
open. For several specs it counts the verdicts by kind. A spec that cannot be run, because data
are missing for example, does not stop the others.

--only makes a part of the runs, and needs only their data: --only dataset=adult,algorithm=sbp makes
those of the SBP on Adult, and each further --only adds others. The same command without --only makes
the rest, and none twice. Until then figures, tables and verdicts say how many runs are missing.

With --shard 3/20 it performs the third of 20 shards, and other processes perform theirs at
the same time, on this machine or on others that share the folder. Runs that share data and
optima are in one shard, so shards beyond their number have no runs. --shard prepare computes what
all shards share: it brings the data into the cache and certifies the optima. Then collect
assembles the shards. Machines of another architecture are refused, because records would differ
in their last bits. Without --shard only one process may write to a results folder at a time; a
second one stops with exit code 2.

A claim that is not reproduced does not change the exit code (but see claims). Runs skipped
for lack of memory count as failures: the exit code is 1. Runs of a solver that is not
installed do not.

Downloaded data are in the folder stochopt of the user's cache folder, or in $HARNESS_CACHE.`,
		Example: `  stochopt run configs/pca-simulated.yaml
  stochopt run configs/pca-*.yaml --profile quick --stand-in allow
  stochopt run configs/svm-experiments.yaml --only dataset=adult --only dataset=reuters,series=sbp
  stochopt run my.yaml --shard 3/20
  stochopt run my.yaml --set repeats=20 --set algorithms.msg.step.c='{pow2: [-4, 4]}'`,
		Args: atLeastOne("spec"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.experimentOptions.flags(cmd)
	o.externalOptions.flags(cmd)
	o.only.flags(cmd)
	cmd.Flags().StringVar(&o.shard, "shard", "", "perform only shard i of n, as i/n, or prepare what all shards share, as prepare")
	cmd.Flags().IntVarP(&o.workers, "jobs", "j", runtime.NumCPU(), "runs side by side")
	return cmd
}

func (o *runOptions) run(ctx context.Context, a *app, files []string) error {
	if o.workers < 1 {
		return usagef("-j %d: want at least 1", o.workers)
	}
	if err := o.parseShard(); err != nil {
		return err
	}
	a.limitHeap(o.memory.bytes())
	specs, err := o.load(a, files)
	if err != nil {
		return err
	}
	if specs, files, err = o.only.pick(specs, files); err != nil {
		return err
	}
	o.part.Only = o.only.picked
	o.summary = summary{started: time.Now(), several: len(specs) > 1}
	var errs []error
	for i, s := range specs {
		err := o.one(ctx, a, files[i], s)
		if ctx.Err() != nil {
			return err
		}
		errs = append(errs, err)
	}
	if err := o.summary.print(a, a.path(o.out)); err != nil {
		return err
	}
	if n := o.summary.failed; n > 0 {
		errs = append(errs, failed(fmt.Errorf("%s failed; status names them, and the same command tries them again", words.Count(n, "run"))))
	}
	if o.unfit > 0 {
		errs = append(errs, failed(fmt.Errorf("%s skipped for lack of memory; the same command makes them with a larger --memory or on a larger machine",
			words.Count(o.unfit, "run"))))
	}
	return errors.Join(errs...)
}

// parseShard parses --shard: "prepare", or "i/n" with 1 <= i <= n.
func (o *runOptions) parseShard() error {
	i, n := 0, 0
	if o.prepare = o.shard == "prepare"; o.prepare || o.shard == "" {
		return nil
	}
	_, err := fmt.Sscanf(o.shard, "%d/%d", &i, &n)
	if err != nil || i < 1 || i > n || o.shard != fmt.Sprintf("%d/%d", i, n) {
		return usagef("--shard %q: want i/n with 1 <= i <= n, such as 2/8, or prepare", o.shard)
	}
	o.part.Shard, o.part.Shards = i-1, n
	return nil
}

// one performs a spec, or a shard of it.
func (o *runOptions) one(ctx context.Context, a *app, file string, s *spec.Spec) error {
	started := time.Now()
	p, err := o.plan(ctx, a, s, o.part.Only)
	if err != nil {
		return err
	}
	dir := o.folder(a, s)
	if err := o.programs(a, p, dir); err != nil {
		return err
	}
	part := o.part.Name()
	if o.prepare {
		part = "prepare"
	}
	store, err := a.begin(p, dir, part, o.manifest(a, file, p))
	if err != nil {
		return err
	}
	defer store.Close()
	tool := experiment.ThisTool()
	options := run.Options{
		Tool: tool.String(), Workers: o.workers, Memory: o.memory.bytes(), Data: p.DataBytes(),
		Part: o.part, External: o.leave(),
	}
	if part != "" {
		options.Job, options.Node, options.CPU = a.job(), a.node(), tool.CPU
	}
	if o.prepare {
		return prepare(ctx, a, p, store, options)
	}
	progress := newProgress(a.err, s.Name)
	options.Progress, options.Warn, options.Note = progress, progress.warn, progress.note
	sum, err := run.Execute(ctx, p, store, options)
	progress.finish()
	o.summary.failed += sum.Failed
	o.unfit += o.left(p, store, options)
	if err := store.Close(); err != nil {
		return failed(err) // an interrupted run, too, has lost records then
	}
	if ctx.Err() != nil {
		return &interruptedError{s.Name, sum.Reused + sum.Runs, sum.Planned}
	}
	if err != nil {
		return failed(err)
	}
	if part != "" {
		fmt.Fprintf(a.out, "%s: shard %s done: %s; when all shards are done, use collect\n", s.Name, o.shard, describe(sum))
		return nil
	}
	f, err := experiment.Open(dir)
	if err != nil {
		return failed(err)
	}
	return with(f, func(f *experiment.Folder) error {
		d, products, err := a.products(f, s, experiment.AllKinds)
		if err != nil {
			return err
		}
		o.summary.add(a, d, products, sum, time.Since(started))
		if n := len(p.Items) - len(d.Records.Runs); len(o.only.texts) > 0 && n > 0 {
			fmt.Fprintf(a.err, "%s: PARTIAL: %s not on record; the same command without --only makes them\n", s.Name, words.Count(n, "run"))
		}
		return nil
	})
}

// programs asks for permission to start the programs of external algorithms.
func (o *runOptions) programs(a *app, p *plan.Plan, dir string) error {
	if len(programs(p.Items)) == 0 {
		return nil
	}
	onRecord, err := a.recorded(dir)
	if err != nil {
		return err
	}
	pending, _ := run.Pending(p, onRecord, run.Options{Part: o.part})
	return o.permit(pending)
}

// manifest describes the plan of the spec in a file.
func (o *experimentOptions) manifest(a *app, file string, p *plan.Plan) experiment.Manifest {
	m := experiment.Manifest{
		Tool: experiment.ThisTool(), Spec: p.Spec.Name, Profile: o.profile, Set: o.sets,
		Seed: p.Spec.Seed, Planned: len(p.Items),
	}
	whole := make(map[string]map[string]int64)
	for _, pr := range p.Problems {
		whole[pr.Entry.ID] = pr.SplitSizes()
		m.Datasets = append(m.Datasets, experiment.Dataset{
			ID: pr.Entry.ID, Title: pr.Data.Title, Hash: pr.Data.Hash,
			StandIn: pr.Data.StandIn, Reason: pr.Data.StandInReason, Rows: pr.Data.Rows(),
		})
	}
	m.BelowPaper = a.belowPaper(file, p.Spec, func(dataset string) map[string]int64 { return whole[dataset] })
	return m
}

// begin opens the results folder of a plan and has it describe the plan. part names the part of the
// plan that this process performs while others may perform theirs, "" for the whole.
func (a *app) begin(p *plan.Plan, dir, part string, m experiment.Manifest) (*record.Store, error) {
	if part != "" {
		if err := experiment.CheckArithmetic(dir, m.Tool); err != nil {
			return nil, usage(err)
		}
	}
	store, err := record.Open(dir, record.Options{Part: part})
	if err != nil {
		return nil, usage(err)
	}
	a.warn(store.Warnings())
	if standIns := p.StandIns(); len(standIns) > 0 {
		fmt.Fprintf(a.err, "%s: STAND-IN DATA for %s; figures, tables and records say so\n", p.Spec.Name, strings.Join(standIns, ", "))
	}
	a.warn(p.Spec.Warnings(p.StandIns()))
	if m.Tool.Fuses() {
		a.warn([]string{fmt.Sprintf("built with GOAMD64=%s, which fuses multiplications and additions: "+
			"records differ in their last bits from those of the default build", m.Tool.GOAMD64)})
	}
	warnings, err := experiment.Begin(store, dir, p.Spec, m, p.IDs(), part != "")
	a.warn(warnings)
	if err != nil {
		store.Close()
		return nil, usage(err)
	}
	return store, nil
}

// job names the job of Slurm that this process belongs to.
func (a *app) job() string {
	if array := a.getenv("SLURM_ARRAY_JOB_ID"); array != "" {
		return array + "_" + a.getenv("SLURM_ARRAY_TASK_ID")
	}
	return a.getenv("SLURM_JOB_ID")
}

// node names the machine.
func (a *app) node() string {
	host, _ := os.Hostname() // "" where it has no name
	return cmp.Or(a.getenv("SLURMD_NODENAME"), host)
}

// prepare computes what the runs of a plan share.
func prepare(ctx context.Context, a *app, p *plan.Plan, store *record.Store, opt run.Options) error {
	opt.Note = func(text string) { fmt.Fprintln(a.err, text) }
	opt.Warn = func(text string) { a.warn([]string{text}) }
	done, err := run.Prepare(ctx, p, store, opt)
	if ctx.Err() != nil {
		return err
	}
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		return failed(err)
	}
	fmt.Fprintf(a.out, "%s: prepared: %s, %s missing, optima certified now: %d\n", p.Spec.Name,
		words.Count(len(p.Problems), "data set"), words.Count(done.Missing, "run"), done.Certified)
	return nil
}

// left counts the runs that are not on record because they do not fit in the memory.
func (o *runOptions) left(p *plan.Plan, store *record.Store, opt run.Options) (n int) {
	for _, it := range o.part.Of(p) {
		if _, done := store.Lookup(it.ID.Key, it.ID.Extent); !done && it.Fits(opt.Memory, opt.Data) != nil {
			n++
		}
	}
	return n
}

// products derives figures, tables and verdicts from the records of a folder.
func (a *app) products(f *experiment.Folder, s *spec.Spec, what experiment.Kinds) (*experiment.Derivation, *experiment.Products, error) {
	if _, err := a.records(f); err != nil {
		return nil, nil, err
	}
	d, err := f.Derive(s)
	if err != nil {
		return nil, nil, failed(err)
	}
	products, err := d.Write(what)
	if err != nil {
		return nil, nil, failed(err)
	}
	return d, products, nil
}
