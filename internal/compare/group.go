package compare

import (
	"cmp"
	"fmt"
	"maps"
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
	// candidates are the values of the tuned parameters, in the order in which ties go to
	// the first; a single empty one if nothing is tuned.
	candidates []record.Params
	// by says how one of them is chosen, if it does. With tradeoffs the runs to compare are those of
	// the whole grid.
	by        selection.Rule
	tradeoffs bool
}

func (g *group) name() string {
	if g.params == "" {
		return g.dataset + " " + g.series
	}
	return fmt.Sprintf("%s %s[%s]", g.dataset, g.series, g.params)
}

// groups returns the cells of a side in order of first appearance. Halvings choose
// among the runs of the whole grid.
func groups(s Side, tradeoffs bool) []*group {
	by := s.Rule
	if !tradeoffs && !by.Chooses() {
		by = selection.Rule{}
	}
	var out []*group
	at := map[[3]string]*group{}
	known := map[[4]string]bool{}
	for i := range s.Runs {
		r := &s.Runs[i]
		tuned, fixed := r.Params.Split(by.Tune)
		key := [3]string{r.Dataset, r.Series, fixed.String()}
		g := at[key]
		if g == nil {
			g = &group{dataset: r.Dataset, series: r.Series, fixed: fixed, by: by, tradeoffs: tradeoffs}
			at[key] = g
			out = append(out, g)
		}
		g.all = append(g.all, r)
		if id := [4]string{key[0], key[1], key[2], tuned.String()}; !known[id] {
			known[id] = true
			g.candidates = append(g.candidates, tuned)
		}
	}
	for _, g := range out {
		slices.SortStableFunc(g.candidates, func(a, b record.Params) int { return observe.CompareParams(a, b, by.Tune) })
		if !by.Chooses() {
			g.runs = g.all
		}
		g.params = label(g, out)
	}
	return out
}

// label names a group by the parameters in which those of its series and data set differ.
func label(g *group, all []*group) string {
	short := record.Params{}
	for _, h := range all {
		if h.dataset == g.dataset && h.series == g.series {
			for _, name := range different(g.fixed, h.fixed) {
				if v, ok := g.fixed[name]; ok {
					short[name] = v
				}
			}
		}
	}
	return short.String()
}

// grid holds the texts of the tuned parameters, sorted.
func (g *group) grid() []string {
	var texts []string
	for _, c := range g.candidates {
		texts = append(texts, c.String())
	}
	return unique(texts)
}

// take makes the runs to compare those of the candidate of some runs; none if there are none.
func (g *group) take(chosen []*record.Run) {
	g.runs = slices.DeleteFunc(slices.Clone(g.all), func(r *record.Run) bool {
		return len(chosen) == 0 || g.tuned(r) != g.tuned(chosen[0])
	})
}

// tuned is the text of the tuned parameters of a run.
func (g *group) tuned(r *record.Run) string {
	tuned, _ := r.Params.Split(g.by.Tune)
	return tuned.String()
}

// different lists the names of the parameters that are not the same, sorted.
func different(a, b record.Params) []string {
	return slices.DeleteFunc(union(a, b), func(name string) bool { return paramText(a, name) == paramText(b, name) })
}

func paramText(p record.Params, name string) string {
	if v, ok := p[name]; ok {
		return record.FormatParam(v)
	}
	return "none"
}

