package page

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
)

// The backgrounds that curves are drawn on, and the least contrast that a curve
// has with them (WCAG 2.2, 1.4.11 asks for 3).
var (
	lightGround = rgb{0xff, 0xff, 0xff}
	darkGround  = rgb{0x16, 0x1a, 0x20}
)

const (
	lightContrast = 3
	darkContrast  = 4.5
)

type rgb [3]float64

// parseColor reads "#rrggbb"; anything else is grey.
func parseColor(text string) rgb {
	if len(text) == 7 && text[0] == '#' {
		if n, err := strconv.ParseUint(text[1:], 16, 32); err == nil {
			return rgb{float64(n >> 16), float64(n >> 8 & 0xff), float64(n & 0xff)}
		}
	}
	return rgb{0x73, 0x73, 0x73}
}

func (c rgb) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0])), int(math.Round(c[1])), int(math.Round(c[2])))
}

// luminance is the relative luminance of WCAG 2.2.
func (c rgb) luminance() float64 {
	var l float64
	for i, weight := range [3]float64{0.2126, 0.7152, 0.0722} {
		v := c[i] / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		l += weight * v
	}
	return l
}

// contrast is the contrast ratio of WCAG 2.2, from 1 to 21.
func contrast(a, b rgb) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// legible moves a colour towards another, as little as it takes to have the
// contrast with the ground.
func legible(c, towards, ground rgb, least float64) rgb {
	const steps = 64
	for i := range steps {
		f, mixed := float64(i)/steps, rgb{}
		for j := range mixed {
			mixed[j] = math.Round(c[j] + f*(towards[j]-c[j]))
		}
		if contrast(mixed, ground) >= least {
			return mixed
		}
	}
	return towards
}

// onLight and onDark are a series' colour as it is drawn on each ground. Greys
// keep their order by being inverted: black is white in the dark.
func onLight(c rgb) rgb { return legible(c, rgb{}, lightGround, lightContrast) }

func onDark(c rgb) rgb {
	if max(c[0], c[1], c[2])-min(c[0], c[1], c[2]) < 24 {
		for i := range c {
			c[i] = 255 - c[i]
		}
	}
	return legible(c, rgb{0xff, 0xff, 0xff}, darkGround, darkContrast)
}

// ink is a declaration of the property --ink, a series' colour in both themes.
func ink(color string) template.CSS {
	return template.CSS("--ink:" + paint(color))
}

// paint is a colour as CSS for both themes.
func paint(color string) string {
	c := parseColor(color)
	return fmt.Sprintf("light-dark(%v,%v)", onLight(c), onDark(c))
}
