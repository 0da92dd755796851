package draw

import (
	"image/color"
	"strings"

	"stochopt/plots"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// style is how text is written: plain text with superscripts, ^{...}, and subscripts, _{...}. The
// Liberation fonts lack most of Unicode's own.
type style struct {
	font.Font
	color color.Color
}

var fonts = font.NewCache(liberation.Collection())

// The size and the shift upwards of superscripts and subscripts, relative to the size of the font.
const (
	shiftedSize   = 0.7
	superscriptUp = 0.36
	subscriptUp   = -0.16
)

// set returns the size and the shift of a span, relative to the size of the font.
func set(s plots.Span) (size, up vg.Length) {
	switch {
	case s.Shift > 0:
		return shiftedSize, superscriptUp
	case s.Shift < 0:
		return shiftedSize, subscriptUp
	}
	return 1, 0
}

func (s style) width(line string) (width vg.Length) {
	for _, r := range plots.Text(line).Spans() {
		size, _ := set(r)
		face := fonts.Lookup(s.Font, s.Size*size)
		width += face.Width(r.Text)
	}
	return width
}

// line draws a single line from pt, the start of its baseline. Spaces at the
// ends of a run are skipped rather than drawn, as SVG would drop them.
func (s style) line(c vg.Canvas, line string, pt vg.Point) {
	c.SetColor(s.color)
	for _, r := range plots.Text(line).Spans() {
		size, up := set(r)
		face := fonts.Lookup(s.Font, s.Size*size)
		word := strings.TrimLeft(r.Text, " ")
		lead := face.Width(r.Text[:len(r.Text)-len(word)])
		if word != "" {
			c.FillString(face, vg.Point{X: pt.X + lead, Y: pt.Y + s.Size*up}, strings.TrimRight(word, " "))
		}
		pt.X += face.Width(r.Text)
	}
}

// centred draws a single line with its middle at x.
func (s style) centred(c vg.Canvas, line string, x, y vg.Length) {
	s.line(c, line, vg.Point{X: x - s.width(line)/2, Y: y})
}

var (
	ink   = color.NRGBA{R: 0x1a, G: 0x1a, B: 0x1a, A: 0xff}
	grey  = color.NRGBA{R: 0x59, G: 0x59, B: 0x59, A: 0xff}
	alarm = color.NRGBA{R: 0xb3, G: 0x1b, B: 0x1b, A: 0xff}
	faint = color.NRGBA{R: 0xe6, G: 0xe6, B: 0xe6, A: 0xff}
	white = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

func sans(size vg.Length, bold bool, clr color.Color) style {
	s := style{font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, clr}
	if bold {
		s.Weight = xfont.WeightBold
	}
	return s
}

// fit breaks text into lines no wider than width: at spaces, else within a word, which leaves at
// least one character on a line. Superscripts and subscripts stay whole.
func (s style) fit(text string, width vg.Length) (lines []string) {
	for _, line := range s.fill(strings.Fields(text), " ", width) {
		if s.width(line) > width {
			lines = append(lines, s.fill(characters(line), "", width)...)
		} else {
			lines = append(lines, line)
		}
	}
	return lines
}

// fill joins parts into lines no wider than width; a part that is wider has a line of its own.
func (s style) fill(parts []string, separator string, width vg.Length) (lines []string) {
	for i, part := range parts {
		if i > 0 {
			if joined := lines[len(lines)-1] + separator + part; s.width(joined) <= width {
				lines[len(lines)-1] = joined
				continue
			}
		}
		lines = append(lines, part)
	}
	return lines
}

// characters returns the characters of s; a superscript or subscript is one.
func characters(s string) []string {
	var parts []string
	for _, r := range plots.Text(s).Spans() {
		switch {
		case r.Shift > 0:
			parts = append(parts, "^{"+r.Text+"}")
		case r.Shift < 0:
			parts = append(parts, "_{"+r.Text+"}")
		default:
			parts = append(parts, strings.Split(r.Text, "")...)
		}
	}
	return parts
}