// matchGroups matches the cells of two sides: first those of equal names and
// parameters, then those of the same computations under another name of the series, then, among the
// rest of each series and data set, those that differ in fewest parameters, if that
// is no choice either way. The order is that of the baseline,
// followed by what only the candidate has. Of a cell that one side lacks the other is nil.
func matchGroups(base, cand []*group) [][2]*group {
	partner := map[*group]*group{}
	// match pairs the groups without a partner that have the same text.
	match := func(text func(*group) string) {
		theirs := map[string]*group{}
		for _, c := range cand {
			if partner[c] == nil {
				theirs[text(c)] = c
			}
		}
		for _, b := range base {
			if partner[b] != nil || len(theirs) == 0 {
				continue
			}
			if c := theirs[text(b)]; c != nil && partner[c] == nil {
				partner[b], partner[c] = c, b
			}
		}
	}
	match(func(g *group) string { return strings.Join([]string{g.dataset, g.series, g.fixed.String()}, "\n") })
	match((*group).computations)
	for matched := true; matched; {
		matched = false
		rest := func(all []*group) []*group {
			return slices.DeleteFunc(slices.Clone(all), func(g *group) bool { return partner[g] != nil })
		}
		restB, restC := rest(base), rest(cand)
		for _, b := range restB {
			if c := nearest(b, restC); c != nil && nearest(c, restB) == b {
				partner[b], partner[c] = c, b
				matched = true
			}
		}
	}
	var out [][2]*group
	for _, b := range base {
		out = append(out, [2]*group{b, partner[b]})
	}
	for _, c := range cand {
		if partner[c] == nil {
			out = append(out, [2]*group{nil, c})
		}
	}
	return out
}

// computations returns a text that two groups of a data set share if and only if they have the same runs.
func (g *group) computations() string {
	return g.dataset + "\n" + strings.Join(distinct(g.all, func(r *record.Run) string { return r.Key + " " + r.Extent }), "\n")
}

// nearest returns the group of the same series and data set that differs from g
// in fewest parameters, nil if there is none or more than one.
func nearest(g *group, among []*group) *group {
	var best *group
	least, tie := 0, false
	for _, h := range among {
		if h.dataset != g.dataset || h.series != g.series {
			continue
		}
		n := len(different(g.fixed, h.fixed))
		switch {
		case best == nil || n < least:
			best, least, tie = h, n, false
		case n == least:
			tie = true
		}
	}
	if tie {
		return nil
	}
	return best
}

// changes lists what is not the same on the two sides of a cell, as "step.c: 0.5 -> 0.25".
func changes(base, cand *group) []string {
	if len(base.runs) == 0 || len(cand.runs) == 0 {
		return nil
	}
	b, c := *base.runs[0], *cand.runs[0]
	if base.tradeoffs {
		b.Params, c.Params = base.fixed, cand.fixed
	}
	var out []string
	add := func(name, was, is string) {
		if was != is {
			out = append(out, fmt.Sprintf("%s: %s -> %s", name, was, is))
		}
	}
	add("series", b.Series, c.Series)
	add("algorithm", b.Algorithm, c.Algorithm)
	add("version", fmt.Sprint(b.Version), fmt.Sprint(c.Version))
	for _, name := range different(b.Params, c.Params) {
		add(name, paramText(b.Params, name), paramText(c.Params, name))
	}
	add("extent", b.Extent, c.Extent)
	return out
}

// gridNote says how the grids of a cell differ, or is empty.
func gridNote(base, cand *group) string {
	only := func(a, b []string) string {
		left := slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
		return words.List(left, mostListed)
	}
	gridB, gridC := base.grid(), cand.grid()
	tunedB, tunedC := gridB[0] != "", gridC[0] != ""
	switch {
	case !tunedB && !tunedC:
		return ""
	case !tunedC:
		return "only the baseline tunes parameters: " + words.List(gridB, mostListed)
	case !tunedB:
		return "only the candidate tunes parameters: " + words.List(gridC, mostListed)
	case len(gridB) == 1 && len(gridC) == 1:
		return "" // the parameters that changed say it
	}
	b, c := only(gridB, gridC), only(gridC, gridB)
	switch {
	case b == "" && c == "":
		return ""
	case c == "":
		return "the grids differ: only the baseline has " + b
	case b == "":
		return "the grids differ: only the candidate has " + c
	}
	return fmt.Sprintf("the grids differ: only the baseline has %s, only the candidate %s", b, c)
}

// mostListed is how many texts a note lists.
const mostListed = 4

func distinct(runs []*record.Run, of func(*record.Run) string) []string {
	texts := map[string]bool{}
	for _, r := range runs {
		texts[of(r)] = true
	}
	return slices.Sorted(maps.Keys(texts))
}

func unique(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

func describe(all []*group) string {
	names := make([]string, len(all))
	for i, g := range all {
		names[i] = g.name()
	}
	return cmp.Or(words.List(names, 6), "nothing")
}
