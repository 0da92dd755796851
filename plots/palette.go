package plots

import "math"

// ramp holds the anchors of the palette of numeric variables: from dark violet
// over blue and green to ochre, lightness growing along it, its end still dark
// enough for a thin line on white.
var ramp = []uint32{0x440154, 0x3B528B, 0x21908C, 0x4FA83D, 0xC29A00}

// rampDashes alternate along the ramp, so that neighbours differ in grey too.
var rampDashes = [][]float64{nil, {7, 2}, {2.5, 1.5}}

var rampGlyphs = []string{GlyphDisc, GlyphSquare, GlyphTriangle}

// sequential returns the look of the i-th of n ordered values, 0 <= i < n.
func sequential(i, n int) Style {
	return Style{
		Color: rampAt(i, n),
		Dash:  rampDashes[i%len(rampDashes)],
		Width: 1.5,
		Glyph: rampGlyphs[i%len(rampGlyphs)],
	}
}

// rampAt interpolates the ramp's anchors at i/(n-1).
func rampAt(i, n int) string {
	if n < 2 {
		return hex(ramp[1])
	}
	pos := float64(i) / float64(n-1) * float64(len(ramp)-1)
	j := min(int(pos), len(ramp)-2)
	f := pos - float64(j)
	return blended(hex(ramp[j]), hex(ramp[j+1]), func(u, v uint8) uint8 {
		return uint8(math.Round((1-f)*float64(u) + f*float64(v)))
	})
}
