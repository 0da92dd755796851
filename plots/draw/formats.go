package draw

import (
	"bytes"
	"fmt"
	"image/color"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

const pngDPI = 180

// formats lists the file formats of figures, by extension, with how each is
// made from a sheet. The bytes are a function of the sheet alone.
var formats = []struct {
	ext    string
	encode func(*Sheet) ([]byte, error)
}{
	{"svg", encodeSVG},
	{"pdf", encodePDF},
	{"png", encodePNG},
}

func encodeSVG(s *Sheet) ([]byte, error) {
	c := vgsvg.NewWith(vgsvg.UseWH(s.Width, s.Height))
	s.Draw(vgdraw.NewCanvas(c, s.Width, s.Height))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	// The file refers to its font by name only; Arial and Helvetica have the same metrics as Liberation Sans.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")), nil
}

func encodePNG(s *Sheet) ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(s.Width, s.Height), vgimg.UseDPI(pngDPI))
	s.Draw(vgdraw.NewCanvas(c, s.Width, s.Height))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// pdfDefaults makes the PDF library, which vgpdf leaves at its defaults, write
// the same bytes each time: a fixed date, and catalogues in order.
var pdfDefaults = sync.OnceFunc(func() {
	date := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(date)
	fpdf.SetDefaultModificationDate(date)
	fpdf.SetDefaultCatalogSort(true)
})

func encodePDF(s *Sheet) ([]byte, error) {
	pdfDefaults()
	c := pdfCanvas{vgpdf.New(s.Width, s.Height)}
	s.Draw(vgdraw.NewCanvas(c, s.Width, s.Height))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("plots: writing PDF: %w", err)
	}
	return b.Bytes(), nil
}

// pdfCanvas replaces what vgpdf does with translucent colours and with text.
type pdfCanvas struct{ *vgpdf.Canvas }

var _ vg.Canvas = pdfCanvas{}

// SetColor sets the colour. vgpdf takes the premultiplied components that
// color.Color yields for plain ones, which darkens translucent colours.
func (c pdfCanvas) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	c.Canvas.SetColor(straight{color.NRGBAModel.Convert(clr).(color.NRGBA)})
}

// straight is a colour whose RGBA is not premultiplied.
type straight struct{ color.NRGBA }

// RGBA returns the components as they are.
func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

// FillString draws the outlines of a line of text. vgpdf would embed the font, which it makes in
// temporary files, panicking where it cannot, and encode the text in code page 1252.
func (c pdfCanvas) FillString(face font.Face, pt vg.Point, s string) {
	for _, r := range s {
		c.outline(face, pt, r)
		pt.X += face.Width(string(r))
	}
}

// outline fills the shape of a rune, its origin at pt.
func (c pdfCanvas) outline(face font.Face, pt vg.Point, r rune) {
	index, err := face.Face.GlyphIndex(nil, r)
	if err != nil {
		return
	}
	const em = 1 << 11
	segments, err := face.Face.LoadGlyph(nil, index, em, nil)
	if err != nil {
		return
	}
	at := func(s sfnt.Segment, i int) vg.Point {
		return vg.Point{
			X: pt.X + face.Font.Size*vg.Length(s.Args[i].X)/em,
			Y: pt.Y - face.Font.Size*vg.Length(s.Args[i].Y)/em,
		}
	}
	var p vg.Path
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if p != nil {
				p.Close()
			}
			p.Move(at(s, 0))
		case sfnt.SegmentOpLineTo:
			p.Line(at(s, 0))
		case sfnt.SegmentOpQuadTo:
			p.QuadTo(at(s, 0), at(s, 1))
		case sfnt.SegmentOpCubeTo:
			p.CubeTo(at(s, 0), at(s, 1), at(s, 2))
		}
	}
	if p != nil {
		p.Close()
		c.Fill(p)
	}
}
