package cli

import (
	"fmt"
	"time"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

type collectOptions struct {
	summaryOptions
	// missing counts the runs that are not on record, bad those that failed.
	missing, bad int
}

func newCollect(a *app) *cobra.Command {
	o := &collectOptions{}
	cmd := &cobra.Command{
		Use:   "collect DIR...",
		Short: "Assemble the records of all shards: select, draw, judge",
		Long: `Collect assembles the records of all shards in each results folder, selects step sizes,
draws figures and tables and judges the claims, as run does after its last run. It performs
no run. It may be used while shards are at work, and reports how many runs are missing.

The last job of submit does the same. The exit code is 1 if runs are missing or have
failed.`,
		Example: "  stochopt collect results/svm-experiments\n  stochopt collect results --report report.html",
		Args:    atLeastOne("results folder"),
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(a, args) },
	}
	o.flags(cmd)
	return cmd
}

func (o *collectOptions) run(a *app, dirs []string) error {
	dirs = a.paths(dirs)
	found, err := a.folders(dirs)
	if err != nil {
		return err
	}
	o.start(len(found))
	if err := o.checkPage(a, dirs[0]); err != nil {
		return err
	}
	if err := a.eachFolder(dirs, func(f *experiment.Folder) error { return o.one(a, f) }); err != nil {
		return err
	}
	if err := o.summarise(a, dirs[0]); err != nil {
		return err
	}
	switch {
	case o.missing > 0:
		return failed(fmt.Errorf("%s missing", words.Count(o.missing, "run")))
	case o.bad > 0:
		return failed(fmt.Errorf("%s failed; status names them", words.Count(o.bad, "run")))
	}
	return nil
}

// one collects one experiment.
func (o *collectOptions) one(a *app, f *experiment.Folder) error {
	started := time.Now()
	s, err := f.Spec()
	if err != nil {
		return usage(err)
	}
	if err := assemble(a, f.Dir); err != nil {
		return err
	}
	e, err := f.Records()
	if err != nil {
		return usage(err)
	}
	a.warn(e.Warnings)
	missing := f.Planned(e) - len(e.Runs)
	o.missing, o.bad = o.missing+missing, o.bad+experiment.Summarise(e).Failed
	if missing > 0 {
		fmt.Fprintf(a.err, "%s: PARTIAL: %s not on record; run or submit the spec again\n", e.Name, words.Count(missing, "run"))
	}
	if len(e.Runs) == 0 {
		return nil
	}
	d, products, err := a.products(f, s, experiment.All)
	if err == nil && o.verbose {
		err = a.show(d, products)
	}
	if err != nil {
		return err
	}
	o.end(a, d, products, run.Summary{Planned: len(e.Runs), Reused: len(e.Runs)}, time.Since(started))
	return nil
}

// assemble imports the parts of a results folder into its database, while shards may be at work.
func assemble(a *app, dir string) error {
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		return usage(err)
	}
	defer store.Close()
	a.warn(store.Warnings())
	if len(store.Plan()) == 0 {
		return usagef("%s has no plan; run the spec, or submit it", dir)
	}
	if err := setMeta(store, dir, experiment.ThisTool()); err != nil {
		return failed(err)
	}
	return failed(store.Close())
}
