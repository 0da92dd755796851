package compare

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/results/record"
)

// group is a cell of one side: the runs of a series on a data set that agree in
// the parameters that are not tuned.
type group struct {
	dataset, series string
	// fixed are the parameters that are not tuned.
	fixed record.Params
	// all holds the runs of the whole grid, runs those to compare.
	all, runs []record.Run
	// grid holds the texts of the tuned parameters, each once.
	grid []string
	// whole says that the runs to compare are those of the whole grid.
	whole bool
	// params tells the group apart from the others of its series and data set.
	params string
}

func (g *group) name() string { return cellName(g.dataset, g.series, g.params) }

func cellName(dataset, series, params string) string {
	if params == "" {
		return dataset + " " + series
	}
	return fmt.Sprintf("%s %s[%s]", dataset, series, params)
}

// groups returns the cells of a side in order of first appearance. Halvings choose
// among the runs of the whole grid.
func groups(s Side, halved bool) []*group {
	tuned := s.Tuned
	if halved {
		s.Tuned, s.Selected = s.Halved.Options.Tune, s.Runs
		out := split(s, s.Tuned)
		for _, g := range out {
			g.whole = true
		}
		label(out)
		return out
	}
	out := split(s, tuned)
	if slices.ContainsFunc(out, func(g *group) bool { return candidates(g.runs, tuned) > 1 }) {
		// Nothing has been selected: each candidate is a cell of its own.
		out = split(s, nil)
	}
	label(out)
	return out
}

func split(s Side, tuned []string) []*group {
	selected := s.Selected
	if len(selected) == 0 && len(s.Tuned) == 0 {
		selected = s.Runs
	}
	var out []*group
	at := map[[3]string]*group{}
	id := func(r record.Run) ([3]string, record.Params, record.Params) {
		in, fixed := record.Params{}, record.Params{}
		for name, v := range r.Params {
			if slices.Contains(tuned, name) {
				in[name] = v
			} else {
				fixed[name] = v
			}
		}
		return [3]string{r.Dataset, r.Series, fixed.String()}, in, fixed
	}
	add := func(r record.Run) *group {
		key, in, fixed := id(r)
		g := at[key]
		if g == nil {
			g = &group{dataset: r.Dataset, series: r.Series, fixed: fixed}
			at[key] = g
			out = append(out, g)
		}
		if label := in.String(); !slices.Contains(g.grid, label) {
			g.grid = append(g.grid, label)
		}
		return g
	}
	for _, r := range s.Runs {
		g := add(r)
		g.all = append(g.all, r)
	}
	for _, r := range selected {
		g := add(r)
		g.runs = append(g.runs, r)
	}
	for _, g := range out {
		slices.Sort(g.grid)
	}
	return out
}

// candidates counts the values of the tuned parameters among runs.
func candidates(runs []record.Run, tuned []string) int {
	seen := map[string]bool{}
	for _, r := range runs {
		in := record.Params{}
		for _, name := range tuned {
			if v, ok := r.Params[name]; ok {
				in[name] = v
			}
		}
		seen[in.String()] = true
	}
	return len(seen)
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
	var out []string
	for _, name := range union(a, b) {
		if paramText(a, name) != paramText(b, name) {
			out = append(out, name)
		}
	}
	return out
}

const absent = "none"

func paramText(p record.Params, name string) string {
	v, ok := p[name]
	if !ok {
		return absent
	}
	return record.FormatParam(v)
}

// describe lists some groups for a message.
func describe(all []*group) string {
	const most = 6
	if len(all) == 0 {
		return "nothing"
	}
	var names []string
	for _, g := range all[:min(most, len(all))] {
		names = append(names, g.name())
	}
	text := strings.Join(names, ", ")
	if len(all) > most {
		text += fmt.Sprintf(" and %d more", len(all)-most)
	}
	return text
}
