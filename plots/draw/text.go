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

// style is how text is written. Unicode's superscripts and subscripts, which the Liberation fonts mostly
// lack, are set as small characters.
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

// shifted has Unicode's superscripts and subscripts with the characters that they stand for.
var shifted = shiftedRunes()

func shiftedRunes() map[rune]span {
	spans := make(map[rune]span)
	for text, up := range map[string]vg.Length{"⁰0¹1²2³3⁴4⁵5⁶6⁷7⁸8⁹9⁻−⁺+ⁿn": superscriptUp, "₀0₁1₂2₃3₄4₅5₆6₇7₈8₉9ₜtᵢiₖkⱼjₙn": subscriptUp} {
		runes := []rune(text)
		for i := 0; i < len(runes); i += 2 {
			spans[runes[i]] = span{string(runes[i+1]), shiftedSize, up}
		}
	}
	return spans
}

// span is a stretch of text of one size, relative to that of the font, and shift upwards.
type span struct {
	text     string
	size, up vg.Length
}

func spans(line string) (all []span) {
	for _, r := range line {
		s, ok := shifted[r]
		if !ok {
			s = span{string(r), 1, 0}
		}
		if n := len(all); n > 0 && all[n-1].up == s.up {
			all[n-1].text += s.text
		} else {
			all = append(all, s)
		}
	}
	return all
}

func (s style) width(line string) (width vg.Length) {
	for _, r := range spans(line) {
		face := fonts.Lookup(s.Font, s.Size*r.size)
		width += face.Width(r.text)
	}
	return width
}

// line draws a single line from pt, the start of its baseline. Spaces at the
// ends of a span are skipped rather than drawn, as SVG would drop them.
func (s style) line(c vgdraw.Canvas, line string, pt vg.Point) {
	all := spans(line)
	draw := func() { s.spans(c, all, pt) }
	if pdf, ok := c.Canvas.(*pdfCanvas); ok && slices.ContainsFunc(all, func(r span) bool { return r.up != 0 }) {
		pdf.reading(line, draw)
	} else {
		draw()
	}
}

func (s style) spans(c vg.Canvas, all []span, pt vg.Point) {
	c.SetColor(s.color)
	for _, r := range all {
		face := fonts.Lookup(s.Font, s.Size*r.size)
		word := strings.TrimLeft(r.text, " ")
		lead := face.Width(r.text[:len(r.text)-len(word)])
		if word != "" {
			c.FillString(face, vg.Point{X: pt.X + lead, Y: pt.Y + s.Size*r.up}, strings.TrimRight(word, " "))
		}
		pt.X += face.Width(r.text)
	}
}

// centred draws a single line with its middle at x.
func (s style) centred(c vgdraw.Canvas, line string, x, y vg.Length) {
	s.line(c, line, vg.Point{X: x - s.width(line)/2, Y: y})
}

var (
	ink   = color.NRGBA{R: 0x1a, G: 0x1a, B: 0x1a, A: 0xff}
	grey  = color.NRGBA{R: 0x59, G: 0x59, B: 0x59, A: 0xff}
	alarm = color.NRGBA{R: 0xb3, G: 0x1b, B: 0x1b, A: 0xff}
	faint = color.NRGBA{R: 0xe6, G: 0xe6, B: 0xe6, A: 0xff}
	white = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// typography is how the texts of a sheet are written.
type typography struct {
	title, detail, alarm, remark, note, panel, label, tick style
	// scale is that of lengths that go with the size of text.
	scale vg.Length
	// fitted: labels of axes are broken and left out where there is little room.
	fitted bool
}

// newTypography returns the usual sizes, or those in proportion to the font size given.
func newTypography(a plots.Appearance) *typography {
	const label, tick = 9, 8
	t := &typography{scale: 1, fitted: a.Sized() || a.FontSize > 0}
	ticks := vg.Length(tick)
	if a.FontSize > 0 {
		ticks = vg.Length(a.FontSize)
		t.scale = ticks / label
		ticks /= t.scale
	}
	text := func(size vg.Length, bold bool, clr color.Color) style {
		s := style{font.Font{Typeface: "Liberation", Variant: variants[a.Font], Size: size * t.scale}, clr}
		if bold {
			s.Weight = xfont.WeightBold
		}
		return s
	}
	t.title, t.detail, t.alarm = text(11, true, ink), text(8.5, false, grey), text(9.5, true, alarm)
	t.remark, t.note, t.panel = text(8.5, true, ink), text(7.5, false, grey), text(9.5, true, ink)
	t.label, t.tick = text(label, false, ink), text(ticks, false, ink)
	return t
}

// variants are the Liberation fonts by plots.Appearance.Font.
var variants = map[string]font.Variant{"": "Sans", "sans": "Sans", "serif": "Serif", "mono": "Mono"}

// fit breaks text into lines no wider than width: at spaces, else within a word, which leaves at
// least one character on a line.
func (s style) fit(text string, width vg.Length) (lines []string) {
	for _, line := range s.fill(strings.Fields(text), " ", width) {
		if s.width(line) > width {
			lines = append(lines, s.fill(strings.Split(line, ""), "", width)...)
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
