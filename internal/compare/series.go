package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// group is a cell of one side: the runs of a series on a data set that agree in
// the parameters that are not tuned.
type group struct {
	dataset, series string
	// fixed are the parameters that are not tuned.
	fixed record.Params
	// all holds the runs of the whole grid, runs those to compare: of what was chosen.
	all, runs []record.Run
	// first is where all begins in the runs of the side, which it is part of.
	first int
	// candidates are the values of the tuned parameters, in the order in which ties go to
	// the first; a single empty one if nothing is tuned.
	candidates []record.Params
	// by says how one of them is chosen, if it does.
	by      selection.Rule
	parting *selection.Parting
	// whole says that the runs to compare are those of the whole grid.
	whole bool
	// params tells the group apart from the others of its series and data set.
	params string
}

func (g *group) name() string {
	if g.params == "" {
		return g.dataset + " " + g.series
	}
	return fmt.Sprintf("%s %s[%s]", g.dataset, g.series, g.params)
}

// groups returns the cells of a side in order of first appearance. Halvings choose
// among the runs of the whole grid.
func groups(s Side, bySize bool) []*group {
	by := s.Rule
	if !bySize && !by.Chooses() {
		by = selection.Rule{}
	}
	var out []*group
	at := map[[3]string]*group{}
	known := map[[4]string]bool{}
	parting := selection.NewParting(by.Tune)
	for i := range s.Runs {
		r := &s.Runs[i]
		p := parting.Of(r.Params)
		key := [3]string{r.Dataset, r.Series, p.FixedText}
		g := at[key]
		if g == nil {
			g = &group{dataset: r.Dataset, series: r.Series, fixed: p.Fixed, by: by, parting: parting, whole: bySize}
			at[key] = g
			out = append(out, g)
		}
		if g.all == nil {
			g.first = i
		}
		// Those of a group mostly follow each other: then they are not copied.
		if g.first+len(g.all) == i {
			g.all = s.Runs[g.first : i+1 : i+1]
		} else {
			g.first, g.all = -len(s.Runs), append(g.all, *r)
		}
		if id := [4]string{key[0], key[1], key[2], p.TunedText}; !known[id] {
			known[id] = true
			g.candidates = append(g.candidates, p.Tuned)
		}
	}
	for _, g := range out {
		slices.SortStableFunc(g.candidates, func(a, b record.Params) int { return observe.CompareParams(a, b, by.Tune) })
		if !by.Chooses() {
			g.runs = g.all
		}
	}
	label(out)
	return out
}

// grid holds the texts of the tuned parameters, sorted.
func (g *group) grid() []string {
	var texts []string
	for _, c := range g.candidates {
		texts = append(texts, c.String())
	}
	return unique(texts)
}

// take makes a candidate the one to compare; none if it is nil.
func (g *group) take(chosen record.Params) {
	g.runs = nil
	if chosen == nil {
		return
	}
	text := chosen.String()
	for r := range each(g.all) {
		if g.parting.Of(r.Params).TunedText == text {
			g.runs = append(g.runs, *r)
		}
	}
}

// unique sorts texts and keeps each once.
func unique(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// label names the groups by the parameters in which those of one series and data
// set differ.
func label(all []*group) {
	for _, g := range all {
		short := record.Params{}
		for _, h := range all {
			if h.dataset != g.dataset || h.series != g.series {
				continue
			}
			for _, name := range different(g.fixed, h.fixed) {
				if v, ok := g.fixed[name]; ok {
					short[name] = v
				}
			}
		}
		g.params = short.String()
	}
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

// describe lists some groups for a message.
func describe(all []*group) string {
	names := make([]string, len(all))
	for i, g := range all {
		names[i] = g.name()
	}
	return cmp.Or(words.List(names, 6), "nothing")
}
