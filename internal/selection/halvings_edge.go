package selection

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/record"
)

// A grid may be too narrow if it has at least edgeValues values and the choice is at
// one end of it for at least edgeSizes sizes and edgeShare of all: of two values
// each is an end, and for the least and the largest sizes there is often but one
// candidate.
const (
	edgeValues = 3
	edgeSizes  = 10
	edgeShare  = 0.5
)

// setsSize reports whether a tuned parameter says how large the support is, so
// that its choice follows from the size: no run has classifiers of several
// supports, or the value bounds the support and is reached.
func (c *Series) setsSize(cands []Candidate, name string) bool {
	single, bounded, reached := true, true, false
	for _, p := range c.points {
		for _, cand := range p.candidates {
			single = single && cand.support[0] == cand.support[len(cand.support)-1]
			bound, ok := cands[cand.candidate].Params[name].(int64)
			most := int64(cand.support[len(cand.support)-1])
			bounded = bounded && ok && most <= bound
			reached = reached || ok && most == bound
		}
	}
	return single || bounded && reached
}

// findEdges adds a tuned parameter that is chosen at an end of its grid for most
// sizes.
func (c *Series) findEdges(cands []Candidate, name string) {
	var values []string
	for _, cand := range cands {
		if v := record.FormatParam(cand.Params[name]); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	if len(values) < edgeValues {
		return
	}
	count := make(map[string]int)
	value := make(map[string]any)
	for i := range c.Sizes {
		choice := Series{Chosen: c.Votes[i][0].Params, Candidates: cands}
		if end, limit := choice.edge(name); end != "" {
			count[end]++
			value[end] = limit
		}
	}
	for _, end := range []string{"low", "high"} {
		if n := count[end]; n >= edgeSizes && float64(n) >= edgeShare*float64(len(c.Sizes)) {
			c.Edges = append(c.Edges, Edge{name, value[end]})
		}
	}
}

// edges words the edges of all cells, a line a series and parameter.
func (h *Choice) edges() []string {
	type group struct {
		series, param string
		datasets      []string
		values        map[string][]string
	}
	var groups []*group
	for i := range h.Series {
		c := &h.Series[i]
		for _, e := range c.Edges {
			k := slices.IndexFunc(groups, func(g *group) bool { return g.series == c.Series && g.param == e.Param })
			if k < 0 {
				k = len(groups)
				groups = append(groups, &group{series: c.Series, param: e.Param, values: make(map[string][]string)})
			}
			g := groups[k]
			if !slices.Contains(g.datasets, c.Dataset) {
				g.datasets = append(g.datasets, c.Dataset)
			}
			if v := record.FormatParam(e.Value); !slices.Contains(g.values[c.Dataset], v) {
				g.values[c.Dataset] = append(g.values[c.Dataset], v)
			}
		}
	}
	lines := make([]string, len(groups))
	for i, g := range groups {
		parts := make([]string, len(g.datasets))
		for j, d := range g.datasets {
			parts[j] = fmt.Sprintf("%s (%s)", d, strings.Join(g.values[d], ", "))
		}
		lines[i] = fmt.Sprintf("%s: %s is at a grid edge for most support sizes on %s: widen the grid", g.series, g.param, strings.Join(parts, ", "))
	}
	return lines
}
