package plots

// Chart is a figure as data, for readers that draw it themselves: what Draw
// draws, panel by panel, before it is scaled to paper. Its texts are plain, without
// the markup of superscripts and subscripts, and no number is NaN or infinite.
type Chart struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Caption string `json:"caption"`
	// Alarms are what must not be missed, such as that data are a stand-in; Remarks
	// are what Draw writes above the panels, such as that runs are missing, and Notes
	// what it writes below them.
	Alarms  []string `json:"alarms,omitempty"`
	Remarks []string `json:"remarks,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	// Panels are by row and column. A row may be shorter than the first.
	Panels [][]*ChartPanel `json:"panels"`
	// Keys are the entries of the legend.
	Keys []ChartKey `json:"keys"`
}

// ChartPanel is one panel of a chart.
type ChartPanel struct {
	Title string    `json:"title,omitempty"`
	X     ChartAxis `json:"x"`
	Y     ChartAxis `json:"y"`
	// Datasets are those shown, StandIn says that any of them is made up.
	Datasets []string `json:"datasets,omitempty"`
	StandIn  bool     `json:"stand_in,omitempty"`
	// Curves are in drawing order. Static is set if the panel shows something else
	// than curves along an axis, which only the drawing has; Curves are then what
	// has a place on the axes.
	Curves []ChartCurve `json:"curves,omitempty"`
	Static bool         `json:"static,omitempty"`
	// Lines are straight ones across the panel, below the curves.
	Lines []ChartLine `json:"lines,omitempty"`
	// Empty says why there is nothing to show.
	Empty string `json:"empty,omitempty"`
}

// ChartAxis is an axis with the range that Draw gives it.
type ChartAxis struct {
	Label string  `json:"label"`
	Log   bool    `json:"log"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// Percent: what is read off is a fraction, shown in percent.
	Percent bool `json:"percent,omitempty"`
	// Floor, if positive, is where a logarithmic axis shows the values below it,
	// zero and negative ones too.
	Floor float64 `json:"floor,omitempty"`
}

// ChartKey is an entry of the legend.
type ChartKey struct {
	// Key is what curves and lines refer to, Label what people read.
	Key   string `json:"key"`
	Label string `json:"label"`
	// Series is the id of the series, empty for what is none.
	Series string `json:"series,omitempty"`
	// Color is "#rrggbb", Dash the lengths of dashes and gaps in points, none for a
	// solid line, Width that of the line.
	Color string    `json:"color"`
	Dash  []float64 `json:"dash,omitempty"`
	Width float64   `json:"width"`
	// Glyph is the shape of separate points and of marks: such as "disc" or
	// "cross".
	Glyph string `json:"glyph,omitempty"`
}

// ChartCurve is a curve with its band, columns of equal length. Values are as
// measured, not clipped to the range of the axes; on a logarithmic axis those at or
// below 0, where it has no floor, are left out by who draws.
type ChartCurve struct {
	Key string    `json:"key"`
	X   []float64 `json:"x"`
	Y   []float64 `json:"y"`
	// Lo and Hi are the band, absent where there is none.
	Lo []float64 `json:"lo,omitempty"`
	Hi []float64 `json:"hi,omitempty"`
	// N is the number of runs in the curve, Label what tells it from others of its
	// key, Dashed from which x on it is dashed.
	N      int      `json:"n,omitempty"`
	Label  string   `json:"label,omitempty"`
	Dashed *float64 `json:"dashed,omitempty"`
	// Points: the curve is of separate points. Thin: it is one of many below the
	// others, a single run or an eigenvalue. Done: the method had converged where
	// the curve ends, before the end of the axis.
	Points bool `json:"points,omitempty"`
	Thin   bool `json:"thin,omitempty"`
	Done   bool `json:"done,omitempty"`
}

// ChartLine is a straight line: vertical if X is set, horizontal if Y is.
type ChartLine struct {
	Key string   `json:"key"`
	X   *float64 `json:"x,omitempty"`
	Y   *float64 `json:"y,omitempty"`
	// Label says what the line stands for.
	Label string `json:"label"`
}
