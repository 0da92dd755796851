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

	"github.com/spf13/cobra"
)

type compareOptions struct {
	measure compare.Options
	metric  string
	filter  cellFilter
	strict  bool
	verbose bool
	format  string
	asJSON  bool
	overlay string
}

func newCompare(a *app) *cobra.Command {
	o := &compareOptions{measure: compare.Options{Alpha: 0.05}}
	cmd := &cobra.Command{
		Use:   "compare BASELINE CANDIDATE",
		Short: "Test whether the curves of experiments got worse",
		Long: `Compare tests whether the curves of the candidate are worse than those of the baseline. Each side is a
results folder, or a folder of several; experiments are matched by name. Run a spec before and after a
change with at least six repeats, a number fixed in advance. docs/compare.md explains the tests.

Runs with equal keys must be equal bit for bit. A cell is a data set, a series and its parameters. In
each cell, compare tests the metric at equal cost (--at), the cost to reach equal values of the metric
(--target), and the area between the curves. A cell is worse or better if a test, corrected for the
number of tests, shows a difference beyond --tolerance. By default, compare uses the metric and the
cost of the first curves that the spec draws.

--time also tests the CPU seconds of the steps, even in identical cells. A slower cell is worse. An
inconclusive time does not change a verdict. Alternate the runs of both sides on one machine, because a
change of its load looks like a change of the program.

The last line says PASS; REGRESSION if a cell is worse; BITS CHANGED if runs with equal keys differ on
the same platform (raise the Version of the algorithm or find the reason); INCOMPLETE if the candidate
lacks some of the baseline's work; or how many cells are undecided.

Exit codes: 0 no regression shown; 1 regression or changed bits; 2 incomplete, or undecided cells with
--strict; 3 any error, or all cells are incomparable.`,
		Example: `  stochopt run configs/pca-simulated.yaml --profile smoke --set repeats=10 --out build/before
  stochopt run configs/pca-simulated.yaml --profile smoke --set repeats=10 --out build/after
  stochopt compare build/before build/after --overlay build/overlay
  stochopt compare build/before build/after --format markdown >comment.md
  stochopt compare results build/new --experiment 'pca-*' --experiment '!*/*/grouse'
  stochopt compare old new --metric population/suboptimality --cost sum_kt2 --at 1000,10000`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.metric, "metric", "",
		"metric to compare, such as suboptimality or, of a split, test/error; less is better")
	f.StringVar(&o.measure.Cost, "cost", "", "counter of the cost, such as iterations or kernel_evals")
	f.Float64SliceVar(&o.measure.At, "at", nil,
		"compare the metric at these `costs` (default: the last cost that all curves of a cell record)")
	f.Float64SliceVar(&o.measure.Targets, "target", nil,
		"compare the costs of reaching these metric `values`, such as 0.01")
	f.Float64Var(&o.measure.Tolerance, "tolerance", 0.05, "relative difference to ignore, from 0 to 1")
	f.BoolVar(&o.measure.Time, "time", false, "also compare the CPU seconds of the steps, which vary with the load")
	f.BoolVar(&o.strict, "strict", false, "exit with 2 if a cell is inconclusive or incomparable")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "list identical cells, all measures and notes, and all differing runs")
	f.StringVar(&o.overlay, "overlay", "", "draw the curves of both sides of the cells that differ into this folder")
	f.StringSliceVar((*[]string)(&o.filter), "experiment", nil, "compare only the cells of this `pattern`: experiment, "+
		"experiment/dataset or experiment/dataset/series; * matches any text; a leading ! excludes cells")
	jsonFlag(cmd, &o.asJSON)
	choiceFlag(cmd, &o.format, "format", "`FORMAT` of the report: table or markdown", inTable, inMarkdown)
	return cmd
}

