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

// group has the runs of one side of a cell: those of a series on a data set with equal parameters, except the
// tuned ones.
type group struct {
	// side is "baseline" or "candidate".
	side            string
	dataset, series string
	// fixed has the parameters that are not tuned, params those that distinguish the group from others of its
	// series and data set.
	fixed  record.Params
	params string
	// all has the runs of the whole grid, runs those of the selected candidate. They are equal without a
	// selection.
	all, runs []*record.Run
	// grid has the texts of the candidates. Of candidates with equal scores, the first is selected. If no parameter
	// is tuned, there is one candidate with an empty text. tuned has the parameters of each text.
	grid  []string
	tuned map[string]record.Params
	// rule selects a candidate.
	rule selection.Rule
	// tradeoff is set if the group is compared by its trade-off.
	tradeoff *selection.Series
}

// groups returns the groups of a side, "baseline" or "candidate", in order of first appearance. tradeoffs is true if
// groups are compared by their trade-offs.
func groups(side string, s Side, tradeoffs bool) (out []*group) {
	rule := s.Rule
	if !tradeoffs && !rule.Chooses() {
		rule = selection.Rule{}
	}
	at := map[[3]string]*group{}
	for i := range s.Runs {
		r := &s.Runs[i]
		tuned, fixed := r.Params.Split(rule.Tune)
		key := [3]string{r.Dataset, r.Series, fixed.String()}
		g := at[key]
		if g == nil {
			g = &group{
				side: side, dataset: r.Dataset, series: r.Series, fixed: fixed, rule: rule, tuned: map[string]record.Params{},
			}
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
		g.grid = sortedGrid(g.tuned, rule.Tune)
		if !rule.Chooses() {
			g.runs = g.all
		}
		g.params = label(g, out)
	}
	return out
}

// sortedGrid returns the texts of candidates in the order of the named parameters.
func sortedGrid(tuned map[string]record.Params, names []string) []string {
	byParams := func(a, b string) int { return observe.CompareParams(tuned[a], tuned[b], names) }
	return slices.SortedFunc(maps.Keys(tuned), byParams)
}

// label returns the parameters that distinguish a group from others of its series and data set.
func label(g *group, all []*group) string {
	distinguishing := record.Params{}
	for _, h := range all {
		if !g.sibling(h) {
			continue
		}
		for _, name := range different(g.fixed, h.fixed) {
			if v, ok := g.fixed[name]; ok {
				distinguishing[name] = v
			}
		}
	}
	return distinguishing.String()
}

// sibling reports whether two groups have the same series and data set.
func (g *group) sibling(h *group) bool { return g.dataset == h.dataset && g.series == h.series }

// restrictTo sets runs to all runs of the candidate of the selected runs. Without selected runs, it sets none.
func (g *group) restrictTo(selected []*record.Run) {
	g.runs = nil
	if len(selected) > 0 {
		candidate := g.candidate(selected[0])
		g.runs = slices.DeleteFunc(slices.Clone(g.all), func(r *record.Run) bool { return g.candidate(r) != candidate })
	}
}

// candidate returns the index of the candidate of a run in the grid.
func (g *group) candidate(r *record.Run) int {
	tuned, _ := r.Params.Split(g.rule.Tune)
	return slices.Index(g.grid, tuned.String())
}

// matchGroups pairs the groups of both sides that have the same series and data set. It pairs two groups if each is
// the nearest one of the other, and repeats this among the rest. The pairs are in the order of the baseline. Groups
// without a partner are paired with nil, those of the candidate last.
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

// nearest returns the sibling that differs from g in the fewest parameters, or nil if none or several do.
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

// changes lists the differences between the programs of the sides, such as "step.c: 0.5 -> 0.25". It omits
// selected parameters, which Cell.Choice describes.
func changes(base, cand *group) (out []string) {
	if len(base.runs) == 0 || len(cand.runs) == 0 {
		return nil
	}
	b, c := base.program(), cand.program()
	selects := len(base.grid) > 1 || len(cand.grid) > 1
	for _, name := range different(b, c) {
		if selects && slices.Contains(base.rule.Tune, name) && slices.Contains(cand.rule.Tune, name) {
			continue
		}
		out = append(out, fmt.Sprintf("%s: %s -> %s", name, valueText(b, name), valueText(c, name)))
	}
	return out
}

// usesStandIn reports whether a run of the group used a stand-in for its data. It is false for nil.
func (g *group) usesStandIn() bool {
	return g != nil && slices.ContainsFunc(g.all, func(r *record.Run) bool { return r.StandIn })
}

// program returns the parameters, algorithm, version and extent of the compared runs.
func (g *group) program() record.Params {
	r := g.runs[0]
	out := maps.Clone(r.Params)
	if g.tradeoff != nil {
		out = maps.Clone(g.fixed)
	}
	out["algorithm"], out["version"], out["extent"] = r.Algorithm, int64(r.Version), r.Extent
	return out
}

// gridNote describes the difference between the grids of a cell. It returns "" for grids of one candidate,
// because Cell.Changed lists their difference.
func gridNote(groups [2]*group) string {
	if len(groups[0].grid) == 1 && len(groups[1].grid) == 1 {
		return ""
	}
	var parts []string
	for side, g := range groups {
		common := func(text string) bool { return text == "" || slices.Contains(groups[1-side].grid, text) }
		only := slices.DeleteFunc(slices.Clone(g.grid), common)
		if len(only) > 0 {
			parts = append(parts, fmt.Sprintf("only the %s has %s", g.side, words.List(only, mostListed)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "the grids differ: " + strings.Join(parts, ", ")
}

// mostListed is the largest number of texts in a list of a note.
const mostListed = 4

// distinct returns the distinct texts of runs, sorted.
func distinct(runs []*record.Run, textOf func(*record.Run) string) (texts []string) {
	for _, r := range runs {
		texts = append(texts, textOf(r))
	}
	return unique(texts)
}
