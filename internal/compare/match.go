package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// match is a cell with its groups on both sides, one of which may be nil.
type match struct{ base, cand *group }

// matchGroups matches the cells of two sides: first those of equal names and
// parameters, then those of the same computations under another name of the series, then, among the
// rest of each series and data set, those that differ in fewest parameters, if that
// is no choice either way. The order is that of the baseline,
// followed by what only the candidate has.
func matchGroups(base, cand []*group) []match {
	partner := map[*group]*group{}
	taken := map[*group]bool{}
	pair := func(b, c *group) { partner[b], taken[c] = c, true }
	byKey := map[[3]string]*group{}
	for _, c := range cand {
		byKey[[3]string{c.dataset, c.series, c.fixed.String()}] = c
	}
	for _, b := range base {
		if c := byKey[[3]string{b.dataset, b.series, b.fixed.String()}]; c != nil {
			pair(b, c)
		}
	}
	byRuns := map[string]*group{}
	for _, c := range cand {
		if !taken[c] {
			byRuns[c.computations()] = c
		}
	}
	for _, b := range base {
		if partner[b] != nil || len(byRuns) == 0 {
			continue
		}
		if c := byRuns[b.computations()]; c != nil && !taken[c] {
			pair(b, c)
		}
	}
	for matched := true; matched; {
		matched = false
		restB := slices.DeleteFunc(slices.Clone(base), func(g *group) bool { return partner[g] != nil })
		restC := slices.DeleteFunc(slices.Clone(cand), func(g *group) bool { return taken[g] })
		for _, b := range restB {
			c := nearest(b, restC)
			if c == nil || nearest(c, restB) != b {
				continue
			}
			pair(b, c)
			matched = true
		}
	}
	var out []match
	for _, b := range base {
		out = append(out, match{b, partner[b]})
	}
	for _, c := range cand {
		if !taken[c] {
			out = append(out, match{nil, c})
		}
	}
	return out
}

// computations returns a text that two groups of a data set share if and only if
// they have the same runs.
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

// changes lists what is not the same on the two sides of a cell, as
// "step.c: 0.5 -> 0.25".
func changes(base, cand *group) []string {
	if len(base.runs) == 0 || len(cand.runs) == 0 {
		return nil
	}
	b, c := base.runs[0], cand.runs[0]
	if base.whole {
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

// otherProblem settles a cell whose runs are of another problem than those of the
// baseline.
func (c *comparison) otherProblem() bool {
	for _, f := range []struct {
		what string
		of   func(*record.Run) string
	}{
		{"task", func(r *record.Run) string { return r.Task }},
		{"data", func(r *record.Run) string {
			if r.StandIn {
				return "a stand-in"
			}
			return "not a stand-in"
		}},
		{"data", func(r *record.Run) string { return "hash " + r.DatasetHash }},
		{"data", func(r *record.Run) string { return rowsText(r.Rows) }},
	} {
		b, k := distinct(c.base.runs, f.of), distinct(c.cand.runs, f.of)
		if !slices.Equal(b, k) {
			c.settle(Incomparable, fmt.Sprintf("other %s: %s / %s", f.what, words.List(b, mostListed), words.List(k, mostListed)))
			return true
		}
	}
	return false
}

func rowsText(rows map[string]int64) string {
	if len(rows) == 0 {
		return "rows not on record"
	}
	text := "rows"
	for _, name := range union(rows, nil) {
		text += fmt.Sprintf(" %s %d", name, rows[name])
	}
	return text
}

// distinct returns the texts of runs, sorted, each once.
func distinct(runs []record.Run, of func(*record.Run) string) []string {
	texts := map[string]bool{}
	for r := range each(runs) {
		texts[of(r)] = true
	}
	return slices.Sorted(maps.Keys(texts))
}

// mostListed is how many texts a note lists.
const mostListed = 4

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
	case b != "" && c != "":
		return fmt.Sprintf("the grids differ: only the baseline has %s, only the candidate %s", b, c)
	case b != "":
		return "the grids differ: only the baseline has " + b
	case c != "":
		return "the grids differ: only the candidate has " + c
	}
	return ""
}
