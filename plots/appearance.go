package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Appearance is the appearance of figure files on paper. Keys that are absent keep the defaults.
type Appearance struct {
	// Width is the width of the files, such as 84mm or 3.3in.
	Width string `yaml:"width,omitempty" jsonschema:"pattern=^[0-9]+(\\.[0-9]+)?(mm|in)$,example=84mm,example=3.3in"`
	// Height is the height of the files. If only the width is given, panels keep their proportions.
	Height string `yaml:"height,omitempty" jsonschema:"pattern=^[0-9]+(\\.[0-9]+)?(mm|in)$,example=60mm,example=2.4in"`
	// Font is the font of all text: Liberation Sans (default), Serif or Mono.
	Font string `yaml:"font,omitempty" jsonschema:"enum=sans,enum=serif,enum=mono"`
	// FontSize is the size of axis, tick and legend labels in points. Titles and notes scale with it.
	FontSize float64 `yaml:"font_size,omitempty" jsonschema:"minimum=4,maximum=40"`
	// Legend is the place of the legend: below the panels (default), to their right, in a
	// corner of the first panel, or none.
	Legend string `yaml:"legend,omitempty" jsonschema:"enum=below,enum=right,enum=inside-top-left,enum=inside-top-right,enum=inside-bottom-left,enum=inside-bottom-right,enum=none"`
	// Title replaces the title of the figure; none removes it.
	Title string `yaml:"title,omitempty" jsonschema:"minLength=1"`
	// Subtitle replaces the line on data, repeats and band; none removes it.
	Subtitle string `yaml:"subtitle,omitempty" jsonschema:"minLength=1"`
	// Notes shows or removes the remarks above the panels and the notes below them. Panels of
	// stand-in data are always marked.
	Notes string `yaml:"notes,omitempty" jsonschema:"enum=shown,enum=none"`
	// PanelTitles replaces the titles of panels, row by row. An empty text removes one.
	PanelTitles []string `yaml:"panel_titles,omitempty"`
	// Series holds the appearance of the curves of each series.
	Series map[string]SeriesStyle `yaml:"series,omitempty"`
	// LineWidth is the width of curves in points.
	LineWidth float64 `yaml:"line_width,omitempty" jsonschema:"exclusiveMinimum=0,maximum=20"`
	// X is the range of the x axes of all panels, [low, high]; either may be null.
	X []*float64 `yaml:"x,omitempty" jsonschema:"minItems=2,maxItems=2"`
	// Y is the range of the y axes. Errors are fractions here, not percentages.
	Y []*float64 `yaml:"y,omitempty" jsonschema:"minItems=2,maxItems=2"`
}

// SeriesStyle is the appearance of the curves of a series.
type SeriesStyle struct {
	// Label is the name of the series in legends, titles and notes.
	Label string `yaml:"label,omitempty" jsonschema:"minLength=1"`
	// Color is the colour of curves and bands, such as "#aa0000".
	Color string `yaml:"color,omitempty" jsonschema:"pattern=^#[0-9a-fA-F]{6}$,example=#aa0000"`
	// Width is the width of the curves in points.
	Width float64 `yaml:"width,omitempty" jsonschema:"exclusiveMinimum=0,maximum=20"`
	// Dash is the dash pattern of the curves.
	Dash string `yaml:"dash,omitempty" jsonschema:"enum=solid,enum=dashed,enum=dotted,enum=dash-dot"`
}

// Omitted is the value of Title, Subtitle, Notes and Legend that leaves these out.
const Omitted = "none"

// LegendRight, and Inside with a corner, are values of Appearance.Legend.
const (
	LegendRight  = "right"
	LegendInside = "inside-"
)

// dashes are the lengths of SeriesStyle.Dash in points.
var dashes = map[string][]float64{"solid": nil, "dashed": {5, 3}, "dotted": {1, 2}, "dash-dot": {6, 2.5, 1.5, 2.5}}

// With returns a with the keys of b.
func (a Appearance) With(b Appearance) Appearance {
	series := maps.Clone(a.Series)
	for id, s := range b.Series {
		if series == nil {
			series = make(map[string]SeriesStyle)
		}
		o := series[id]
		series[id] = SeriesStyle{
			Label: cmp.Or(s.Label, o.Label), Color: cmp.Or(s.Color, o.Color),
			Width: cmp.Or(s.Width, o.Width), Dash: cmp.Or(s.Dash, o.Dash),
		}
	}
	return Appearance{
		Width: cmp.Or(b.Width, a.Width), Height: cmp.Or(b.Height, a.Height),
		Font: cmp.Or(b.Font, a.Font), FontSize: cmp.Or(b.FontSize, a.FontSize),
		Legend: cmp.Or(b.Legend, a.Legend), Title: cmp.Or(b.Title, a.Title),
		Subtitle: cmp.Or(b.Subtitle, a.Subtitle), Notes: cmp.Or(b.Notes, a.Notes),
		PanelTitles: orElse(b.PanelTitles, a.PanelTitles), Series: series,
		LineWidth: cmp.Or(b.LineWidth, a.LineWidth), X: orElse(b.X, a.X), Y: orElse(b.Y, a.Y),
	}
}

