// Package plots turns run records into figures and tables. It reads results
// only and never runs an algorithm.
package plots

// Figure describes one figure as a grid of panels. The fields of Panel at the
// figure's own level are the defaults of all its panels.
type Figure struct {
	// ID names the output files and, where the figure mirrors one of the
	// thesis, its label, e.g. "fig-simulated-iterations".
	ID      string `yaml:"id"`
	Title   string `yaml:"title,omitempty"`
	Caption string `yaml:"caption,omitempty"`
	Panel   `yaml:",inline"`
	// Facet spreads panels over the values of a variable: "dataset", "group",
	// "series", or the name of a parameter such as "k" or "start".
	Facet Facet `yaml:"facet,omitempty"`
	// Panels, if given, are laid along the axis that Facet leaves free (rows
	// unless Facet.Rows is set), each overriding the figure's own fields.
	Panels []Panel `yaml:"panels,omitempty"`
	// Color is the variable that tells the curves of one panel apart:
	// "series" (default) or the name of a parameter such as "k".
	Color string `yaml:"color,omitempty"`
}

// Facet names the variables of a figure's rows and columns.
type Facet struct {
	Rows string `yaml:"rows,omitempty"`
	Cols string `yaml:"cols,omitempty"`
}

// Panel says what one panel shows.
type Panel struct {
	// X is a cost counter: "iterations" or "sum_kt2".
	X string `yaml:"x,omitempty"`
	// Y is a metric ("suboptimality", "objective", "rank", …) or "spectrum".
	Y string `yaml:"y,omitempty"`
	// Split is the split that Y is measured on. By default "test" where the
	// record has it, else "population"; rank and spectrum need none.
	Split string `yaml:"split,omitempty"`
	// Log names the logarithmic axes, of "x" and "y".
	Log []string `yaml:"log,omitempty"`
	// Series restricts the panel to the series named.
	Series []string `yaml:"series,omitempty"`
	// Where restricts the panel to records with these values, e.g. {k: 4}.
	Where map[string]any `yaml:"where,omitempty"`
	// Band is the spread shown around the mean over repeats: "quantiles"
	// (10% to 90%, default), "minmax", "none"; "runs" draws each repeat.
	Band string `yaml:"band,omitempty"`
}

// Table describes one table: a row a series (and problem parameter), theory
// beside measurement.
type Table struct {
	ID    string `yaml:"id"`
	Title string `yaml:"title,omitempty"`
	// Where restricts the table to records with these values.
	Where map[string]any `yaml:"where,omitempty"`
	// Theory gives, by series, the text of theoretical columns by name.
	Theory map[string]map[string]string `yaml:"theory,omitempty"`
	// Columns lists the columns in order: a name that occurs in Theory, a
	// parameter, or a measurement: "mean_rank", "max_rank", "sum_kt2",
	// "seconds_per_iteration", "final_suboptimality", "runs".
	Columns []string `yaml:"columns"`
}
