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

// FullScale returns the specification in a file at its full scale: with the
// profile "paper" if it has one, else with none.
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

// paper is the profile of the thesis's own scale.
const paper = "paper"

// Sizes returns how many rows of each split a dataset has before any subset is
// taken, by the name of the split; nil if that is not known.
type Sizes func(dataset string) map[string]int64

// Shortfalls lists in which ways s is smaller than full, the same specification at
// full scale: fewer repeats, datasets, rows, series, steps, values of a grid or
// halvings, tighter limits, and other values of single parameters. Both must come
// from Load or Parse; sizes may be nil. The order is that of the specification.
func Shortfalls(s, full *Spec, sizes Sizes) []claims.Shortfall {
	f := &shortfalls{spec: s, full: full}
	f.add("", "", less(float64(s.Repeats), float64(full.Repeats), "repeats"))
	if full.Select.By == selection.ByHalvings && s.Select.By == selection.ByHalvings {
		f.add("", "", less(float64(s.Select.Halvings), float64(full.Select.Halvings), "halvings"))
	}
	f.budget("", s.Budget, full.Budget)
	if sizes == nil {
		sizes = func(string) map[string]int64 { return nil }
	}
	for _, was := range each(full.Datasets) {
		if d := s.dataset(was.ID); d != nil {
			f.dataset(d, was, sizes(was.ID))
		} else {
			f.add(was.ID, "", "left out")
		}
	}
	for _, was := range each(full.Algorithms) {
		same := func(a AlgorithmEntry) bool {
			return a.ID == was.ID && a.As == was.As && slices.Equal(a.Datasets, was.Datasets)
		}
		if i := slices.IndexFunc(s.Algorithms, same); i >= 0 {
			f.entry(&s.Algorithms[i], was)
		} else {
			f.add("", was.Series(), "left out")
		}
	}
	return f.list
}

// shortfalls collects them.
type shortfalls struct {
	spec, full *Spec
	list       []claims.Shortfall
}

// add adds what concerns a dataset or a series, or everything, if it says anything.
func (f *shortfalls) add(dataset, series, text string) {
	if text != "" {
		f.list = append(f.list, claims.Shortfall{Dataset: dataset, Series: series, Text: text})
	}
}

// less reports that a number has decreased, "" if it has not.
func less(n, of float64, what string) string {
	if !(n < of) {
		return ""
	}
	return fmt.Sprintf("%v of %v %s", normaliseScalar(n), normaliseScalar(of), what)
}

// fewer says which of the values that something had it has not, "" if it has them all.
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

// dataset compares a dataset's rows and parameters. known holds the sizes of its
// splits before a subset is taken.
func (f *shortfalls) dataset(d, was *DatasetEntry, known map[string]int64) {
	f.add(d.ID, "", fewer(Grid{cmp.Or(d.Source, d.Path)}, Grid{cmp.Or(was.Source, was.Path)}, "data"))
	own, before := f.spec.SourceParams(d), f.full.SourceParams(was)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if v, ok := own[name]; ok {
			f.add(d.ID, "", fewer(Grid{v}, Grid{before[name]}, name))
		}
	}
	if d.Split != nil && was.Split != nil {
		f.add(d.ID, "", fewer(Grid{fmt.Sprint(d.Split.Fractions())}, Grid{fmt.Sprint(was.Split.Fractions())}, "split"))
	}
	for _, name := range slices.SortedFunc(maps.Keys(was.Problem), compareNames) {
		f.add(d.ID, "", fewer(d.Problem[name], was.Problem[name], name))
	}
	var rows []string
	for i, noun := range [...]string{"training rows", "validation rows", "test rows"} {
		n, kept, of := int64(d.Subset.Sizes()[i]), int64(was.Subset.Sizes()[i]), known[SplitNames[i]]
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

// budget compares the budget of a series, or that of all series without their own.
func (f *shortfalls) budget(series string, b, of Budget) {
	if (b.Iterations > 0) != (of.Iterations > 0) {
		f.add("", series, fewer(Grid{b.String()}, Grid{of.String()}, "budget"))
		return
	}
	f.add("", series, less(float64(b.Iterations), float64(of.Iterations), "iterations"))
	f.add("", series, less(b.Passes, of.Passes, "passes"))
}

// entry compares an entry with that of the full specification.
func (f *shortfalls) entry(a, was *AlgorithmEntry) {
	if a.Budget != nil || was.Budget != nil {
		f.budget(was.Series(), f.spec.BudgetOf(a), f.full.BudgetOf(was))
	}
	limit, bound := cmp.Or(a.Limit, &Limit{}), cmp.Or(was.Limit, &Limit{})
	if limit.Seconds > 0 && (bound.Seconds == 0 || limit.Seconds < bound.Seconds) {
		f.add("", was.Series(), fmt.Sprintf("at most %v seconds a run", limit.Seconds))
	}
	if limit.Memory > 0 && (bound.Memory == 0 || limit.Memory < bound.Memory) {
		f.add("", was.Series(), fmt.Sprintf("at most %s a run", limit.Memory))
	}
	var none DatasetEntry
	grids, all := f.spec.gridsOf(&none, a), f.full.gridsOf(&none, was)
	for _, name := range slices.SortedFunc(maps.Keys(all), compareNames) {
		f.add("", was.Series(), fewer(grids[name], all[name], name))
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

// gridsOf returns the values of every parameter of an entry on a dataset: those
// given, and else the default of the catalog.
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
