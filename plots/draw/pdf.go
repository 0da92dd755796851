package draw

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

func encodePDF(s *Sheet) ([]byte, error) {
	c := newPDF(s.Width, s.Height)
	s.Draw(vgdraw.NewCanvas(c, s.Width, s.Height))
	return c.bytes()
}

// pdfCanvas draws a PDF of one page, with text in embedded subsets of the fonts. It replaces the canvas of
// gonum/plot, which lacks characters such as ε, − and ‖, needs temporary files, and darkens translucent colours.
// Lengths of fpdf are in points, and its y axis points down.
type pdfCanvas struct {
	*fpdf.Fpdf
	height float64
	fonts  map[string]bool // embedded fonts, by name
}

func newPDF(width, height vg.Length) *pdfCanvas {
	size := fpdf.SizeType{Wd: width.Points(), Ht: height.Points()}
	c := &pdfCanvas{fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: size}), size.Ht, make(map[string]bool)}
	// A fixed date and a sorted catalogue make the bytes reproducible.
	date := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	c.SetCreationDate(date)
	c.SetModificationDate(date)
	c.SetCatalogSort(true)
	c.SetMargins(0, 0, 0)
	c.AddPage()
	c.Push()
	vg.Initialize(c)
	return c
}

// In its files, fpdf names a font "utf8" followed by the key in lower case. Readers of PDF expect the name of a subset
// to be six letters, a plus sign and the name of the font. Both names have the same length, so that replacing one by
// the other preserves the table of offsets.
const (
	fontKey    = "sub"
	fpdfPrefix = "utf8" + fontKey
	subsetTag  = "SUBSET+"
)

// bytes closes the document and returns the file.
func (c *pdfCanvas) bytes() ([]byte, error) {
	c.Pop()
	var b bytes.Buffer
	if err := c.Output(&b); err != nil {
		return nil, err
	}
	data := b.Bytes()
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(c.fonts))) { // a name precedes its own prefixes
		data = bytes.ReplaceAll(data, []byte(fpdfPrefix+strings.ToLower(name)), []byte(subsetTag+name))
	}
	return data, nil
}

func (c *pdfCanvas) point(pt vg.Point) (x, y float64) { return pt.X.Points(), c.height - pt.Y.Points() }

func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.Fpdf.SetLineWidth(w.Points()) }

func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	var lengths []float64
	for _, l := range pattern {
		lengths = append(lengths, l.Points())
	}
	c.SetDashPattern(lengths, offset.Points())
}

func (c *pdfCanvas) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	straight := color.NRGBAModel.Convert(clr).(color.NRGBA)
	r, g, b := int(straight.R), int(straight.G), int(straight.B)
	c.SetFillColor(r, g, b)
	c.SetDrawColor(r, g, b)
	c.SetTextColor(r, g, b)
	c.SetAlpha(float64(straight.A)/math.MaxUint8, "Normal")
}

func (c *pdfCanvas) Rotate(rad float64)    { c.TransformRotate(rad*180/math.Pi, 0, c.height) }
func (c *pdfCanvas) Translate(pt vg.Point) { c.TransformTranslate(pt.X.Points(), -pt.Y.Points()) }
func (c *pdfCanvas) Scale(x, y float64)    { c.TransformScale(100*x, 100*y, 0, c.height) }
func (c *pdfCanvas) Push()                 { c.TransformBegin() }
func (c *pdfCanvas) Pop()                  { c.TransformEnd() }

func (c *pdfCanvas) Stroke(p vg.Path) { c.path(p, "D") }
func (c *pdfCanvas) Fill(p vg.Path)   { c.path(p, "F") }

// path draws lines and arcs. Figures have no Bézier curves.
func (c *pdfCanvas) path(p vg.Path, style string) {
	for _, part := range p {
		x, y := c.point(part.Pos)
		switch part.Type {
		case vg.MoveComp:
			c.MoveTo(x, y)
		case vg.LineComp:
			c.LineTo(x, y)
		case vg.ArcComp:
			const degree = math.Pi / 180
			r := part.Radius.Points()
			c.ArcTo(x, y, r, r, 0, part.Start/degree, (part.Start+part.Angle)/degree)
		case vg.CloseComp:
			c.ClosePath()
		default:
			panic("draw: a Bézier curve in a PDF")
		}
	}
	c.DrawPath(style)
}

// FillString draws text. It sets the font each time, because Pop restores the font in the file but not in fpdf.
func (c *pdfCanvas) FillString(face font.Face, pt vg.Point, text string) {
	name := string(face.Font.Typeface) + string(face.Font.Variant)
	if face.Font.Weight == xfont.WeightBold {
		name += "-Bold"
	}
	if !c.fonts[name] {
		var source bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &source); err != nil {
			c.SetError(err)
		}
		c.AddUTF8FontFromBytes(fontKey+name, "", source.Bytes())
		c.fonts[name] = true
	}
	c.SetFont(fontKey+name, "", face.Font.Size.Points())
	x, y := c.point(pt)
	c.Text(x, y, basicPlane(text))
}

// basicPlane replaces characters outside the basic multilingual plane, which fpdf cannot write and the fonts lack.
func basicPlane(text string) string {
	return strings.Map(func(r rune) rune {
		if r > math.MaxUint16 {
			return '\uFFFD'
		}
		return r
	}, text)
}

// beginText begins a span that PDF readers copy as the given text, and endText ends it.
func (c *pdfCanvas) beginText(text string) {
	var digits strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&digits, "%04X", unit)
	}
	c.RawWriteStr("/Span <</ActualText <FEFF" + digits.String() + ">>> BDC")
}

func (c *pdfCanvas) endText() { c.RawWriteStr("EMC") }

// DrawImage panics, because figures have no images.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("draw: an image in a PDF") }
