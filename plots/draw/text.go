package draw

import (
	"image/color"
	"strings"

	"stochopt/plots"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// rich is a text handler for plain text with superscripts, ^{...}, and
// subscripts, _{...}. The Liberation fonts lack most of Unicode's own.
type rich struct{ text.Plain }

var handler = rich{text.Plain{Fonts: font.NewCache(liberation.Collection())}}

var _ text.Handler = handler

// The size and the shift upwards of superscripts and subscripts, relative to the size of
// the font.
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

// Box returns the width of a line, and the ascent and descent of its font.
func (h rich) Box(line string, fnt font.Font) (width, height, depth vg.Length) {
	for _, r := range plots.Text(line).Spans() {
		size, _ := set(r)
		face := h.Fonts.Lookup(fnt, fnt.Size*size)
		width += face.Width(r.Text)
	}
	ext := h.Extents(fnt)
	return width, ext.Ascent, ext.Descent
}

// line draws a single line from pt, the start of its baseline. Spaces at the
// ends of a run are skipped rather than drawn, as SVG would drop them.
func (h rich) line(c vg.Canvas, line string, sty text.Style, pt vg.Point) {
	c.SetColor(sty.Color)
	for _, r := range plots.Text(line).Spans() {
		size, up := set(r)
		face := h.Fonts.Lookup(sty.Font, sty.Font.Size*size)
		word := strings.TrimLeft(r.Text, " ")
		lead := face.Width(r.Text[:len(r.Text)-len(word)])
		if word != "" {
			c.FillString(face, vg.Point{X: pt.X + lead, Y: pt.Y + sty.Font.Size*up}, strings.TrimRight(word, " "))
		}
		pt.X += face.Width(r.Text)
	}
}

var (
	ink   = color.NRGBA{R: 0x1a, G: 0x1a, B: 0x1a, A: 0xff}
	grey  = color.NRGBA{R: 0x59, G: 0x59, B: 0x59, A: 0xff}
	alarm = color.NRGBA{R: 0xb3, G: 0x1b, B: 0x1b, A: 0xff}
	faint = color.NRGBA{R: 0xe6, G: 0xe6, B: 0xe6, A: 0xff}
	white = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// sans returns a text style in Liberation Sans, aligned to the left.
func sans(size vg.Length, bold bool, clr color.Color) text.Style {
	fnt := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		fnt.Weight = xfont.WeightBold
	}
	return text.Style{Color: clr, Font: fnt, Handler: handler}
}

// fit breaks s into lines no wider than width: at spaces, else at glued spaces, else within
// a word, which leaves at least one character on a line. Superscripts and subscripts stay
// whole.
func fit(sty text.Style, s string, width vg.Length) []string {
	return fitAt(sty, strings.ReplaceAll(s, "\n", " "), width, " ", "\u00a0", "")
}

// fitAt breaks at the first of the separators, and lines that are too wide then at the
// others.
func fitAt(sty text.Style, s string, width vg.Length, separator string, others ...string) []string {
	parts := characters(s)
	if separator != "" {
		parts = strings.Split(s, separator)
	}
	var lines []string
	line := ""
	for _, part := range parts {
		next := part
		if line != "" {
			next = line + separator + part
		}
		if line != "" && sty.Width(next) > width {
			lines, next = append(lines, line), part
		}
		line = next
	}
	var fitted []string
	for _, l := range append(lines, line) {
		if len(others) > 0 && sty.Width(l) > width {
			fitted = append(fitted, fitAt(sty, l, width, others[0], others[1:]...)...)
		} else {
			fitted = append(fitted, strings.ReplaceAll(l, "\u00a0", " "))
		}
	}
	return fitted
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
