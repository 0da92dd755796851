package plots

import (
	"math"
	"slices"
	"strconv"
)

// Reduction says how far a chart is cut down.
type Reduction struct {
	// Points bounds the number of points of a curve, PanelPoints that of all curves of a
	// panel; 0 stands for no bound. No curve is left with fewer than 24.
	Points, PanelPoints int
	// Digits is the number of significant digits of the points; 0 keeps all.
	Digits int
}

const leastPoints = 24

// Reduced returns a chart that looks the same with fewer and shorter numbers. Of a
// curve that is too long the ends remain, and in between the lowest and the highest
// point of each of equally wide stretches of the x axis.
func (c *Chart) Reduced(r Reduction) *Chart {
	out := *c
	out.Panels = make([][]*ChartPanel, len(c.Panels))
	for i, row := range c.Panels {
		for _, p := range row {
			out.Panels[i] = append(out.Panels[i], p.reduced(r))
		}
	}
	return &out
}

func (p *ChartPanel) reduced(r Reduction) *ChartPanel {
	out := *p
	most := r.Points
	if r.PanelPoints > 0 && len(p.Curves) > 0 {
		share := r.PanelPoints / len(p.Curves)
		if most == 0 || share < most {
			most = share
		}
	}
	out.Curves = make([]ChartCurve, len(p.Curves))
	for i, cv := range p.Curves {
		if most > 0 {
			cv = cv.thinned(max(most, leastPoints), p.X)
		}
		for _, v := range []*[]float64{&cv.X, &cv.Y, &cv.Lo, &cv.Hi} {
			*v = rounded(*v, r.Digits)
		}
		out.Curves[i] = cv
	}
	return &out
}

// thinned leaves at most so many points.
func (c ChartCurve) thinned(most int, x ChartAxis) ChartCurve {
	n := len(c.X)
	if n <= most {
		return c
	}
	place := func(i int) float64 {
		switch v := c.X[i]; {
		case !x.Log:
			return v
		case v <= x.Min:
			return math.Log(x.Min)
		default:
			return math.Log(v)
		}
	}
	bins := (most - 2) / 2
	first, width := place(0), place(n-1)-place(0)
	bin := func(i int) int {
		if width <= 0 {
			return min(i*bins/n, bins-1)
		}
		return min(int(float64(bins)*(place(i)-first)/width), bins-1)
	}
	keep := []int{0}
	for i := 1; i < n-1; {
		lo, hi, b := i, i, bin(i)
		for ; i < n-1 && bin(i) == b; i++ {
			if c.Y[i] < c.Y[lo] {
				lo = i
			}
			if c.Y[i] > c.Y[hi] {
				hi = i
			}
		}
		keep = append(keep, min(lo, hi), max(lo, hi))
	}
	keep = slices.Compact(append(keep, n-1))
	pick := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		out := make([]float64, len(keep))
		for j, i := range keep {
			out[j] = v[i]
		}
		return out
	}
	c.X, c.Y, c.Lo, c.Hi = pick(c.X), pick(c.Y), pick(c.Lo), pick(c.Hi)
	return c
}

// rounded rounds to significant digits.
func rounded(v []float64, digits int) []float64 {
	if digits <= 0 || v == nil {
		return v
	}
	out := make([]float64, len(v))
	for i, f := range v {
		r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', digits-1, 64), 64)
		if err != nil { // it rounds up to what is too large
			r = f
		}
		out[i] = r
	}
	return out
}
