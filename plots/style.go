package plots

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Style is the look of one curve: what tells it from the others in colour, in
// grey (the dashes) and as a lone point (the glyph).
type Style struct {
	// Color is "#rrggbb", or "#rrggbbaa" if it is translucent.
	Color string `json:"color"`
	// Dash holds the lengths of dashes and gaps in points, none for a solid line,
	// Width is that of the line.
	Dash  []float64 `json:"dash,omitempty"`
	Width float64   `json:"width"`
	// Glyph is the shape of separate points and of marks, such as GlyphDisc.
	Glyph string `json:"glyph,omitempty"`
	// Radius is that of a lone point; 0 stands for the usual one.
	Radius float64 `json:"-"`
}

// Values of Style.Glyph. The bold cross is for what is a lone point as a rule and has to
// be found among curves.
const (
	GlyphDisc      = "disc"
	GlyphRing      = "ring"
	GlyphBox       = "box"
	GlyphSquare    = "square"
	GlyphPyramid   = "pyramid"
	GlyphTriangle  = "triangle"
	GlyphPlus      = "plus"
	GlyphCross     = "cross"
	GlyphBoldCross = "bold-cross"
)

// extraColors are for series the registry does not know (after Paul Tol's
// "muted" scheme, without the hues close to the registry's).
var extraColors = []uint32{0x332288, 0x882255, 0x117733, 0x999933, 0x661100, 0x6699CC, 0xAA4499, 0x555555}

// extraDashes are the dashes, other than the registry's, that tell series of
// one colour apart.
var extraDashes = [][]float64{
	{3, 3}, {12, 2, 2, 2}, {6, 1.5, 3, 1.5}, {1, 3}, {14, 3}, {4, 4, 1, 4}, {9, 1}, {2, 1, 2, 4},
}

func fixed(rgb uint32, width float64, glyph string, dash ...float64) Style {
	return Style{Color: hex(rgb), Dash: dash, Width: width, Glyph: glyph}
}

func hex(rgb uint32) string { return fmt.Sprintf("#%06x", rgb) }

// ParseColor reads a colour of Style.
func ParseColor(text string) color.NRGBA {
	digits := strings.TrimPrefix(text, "#")
	if len(digits) == 6 {
		digits += "ff"
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		panic("plots: malformed colour " + text)
	}
	return color.NRGBA{R: uint8(v >> 24), G: uint8(v >> 16), B: uint8(v >> 8), A: uint8(v)}
}

// faded returns a colour with its opacity, 0xff for all of it.
func faded(c string, alpha uint8) string { return fmt.Sprintf("%s%02x", c, alpha) }

// blended returns a colour whose parts are made from those of a and b.
func blended(a, b string, part func(u, v uint8) uint8) string {
	c, d := ParseColor(a), ParseColor(b)
	return fmt.Sprintf("#%02x%02x%02x", part(c.R, d.R), part(c.G, d.G), part(c.B, d.B))
}

// DisplayName returns the human name of a series or algorithm: the registered
// one; that of a registered one with what follows it in brackets, such as
// "Perceptron (last)" for "perceptron-last"; or the id itself.
func DisplayName(id string) string {
	if i := registered(id); i >= 0 {
		return registry[i].name
	}
	for end := len(id) - 1; end > 0; end-- { // the longest first
		if id[end] != '-' || end == len(id)-1 {
			continue
		}
		if i := registered(id[:end]); i >= 0 {
			return bracket(registry[i].name, strings.ReplaceAll(id[end+1:], "-", " "))
		}
	}
	return id
}

// bracket adds to a name in brackets, to those it ends in if it does.
func bracket(name, more string) string {
	if open, ok := strings.CutSuffix(name, ")"); ok {
		return open + ", " + more + ")"
	}
	return name + " (" + more + ")"
}

// registered returns the index of id in the registry, or -1.
func registered(id string) int {
	return slices.IndexFunc(registry, func(e entry) bool { return e.id == id })
}

// seriesID identifies a series together with the algorithm it runs.
type seriesID struct{ series, algorithm string }

// compareSeries orders series as the registry does: by the series' own entry,
// else by its algorithm's, else after all registered ones; ties by name.
func compareSeries(a, b seriesID) int {
	rank := func(s seriesID) int {
		if i := registered(s.series); i >= 0 {
			return 2 * i
		}
		if i := registered(s.algorithm); i >= 0 {
			return 2*i + 1
		}
		return 2 * len(registry)
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a.series, b.series)
}

// assignStyles gives every series its look. A series named in the registry has
// the registered one. Any other series that runs a registered algorithm has
// the algorithm's colour, lighter in the task of sparse SVMs, with dashes picked by
// its name; of the rest, the name
// picks both. Within one call no two series look the same (for up to 64 beyond
// the registry): where a pick is taken, the later by compareSeries moves on to
// the next free one, of a colour not yet seen if there is one.
func assignStyles(ids []seriesID) map[string]Style {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, compareSeries)
	styles := make(map[string]Style, len(ids))
	usedColor := make(map[string]bool)
	usedLook := make(map[string]bool)
	look := func(s Style) string { return fmt.Sprint(s.Color, s.Dash) }
	for _, id := range ids {
		if _, done := styles[id.series]; done {
			continue
		}
		if i := registered(id.series); i >= 0 {
			styles[id.series] = registry[i].style
			continue
		}
		candidates := extraStyles(id)
		i := slices.IndexFunc(candidates, func(s Style) bool { return !usedColor[s.Color] })
		if i < 0 || registered(id.algorithm) >= 0 {
			i = slices.IndexFunc(candidates, func(s Style) bool { return !usedLook[look(s)] })
		}
		s := candidates[max(i, 0)]
		usedColor[s.Color], usedLook[look(s)] = true, true
		styles[id.series] = s
	}
	return styles
}

// extraStyles lists the looks open to a series without an entry of its own, in
// the order in which it would take them.
func extraStyles(id seriesID) []Style {
	h := fnv.New32a()
	h.Write([]byte(id.series))
	start := int(h.Sum32() % (1 << 16))
	var own, pool []Style
	for k, dash := range extraDashes {
		s := Style{Dash: dash, Width: 1.4, Glyph: GlyphRing}
		if i := registered(id.algorithm); i >= 0 {
			s.Color = registry[i].style.Color
			if slices.ContainsFunc(sparseStyles, func(e entry) bool { return e.id == id.algorithm }) {
				s.Color = lightened(s.Color, extraShares[k%len(extraShares)])
			}
			own = append(own, s)
		}
		for _, rgb := range extraColors {
			s.Color = hex(rgb)
			pool = append(pool, s)
		}
	}
	return append(rotate(own, start), rotate(pool, start)...)
}

// extraShares are the shares of white in the colours of series that run one
// algorithm for sparse SVMs: their figures have many curves, most of them dashed.
var extraShares = []float64{0.5, 0.25, 0.65}

func lightened(c string, white float64) string {
	return blended(c, c, func(v, _ uint8) uint8 { return uint8(math.Round(float64((1-white)*float64(v)) + 255*white)) })
}

func darker(c string) string {
	return blended(c, c, func(v, _ uint8) uint8 { return v / 3 * 2 })
}

// rotate returns s from element n (modulo its length) on, then the rest.
func rotate(s []Style, n int) []Style {
	if len(s) == 0 {
		return nil
	}
	n %= len(s)
	return append(slices.Clone(s[n:]), s[:n]...)
}
