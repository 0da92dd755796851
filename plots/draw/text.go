package draw

import (
	"image/color"
	"slices"
	"strings"

	"stochopt/plots"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// textStyle is the font and colour of text. Superscripts and subscripts of Unicode are drawn as small characters,
// because the Liberation fonts lack most of them.
type textStyle struct {
	font.Font
	color color.Color
}

var fonts = font.NewCache(liberation.Collection())

// The size and the shift upwards of superscripts and subscripts, relative to the font size.
const (
	shiftedSize   = 0.7
	superscriptUp = 0.36
	subscriptUp   = -0.16
)

// shifted maps superscripts and subscripts to spans of plain characters.
var shifted = shiftedRunes()

func shiftedRunes() map[rune]span {
	spans := make(map[rune]span)
	// Each superscript or subscript is followed by its plain character.
	for pairs, up := range map[string]vg.Length{
		"⁰0¹1²2³3⁴4⁵5⁶6⁷7⁸8⁹9⁻−⁺+ⁿn":     superscriptUp,
		"₀0₁1₂2₃3₄4₅5₆6₇7₈8₉9ₜtᵢiₖkⱼjₙn": subscriptUp,
	} {
		runes := []rune(pairs)
		for i := 0; i < len(runes); i += 2 {
			spans[runes[i]] = span{string(runes[i+1]), shiftedSize, up}
		}
	}
	return spans
}

// span is text of one size and shift upwards, both relative to the font size.
type span struct {
	text     string
	size, up vg.Length
}

// spans splits a line into spans of equal size and shift.
func spans(line string) (all []span) {
	for _, r := range line {
		s, ok := shifted[r]
		if !ok {
			s = span{text: string(r), size: 1}
		}
		if n := len(all); n > 0 && all[n-1].up == s.up {
			all[n-1].text += s.text
		} else {
			all = append(all, s)
		}
	}
	return all
}

func (s textStyle) width(line string) (width vg.Length) {
	for _, part := range spans(line) {
		face := fonts.Lookup(s.Font, s.Size*part.size)
		width += face.Width(part.text)
	}
	return width
}

// draw draws a line of text from pt, the start of its baseline. It skips spaces at the ends of spans, because SVG would
// drop them.
func (s textStyle) draw(c vgdraw.Canvas, line string, pt vg.Point) {
	all := spans(line)
	isShifted := func(part span) bool { return part.up != 0 }
	if pdf, ok := c.Canvas.(*pdfCanvas); ok && slices.ContainsFunc(all, isShifted) {
		pdf.beginText(line)
		defer pdf.endText()
	}
	c.SetColor(s.color)
	for _, part := range all {
		face := fonts.Lookup(s.Font, s.Size*part.size)
		word := strings.TrimLeft(part.text, " ")
		lead := face.Width(part.text[:len(part.text)-len(word)])
		if word != "" {
			c.FillString(face, vg.Point{X: pt.X + lead, Y: pt.Y + s.Size*part.up}, strings.TrimRight(word, " "))
		}
		pt.X += face.Width(part.text)
	}
}

// drawCentred draws a line of text with its middle at x.
func (s textStyle) drawCentred(c vgdraw.Canvas, line string, x, y vg.Length) {
	s.draw(c, line, vg.Point{X: x - s.width(line)/2, Y: y})
}

var (
	ink   = color.NRGBA{R: 0x1a, G: 0x1a, B: 0x1a, A: 0xff}
	grey  = color.NRGBA{R: 0x59, G: 0x59, B: 0x59, A: 0xff}
	alarm = color.NRGBA{R: 0xb3, G: 0x1b, B: 0x1b, A: 0xff}
	faint = color.NRGBA{R: 0xe6, G: 0xe6, B: 0xe6, A: 0xff}
	white = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// typography holds the styles of the texts of a sheet.
type typography struct {
	title, detail, alarm, remark, note, panel, label, tick textStyle
	// scale scales lengths that are proportional to the font size.
	scale vg.Length
	// fitLabels wraps long labels of axes and leaves out some labels of ticks, so that they fit.
	fitLabels bool
}

// newTypography returns the default sizes, scaled to the font size of the style.
func newTypography(a plots.Appearance) *typography {
	const label = vg.Length(9)
	tick := vg.Length(8)
	t := &typography{scale: 1, fitLabels: a.Sized() || a.FontSize > 0}
	if a.FontSize > 0 {
		t.scale, tick = vg.Length(a.FontSize)/label, label
	}
	text := func(size vg.Length, bold bool, clr color.Color) textStyle {
		s := textStyle{font.Font{Typeface: "Liberation", Variant: variants[a.Font], Size: size * t.scale}, clr}
		if bold {
			s.Weight = xfont.WeightBold
		}
		return s
	}
	t.title, t.detail, t.alarm = text(11, true, ink), text(8.5, false, grey), text(9.5, true, alarm)
	t.remark, t.note, t.panel = text(8.5, true, ink), text(7.5, false, grey), text(9.5, true, ink)
	t.label, t.tick = text(label, false, ink), text(tick, false, ink)
	return t
}

// variants holds the Liberation fonts by plots.Appearance.Font.
var variants = map[string]font.Variant{"": "Sans", "sans": "Sans", "serif": "Serif", "mono": "Mono"}

// wrap breaks text into lines no wider than width, at spaces or, if a word is too wide, within it.
func (s textStyle) wrap(text string, width vg.Length) (lines []string) {
	for _, line := range s.join(strings.Fields(text), " ", width) {
		if s.width(line) > width {
			lines = append(lines, s.join(strings.Split(line, ""), "", width)...)
		} else {
			lines = append(lines, line)
		}
	}
	return lines
}

// join joins parts into lines no wider than width. A wider part has its own line.
func (s textStyle) join(parts []string, separator string, width vg.Length) (lines []string) {
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