func (o *compareOptions) run(ctx context.Context, a *app, args []string) error {
	if err := o.filter.complete(); err != nil {
		return err
	}
	o.parseMeasure()
	var sides [2][]side
	for i, dir := range args {
		var err error
		if sides[i], err = a.sides(ctx, dir); err != nil {
			return err
		}
		for _, s := range sides[i] {
			defer s.folder.Close() // the comparison reads its curves
		}
	}
	c, err := o.compare(sides[0], sides[1])
	for _, s := range slices.Concat(sides[:]...) {
		if damage := s.folder.Err(); damage != nil {
			return usage(fmt.Errorf("%s: %w", s.Dir, damage))
		}
	}
	if err != nil {
		return usage(err)
	}
	if o.overlay != "" {
		if err := c.drawOverlays(o.overlay); err != nil {
			return usagef("--overlay %s: cannot write the figures: %w; choose another folder", o.overlay, err)
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

// parseMeasure splits --metric and sorts --at and --target.
func (o *compareOptions) parseMeasure() {
	o.measure.Metric = o.metric
	if split, metric, ok := strings.Cut(o.metric, "/"); ok {
		o.measure.Split, o.measure.Metric = split, metric
	}
	for _, list := range []*[]float64{&o.measure.At, &o.measure.Targets} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// comparison is a report with the options and the sides that it is about.
type comparison struct {
	*compare.Report
	compareOptions
	base, cand []side
	// figures has the paths of the overlays without extensions.
	figures []string
}

// outcome returns the exit code and the text of the outcome.
func (c *comparison) outcome() (code int, text string) {
	outcome, text := c.Outcome(c.strict)
	return map[compare.Outcome]int{
		compare.Regressed: exitRegression, compare.Incomplete: exitUndecided,
		compare.Undecided: exitUndecided, compare.NothingCompared: exitError,
	}[outcome], text
}

// compare compares the selected cells of two sides.
func (o *compareOptions) compare(base, cand []side) (*comparison, error) {
	if err := o.filter.checkMatches(slices.Concat(base, cand)); err != nil {
		return nil, err
	}
	c := &comparison{compareOptions: *o, base: o.filter.apply(base), cand: o.filter.apply(cand)}
	var warnings []string
	if len(base) == 1 && len(cand) == 1 && base[0].Name != cand[0].Name && len(c.cand) == 1 {
		warnings = append(warnings, fmt.Sprintf("the experiments differ: %s is %s, %s is %s",
			base[0].Dir, base[0].Name, cand[0].Dir, cand[0].Name))
		c.cand[0].Name = base[0].Name
	}
	var compared [2][]compare.Side
	for i, sides := range [...][]side{c.base, c.cand} {
		for _, s := range sides {
			warnings = append(warnings, s.warnings...)
			compared[i] = append(compared[i], s.Side)
		}
	}
	common := false
	for _, b := range c.base {
		other, ok := findSide(c.cand, b.Name)
		common = common || ok
		if ok && other.profile != b.profile {
			warnings = append(warnings, fmt.Sprintf("%s: the baseline has the profile %q, the candidate %q",
				b.Name, b.profile, other.profile))
		}
		if ok && o.measure.Time && other.processor() != b.processor() {
			warnings = append(warnings, fmt.Sprintf("%s: times are of different processors: %s / %s",
				b.Name, b.processor(), other.processor()))
		}
	}
	if !common {
		return nil, usagef("no experiment is on both sides: the baseline has %s, the candidate %s",
			sideNames(c.base), sideNames(c.cand))
	}
	var err error
	if c.Report, err = compare.Compare(compared[0], compared[1], o.measure); err != nil {
		return nil, err
	}
	c.Warnings = append(warnings, c.Warnings...)
	for _, s := range c.cand {
		if s.partial != "" && len(o.filter) == 0 { // a filter may exclude the cells of the missing runs
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
	// partial counts the recorded and planned runs, such as "3 of 4 runs"; "" if none is missing.
	partial string
}

// processor describes the processors of the last run.
func (s *side) processor() string {
	t := s.folder.Manifest.Tool
	return fmt.Sprintf("%d of %s", t.CPUs, t.CPU)
}

// cell returns the name of the cell of a run.
func (s *side) cell(r *record.Run) string { return s.Name + "/" + r.Dataset + "/" + r.Series }

// sides reads the experiments of a results folder or of a folder of several.
func (a *app) sides(ctx context.Context, dir string) (sides []side, err error) {
	folders, err := a.folders([]string{dir})
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := experiment.Open(folder)
		if err != nil {
			return nil, usage(err)
		}
		if other, ok := findSide(sides, f.Manifest.Spec); ok {
			return nil, usagef("%s and %s both have the experiment %s; compare one of them", other.Dir, folder, other.Name)
		}
		s, err := readSide(f)
		if err != nil {
			return nil, usage(err)
		}
		sides = append(sides, s)
	}
	return sides, nil
}

// readSide reads a results folder. It selects parameters by the spec of the folder.
func readSide(f *experiment.Folder) (side, error) {
	m := &f.Manifest
	out := side{
		Side: compare.Side{Name: m.Spec, Dir: f.Dir, Platform: m.Tool.Arithmetic()}, folder: f, profile: m.Profile,
	}
	// Claims and tables of another version of the program may not be valid in this version.
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
	deterministic := experiment.Deterministic(s)
	out.Deterministic = func(dataset, series string) bool {
		return slices.Contains(deterministic, claims.DatasetSeries{Dataset: dataset, Series: series})
	}
	out.DrawsRows = func(dataset string) bool {
		hasSubset := func(e spec.DatasetEntry) bool { return e.ID == dataset && e.Subset != nil }
		return slices.ContainsFunc(s.Datasets, hasSubset)
	}
	out.Metric, out.Split, out.Cost = defaultAxes(s)
	return out, nil
}

// defaultAxes returns the metric, split and cost of the first panel of the spec that draws a metric over a
// counter. Without such a panel, it returns the selection metric, and package compare chooses the cost.
func defaultAxes(s *spec.Spec) (metric, split, cost string) {
	for _, f := range s.Figures {
		for _, p := range f.AllPanels() {
			if p.Draw == "" && p.Y != "rank" && p.Y != "spectrum" && p.X != "seconds" {
				return p.Y, p.Split, p.X
			}
		}
	}
	return s.Select.Metric, "", ""
}

// findSide returns the side with a name.
func findSide(sides []side, name string) (s side, ok bool) {
	if i := slices.IndexFunc(sides, func(s side) bool { return s.Name == name }); i >= 0 {
		return sides[i], true
	}
	return side{}, false
}

func sideNames(sides []side) string {
	var names []string
	for _, s := range sides {
		names = append(names, s.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "none that --experiment selects")
}

// cellFilter has patterns of cells, as experiment/dataset/series. A pattern that begins with "!" excludes
// cells. If there are other patterns, only cells that match one of them are compared.
type cellFilter []string

// complete checks the patterns and adds their missing parts.
func (f cellFilter) complete() error {
	for i, pattern := range f {
		slashes := strings.Count(pattern, "/")
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" || slashes > 2 {
			return usagef("--experiment %q: want experiment, experiment/dataset or experiment/dataset/series", pattern)
		}
		f[i] += strings.Repeat("/*", 2-slashes)
	}
	return nil
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // complete has checked the pattern
	return ok
}

// selects reports whether a cell is compared.
func (f cellFilter) selects(cell string) bool {
	restricted, included := false, false
	for _, pattern := range f {
		if excluded, ok := strings.CutPrefix(pattern, "!"); !ok {
			restricted, included = true, included || matches(pattern, cell)
		} else if matches(excluded, cell) {
			return false
		}
	}
	return included || !restricted
}

// apply returns the experiments with the runs of the selected cells.
func (f cellFilter) apply(sides []side) (selected []side) {
	for _, s := range sides {
		excluded := func(r record.Run) bool { return !f.selects(s.cell(&r)) }
		s.Runs = slices.DeleteFunc(slices.Clone(s.Runs), excluded)
		if len(s.Runs) > 0 {
			selected = append(selected, s)
		}
	}
	return selected
}

// checkMatches returns an error if a pattern without "!" matches no cell.
func (f cellFilter) checkMatches(sides []side) error {
	var cells []string
	for _, s := range sides {
		for i := range s.Runs {
			cells = append(cells, s.cell(&s.Runs[i]))
		}
	}
	slices.Sort(cells)
	cells = slices.Compact(cells)
	for _, pattern := range f {
		matching := func(cell string) bool { return matches(pattern, cell) }
		if !strings.HasPrefix(pattern, "!") && !slices.ContainsFunc(cells, matching) {
			return usagef("--experiment %q: no cell matches%s", pattern, spec.Hint(pattern, cells))
		}
	}
	return nil
}
