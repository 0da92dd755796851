package cli

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/words"
	"stochopt/plots/table"

	"github.com/spf13/cobra"
)

type runOptions struct {
	experimentOptions
	memory memoryOptions
	// bytes is the memory that there is, of which the data of all specs have held.
	bytes, held int64
	workers     int
	partOptions
	fresh bool
	externalOptions
	summaryOptions
	// below says in which ways each spec, by its name, is smaller than at full scale.
	below map[string][]claims.Shortfall
	// unfit counts the runs that did not fit in the memory.
	unfit int
}

func newRun(a *app) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run SPEC...",
		Short: "Plan, run what is missing, select, draw, judge claims",
		Long: `Run performs the runs of each spec that are not on record yet, on all cores,
then selects step sizes, writes tidy curves, draws the spec's figures and tables
into OUT/<name>, and judges the spec's claims. Run the same command to resume after an
interruption or a crash: finished runs are on record, and a run that was in progress starts
again.

Standard error shows progress. At the end standard output has a summary: the results, the
verdicts on claims, counts of warnings and of runs without a result, and which files to
open. For several specs it counts the verdicts by kind and chapter. --verbose prints every
table, warning and verdict as well; no run is repeated for that. --report also makes the
page of all specs.

--only makes a part of the runs: --only dataset=adult,algorithm=sbp makes those of the SBP
on Adult, and each further --only adds others. The same command without --only makes the
rest, and none twice. Until then figures, tables and verdicts say how many runs are
missing.

With --shard 3/20 it performs the third of 20 shards, and other processes perform theirs at
the same time, on this machine or on others that share the folder. Runs that share data and
optima are in one shard, so shards beyond their number have no runs. --prepare computes what
all shards share. Then collect assembles the shards. Machines of another architecture are
refused, because records would differ in their last bits.

Without --shard or --prepare only one process may write to a results folder at a time; a
second one stops with exit code 2.

A claim that is not reproduced does not change the exit code (but see claims). Runs skipped
for lack of memory count as failures: the exit code is 1. Runs of a solver that is not
installed do not.`,
		Example: `  stochopt run configs/pca-simulated.yaml
  stochopt run configs/pca-*.yaml --profile quick --stand-in allow --report results/report.html
  stochopt run configs/svm-experiments.yaml --only dataset=adult --only dataset=reuters,series=sbp
  stochopt run my.yaml --shard 3/20
  stochopt run my.yaml --set repeats=20 --set algorithms.msg.step.c='{pow2: [-4, 4]}'`,
		Args: atLeastOne("spec"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.experimentOptions.flags(cmd)
	o.memory.flags(cmd)
	o.summaryOptions.flags(cmd)
	o.partOptions.flags(cmd)
	o.externalOptions.flags(cmd)
	cmd.Flags().IntVarP(&o.workers, "jobs", "j", runtime.NumCPU(), "runs side by side")
	cmd.Flags().BoolVar(&o.fresh, "fresh", false, "discard the existing records and run everything again")
	return cmd
}

func (o *runOptions) run(ctx context.Context, a *app, files []string) error {
	if o.workers < 1 {
		return usagef("-j %d: want at least 1", o.workers)
	}
	err := o.partOptions.parse(o.fresh, o.page != "")
	if err != nil {
		return err
	}
	if o.bytes, err = o.memory.bytes(); err != nil {
		return err
	}
	o.data.memory = o.memory
	o.summaryOptions.start(len(files))
	a.limitHeap(o.bytes)
	plans, err := o.plans(ctx, a, files)
	if err != nil {
		return err
	}
	if files, plans, err = o.only.pick(files, plans); err != nil {
		return err
	}
	if err := o.programs(ctx, a, plans); err != nil {
		return err
	}
	if err := o.checkPage(a, o.out); err != nil {
		return err
	}
	o.below = make(map[string][]claims.Shortfall)
	for i, p := range plans {
		o.below[p.Spec.Name] = a.belowPaper(files[i], p.Spec, wholeSizes(p))
	}
	bad, err := o.all(ctx, a, files, plans)
	if err != nil {
		return err
	}
	if o.prepare {
		return nil
	}
	if err := o.summarise(a, o.out); err != nil {
		return err
	}
	if bad > 0 {
		return failed(fmt.Errorf("%s failed; status names them, and the same command tries them again", words.Count(bad, "run")))
	}
	if o.unfit > 0 {
		return failed(fmt.Errorf("%s skipped for want of memory; the same command, with a larger --memory or on a larger machine, makes them", words.Count(o.unfit, "run")))
	}
	return nil
}

// programs asks for leave to start the programs of external algorithms, and whether they take their
// parameters.
func (o *runOptions) programs(ctx context.Context, a *app, plans []*plan.Plan) error {
	var items []*plan.Item
	for _, p := range plans {
		if len(plan.Programs(o.part.Of(p))) == 0 {
			continue
		}
		onRecord, err := a.recorded(folder(o.out, p.Spec))
		if err != nil {
			return err
		}
		for _, it := range o.part.Of(p) {
			before, done := onRecord.Lookup(it.ID.Key, it.ID.Extent)
			if it.Algorithm.Program != nil && (o.fresh || !done || !before.Serves(it.Limits())) {
				items = append(items, it)
			}
		}
	}
	if err := o.permit(items); err != nil || o.prepare {
		return err
	}
	return usage(run.CheckPrograms(ctx, items, func(text string) { a.warn([]string{text}) }))
}