// ForPages returns the parts that also apply to a page: series, line width, axis ranges and panel titles.
func (a Appearance) ForPages() Appearance {
	return Appearance{PanelTitles: a.PanelTitles, Series: a.Series, LineWidth: a.LineWidth, X: a.X, Y: a.Y}
}

// Sized reports whether a size is given.
func (a Appearance) Sized() bool { return a.Width != "" || a.Height != "" }

// Points returns a length of an Appearance in points, 72 to the inch; 0 if it is not given.
func Points(length string) float64 {
	unit := 72.0
	number, millimetres := strings.CutSuffix(length, "mm")
	if millimetres {
		unit /= 25.4
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(number, "in"), 64)
	if err != nil {
		return 0
	}
	return v * unit
}

// of returns the style of the curves of a series, whose default is s.
func (a Appearance) of(series string, s Style) Style {
	own := a.Series[series]
	s.Color, s.Width = cmp.Or(own.Color, s.Color), cmp.Or(own.Width, a.LineWidth, s.Width)
	if own.Dash != "" {
		s.Dash = dashes[own.Dash]
	}
	return s
}

// renamed returns the catalog with the labels of series.
func (c Catalog) renamed(series map[string]SeriesStyle) Catalog {
	c = slices.Clone(c)
	for id, s := range series {
		if s.Label != "" {
			c = append(c, Algorithm{ID: id, Label: s.Label})
		}
	}
	return c
}

// within gives the axis the ends of a range, and reports whether it has any length then; else it stays.
func (a *ChartAxis) within(ends []*float64) bool {
	if ends == nil {
		return true
	}
	lo, hi := *cmp.Or(ends[0], &a.Min), *cmp.Or(ends[1], &a.Max)
	if lo >= hi || a.Log && lo <= 0 {
		return false
	}
	a.Min, a.Max = lo, hi
	if lo > a.Floor {
		a.Floor = 0
	}
	return true
}

// titlePanels gives the panels their titles, and warns if there are not as many.
func (a Appearance) titlePanels(ch *Chart) {
	panels := slices.Concat(ch.Panels...)
	if a.PanelTitles != nil && len(a.PanelTitles) != len(panels) {
		ch.Warnings = append(ch.Warnings, "figure "+ch.ID+": style.panel_titles has "+strconv.Itoa(len(a.PanelTitles))+
			" titles, the figure "+strconv.Itoa(len(panels))+" panels")
	}
	for i, p := range panels[:min(len(panels), len(a.PanelTitles))] {
		p.Title = a.PanelTitles[i]
		if p.StandIn {
			p.Title = joinParts(" · ", p.Title, standInMark)
		}
	}
}

// Style is the look of one curve: what tells it from the others in colour, in
// grey (the dashes) and as a lone point (the glyph).
type Style struct {
	// Color is "#rrggbb", or "#rrggbbaa" if it is translucent.
	Color string `json:"color"`
	// Dash holds the lengths of dashes and gaps in points, none for a solid line, Width is that of the line.
	Dash  []float64 `json:"dash,omitempty"`
	Width float64   `json:"width"`
	// Glyph is the shape of separate points and of marks, such as GlyphDisc.
	Glyph string `json:"glyph,omitempty"`
	// Radius is that of a lone point; 0 stands for the usual one.
	Radius float64 `json:"-"`
}

// Values of Style.Glyph.
const (
	GlyphDisc     = "disc"
	GlyphRing     = "ring"
	GlyphBox      = "box"
	GlyphSquare   = "square"
	GlyphPyramid  = "pyramid"
	GlyphTriangle = "triangle"
	GlyphPlus     = "plus"
	GlyphCross    = "cross"
)

// NewStyle returns a style of an opaque colour.
func NewStyle(rgb uint32, width float64, glyph string, dash ...float64) Style {
	return Style{Color: hex(rgb), Dash: dash, Width: width, Glyph: glyph}
}

func hex(rgb uint32) string { return fmt.Sprintf("#%06x", rgb) }

// ParseColor reads a colour of Style.
func ParseColor(text string) color.NRGBA {
	digits := strings.TrimPrefix(text, "#")
	if len(digits) == 6 {
		digits += "ff"
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		panic("plots: malformed colour " + text)
	}
	return color.NRGBA{R: uint8(v >> 24), G: uint8(v >> 16), B: uint8(v >> 8), A: uint8(v)}
}

func faded(c string, alpha uint8) string { return fmt.Sprintf("%s%02x", c, alpha) }

// Faint returns the look of single runs, and of curves before they settle.
func (s Style) Faint() Style {
	return Style{Color: faded(s.Color, 0x70), Width: 0.5, Glyph: s.Glyph, Radius: 1.5}
}

// blended returns the colour that lies the given share of the way from a to b.
func blended(a, b string, share float64) string {
	c, d := ParseColor(a), ParseColor(b)
	part := func(u, v uint8) uint8 {
		return uint8(math.Round(float64((1-share)*float64(u)) + float64(share*float64(v))))
	}
	return fmt.Sprintf("#%02x%02x%02x", part(c.R, d.R), part(c.G, d.G), part(c.B, d.B))
}
