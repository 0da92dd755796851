package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// group is a cell of one side: the runs of a series on a data set that agree in
// the parameters that are not tuned.
type group struct {
	dataset, series string
	// fixed are the parameters that are not tuned; params tells the group apart by some of them
	// from the others of its series and data set.
	fixed  record.Params
	params string
	// all holds the runs of the whole grid, runs those to compare: of what was chosen.
	all, runs []*record.Run
	// tuned holds the candidates by their texts, and grid the texts in the order in which ties go to
	// the first; a single empty one if nothing is tuned.
	tuned map[string]record.Params
	grid  []string
	// by says how one of them is chosen, if it does.
	by selection.Rule
	// tradeoff is set if the group is compared by it. The runs to compare are then those of the whole grid.
	tradeoff *selection.Series
}

// groups returns the cells of a side in order of first appearance. Halvings choose
// among the runs of the whole grid.
func groups(s Side, tradeoffs bool) (out []*group) {
	by := s.Rule
	if !tradeoffs && !by.Chooses() {
		by = selection.Rule{}
	}
	at := map[[3]string]*group{}
	for i := range s.Runs {
		r := &s.Runs[i]
		tuned, fixed := r.Params.Split(by.Tune)
		key := [3]string{r.Dataset, r.Series, fixed.String()}
		g := at[key]
		if g == nil {
			g = &group{dataset: r.Dataset, series: r.Series, fixed: fixed, by: by, tuned: map[string]record.Params{}}
			if tradeoffs {
				g.tradeoff = s.Choice.Of(r)
			}
			at[key] = g
			out = append(out, g)
		}
		g.all = append(g.all, r)
		g.tuned[tuned.String()] = tuned
	}
	for _, g := range out {
		g.grid = sorted(g.tuned, by.Tune)
		if !by.Chooses() {
			g.runs = g.all
		}
		g.params = label(g, out)
	}
	return out
}

// sorted returns the texts of candidates in the order in which ties go to the first.
func sorted(tuned map[string]record.Params, names []string) []string {
	byParams := func(a, b string) int { return observe.CompareParams(tuned[a], tuned[b], names) }
	return slices.SortedFunc(maps.Keys(tuned), byParams)
}

// label names a group by the parameters in which those of its series and data set differ.
func label(g *group, all []*group) string {
	short := record.Params{}
	for _, h := range all {
		if !g.sibling(h) {
			continue
		}
		for _, name := range different(g.fixed, h.fixed) {
			if v, ok := g.fixed[name]; ok {
				short[name] = v
			}
		}
	}
	return short.String()
}

func (g *group) sibling(h *group) bool { return g.dataset == h.dataset && g.series == h.series }

// take makes the runs to compare those of the candidate of some runs; without runs there is nothing to compare.
func (g *group) take(chosen []*record.Run) {
	g.runs = nil
	if len(chosen) > 0 {
		of := g.candidate(chosen[0])
		g.runs = slices.DeleteFunc(slices.Clone(g.all), func(r *record.Run) bool { return g.candidate(r) != of })
	}
}

// candidate returns the index in the grid of the candidate that a run belongs to.
func (g *group) candidate(r *record.Run) int {
	tuned, _ := r.Params.Split(g.by.Tune)
	return slices.Index(g.grid, tuned.String())
}

// matchGroups matches the cells of two sides: those of a series and data set that differ in fewest
// parameters, if that is no choice either way, and so on among the rest. The order is that of the
// baseline, followed by what only the candidate has. Of a cell that one side lacks the other is nil.
func matchGroups(base, cand []*group) (out [][2]*group) {
	partner := map[*group]*group{}
	rest := func(all []*group) []*group {
		return slices.DeleteFunc(slices.Clone(all), func(g *group) bool { return partner[g] != nil })
	}
	for matched := true; matched; {
		matched = false
		restB, restC := rest(base), rest(cand)
		for _, b := range restB {
			if c := nearest(b, restC); c != nil && nearest(c, restB) == b {
				partner[b], partner[c], matched = c, b, true
			}
		}
	}
	for _, b := range base {
		out = append(out, [2]*group{b, partner[b]})
	}
	for _, c := range rest(cand) {
		out = append(out, [2]*group{nil, c})
	}
	return out
}

// nearest returns the group of the same series and data set that differs from g
// in fewest parameters, or nil if several tie or nothing matches.
func nearest(g *group, among []*group) (best *group) {
	least := math.MaxInt
	for _, h := range among {
		if !g.sibling(h) {
			continue
		}
		switch n := len(different(g.fixed, h.fixed)); {
		case n < least:
			best, least = h, n
		case n == least:
			best = nil
		}
	}
	return best
}

// changes lists what is not the same on the two sides of a cell, as "step.c: 0.5 -> 0.25".
func changes(base, cand *group) (out []string) {
	if len(base.runs) == 0 || len(cand.runs) == 0 {
		return nil
	}
	b, c := base.program(), cand.program()
	choice := len(base.grid) > 1 || len(cand.grid) > 1 // and Choice says what
	for _, name := range different(b, c) {
		if choice && slices.Contains(base.by.Tune, name) && slices.Contains(cand.by.Tune, name) {
			continue
		}
		out = append(out, fmt.Sprintf("%s: %s -> %s", name, valueText(b, name), valueText(c, name)))
	}
	return out
}

// program is what was run: the parameters, the algorithm and its version, and how far.
func (g *group) program() record.Params {
	r := g.runs[0]
	out := maps.Clone(r.Params)
	if g.tradeoff != nil {
		out = maps.Clone(g.fixed)
	}
	out["algorithm"], out["version"], out["extent"] = r.Algorithm, int64(r.Version), r.Extent
	return out
}

// gridNote says how the grids of a cell differ, or is empty. Of one candidate a side, the
// parameters that changed say it.
func gridNote(base, cand *group) string {
	var parts []string
	for side, g := range []*group{base, cand} {
		other := []*group{cand, base}[side]
		common := func(s string) bool { return s == "" || slices.Contains(other.grid, s) }
		only := slices.DeleteFunc(slices.Clone(g.grid), common)
		if len(only) > 0 {
			parts = append(parts, fmt.Sprintf("only the %s has %s", sideNames[side], words.List(only, mostListed)))
		}
	}
	if len(parts) == 0 || len(base.grid) == 1 && len(cand.grid) == 1 {
		return ""
	}
	return "the grids differ: " + strings.Join(parts, ", ")
}

// mostListed is how many texts a note lists.
const mostListed = 4

// distinct returns the texts of runs, sorted.
func distinct(runs []*record.Run, of func(*record.Run) string) (texts []string) {
	for _, r := range runs {
		texts = append(texts, of(r))
	}
	return unique(texts)
}
