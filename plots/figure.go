// Package plots declares figures and tables and fills them with run records, as plain data. Package draw draws a
// Chart, package table writes a Grid. The package only reads results and never runs an algorithm.
package plots

import (
	"maps"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Figure describes one figure as a grid of panels. The fields of Panel at the
// figure's own level are the defaults of all its panels.
type Figure struct {
	// ID is the name of the output files and, for a figure of the thesis, its label, such
	// as "fig-simulated-iterations".
	ID string `yaml:"id" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=100"`
	// Title is the title above the panels.
	Title string `yaml:"title,omitempty"`
	// Caption is text for the caption, in addition to what the harness adds.
	Caption string `yaml:"caption,omitempty"`
	Panel   `yaml:",inline"`
	// Facet makes one panel for each value of a variable: "dataset", "group", "series", or
	// a parameter such as "k" or "start".
	Facet Facet `yaml:"facet,omitempty"`
	// Panels lists panels, one below the other or, if facet.rows is set, side by side. Their keys
	// override those of the figure.
	Panels []Panel `yaml:"panels,omitempty"`
	// Style is the appearance of the files on paper. Its keys override the specification's.
	Style Appearance `yaml:"style,omitempty"`
}

// Facet holds the variables of a figure's rows and columns.
type Facet struct {
	// Rows is the variable of the rows.
	Rows string `yaml:"rows,omitempty"`
	// Cols is the variable of the columns.
	Cols string `yaml:"cols,omitempty"`
	// Wrap is the number of panels in a row, for figures without a variable of the rows.
	Wrap int `yaml:"wrap,omitempty" jsonschema:"minimum=1,maximum=1000"`
	// ShareY selects the panels that share a y axis if they show the same quantity. They are
	// those of a row ("rows", default) or of a column ("cols").
	ShareY string `yaml:"share_y,omitempty" jsonschema:"enum=rows,enum=cols"`
}

// Panel is the content of one panel.
type Panel struct {
	// X is a cost counter, such as "iterations", "sum_kt2" or
	// "kernel_evals", or "seconds", the time spent in the algorithm.
	X string `yaml:"x,omitempty"`
	// Tuned adds the cost of tuning to x: "grid" is the cost of the whole grid up to each
	// point. It needs a selection by validation or oracle.
	Tuned string `yaml:"tuned,omitempty" jsonschema:"enum=grid"`
	// Y is a metric ("suboptimality", "error", "rank", …) or "spectrum".
	Y string `yaml:"y,omitempty"`
	// Split is the split of y. The default is "test" if the record has it, otherwise
	// "population"; rank and spectrum are not split.
	Split string `yaml:"split,omitempty"`
	// Log lists the logarithmic axes.
	Log []string `yaml:"log,omitempty" jsonschema:"enum=x,enum=y,uniqueItems=true"`
	// Series restricts the panel to these series.
	Series []string `yaml:"series,omitempty"`
	// Where restricts the panel to records with these values, such as {k: 4}.
	Where map[string]any `yaml:"where,omitempty"`
	// Band is the spread around the mean over repeats: "quantiles" (10% to 90%, default),
	// "minmax" or "none"; "runs" draws each repeat. For trade-offs, "halvings" is the
	// standard deviation over the halvings.
	Band string `yaml:"band,omitempty" jsonschema:"enum=quantiles,enum=minmax,enum=none,enum=runs,enum=halvings"`
	// FirstEpoch lists series that are drawn solid in the first pass over the training data
	// and dashed after it.
	FirstEpoch []string `yaml:"first_epoch,omitempty"`
	// Draw replaces curves along a run by another drawing. Three drawings show the vectors of
	// one record per series. "function" is the vector "value" against "z". "water" is the sorted
	// responses with the water level, and the minimax optimal distribution. "bias" is the sorted
	// responses for a problem with a bias, one panel for each class. "tradeoff" is the test error
	// of a grid against the number of support vectors. Two drawings are profiles of all runs; see
	// docs/results-folder.md. "runtime-profile" is the share of (problem, repeat, target) triples
	// that a series reaches at a cost of at most x. "performance-profile" is the share of problems
	// and targets that it reaches at no more than a multiple of the smallest cost of any series.
	Draw string `yaml:"draw,omitempty" jsonschema:"enum=function,enum=water,enum=bias,enum=tradeoff,enum=runtime-profile,enum=performance-profile"`
	// Targets are the target values of y for profiles. The default is 20 values of the
	// suboptimality, from 10^-0.2 to 10^-4 of the certified optimum.
	Targets []float64 `yaml:"targets,omitempty" jsonschema:"minItems=1,uniqueItems=true,exclusiveMinimum=0"`
}

// Table describes one table, which may show theory next to measurements.
type Table struct {
	// ID is the name of the output files.
	ID string `yaml:"id" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=100"`
	// Title is the title of the table.
	Title string `yaml:"title,omitempty"`
	// Where restricts the table to records with these values.
	Where map[string]any `yaml:"where,omitempty"`
	// Kind is the kind of rows. By default there is one per series and setting of its parameters.
	// "datasets" has one per data set. "time-to-error" has the time of each series to the final
	// error of the series "libsvm". "exponents" has one per series, with fitted power laws.
	// "tradeoff" has one per data set and series, with test errors at some numbers of support
	// vectors. "sparsification" has the cost of these classifiers and of training the reference.
	// If the latter is not recorded, it is the cost of the series "smo".
	Kind string `yaml:"kind,omitempty" jsonschema:"enum=datasets,enum=time-to-error,enum=exponents,enum=tradeoff,enum=sparsification"`
	// Theory holds the text of theoretical columns, by series (in a table of datasets, by
	// data set) and column. A name with a space is a method that is not run; its row is at
	// the end.
	Theory map[string]map[string]string `yaml:"theory,omitempty"`
	// Exponents are the columns of a table of the kind "exponents" that hold
	// fitted power laws.
	Exponents []observe.Exponent `yaml:"exponents,omitempty"`
	// Sizes lists the numbers of support vectors in tables of the kinds "tradeoff" and
	// "sparsification".
	Sizes []int `yaml:"sizes,omitempty" jsonschema:"minimum=1,maximum=2147483647,uniqueItems=true"`
	// Validation adds the errors on the halves that chose the parameters to a table of the
	// kind "tradeoff".
	Validation bool `yaml:"validation,omitempty"`
	// Columns lists the columns in order. A column is a name that occurs in theory, a parameter, or
	// a measurement. The measurements are "mean_rank", "max_rank", "sum_kt2",
	// "seconds_per_iteration", "final_suboptimality", "final_error", "best_error", "support",
	// "norm", "seconds", "kernel_evals" and "runs". A table of datasets has instead "train_rows",
	// "test_rows", "sigma2", "gamma", "C", "nu", "reference_error" and "reference_support". A table
	// of exponents has the ids of its exponents, "observations" and "runs". Tables of other kinds
	// have fixed columns.
	Columns []string `yaml:"columns,omitempty" jsonschema:"uniqueItems=true"`
}

// Values of Panel.Band.
const (
	BandQuantiles = "quantiles"
	BandMinMax    = "minmax"
	BandNone      = "none"
	BandRuns      = "runs"
	BandHalvings  = "halvings"

	// bandResampled is the default band of profiles.
	bandResampled = "resampled"
)

// Values of Panel.Draw.
const (
	DrawFunction = "function"
	DrawWater    = "water"
	DrawBias     = "bias"
	DrawTradeoff = "tradeoff"

	DrawRuntime     = "runtime-profile"
	DrawPerformance = "performance-profile"

	// The panels of DrawWater and DrawBias.
	drawLevel    = "water-level"
	drawShare    = "water-share"
	drawNegative = "bias-negative"
	drawPositive = "bias-positive"
)

// drawPanels lists the panels of drawings that consist of several.
var drawPanels = map[string][]string{
	DrawWater: {drawLevel, drawShare},
	DrawBias:  {drawNegative, drawPositive},
}

// AllPanels returns the panels of the figure with all defaults.
func (f Figure) AllPanels() []Panel {
	var panels []Panel
	for _, draw := range drawPanels[f.Draw] {
		panels = append(panels, Panel{Draw: draw})
	}
	if panels == nil {
		panels = slices.Clone(f.Panels)
	}
	if len(panels) == 0 {
		panels = []Panel{{}}
	}
	for i, p := range panels {
		panels[i] = f.Panel.With(p).withDefaults()
	}
	return panels
}

// withDefaults sets the fields that are not set. The scale of profiles is fixed.
func (p Panel) withDefaults() Panel {
	defaults := Panel{X: record.CostIterations, Y: record.MetricSuboptimality, Band: BandQuantiles}
	switch {
	case p.Draw == DrawTradeoff:
		defaults.X, defaults.Y = record.MetricSupport, record.MetricError
		defaults.Split, defaults.Log = record.SplitTest, []string{"x"}
	case p.Profiles():
		defaults.Band, p.Log = bandResampled, []string{"x"}
	}
	return defaults.With(p)
}

// With returns p, overridden by the fields that q sets. The conditions of Where are combined.
func (p Panel) With(q Panel) Panel {
	where := make(map[string]any, len(p.Where)+len(q.Where))
	maps.Copy(where, p.Where)
	maps.Copy(where, q.Where)
	p = override(p, q)
	p.Where = where
	return p
}

func (p Panel) logX() bool { return slices.Contains(p.Log, "x") }
func (p Panel) logY() bool { return slices.Contains(p.Log, "y") }

// shows reports whether the panel shows a run.
func (p Panel) shows(r *record.Run) bool {
	return observe.Where(p.Where).Matches(r) && (len(p.Series) == 0 || slices.Contains(p.Series, r.Series))
}
