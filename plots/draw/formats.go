package draw

import (
	"bytes"

	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

const pngDPI = 180

// formats lists the file formats of figures. The bytes depend only on the sheet.
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
	svg := b.Bytes()
	for name, others := range fallbackFonts {
		svg = bytes.ReplaceAll(svg, []byte("font-family:"+name+";"), []byte("font-family:"+name+","+others+";"))
	}
	return svg, nil
}

// fallbackFonts lists fonts with the same metrics as the Liberation fonts, which SVG files do not embed.
var fallbackFonts = map[string]string{
	"Liberation Sans":  "Arial,Helvetica,sans-serif",
	"Liberation Serif": "Times New Roman,Times,serif",
	"Liberation Mono":  "Courier New,Courier,monospace",
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
