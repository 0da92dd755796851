package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/compare"

	"github.com/spf13/cobra"
)

type compareOptions struct {
	measure compare.Options
	metric  string
	filter  cellFilter
	strict  bool
	verbose bool
	format  string
	overlay string
}

func newCompare(a *app) *cobra.Command {
	o := &compareOptions{measure: compare.Options{Alpha: 0.05}}
	cmd := &cobra.Command{
		Use:   "compare BASELINE CANDIDATE",
		Short: "Test whether curves got worse: a regression test for experiments",
		Long: `Compare tests whether the curves of the candidate are worse than those of the
baseline: run a spec before a change and after it, into two folders, and compare
these. Six pairs are the least that can show a difference; ten are better. Fix their
number in advance: adding repeats until there is a decision makes wrong ones likely.

Each side is a results folder, or a folder that holds several (what run was
given as --out): their experiments are matched by name. Two single results
folders are compared whatever their names.

Runs of equal keys must be equal bit for bit. Then cells (a data set, a series, its
parameters) are matched, runs paired where they have equal seeds, and the metric compared at
equal cost (--at), the cost at equal values of the metric (--target), and the area between
the curves, by permutation tests with Holm's correction over all cells. Where a parameter is
selected from a grid, the whole procedure is compared, choice included. A cell is worse or
better if a test shows a difference beyond --tolerance. The costs at equal iterations are
compared too.

Without --metric and --cost each experiment is compared by the first curves that its spec
draws along a counted cost, else by the metric that its parameters are selected by, against
iterations. Experiments that select by halvings, such as those of the task svm-sparse, are
compared by the error at equal support. Where there are no curves, as in the task loss, only
the bits are compared.

Verdicts of a cell: identical, better, worse, equivalent (the interval is within the
tolerance, or the curves are the same under other keys), inconclusive (~ in the table) or
incomparable. A cell has one row, with the measure that decides it, and those of --at and
--target; identical cells are counted. --verbose lists these, all measures and all notes.

The last line says PASS only if every cell that both have is identical, equivalent or
better, and the candidate has all of the baseline's work. It says REGRESSION if a cell is
worse; BITS CHANGED if runs of equal keys have other bits on the same platform: raise the
Version of the algorithm that was changed, or find out why; INCOMPLETE if the candidate
lacks an experiment, a data set, a series, repeats, iterations, candidates of a grid, or
runs of its own plan. Exit codes of this verb: 0 no regression shown, 1 regression or
changed bits, 2 incomplete, or undecided cells with --strict, 3 an error of any kind, or if
every cell is incomparable.`,
		Example: `  # before a change, after it, and the verdict
  stochopt run configs/pca-simulated.yaml --profile smoke --set repeats=10 --out build/before
  stochopt run configs/pca-simulated.yaml --profile smoke --set repeats=10 --out build/after
  stochopt compare build/before build/after

  # with figures; in CI, with a comment for the change
  stochopt compare build/before build/after --overlay build/overlay
  stochopt compare build/before build/after --format markdown >comment.md

  # some cells, at other costs
  stochopt compare results build/new --experiment 'pca-*' --experiment '!*/*/grouse'
  stochopt compare old new --metric population/suboptimality --cost sum_kt2 --at 1000,10000 --target 1e-2`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{judges: "yes"},
		RunE:        func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.metric, "metric", "", "metric to compare, such as suboptimality (less is better), or that of a split, such as test/error")
	f.StringVar(&o.measure.Cost, "cost", "", "counter to compare along, such as iterations or kernel_evals")
	f.Float64SliceVar(&o.measure.At, "at", nil,
		"`costs` at which the metric is compared (default: the last that all curves of a cell reach and record)")
	f.Float64SliceVar(&o.measure.Targets, "target", nil, "`values` of the metric whose costs to reach are compared, such as 0.01")
	f.Float64Var(&o.measure.Tolerance, "tolerance", 0.05, "relative difference that does not matter, from 0 to 1")
	f.BoolVar(&o.strict, "strict", false, "exit with 2 if a cell is inconclusive or incomparable")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "list identical cells, all measures and notes, all differing runs")
	f.StringVar(&o.overlay, "overlay", "", "draw the curves of both sides, of cells that are not identical, into this folder")
	f.StringSliceVar((*[]string)(&o.filter), "experiment", nil, "compare only the cells of this `pattern`: experiment, "+
		"experiment/dataset or experiment/dataset/series, with * for any text; ! before it leaves them out")
	formatFlags(cmd, &o.format)
	return cmd
}

