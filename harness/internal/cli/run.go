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
	"stochopt/harness/internal/registry"
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

	// part selects the runs of this process.
	part run.Part
	// failed counts the runs that failed, unfit the missing ones that exceed the memory limit.
	failed, unfit int
}

func newRun(a *app) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run SPEC...",
		Short: "Perform the missing runs of specs; select, draw and judge claims",
		Long: `Run performs the missing runs of each spec on all cores, one spec after the other. Then it selects
step sizes, writes the curves as CSV, draws the figures and tables into OUT/<name>, and judges the
claims. To resume after an interruption or a crash, run the same command: finished runs are not
repeated. To discard all results, remove the folder OUT/<name>.

Standard error shows the progress. After each spec, standard output has a summary: the results, the
verdicts on claims, the number of warnings and of runs without a result, and the files to open. If a
spec cannot be run, for example because data are missing, the other specs still run.

--only performs part of the runs and needs only their data. For example, --only
dataset=adult,algorithm=sbp performs the runs of the SBP on Adult. Each further --only adds runs. The
same command without --only performs the others. Until then, figures, tables and verdicts state how
many runs are missing.

--shard 3/20 performs the third of 20 shards. Other processes may perform the other shards at the
same time, on this machine or on machines that share the folder. Runs that share data and optima are
in one shard, so some shards may be empty. --shard prepare computes what all shards share: it
downloads the data and certifies the optima. When all shards are done, collect combines them. All
shards must run on the same architecture, because the last bits of records depend on it. Without
--shard, only one process may write to a results folder; another one exits with code 2.

A claim that is not reproduced does not change the exit code (but see claims). The exit code is 1 if
a run fails or is skipped for lack of memory. It is 0 if a run is skipped because its solver is not
installed.

Downloaded data are cached in the folder stochopt of the user's cache folder, or in $HARNESS_CACHE.`,
		Example: `  stochopt run configs/pca-simulated.yaml
  stochopt run configs/pca-*.yaml --profile quick --stand-in allow
  stochopt run configs/svm-experiments.yaml --only dataset=adult --only dataset=reuters,series=sbp
  stochopt run my.yaml --shard 3/20
  stochopt run my.yaml --set repeats=20 --set algorithms.msg.step.c='{pow2: [-4, 4]}'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.experimentOptions.flags(cmd)
	o.externalOptions.flags(cmd)
	o.only.flags(cmd)
	cmd.Flags().Var(checkedText{&o.shard, o.parseShard}, "shard",
		"perform only shard i of n, as i/n; or prepare: compute what all shards share")
	workersFlag(cmd, &o.workers)
	return cmd
}

// workersFlag adds the flag -j, and checks it before the command runs.
func workersFlag(cmd *cobra.Command, workers *int) {
	cmd.Flags().IntVarP(workers, "jobs", "j", runtime.NumCPU(), "number of concurrent runs")
	cmd.Flags().Lookup("jobs").DefValue = "one per CPU" // the same text on all machines
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *workers < 1 {
			return usagef("-j %d: must be at least 1", *workers)
		}
		return nil
	}
}

func (o *runOptions) run(ctx context.Context, a *app, files []string) error {
	a.limitHeap(o.memory.bytes())
	specs, err := o.load(files)
	if err != nil {
		return err
	}
	if specs, files, err = o.only.filter(specs, files); err != nil {
		return err
	}
	o.part.Only = o.only.selected
	var errs []error
	for i, s := range specs {
		err := o.runSpec(ctx, a, files[i], s)
		if ctx.Err() != nil {
			return errors.Join(append([]error{err}, errs...)...) // the first one has the exit code
		}
		errs = append(errs, err)
	}
	if o.failed > 0 {
		errs = append(errs, failed(fmt.Errorf("%s failed; status lists them, and the same command repeats them",
			words.Count(o.failed, "run"))))
	}
	if o.unfit > 0 {
		errs = append(errs, failed(fmt.Errorf("%s skipped for lack of memory; raise --memory or use a larger machine",
			words.Count(o.unfit, "run"))))
	}
	return errors.Join(errs...)
}

// parseShard parses --shard: "prepare", or "i/n" with 1 <= i <= n.
func (o *runOptions) parseShard(text string) error {
	i, n := 0, 0
	if text == "prepare" || text == "" {
		return nil
	}
	_, err := fmt.Sscanf(text, "%d/%d", &i, &n)
	if err != nil || i < 1 || i > n || text != fmt.Sprintf("%d/%d", i, n) {
		return errors.New("want prepare, or i/n with 1 <= i <= n, such as 2/8")
	}
	o.part.Shard, o.part.Shards = i-1, n
	return nil
}

// runSpec performs a spec or a shard of it.
func (o *runOptions) runSpec(ctx context.Context, a *app, file string, s *spec.Spec) error {
	started := time.Now()
	p, err := o.plan(ctx, a, s, o.part.Only)
	if err != nil {
		return err
	}
	dir := o.folder(s)
	if err := o.checkPrograms(a, p, dir); err != nil {
		return err
	}
	part := o.part.Name()
	if o.shard == "prepare" {
		part = "prepare"
	}
	store, err := a.openStore(p, dir, part, o.manifest(a, file, p))
	if err != nil {
		return err
	}
	defer store.Close()
	tool := experiment.ThisTool()
	options := run.Options{
		Tool: tool.String(), Workers: o.workers, Memory: o.memory.bytes(), Data: p.DataBytes(),
		Part: o.part, External: o.allowed(),
	}
	if part != "" {
		options.Job, options.Node = batchJob()
		options.CPU = tool.CPU
	}
	progress := newProgress(a.err, s.Name)
	options.Progress, options.Warn, options.Note = progress, progress.warn, progress.note
	if o.shard == "prepare" {
		return prepare(ctx, a, p, store, options)
	}
	sum, err := run.Execute(ctx, p, store, options)
	progress.finish()
	o.failed += sum.Failed
	missing, _ := run.Pending(p, store, options)
	o.unfit += count(missing, func(it *plan.Item) bool { return it.Fits(options.Memory, options.Data) != nil })
	if err := store.Close(); err != nil {
		return failed(err) // also after an interruption, because records are lost
	}
	if ctx.Err() != nil {
		return withCode(exitInterrupted, fmt.Errorf("%s: interrupted: %d of %d runs saved; run the same command to resume",
			s.Name, sum.Reused+sum.Runs, sum.Planned))
	}
	if err != nil {
		return failed(err)
	}
	if part != "" {
		fmt.Fprintf(a.out, "%s: shard %s done: %s; when all shards are done, use collect\n",
			s.Name, o.shard, describeRuns(sum))
		return nil
	}
	return openEach([]string{dir}, func(f *experiment.Folder) error {
		d, products, err := a.products(f, s, experiment.AllKinds)
		if err != nil {
			return err
		}
		if n := len(p.Items) - len(d.Records.Runs); len(o.only.texts) > 0 && n > 0 {
			fmt.Fprintf(a.err, "%s: PARTIAL: %s missing; the same command without --only performs them\n",
				s.Name, words.Count(n, "run"))
		}
		return a.printSummary(d, products, sum, started)
	})
}

// checkPrograms returns an error if missing runs start external programs without permission.
func (o *runOptions) checkPrograms(a *app, p *plan.Plan, dir string) error {
	if o.checkPermission(p.Items) == nil {
		return nil // without reading the records
	}
	recorded, err := a.recorded(dir)
	if err != nil {
		return err
	}
	pending, _ := run.Pending(p, recorded, run.Options{Part: o.part})
	return o.checkPermission(pending)
}

// manifest describes the plan of a spec, and how it is smaller than the full scale of the spec in the file.
func (o *experimentOptions) manifest(a *app, file string, p *plan.Plan) experiment.Manifest {
	m := experiment.Manifest{
		Tool: experiment.ThisTool(), Spec: p.Spec.Name, Profile: o.profile, Set: o.sets,
		Seed: p.Spec.Seed, Planned: len(p.Items),
	}
	rows := make(map[string]map[string]int64)
	for _, pr := range p.Problems {
		rows[pr.Entry.ID] = pr.SplitSizes
		m.Datasets = append(m.Datasets, experiment.Dataset{
			ID: pr.Entry.ID, Title: pr.Data.Title, Hash: pr.Data.Hash,
			StandIn: pr.Data.StandIn, Reason: pr.Data.StandInReason, Rows: pr.Data.Rows(),
		})
	}
	full, err := spec.FullScale(file, registry.Catalog())
	if err != nil {
		a.warn(fmt.Sprintf("verdicts will lack the caveats about the smaller scale: %v", err))
		return m
	}
	m.BelowPaper = spec.Shortfalls(p.Spec, full, rows)
	return m
}

// openStore opens the store of a results folder and writes the plan, the spec and the manifest into the
// folder. part names the part of the plan that this process performs, while others may write to the folder.
// If part is "", the process performs the whole plan, and no other one may write.
func (a *app) openStore(p *plan.Plan, dir, part string, m experiment.Manifest) (*record.Store, error) {
	if part != "" {
		if err := experiment.CheckArithmetic(dir, m.Tool); err != nil {
			return nil, usage(err)
		}
	}
	store, err := record.Open(dir, record.Options{Part: part})
	if err != nil {
		return nil, usage(err)
	}
	a.warn(store.Warnings()...)
	if standIns := p.StandIns(); len(standIns) > 0 {
		fmt.Fprintf(a.err, "%s: STAND-IN DATA for %s; figures, tables and records are marked\n",
			p.Spec.Name, strings.Join(standIns, ", "))
	}
	a.warn(p.Spec.Warnings(p.StandIns())...)
	if m.Tool.Fuses() {
		a.warn(fmt.Sprintf("built with GOAMD64=%s, which fuses multiplications and additions: "+
			"the last bits of records differ from those of the default build", m.Tool.GOAMD64))
	}
	warnings, err := experiment.Begin(store, dir, p.Spec, m, p.IDs(), part != "")
	a.warn(warnings...)
	if err != nil {
		store.Close()
		return nil, usage(err)
	}
	return store, nil
}

// batchJob returns the Slurm job of this process, or "", and the name of the machine, or "" if it is unknown.
func batchJob() (job, node string) {
	job = os.Getenv("SLURM_JOB_ID")
	if array := os.Getenv("SLURM_ARRAY_JOB_ID"); array != "" {
		job = array + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
	}
	host, _ := os.Hostname()
	return job, cmp.Or(os.Getenv("SLURMD_NODENAME"), host)
}

// prepare performs --shard prepare: it computes what the runs of a plan share.
func prepare(ctx context.Context, a *app, p *plan.Plan, store *record.Store, opt run.Options) error {
	done, err := run.Prepare(ctx, p, store, opt)
	if err := errors.Join(err, store.Close()); err != nil {
		return failed(err)
	}
	fmt.Fprintf(a.out, "%s: prepared: %s, %s missing; optima certified: %d\n", p.Spec.Name,
		words.Count(len(p.Problems), "data set"), words.Count(done.Missing, "run"), done.Certified)
	return nil
}

// products derives products from the records of a folder and writes them.
func (a *app) products(
	f *experiment.Folder, s *spec.Spec, what experiment.Kinds,
) (*experiment.Derivation, *experiment.Products, error) {
	if _, err := a.records(f); err != nil {
		return nil, nil, err
	}
	d, err := f.Derive(s)
	if err != nil {
		return nil, nil, failed(err)
	}
	products, err := d.Write(what)
	return d, products, failed(err)
}
