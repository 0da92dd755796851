// Package plots turns run records into figures and tables. It reads results
// only and never runs an algorithm.
package plots

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"stochopt/results"
)

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

// Values of Panel.Band.
const (
	BandQuantiles = "quantiles"
	BandMinMax    = "minmax"
	BandNone      = "none"
	BandRuns      = "runs"
)

const (
	ySpectrum = "spectrum"
	yRank     = "rank"
)

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Validate reports what makes the figure impossible to draw whatever the
// records hold.
func (f Figure) Validate() error {
	if !validID.MatchString(f.ID) {
		return fmt.Errorf("plots: figure id %q names files: give it letters, digits, '.', '_' and '-' only, a letter or digit first", f.ID)
	}
	if len(f.Panels) > 0 && f.Facet.Rows != "" && f.Facet.Cols != "" {
		return fmt.Errorf("plots: figure %s: panels need a free axis, but facet takes both: drop facet.rows or facet.cols", f.ID)
	}
	if f.Facet.Rows != "" && f.Facet.Rows == f.Facet.Cols {
		return fmt.Errorf("plots: figure %s: facet.rows and facet.cols are both %q: use one of them", f.ID, f.Facet.Rows)
	}
	if err := f.Panel.validate(); err != nil {
		return fmt.Errorf("plots: figure %s: %w", f.ID, err)
	}
	for i, p := range f.Panels {
		if err := p.validate(); err != nil {
			return fmt.Errorf("plots: figure %s: panels[%d]: %w", f.ID, i, err)
		}
	}
	return nil
}

func (p Panel) validate() error {
	bands := []string{"", BandQuantiles, BandMinMax, BandNone, BandRuns}
	if !slices.Contains(bands, p.Band) {
		return fmt.Errorf("band %q is none of %s", p.Band, strings.Join(bands[1:], ", "))
	}
	for _, axis := range p.Log {
		if axis != "x" && axis != "y" {
			return fmt.Errorf(`log names the axis %q: it may name "x" and "y"`, axis)
		}
	}
	return nil
}

// panels returns the panels with all their fields filled in: from the panel,
// else from the figure, else by default. The conditions of Where add up, the
// panel's going before the figure's.
func (f Figure) panels() []Panel {
	base := Panel{X: "iterations", Y: "suboptimality", Band: BandQuantiles}.override(f.Panel)
	if len(f.Panels) == 0 {
		return []Panel{base}
	}
	panels := make([]Panel, len(f.Panels))
	for i, p := range f.Panels {
		panels[i] = base.override(p)
	}
	return panels
}

// override returns p with the fields that q sets.
func (p Panel) override(q Panel) Panel {
	p.X = cmp.Or(q.X, p.X)
	p.Y = cmp.Or(q.Y, p.Y)
	p.Split = cmp.Or(q.Split, p.Split)
	p.Band = cmp.Or(q.Band, p.Band)
	if q.Log != nil {
		p.Log = q.Log
	}
	if q.Series != nil {
		p.Series = q.Series
	}
	where := make(map[string]any, len(p.Where)+len(q.Where))
	maps.Copy(where, p.Where)
	maps.Copy(where, q.Where)
	p.Where = where
	return p
}

// logX and logY report whether the axes are logarithmic.
func (p Panel) logX() bool { return slices.Contains(p.Log, "x") }
func (p Panel) logY() bool { return slices.Contains(p.Log, "y") }

// shows reports whether the panel takes a run into account.
func (p Panel) shows(r *results.Run) bool {
	return matches(r, p.Where) && (len(p.Series) == 0 || slices.Contains(p.Series, r.Series))
}
