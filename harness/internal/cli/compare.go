package cli

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/internal/compare"

	"github.com/spf13/cobra"
)

type compareOptions struct {
	measure compareMeasure
	filter  compareFilter
	strict  bool
	all     bool
	format  string
	overlay string
}

// compareMeasure is what is compared, and how.
type compareMeasure struct {
	metric, split, cost string
	at, targets         numberList
	alpha, tolerance    fraction
	floor               float64
}

var compareFormats = []string{"table", "markdown", "json", "csv"}

func newCompare(a *app) *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare BASELINE CANDIDATE",
		Short: "Test whether curves got worse: a regression test for experiments",
		Long: `Compare tests whether the curves of the candidate are worse than those of the
baseline: run a spec before a change and after it, into two folders, and compare
these. Six repeats are the least that can show a difference; ten are better.

Each side is a results folder, or a folder that holds several (what run was
given as --out): their experiments are matched by name. Two single results
folders are compared whatever their names.

First the exact layer: runs of equal keys must be equal bit for bit. Then the
statistical one: cells (a data set, a series, its parameters, of which those that
were selected may differ) are matched, runs paired where they have equal seeds, and
the metric compared at equal cost (--at), the cost at equal values of the metric
(--target), and the area between the curves, by permutation tests with Holm's
correction over all cells that are compared. Where the repeats are too few for all
these tests together, the area of each cell is tested first, and its other measures
where that is significant. Differences within --tolerance do not count.

Where a parameter is selected from a grid, what is compared is the whole procedure,
choice included: whole repeats, all candidates together, change sides, and each
arrangement repeats the choice, so that a near tie that falls the other way is no
difference by itself. Of common seeds only the repeats that both sides have choose.
Intervals are the hull of the interval at the choice and of one that repeats the choice;
with fewer than six repeats no cell with a choice is equivalent. Where the grids differ
there is no exact test: approximate intervals of the level 1 - alpha / tests decide.

Without --metric, --split and --cost each experiment is compared by the first curves that
its spec draws along a counted cost, else by the metric that its parameters are selected
by, against iterations. Experiments that select by halvings, such as those of the task
svm-sparse, are compared by the error at equal support, over repeats, or over the halvings
if each side has one repeat (intervals then cover other test rows, but not other runs).
Where there are no curves, as in the task loss, only the exact layer applies.

Numbers of the table are geometric means over the repeats that finished, of which the
ratio is candidate / baseline, above 1 being worse (of --target, the expected cost).
Overlays draw arithmetic means, as figures do.

Verdicts of a cell: identical, better, worse, equivalent (the interval is within the
tolerance, or the curves are the same under other keys), inconclusive (~ in the table)
or incomparable. One run on each side decides only where there is no randomness: the ratio
is exact then. Identical cells are counted but not listed, unless --all is given.

The last line says PASS only if every cell is identical, equivalent or better, and the
candidate has all its runs. It says REGRESSION if a cell is worse, and BITS CHANGED if
runs of equal keys have other bits on the same platform, whether curves got better or
worse: raise the Version of the algorithm that was changed, or find out why. Exit codes of
this verb: 0 no regression shown, 1 regression or changed bits, 2 with
--strict if a cell is inconclusive or incomparable or the candidate lacks runs, 3 an
error of any kind, or if every cell is incomparable.`,
		Example: `  # before a change, after it, and the verdict
  stochopt run configs/pca-simulated.yaml --profile smoke --set repeats=10 --out build/before
  stochopt run configs/pca-simulated.yaml --profile smoke --set repeats=10 --out build/after
  stochopt compare build/before build/after

  # compare two step sizes
  stochopt run my.yaml --set repeats=10 --out build/before
  stochopt run my.yaml --set repeats=10 --set 'algorithms.msg.step.c=[0.5]' --out build/after
  stochopt compare build/before build/after --overlay build/overlay

  # in CI, with a comment for the change
  stochopt compare build/before build/after --format markdown >comment.md

  # some cells, at other costs
  stochopt compare results build/new --experiment 'pca-*' --exclude '*/*/grouse'
  stochopt compare old new --metric suboptimality --cost sum_kt2 --at 1000,10000 --target 1e-2`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{judges: "yes"},
		RunE:        func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.measure.metric, "metric", "", "metric to compare, such as suboptimality or error (less is better)")
	f.StringVar(&o.measure.split, "split", "", "split that the metric is of, such as test or population")
	f.StringVar(&o.measure.cost, "cost", "", "counter to compare along, such as iterations or kernel_evals")
	f.Var(&o.measure.at, "at", "costs at which the metric is compared (default: the last that all curves of a cell reach and record)")
	f.Var(&o.measure.targets, "target", "values of the metric whose costs to reach are compared, such as 0.01 or 5%")
	o.measure.alpha, o.measure.tolerance = fraction{0.05, true}, fraction{value: 0.05}
	f.Var(&o.measure.alpha, "alpha", "rate of false alarms over all cells together, from 0.0001 to 0.5")
	f.Var(&o.measure.tolerance, "tolerance", "relative difference that does not matter, as 5% or 0.05")
	f.Float64Var(&o.measure.floor, "floor", 0, "value of the metric below which differences are rounding")
	f.BoolVar(&o.strict, "strict", false, "exit with 2 if a cell is inconclusive or incomparable, or the candidate lacks runs")
	f.BoolVar(&o.all, "all", false, "list identical cells too, and every run with the same key and other bits")
	f.StringVar(&o.format, "format", "table", "table, markdown, json or csv")
	f.StringVar(&o.overlay, "overlay", "", "draw the curves of both sides, of cells that are not identical, into this folder")
	o.filter.flags(cmd)
	return cmd
}

