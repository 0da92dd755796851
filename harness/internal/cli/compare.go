package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/spec"
	"stochopt/internal/compare"
	"stochopt/internal/record"
	"stochopt/plots"

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
		Long: `Compare tests whether the curves of the candidate are worse than those of the baseline. Each
side is a results folder, or a folder of several, which are matched by the names of the
experiments. Run a spec before and after a change: at least six repeats, a number fixed in
advance. docs/compare.md explains the tests.

Runs of equal keys must be equal bit for bit. Of each cell (a data set, a series, its
parameters) the metric is compared at equal cost (--at), the cost at equal values of the metric
(--target), and the area between the curves. A cell is worse or better if a test, corrected for
their number, shows a difference beyond --tolerance. Without --metric and --cost the first
curves that the spec draws are compared.

--time adds the CPU seconds of the steps, with the same test, in identical cells too. A cell
that is slower is worse; an undecided time changes no verdict. Run both sides alternately on
one machine: otherwise a change of its load is found as a change of the program.

The last line says PASS; REGRESSION if a cell is worse; BITS CHANGED if runs of equal keys have
other bits on the same platform (raise the Version of the algorithm, or find out why);
INCOMPLETE if the candidate lacks some of the baseline's work; or how many cells are undecided.

Exit codes of this verb: 0 no regression shown, 1 regression or changed bits, 2 incomplete, or
undecided cells with --strict, 3 an error of any kind, or if every cell is incomparable.`,
		Example: `  stochopt run configs/pca-simulated.yaml --profile smoke --set repeats=10 --out build/before
  stochopt run configs/pca-simulated.yaml --profile smoke --set repeats=10 --out build/after
  stochopt compare build/before build/after --overlay build/overlay
  stochopt compare build/before build/after --format markdown >comment.md
  stochopt compare results build/new --experiment 'pca-*' --experiment '!*/*/grouse'
  stochopt compare old new --metric population/suboptimality --cost sum_kt2 --at 1000,10000`,
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
	f.BoolVar(&o.measure.Time, "time", false, "also compare the CPU seconds of the steps, which vary with the load of the machine")
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
		if sides[i], err = a.sides(ctx, dir); err != nil {
			return err
		}
		for _, s := range sides[i] {
			defer s.folder.Close() // its curves are read until then
		}
	}
	c, err := o.compare(sides[0], sides[1])
	for _, s := range slices.Concat(sides[:]...) {
		if unread := s.folder.Err(); unread != nil {
			return usage(fmt.Errorf("%s: %w", s.Dir, unread))
		}
	}
	if err != nil {
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
		compare.Regressed: exitRegression, compare.Incomplete: exitUndecided, compare.Undecided: exitUndecided, compare.NothingCompared: exitError,
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
		if ok && o.measure.Time && other.processor() != b.processor() {
			warnings = append(warnings, fmt.Sprintf("%s: times are of different processors: %s / %s", b.Name, b.processor(), other.processor()))
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

// side is an experiment on one side of a comparison.
type side struct {
	compare.Side
	folder   *experiment.Folder
	profile  string
	warnings []string
	// partial says how many of its planned runs are on record, if not all.
	partial string
}

// processor names the processors that the side was last run on.
func (s *side) processor() string {
	t := s.folder.Manifest.Tool
	return fmt.Sprintf("%d of %s", t.CPUs, t.CPU)
}

// cell names the cell of a run.
func (s *side) cell(r *record.Run) string { return s.Name + "/" + r.Dataset + "/" + r.Series }

// sides reads the experiments of a results folder, or of a folder that holds several.
func (a *app) sides(ctx context.Context, dir string) (sides []side, err error) {
	folders, err := a.folders([]string{dir})
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return sides, err
		}
		f, err := experiment.Open(folder)
		if err != nil {
			return sides, usage(err)
		}
		if before, ok := named(sides, f.Manifest.Spec); ok {
			return sides, usagef("%s and %s both hold the experiment %s; compare one at a time", before.Dir, folder, before.Name)
		}
		s, err := readSide(f)
		sides = append(sides, s)
		if err != nil {
			return sides, usage(err)
		}
	}
	return sides, nil
}

