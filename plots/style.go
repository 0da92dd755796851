package plots

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
)

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

// Pale returns the look of single runs, and of curves before they settle.
func (s Style) Pale() Style {
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