func (o *compareOptions) run(ctx context.Context, a *app, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	base, err := a.sides(ctx, args[0], &o.filter)
	if err != nil {
		return err
	}
	defer closeSides(base)
	cand, err := a.sides(ctx, args[1], &o.filter)
	if err != nil {
		return err
	}
	defer closeSides(cand)
	in, err := matchSides(base, cand, &o.filter)
	if err != nil {
		return err
	}
	if err := o.measure.check(in); err != nil {
		return cmp.Or(usage(cmp.Or(unreadable(base), unreadable(cand))), err)
	}
	rep, err := compare.Compare(compared(in.base), compared(in.cand), o.measure.options())
	if err = cmp.Or(unreadable(base), unreadable(cand), err); err != nil {
		return usage(err)
	}
	rep.Warnings = append(in.warnings, rep.Warnings...)
	out := &comparison{Report: rep, compareOptions: *o, partial: in.partial}
	if o.overlay != "" {
		if err := out.overlays(in); err != nil {
			return err
		}
	}
	if err := out.write(a.out, coloured(a)); err != nil {
		return err
	}
	return out.outcome()
}

// check finds mistakes in the arguments and flags.
func (o *compareOptions) check(args []string) error {
	if len(args) != 2 {
		return usagef("want two folders, BASELINE and CANDIDATE, got %d", len(args))
	}
	if !slices.Contains(compareFormats, o.format) {
		return usagef("--format %q: want %s", o.format, strings.Join(compareFormats, ", "))
	}
	if err := o.filter.check(); err != nil {
		return err
	}
	return o.checkOverlay()
}

// options are those of the comparison.
func (m *compareMeasure) options() compare.Options {
	return compare.Options{
		Metric: m.metric, Split: m.split, Cost: m.cost, At: m.at, Targets: m.targets,
		Alpha: m.alpha.value, Tolerance: m.tolerance.value, NoTolerance: m.tolerance.value == 0,
		Floor: m.floor,
	}
}

// comparison is a report with how it is shown.
type comparison struct {
	*compare.Report
	compareOptions
	// partial tells the experiments of the candidate that lack runs of their plan.
	partial []string
	// figures are the overlays drawn, without the ends of their names.
	figures []string
}

// checkOverlay returns an error if --overlay names no folder that can be made, before anything is
// read.
func (o *compareOptions) checkOverlay() error {
	if o.overlay == "" {
		return nil
	}
	for dir := filepath.Clean(o.overlay); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return usagef("--overlay %s: %s is a file; name a folder to draw into", o.overlay, dir)
		} else if err == nil || dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// coloured reports whether the output may have colours.
func coloured(a *app) bool {
	return isTerminal(a.out) && a.getenv("NO_COLOR") == ""
}
