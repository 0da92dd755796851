package plots

// Chart is a figure laid out: its panels with axes and curves, how these look, and
// what is said around them. Files are drawn from it, by package draw, and readers that
// draw it themselves have it as data. No number in it is NaN or infinite.
type Chart struct {
	ID      string
	Title   Text
	Caption string
	// Alarms are what must not be missed, such as that data are a stand-in; Remarks
	// stand above the panels, such as that runs are missing, and Notes below them.
	Alarms  []Text
	Remarks []Text
	Notes   []Text
	// Panels are by row and column. A row may be shorter than the first.
	Panels [][]*ChartPanel
	// Keys are the entries of the legend.
	Keys []ChartKey

	// Detail is the line below the title. Lead is the caption without the alarms and
	// the notes.
	Detail Text
	Lead   string
	// Crowded: panels have many curves, and files give them more room.
	Crowded bool
	// Warnings say what is missing from the figure or was left out of it.
	Warnings []string
}

// ChartPanel is one panel of a chart.
type ChartPanel struct {
	Title Text      `json:"title,omitempty"`
	X     ChartAxis `json:"x"`
	Y     ChartAxis `json:"y"`
	// StandIn says that a dataset that is shown is made up.
	StandIn bool `json:"stand_in,omitempty"`
	// Curves are in drawing order. Static: the panel shows something else than curves
	// along an axis, which only the drawing has; Curves are then what has a place on
	// the axes.
	Curves []ChartCurve `json:"curves,omitempty"`
	Static bool         `json:"static,omitempty"`
	// Lines are straight ones across the panel, Areas are filled up to Levels; all are
	// below the curves, in this order.
	Lines  []ChartLine  `json:"lines,omitempty"`
	Areas  []ChartArea  `json:"-"`
	Levels []ChartLevel `json:"-"`
	// Empty says why there is nothing to show.
	Empty Text `json:"empty,omitempty"`
	// Low panels are less high than others.
	Low bool `json:"-"`
}

// ChartKey is an entry of the legend.
type ChartKey struct {
	// Key is what curves and lines refer to, Label what people read.
	Key   string `json:"key"`
	Label Text   `json:"label"`
	// Series is the id of the series, empty for what is none.
	Series string `json:"series,omitempty"`
	Style
	// Glyphs: a curve has glyphs somewhere. Bare: each is a lone point, without a line.
	Glyphs bool `json:"-"`
	Bare   bool `json:"-"`
	// Epochs: a curve is dashed after its first epoch, which drawings have an entry of
	// its own for.
	Epochs bool `json:"-"`
}

// ChartLine is a straight line: vertical if X is set, horizontal if Y is.
type ChartLine struct {
	Key string   `json:"key"`
	X   *float64 `json:"x,omitempty"`
	Y   *float64 `json:"y,omitempty"`
	// Label says what the line stands for.
	Label string `json:"label"`
	Look  Style  `json:"-"`
}

// ChartArea is what lies between two lines over the same abscissae.
type ChartArea struct {
	X, Lo, Hi []float64
	Color     string
}

// ChartLevel is the surface of what fills an area, drawn across the panel at Y. It
// meets the edge of the area at the abscissa Shore.
type ChartLevel struct {
	Y, Shore float64
	Text     Text
	Look     Style
}
