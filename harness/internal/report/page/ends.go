package page

import (
	"cmp"

	"stochopt/plots"
)

// panelEnds are the curves of a panel in numbers, for readers who see none.
type panelEnds struct {
	// Title is the panel's, with what its axes show.
	Title  string
	Curves []curveEnds
}

// curveEnds are the points of a curve that a table has, and the band at the last.
type curveEnds struct {
	Name               string
	N                  int
	First, Last, Least pointText
	Band               string
}

type pointText struct{ X, Y string }

// endsOf reads the curves of a chart, but for the thin ones, of which there are many.
func endsOf(c *plots.Chart) []panelEnds {
	labels := c.Labels()
	var all []panelEnds
	for _, row := range c.Panels {
		for _, p := range row {
			if p == nil {
				continue
			}
			e := panelEnds{Title: p.Describe()}
			for _, u := range p.Curves {
				if n := len(u.X); n > 0 && n == len(u.Y) && !u.Thin {
					e.Curves = append(e.Curves, newCurveEnds(p, &u, cmp.Or(labels[u.Key], u.Key)))
				}
			}
			if len(e.Curves) > 0 {
				all = append(all, e)
			}
		}
	}
	return all
}

func newCurveEnds(p *plots.ChartPanel, c *plots.ChartCurve, name string) curveEnds {
	if c.Label != "" {
		name += ", " + c.Label
	}
	at := func(i int) pointText { return pointText{on(p.X, c.X[i]), on(p.Y, c.Y[i])} }
	last, least := len(c.X)-1, 0
	for i, y := range c.Y {
		if y < c.Y[least] {
			least = i
		}
	}
	e := curveEnds{Name: name, N: c.N, First: at(0), Last: at(last), Least: at(least)}
	if len(c.Lo) > last && len(c.Hi) > last {
		e.Band = on(p.Y, c.Lo[last]) + " to " + on(p.Y, c.Hi[last])
	}
	return e
}

// on writes a number of an axis.
func on(a plots.ChartAxis, v float64) string {
	if a.Percent {
		return number(100*v) + " %"
	}
	return number(v)
}