func (o *compareOptions) run(ctx context.Context, a *app, args []string) error {
	if len(args) != 2 {
		return usagef("want two folders, BASELINE and CANDIDATE, got %d", len(args))
	}
	if err := o.filter.complete(); err != nil {
		return err
	}
	o.setMeasure()
	var sides [2][]side
	for i, dir := range args {
		var err error
		if sides[i], err = a.sides(ctx, dir, o.filter); err != nil {
			return err
		}
		defer closeSides(sides[i])
	}
	c, err := o.compare(sides[0], sides[1])
	if err = cmp.Or(unreadable(slices.Concat(sides[:]...)), err); err != nil {
		return usage(err)
	}
	if o.overlay != "" {
		if err := c.overlays(a.path(o.overlay)); err != nil {
			return usagef("--overlay %s: cannot draw there: %w; name a folder that can be written to", o.overlay, cause(err))
		}
	}
	if err := c.write(a.out); err != nil {
		return err
	}
	if code, text := c.outcome(); code != exitOK {
		return &codedError{code: code, err: errors.New(text), verdict: true}
	}
	return nil
}

// setMeasure says what is measured, from the flags.
func (o *compareOptions) setMeasure() {
	o.measure.Metric = o.metric
	if split, metric, ok := strings.Cut(o.metric, "/"); ok {
		o.measure.Split, o.measure.Metric = split, metric
	}
	for _, list := range []*[]float64{&o.measure.At, &o.measure.Targets} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// comparison is a report with how it is shown.
type comparison struct {
	*compare.Report
	compareOptions
	base, cand []side
	// figures are the overlays drawn, without the ends of their names.
	figures []string
}

// outcome returns the exit code and the outcome in words.
func (c *comparison) outcome() (code int, text string) {
	outcome, text := c.Outcome(c.strict)
	return map[compare.Outcome]int{
		compare.Regressed: exitRegression, compare.Incomplete: exitUndecided, compare.Undecided: exitUndecided, compare.Nothing: exitError,
	}[outcome], text
}

// compare compares what the filter leaves of two sides.
func (o *compareOptions) compare(base, cand []side) (*comparison, error) {
	if err := o.filter.unmatched(slices.Concat(base, cand)); err != nil {
		return nil, err
	}
	c := &comparison{compareOptions: *o, base: o.filter.leave(base), cand: o.filter.leave(cand)}
	var warnings []string
	if len(base) == 1 && len(cand) == 1 && base[0].Name != cand[0].Name && len(c.cand) == 1 {
		warnings = append(warnings, fmt.Sprintf("the experiments differ: %s is %s, %s is %s", base[0].Dir, base[0].Name, cand[0].Dir, cand[0].Name))
		c.cand[0].Name = base[0].Name
	}
	for _, s := range slices.Concat(c.base, c.cand) {
		warnings = append(warnings, s.warnings...)
	}
	common := false
	for _, b := range c.base {
		other, ok := named(c.cand, b.Name)
		common = common || ok
		if ok && other.profile != b.profile {
			warnings = append(warnings, fmt.Sprintf("%s: the baseline is of profile %q, the candidate of %q", b.Name, b.profile, other.profile))
		}
	}
	if !common {
		return nil, usagef("no experiment is on both sides: the baseline has %s, the candidate %s", experiments(c.base), experiments(c.cand))
	}
	var err error
	if c.Report, err = compare.Compare(compared(c.base), compared(c.cand), o.measure); err != nil {
		return nil, err
	}
	c.Warnings = append(warnings, c.Warnings...)
	for _, s := range c.cand {
		if s.partial != "" && len(o.filter) == 0 { // else the runs that it lacks may be of other cells
			c.Missing = append(c.Missing, s.Name+" is PARTIAL, "+s.partial)
		}
	}
	return c, nil
}