// all runs the plans of the files, and returns how many runs have failed. Where the data of all of
// them take much of the memory, those of one spec are held at a time.
func (o *runOptions) all(ctx context.Context, a *app, files []string, plans []*plan.Plan) (failures int, err error) {
	if err := o.memory.warn(a, plans); err != nil {
		return 0, err
	}
	parts := [][]string{files}
	if apart(plans, o.bytes) {
		parts = slices.Collect(slices.Chunk(files, 1))
	}
	for _, part := range parts {
		if slices.ContainsFunc(plans, (*plan.Plan).Released) {
			release(plans)
			if plans, err = o.build(ctx, a, part, math.MaxInt64); err != nil {
				return failures, err
			}
		}
		o.held = plan.DataBytes(plans)
		for _, p := range plans {
			sum, err := o.one(ctx, a, p)
			failures += sum.Failed
			if err != nil {
				return failures, err
			}
		}
		if len(parts) > 1 {
			release(plans)
		}
	}
	return failures, nil
}

// one does its part of one plan, or runs it to its figures.
func (o *runOptions) one(ctx context.Context, a *app, p *plan.Plan) (run.Summary, error) {
	started := time.Now()
	s := p.Spec
	dir := folder(o.out, s)
	store, tool, err := o.begin(a, p, dir)
	if err != nil {
		return run.Summary{}, err
	}
	defer store.Close()
	options := run.Options{
		Tool: tool.String(), Workers: o.workers, Memory: o.bytes, Data: o.held, Part: o.part, External: o.leave,
	}
	if o.shared() {
		options.Job, options.Node, options.CPU = a.job(), a.node(), tool.CPU
	}
	if o.prepare {
		return run.Summary{}, o.prepareOne(ctx, a, p, store, options)
	}
	progress := newProgress(a.err, s.Name)
	options.Progress, options.Warn, options.Note = progress, progress.warn, progress.note
	sum, err := run.Execute(ctx, p, store, options)
	progress.finish()
	o.unfit += o.left(p, store)
	if err := store.Close(); err != nil {
		return sum, failed(err) // an interrupted run, too, has lost records then
	}
	if err != nil {
		if ctx.Err() == nil {
			err = failed(err)
		}
		return sum, err
	}
	if o.shared() {
		fmt.Fprintf(a.out, "%s: shard %s done: %s; when all shards are done, use collect\n", s.Name, o.shard, describe(sum))
		return sum, nil
	}
	f, err := experiment.Open(dir)
	if err != nil {
		return sum, failed(err)
	}
	return sum, with(f, func(f *experiment.Folder) error {
		d, products, err := a.products(f, s, experiment.All)
		if err == nil && o.verbose {
			err = a.show(d, products)
		}
		if err != nil {
			return err
		}
		o.end(a, d, products, sum, time.Since(started))
		if n := len(p.Items) - len(d.Records.Runs); len(o.only.texts) > 0 && n > 0 {
			fmt.Fprintf(a.err, "%s: PARTIAL: %s not on record; the same command without --only makes them\n", s.Name, words.Count(n, "run"))
		}
		return nil
	})
}

// left counts the runs that are not on record as they do not fit in the memory.
func (o *runOptions) left(p *plan.Plan, store *record.Store) (n int) {
	budget := p.Budget(o.bytes, o.held)
	for _, it := range o.part.Of(p) {
		if _, done := store.Lookup(it.ID.Key, it.ID.Extent); !done && p.Fits(it, budget) != nil {
			n++
		}
	}
	return n
}

// wholeSizes tells the sizes of splits by the data of a plan.
func wholeSizes(p *plan.Plan) spec.Sizes {
	return func(dataset string) map[string]int64 {
		for _, pr := range p.Problems {
			if pr.Entry.ID == dataset {
				return pr.Whole()
			}
		}
		return nil
	}
}

// describe says in words what an execution did.
func describe(s run.Summary) string {
	text := words.Count(s.Planned, "run")
	for _, part := range []struct {
		n    int
		what string
	}{
		{s.Reused, "of them from the record"}, {s.Diverged, "diverged"}, {s.OutOfTime, "out of time"},
		{s.OutOfMemory, "out of memory"}, {s.Skipped, "skipped"}, {s.Failed, "FAILED"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return text
}

// products derives what there is to derive from the records of a folder.
func (a *app) products(f *experiment.Folder, s *spec.Spec, what experiment.What) (*experiment.Derivation, *experiment.Products, error) {
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

// show prints the tables among products, what a reader of them should know, and what became of the
// runs that did not finish.
func (a *app) show(d *experiment.Derivation, products *experiment.Products) error {
	for _, g := range products.Tables {
		if err := table.Text(a.out, g); err != nil {
			return failed(err)
		}
	}
	for _, w := range products.Warnings {
		fmt.Fprintln(a.err, "note:", w.Text)
	}
	for _, p := range experiment.Summarise(d.Records).Problems {
		fmt.Fprintf(a.err, "%s: %s: %s\n", p.Status, p.Name, p.Reason)
	}
	return nil
}
