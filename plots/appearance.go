package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"reflect"
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

// Omitted is the value of Title, Subtitle, Notes and Legend that removes them.
const Omitted = "none"

// Values of Appearance.Legend; LegendInside precedes a corner, such as "top-left".
const (
	LegendRight  = "right"
	LegendInside = "inside-"
)

// dashes holds the lengths of dashes and gaps in points, by SeriesStyle.Dash.
var dashes = map[string][]float64{"solid": nil, "dashed": {5, 3}, "dotted": {1, 2}, "dash-dot": {6, 2.5, 1.5, 2.5}}

// With returns a, overridden by the keys that b sets.
func (a Appearance) With(b Appearance) Appearance {
	series := maps.Clone(a.Series)
	for id, s := range b.Series {
		if series == nil {
			series = make(map[string]SeriesStyle)
		}
		series[id] = override(series[id], s)
	}
	a = override(a, b)
	a.Series = series
	return a
}

// override returns the struct a with the fields that b sets.
func override[T any](a, b T) T {
	to, from := reflect.ValueOf(&a).Elem(), reflect.ValueOf(b)
	for i := range from.NumField() {
		if field := from.Field(i); !field.IsZero() {
			to.Field(i).Set(field)
		}
	}
	return a
}

// ForPages returns the keys that also apply to web pages: series, line width, axis ranges and panel titles.
func (a Appearance) ForPages() Appearance {
	return Appearance{PanelTitles: a.PanelTitles, Series: a.Series, LineWidth: a.LineWidth, X: a.X, Y: a.Y}
}

// Sized reports whether a size is given.
func (a Appearance) Sized() bool { return a.Width != "" || a.Height != "" }

// Points converts a length of an Appearance to points, 72 per inch. The result is 0 for an empty length.
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

// styleOf returns the style s of a series, with the changes of the appearance.
func (a Appearance) styleOf(series string, s Style) Style {
	set := a.Series[series]
	s.Color, s.Width = cmp.Or(set.Color, s.Color), cmp.Or(set.Width, a.LineWidth, s.Width)
	if set.Dash != "" {
		s.Dash = dashes[set.Dash]
	}
	return s
}

// renamed returns the catalog with the labels that a style gives to series.
func (c Catalog) renamed(series map[string]SeriesStyle) Catalog {
	c = slices.Clone(c)
	for id, s := range series {
		if s.Label != "" {
			c = append(c, Algorithm{ID: id, Label: s.Label})
		}
	}
	return c
}

// titlePanels replaces the titles of the panels. It warns if the numbers of titles and panels differ.
func (a Appearance) titlePanels(ch *Chart) {
	panels := slices.Concat(ch.Panels...)
	if a.PanelTitles != nil && len(a.PanelTitles) != len(panels) {
		ch.Warnings = append(ch.Warnings, fmt.Sprintf("figure %s: style.panel_titles has %d titles for %d panels",
			ch.ID, len(a.PanelTitles), len(panels)))
	}
	for i, p := range panels[:min(len(panels), len(a.PanelTitles))] {
		p.Title = a.PanelTitles[i]
		if p.StandIn {
			p.Title = joinParts(" · ", p.Title, standInMark)
		}
	}
}

// Style is the style of a curve. Dashes distinguish curves in grey, glyphs distinguish separate points.
type Style struct {
	// Color is "#rrggbb", or "#rrggbbaa" if it is translucent.
	Color string `json:"color"`
	// Dash holds the lengths of dashes and gaps in points. It is empty for a solid line.
	Dash []float64 `json:"dash,omitempty"`
	// Width is the width of the line in points.
	Width float64 `json:"width"`
	// Glyph is the shape of separate points and of marks, such as GlyphDisc.
	Glyph string `json:"glyph,omitempty"`
	// Radius is the radius of separate points in points, 0 for the default.
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

// NewStyle returns a style with an opaque colour.
func NewStyle(rgb uint32, width float64, glyph string, dash ...float64) Style {
	return Style{Color: hex(rgb), Dash: dash, Width: width, Glyph: glyph}
}

func hex(rgb uint32) string { return fmt.Sprintf("#%06x", rgb) }

// ParseColor parses a colour of a Style. It panics if the colour is malformed.
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

// Faint returns the style of single runs and of curves before StaysFrom.
func (s Style) Faint() Style {
	return Style{Color: s.Color + "70", Width: 0.5, Glyph: s.Glyph, Radius: 1.5}
}

// blended mixes two colours. The share of b is between 0 and 1. The conversions of products prevent fused operations,
// so that all machines give the same colour.
func blended(a, b string, share float64) string {
	c, d := ParseColor(a), ParseColor(b)
	mix := func(u, v uint8) uint8 {
		return uint8(math.Round(float64((1-share)*float64(u)) + float64(share*float64(v))))
	}
	return fmt.Sprintf("#%02x%02x%02x", mix(c.R, d.R), mix(c.G, d.G), mix(c.B, d.B))
}
