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

	"github.com/dustin/go-humanize/english"
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

// Sizes returns the numbers of rows of a dataset by split, before subsets are drawn; nil if they are unknown.
type Sizes func(dataset string) map[string]int64

// Shortfalls lists how s is smaller than full, the same specification at full scale: fewer repeats, datasets, rows,
// series, steps, grid values or halvings, tighter limits, and other values of parameters.
func Shortfalls(s, full *Spec, sizes Sizes) []claims.Shortfall {
	f := &shortfalls{spec: s, full: full}
	f.add("", "", less(float64(s.Repeats), float64(full.Repeats), "repeats"))
	if full.Select.By == selection.ByHalvings && s.Select.By == selection.ByHalvings {
		f.add("", "", less(float64(s.Select.Halvings), float64(full.Select.Halvings), "halvings"))
	}
	f.budget("", s.Budget, full.Budget)
	for _, orig := range each(full.Datasets) {
		if d := s.dataset(orig.ID); d != nil {
			f.dataset(d, orig, sizes(orig.ID))
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

// less describes a decrease of a number, or "".
func less(n, of float64, what string) string {
	if !(n < of) {
		return ""
	}
	return fmt.Sprintf("%v of %v %s", normaliseScalar(n), normaliseScalar(of), what)
}

// fewer describes the values that are missing from a grid, or "".
func fewer(g, before Grid, name string) string {
	common := 0
	for _, v := range before {
		same := func(w any) bool { return record.FormatParam(v) == record.FormatParam(w) }
		if slices.ContainsFunc(g, same) {
			common++
		}
	}
	switch {
	case common == len(before):
		return ""
	case len(g) == 0:
		return "without " + name
	case len(before) == 1 && len(g) == 1:
		return fmt.Sprintf("%s = %v in place of %v", name, g[0], before[0])
	case common == 0:
		return fmt.Sprintf("none of the %d values of %s", len(before), name)
	}
	return fmt.Sprintf("%d of %d values of %s", common, len(before), name)
}

// dataset compares the rows and parameters of a dataset. known has its numbers of rows by split.
func (f *shortfalls) dataset(d, orig *DatasetEntry, known map[string]int64) {
	f.add(d.ID, "", fewer(Grid{cmp.Or(d.Source, d.Path)}, Grid{cmp.Or(orig.Source, orig.Path)}, "data"))
	own, before := f.spec.SourceParams(d), f.full.SourceParams(orig)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if v, ok := own[name]; ok {
			f.add(d.ID, "", fewer(Grid{v}, Grid{before[name]}, name))
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
		n, kept, of := int64(d.Subset.Sizes()[i]), int64(orig.Subset.Sizes()[i]), known[SplitNames[i]]
		if kept > 0 && (of == 0 || kept < of) {
			of = kept
		}
		switch {
		case n > 0 && of == 0:
			rows = append(rows, fmt.Sprintf("at most %d %s", n, noun))
		case n > 0 && n < of:
			rows = append(rows, less(float64(n), float64(of), noun))
		}
	}
	f.add(d.ID, "", strings.Join(rows, ", "))
}

// budget compares the budgets of a series, or of all series without their own budget.
func (f *shortfalls) budget(series string, b, of Budget) {
	if (b.Iterations > 0) != (of.Iterations > 0) {
		f.add("", series, fewer(Grid{b.String()}, Grid{of.String()}, "budget"))
		return
	}
	f.add("", series, less(float64(b.Iterations), float64(of.Iterations), "iterations"))
	f.add("", series, less(b.Passes, of.Passes, "passes"))
}

// entry compares an entry with the same entry at full scale.
func (f *shortfalls) entry(a, orig *AlgorithmEntry) {
	if a.Budget != nil || orig.Budget != nil {
		f.budget(orig.Series(), f.spec.BudgetOf(a), f.full.BudgetOf(orig))
	}
	limit, bound := cmp.Or(a.Limit, &Limit{}), cmp.Or(orig.Limit, &Limit{})
	if limit.Seconds > 0 && (bound.Seconds == 0 || limit.Seconds < bound.Seconds) {
		f.add("", orig.Series(), fmt.Sprintf("at most %v seconds a run", limit.Seconds))
	}
	if limit.Memory > 0 && (bound.Memory == 0 || limit.Memory < bound.Memory) {
		f.add("", orig.Series(), fmt.Sprintf("at most %s a run", limit.Memory))
	}
	var none DatasetEntry
	grids, all := f.spec.gridsOf(&none, a), f.full.gridsOf(&none, orig)
	for _, name := range slices.SortedFunc(maps.Keys(all), compareNames) {
		f.add("", orig.Series(), fewer(grids[name], all[name], name))
	}
}

// String returns "100 iterations" or "2 passes".
func (b Budget) String() string {
	if b.Iterations > 0 {
		return english.Plural(int(b.Iterations), "iteration", "")
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
