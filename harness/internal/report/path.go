package report

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tolerance is how far, in tenths of a point, a line may be from the vertices that it
// is drawn without: less than a hair.
const tolerance = 0.6

// vertex is a point of a path, in tenths of a point.
type vertex struct{ x, y int }

var (
	straightPath = regexp.MustCompile(`^(?:M[-0-9.]+,[-0-9.]+(?:L[-0-9.]+,[-0-9.]+)*Z?\s*)+$`)
	pathPiece    = regexp.MustCompile(`([ML])([-0-9.]+),([-0-9.]+)|Z`)
)

// shortPath rewrites a path of straight lines, as drawings have it, with coordinates
// rounded to a tenth, relative to each other, and without vertices that are as good
// as on the line through their neighbours. Other paths are only rounded.
func shortPath(d string) string {
	if !straightPath.MatchString(d) {
		return shorten(d)
	}
	var out strings.Builder
	var line []vertex
	at := vertex{}
	first := true
	flush := func() {
		for i, v := range thinned(line) {
			switch {
			case i == 0 && first:
				out.WriteByte('M')
				writePair(&out, v.x, v.y, true)
				first = false
			case i == 0:
				out.WriteByte('m')
				writePair(&out, v.x-at.x, v.y-at.y, true)
			default:
				if i == 1 {
					out.WriteByte('l')
				}
				writePair(&out, v.x-at.x, v.y-at.y, i == 1)
			}
			at = v
		}
		line = line[:0]
	}
	var start vertex
	for _, m := range pathPiece.FindAllStringSubmatch(d, -1) {
		if m[0] == "Z" {
			flush()
			out.WriteByte('z')
			at = start // where the next one is relative to
			continue
		}
		x, err1 := strconv.ParseFloat(m[2], 64)
		y, err2 := strconv.ParseFloat(m[3], 64)
		if err1 != nil || err2 != nil {
			return shorten(d)
		}
		v := vertex{int(math.Round(10 * x)), int(math.Round(10 * y))}
		if m[1] == "M" {
			flush()
			start = v
		}
		line = append(line, v)
	}
	flush()
	return out.String()
}

// thinned leaves out the vertices that the line through the others is near enough
// to (Ramer 1972; Douglas and Peucker 1973).
func thinned(line []vertex) []vertex {
	last := len(line) - 1
	worst, far := 0, tolerance
	for i := 1; i < last; i++ {
		if d := distance(line[i], line[0], line[last]); d > far {
			worst, far = i, d
		}
	}
	switch {
	case worst > 0:
		return append(thinned(line[:worst+1]), thinned(line[worst:])[1:]...)
	case last > 1:
		return []vertex{line[0], line[last]}
	}
	return slices.Clone(line)
}

// distance is that of p from the line between a and b.
func distance(p, a, b vertex) float64 {
	ux, uy := float64(b.x-a.x), float64(b.y-a.y)
	vx, vy := float64(p.x-a.x), float64(p.y-a.y)
	t := 0.0
	if l := ux*ux + uy*uy; l > 0 {
		t = min(max((ux*vx+uy*vy)/l, 0), 1)
	}
	return math.Hypot(vx-t*ux, vy-t*uy)
}

// writePair writes two numbers, given in tenths, after a command or another pair.
func writePair(out *strings.Builder, x, y int, first bool) {
	for i, v := range []int{x, y} {
		if v >= 0 && !(first && i == 0) {
			out.WriteByte(' ')
		}
		if v < 0 {
			out.WriteByte('-')
			v = -v
		}
		if v/10 > 0 || v == 0 {
			out.WriteString(strconv.Itoa(v / 10))
		}
		if v%10 > 0 {
			out.WriteByte('.')
			out.WriteByte(byte('0' + v%10))
		}
	}
}