// readSide reads a results folder, and chooses by its own spec.
func readSide(f *experiment.Folder) (side, error) {
	m := &f.Manifest
	out := side{Side: compare.Side{Name: m.Spec, Dir: f.Dir, Platform: platform(m.Tool)}, folder: f, profile: m.Profile}
	// The claims and tables of a baseline of another version need not be valid in this one.
	s, err := f.Spec("claims=[]", "tables=[]")
	if err != nil {
		return out, err
	}
	e, err := f.Records()
	if err != nil {
		return out, err
	}
	if len(e.Runs) == 0 {
		return out, noRecords(f.Dir)
	}
	out.Runs, out.Rule = e.Runs, s.Rule()
	if s.Select.BySize() {
		d, err := f.Derive(s)
		if err != nil {
			return out, fmt.Errorf("%s: %w", f.Dir, err)
		}
		out.Choice, out.Runs = d.Choice, d.Choice.Runs()
	}
	out.warnings = slices.Concat(e.Warnings, m.Builds(f.Dir))
	if n, planned := len(e.Runs), f.Planned(e); n < planned && !f.Exported() {
		out.partial = fmt.Sprintf("%d of %d runs", n, planned)
		out.warnings = append(out.warnings, fmt.Sprintf("%s: PARTIAL: %s", f.Dir, out.partial))
	}
	certain := experiment.Deterministic(s)
	out.Deterministic = func(dataset, series string) bool {
		return slices.Contains(certain, claims.DatasetSeries{Dataset: dataset, Series: series})
	}
	out.DrawsRows = func(dataset string) bool {
		return slices.ContainsFunc(s.Datasets, func(e spec.DatasetEntry) bool { return e.ID == dataset && e.Subset != nil })
	}
	out.Metric, out.Split, out.Cost = shownFirst(s)
	return out, nil
}

// platform names what the bits of records may depend on.
func platform(t experiment.Tool) string {
	if t.Fuses() {
		return t.Platform + " GOAMD64=" + t.GOAMD64
	}
	return t.Platform
}

// shownFirst returns what the spec's figures show first in curves along a counter, else the metric that
// parameters are selected by. The comparison chooses values that are empty.
func shownFirst(s *spec.Spec) (metric, split, cost string) {
	for _, f := range s.Figures {
		panels := f.Panels
		if len(panels) == 0 {
			panels = []plots.Panel{{}}
		}
		for _, p := range panels {
			p = plots.Panel{X: "iterations", Y: "suboptimality"}.With(f.Panel).With(p)
			if p.Draw == "" && p.Y != "rank" && p.Y != "spectrum" && p.X != "seconds" {
				return p.Y, p.Split, p.X
			}
		}
	}
	return s.Select.Metric, "", ""
}

// named returns the side of a name, if there is one.
func named(sides []side, name string) (s side, ok bool) {
	if i := slices.IndexFunc(sides, func(s side) bool { return s.Name == name }); i >= 0 {
		return sides[i], true
	}
	return side{}, false
}

func experiments(sides []side) string {
	var names []string
	for _, s := range sides {
		names = append(names, s.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "none that --experiment leaves")
}

// compared are sides as package compare has them.
func compared(sides []side) []compare.Side {
	var out []compare.Side
	for _, s := range sides {
		out = append(out, s.Side)
	}
	return out
}

// cellFilter holds patterns of the cells that are compared (all, without a pattern) and, after a "!", of
// those that are left out, as experiment/dataset/series with * for any text.
type cellFilter []string

// complete adds the parts that a pattern of an experiment or a data set leaves out.
func (f cellFilter) complete() error {
	for i, pattern := range f {
		given := strings.Count(pattern, "/")
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" || given > 2 {
			return usagef("--experiment %q: want experiment, experiment/dataset or experiment/dataset/series, with * for any text", pattern)
		}
		f[i] += strings.Repeat("/*", 2-given)
	}
	return nil
}

func fits(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // complete has checked the pattern
	return ok
}

// shows reports whether a cell is compared.
func (f cellFilter) shows(cell string) bool {
	named, shown := false, false
	for _, pattern := range f {
		if left, ok := strings.CutPrefix(pattern, "!"); !ok {
			named, shown = true, shown || fits(pattern, cell)
		} else if fits(left, cell) {
			return false
		}
	}
	return shown || !named
}

// leave returns the experiments with the runs of the cells that are compared.
func (f cellFilter) leave(sides []side) (left []side) {
	for _, s := range sides {
		hidden := func(r record.Run) bool { return !f.shows(s.cell(&r)) }
		s.Runs = slices.DeleteFunc(slices.Clone(s.Runs), hidden)
		if len(s.Runs) > 0 {
			left = append(left, s)
		}
	}
	return left
}

// unmatched returns an error if a pattern of what is compared fits no cell.
func (f cellFilter) unmatched(sides []side) error {
	var cells []string
	for _, s := range sides {
		for i := range s.Runs {
			cells = append(cells, s.cell(&s.Runs[i]))
		}
	}
	slices.Sort(cells)
	cells = slices.Compact(cells)
	for _, pattern := range f {
		if !strings.HasPrefix(pattern, "!") && !slices.ContainsFunc(cells, func(cell string) bool { return fits(pattern, cell) }) {
			return usagef("--experiment %q: no such cell is on either side%s", pattern, spec.Hint(pattern, cells))
		}
	}
	return nil
}
