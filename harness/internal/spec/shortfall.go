package spec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// FullScale loads a specification at full scale: with the profile "paper" if it has one, otherwise without a profile.
func FullScale(file string, c *Catalog) (*Spec, error) {
	data, err := ReadFile(file)
	if err != nil {
		return nil, err
	}
	o := LoadOptions{Catalog: c}
	if root := parseRoot(file, data, &reporter{}); root != nil {
		if profiles := root.get("profiles"); profiles != nil && profiles.get(paper) != nil {
			o.Profile = paper
		}
	}
	return Parse(file, data, o)
}

// paper is the profile with the scale of the thesis.
const paper = "paper"

// Shortfalls lists how s is smaller than full, the same specification at full scale: fewer repeats, datasets, rows,
// series, steps, grid values or halvings, tighter limits, and other values of parameters. rows has the known numbers
// of rows by dataset and split, before subsets are drawn.
func Shortfalls(s, full *Spec, rows map[string]map[string]int64) []claims.Shortfall {
	f := &shortfalls{spec: s, full: full}
	f.add("", "", less(float64(s.Repeats), float64(full.Repeats), "repeats"))
	if full.Select.By == selection.ByHalvings && s.Select.By == selection.ByHalvings {
		f.add("", "", less(float64(s.Select.Halvings), float64(full.Select.Halvings), "halvings"))
	}
	f.budget("", s.Budget, full.Budget)
	for _, orig := range each(full.Datasets) {
		if d := s.dataset(orig.ID); d != nil {
			f.dataset(d, orig, rows[orig.ID])
		} else {
			f.add(orig.ID, "", "left out")
		}
	}
	for _, orig := range each(full.Algorithms) {
		same := func(a AlgorithmEntry) bool {
			return a.ID == orig.ID && a.As == orig.As && slices.Equal(a.Datasets, orig.Datasets)
		}
		if i := slices.IndexFunc(s.Algorithms, same); i >= 0 {
			f.entry(&s.Algorithms[i], orig)
		} else {
			f.add("", orig.Series(), "left out")
		}
	}
	return f.list
}

type shortfalls struct {
	spec, full *Spec
	list       []claims.Shortfall
}

// add adds a shortfall of a dataset or a series, or of the whole experiment if both are "". It ignores an empty text.
func (f *shortfalls) add(dataset, series, text string) {
	if text != "" {
		f.list = append(f.list, claims.Shortfall{Dataset: dataset, Series: series, Text: text})
	}
}

// less returns a text such as "5 of 20 repeats", or "" if a number is not smaller than at full scale.
func less(n, orig float64, what string) string {
	if n >= orig {
		return ""
	}
	return fmt.Sprintf("%v of %v %s", normaliseScalar(n), normaliseScalar(orig), what)
}

// fewer describes the values of orig, the grid at full scale, that are missing from g. It returns "" if none is.
func fewer(g, orig Grid, name string) string {
	common := 0
	for _, v := range orig {
		same := func(w any) bool { return record.FormatParam(v) == record.FormatParam(w) }
		if slices.ContainsFunc(g, same) {
			common++
		}
	}
	switch {
	case common == len(orig):
		return ""
	case len(g) == 0:
		return "without " + name
	case len(orig) == 1 && len(g) == 1:
		return fmt.Sprintf("%s = %v in place of %v", name, g[0], orig[0])
	case common == 0:
		return fmt.Sprintf("none of the %d values of %s", len(orig), name)
	}
	return fmt.Sprintf("%d of %d values of %s", common, len(orig), name)
}

