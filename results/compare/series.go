package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/results/record"
	"stochopt/results/words"
)

// group is a cell of one side: the runs of a series on a data set that agree in
// the parameters that are not tuned.
type group struct {
	dataset, series string
	// fixed are the parameters that are not tuned.
	fixed record.Params
	// all holds the runs of the whole grid, runs those to compare.
	all, runs []record.Run
	// grid holds the texts of the tuned parameters, chosen those of the runs to compare;
	// each once, sorted.
	grid, chosen []string
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
func groups(s Side, halved bool) []*group {
	selected := s.Selected
	if halved {
		s.Tuned, selected = s.Halved.Options.Tune, nil
	}
	everything := halved || len(selected) == 0 && len(s.Tuned) == 0
	out := grouped(s.Runs, selected, s.Tuned)
	// Where nothing has been selected each candidate is a cell of its own.
	if !halved && slices.ContainsFunc(out, func(g *group) bool { return len(g.chosen) > 1 }) {
		out = grouped(s.Runs, selected, nil)
	}
	for _, g := range out {
		g.whole = halved
		if everything {
			g.runs = g.all
		}
	}
	label(out)
	return out
}

// grouped sorts the runs of the whole grid and those to compare.
func grouped(runs, selected []record.Run, tuned []string) []*group {
	var out []*group
	at := map[[3]string]*group{}
	groupOf := func(r record.Run) (g *group, candidate string) {
		in, fixed := r.Params.Split(tuned)
		key := [3]string{r.Dataset, r.Series, fixed.String()}
		if g = at[key]; g == nil {
			g = &group{dataset: r.Dataset, series: r.Series, fixed: fixed}
			at[key] = g
			out = append(out, g)
		}
		return g, in.String()
	}
	for _, r := range runs {
		g, candidate := groupOf(r)
		g.all, g.grid = append(g.all, r), append(g.grid, candidate)
	}
	for _, r := range selected {
		g, candidate := groupOf(r)
		g.runs, g.chosen = append(g.runs, r), append(g.chosen, candidate)
	}
	for _, g := range out {
		g.grid, g.chosen = unique(append(g.grid, g.chosen...)), unique(g.chosen)
	}
	return out
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
