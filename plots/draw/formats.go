package draw

import (
	"bytes"

	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
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