// dataset compares a dataset with the same dataset at full scale. available has its numbers of rows by split, if they
// are known.
func (f *shortfalls) dataset(d, orig *DatasetEntry, available map[string]int64) {
	f.add(d.ID, "", fewer(Grid{cmp.Or(d.Source, d.Path)}, Grid{cmp.Or(orig.Source, orig.Path)}, "data"))
	params, origParams := f.spec.SourceParams(d), f.full.SourceParams(orig)
	for _, name := range slices.Sorted(maps.Keys(origParams)) {
		if v, ok := params[name]; ok {
			f.add(d.ID, "", fewer(Grid{v}, Grid{origParams[name]}, name))
		}
	}
	if d.Split != nil && orig.Split != nil {
		f.add(d.ID, "", fewer(Grid{fmt.Sprint(d.Split.Fractions())}, Grid{fmt.Sprint(orig.Split.Fractions())}, "split"))
	}
	for _, name := range slices.SortedFunc(maps.Keys(orig.Problem), compareNames) {
		f.add(d.ID, "", fewer(d.Problem[name], orig.Problem[name], name))
	}
	var rows []string
	for i, noun := range [...]string{"training rows", "validation rows", "test rows"} {
		// A size of 0 means that the subset has all rows, a total of 0 that the number of rows is unknown.
		size, origSize := int64(d.Subset.Sizes()[i]), int64(orig.Subset.Sizes()[i])
		total := available[SplitNames[i]]
		if origSize > 0 && (total == 0 || origSize < total) {
			total = origSize
		}
		switch {
		case size > 0 && total == 0:
			rows = append(rows, fmt.Sprintf("at most %d %s", size, noun))
		case size > 0 && size < total:
			rows = append(rows, less(float64(size), float64(total), noun))
		}
	}
	f.add(d.ID, "", strings.Join(rows, ", "))
}

// budget compares the budget of a series with that at full scale. If series is "", the budget is that of all series
// without their own budget.
func (f *shortfalls) budget(series string, b, orig Budget) {
	if (b.Iterations > 0) != (orig.Iterations > 0) {
		f.add("", series, fewer(Grid{b.String()}, Grid{orig.String()}, "budget"))
		return
	}
	f.add("", series, less(float64(b.Iterations), float64(orig.Iterations), "iterations"))
	f.add("", series, less(b.Passes, orig.Passes, "passes"))
}

// entry compares an entry with the same entry at full scale.
func (f *shortfalls) entry(a, orig *AlgorithmEntry) {
	if a.Budget != nil || orig.Budget != nil {
		f.budget(orig.Series(), f.spec.BudgetOf(a), f.full.BudgetOf(orig))
	}
	limit, origLimit := cmp.Or(a.Limit, &Limit{}), cmp.Or(orig.Limit, &Limit{})
	if limit.Seconds > 0 && (origLimit.Seconds == 0 || limit.Seconds < origLimit.Seconds) {
		f.add("", orig.Series(), fmt.Sprintf("at most %v seconds a run", limit.Seconds))
	}
	if limit.Memory > 0 && (origLimit.Memory == 0 || limit.Memory < origLimit.Memory) {
		f.add("", orig.Series(), fmt.Sprintf("at most %s a run", limit.Memory))
	}
	var none DatasetEntry // dataset compares the problems
	grids, origGrids := f.spec.gridsOf(&none, a), f.full.gridsOf(&none, orig)
	for _, name := range slices.SortedFunc(maps.Keys(origGrids), compareNames) {
		f.add("", orig.Series(), fewer(grids[name], origGrids[name], name))
	}
}

// String returns "100 iterations" or "2 passes".
func (b Budget) String() string {
	if b.Iterations > 0 {
		return words.Count(int(b.Iterations), "iteration")
	}
	if b.Passes == 1 {
		return "1 pass"
	}
	return strconv.FormatFloat(b.Passes, 'f', -1, 64) + " passes"
}

// gridsOf returns the grids of all parameters of an entry on a dataset, including defaults of the catalog.
func (s *Spec) gridsOf(d *DatasetEntry, a *AlgorithmEntry) map[string]Grid {
	grids := s.ownGrids(d, a)
	for _, p := range s.algorithm(a).Params {
		if g := d.Problem[p.Name]; len(g) > 0 {
			grids[p.Name] = g
		}
		if _, ok := grids[p.Name]; !ok && p.Default != nil {
			grids[p.Name] = Grid{normaliseScalar(p.Default)}
		}
	}
	return grids
}
