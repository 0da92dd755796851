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
// from Load or Parse; sizes may be nil.
//
// Where all of a dataset, or of a series, fall short in the same way, that is said
// once. The order is that of the specification.
func Shortfalls(s, full *Spec, sizes Sizes) []claims.Shortfall {
	f := &shortfalls{spec: s, full: full, by: make(map[string][]claims.Cell)}
	f.add("", less(float64(s.Repeats), float64(full.Repeats), "repeats"))
	if full.Select.By == selection.ByHalvings && s.Select.By == selection.ByHalvings {
		f.add("", less(float64(s.Select.Halvings), float64(full.Select.Halvings), "halvings"))
	}
	if sizes == nil {
		sizes = func(string) map[string]int64 { return nil }
	}
	for _, was := range each(full.Datasets) {
		if d := s.dataset(was.ID); d != nil {
			f.dataset(d, was, sizes(was.ID))
		} else {
			f.add(was.ID, "left out")
		}
	}
	for _, was := range each(full.Algorithms) {
		f.entry(was)
	}
	f.summarise()
	return f.list
}

// shortfalls collects them.
type shortfalls struct {
	spec, full *Spec
	list       []claims.Shortfall
	// cells are those that the full specification runs on datasets of both, in order;
	// texts what they fall short in, in the order found; by holds the cells of each text.
	cells []claims.Cell
	texts []string
	by    map[string][]claims.Cell
}

// add adds what concerns a dataset, or everything, if it says anything.
func (f *shortfalls) add(dataset, text string) {
	if text != "" {
		f.list = append(f.list, claims.Shortfall{Dataset: dataset, Text: text})
	}
}

// cell adds what concerns a cell, if it says anything.
func (f *shortfalls) cell(c claims.Cell, text string) {
	if text == "" {
		return
	}
	if f.by[text] == nil {
		f.texts = append(f.texts, text)
	}
	f.by[text] = append(f.by[text], c)
}

// less says that a number is less than it was, "" if it is not.
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
	f.add(d.ID, fewer(Grid{cmp.Or(d.Source, d.Path)}, Grid{cmp.Or(was.Source, was.Path)}, "data"))
	own, before := f.spec.SourceParams(d), f.full.SourceParams(was)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if v, ok := own[name]; ok {
			f.add(d.ID, fewer(Grid{v}, Grid{before[name]}, name))
		}
	}
	if d.Split != nil && was.Split != nil {
		f.add(d.ID, fewer(Grid{fmt.Sprint(d.Split.Fractions())}, Grid{fmt.Sprint(was.Split.Fractions())}, "split"))
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
	f.add(d.ID, strings.Join(rows, ", "))
}

// entry compares the runs of an entry of the full specification on each dataset.
func (f *shortfalls) entry(was *AlgorithmEntry) {
	for _, before := range each(f.full.Datasets) {
		d := f.spec.dataset(before.ID)
		if d == nil || !was.RunsOn(before.ID) {
			continue
		}
		cell := claims.Cell{Dataset: before.ID, Series: was.Series()}
		f.cells = append(f.cells, cell)
		a := f.spec.entryOn(cell.Series, cell.Dataset)
		if a == nil || a.ID != was.ID {
			f.cell(cell, "left out")
			continue
		}
		b, of := f.spec.BudgetOf(a), f.full.BudgetOf(was)
		if (b.Iterations > 0) == (of.Iterations > 0) {
			f.cell(cell, less(float64(b.Iterations), float64(of.Iterations), "iterations"))
			f.cell(cell, less(b.Passes, of.Passes, "passes"))
		} else {
			f.cell(cell, fewer(Grid{b.String()}, Grid{of.String()}, "budget"))
		}
		limit, bound := cmp.Or(a.Limit, &Limit{}), cmp.Or(was.Limit, &Limit{})
		if limit.Seconds > 0 && (bound.Seconds == 0 || limit.Seconds < bound.Seconds) {
			f.cell(cell, fmt.Sprintf("at most %v seconds a run", limit.Seconds))
		}
		if limit.Memory > 0 && (bound.Memory == 0 || limit.Memory < bound.Memory) {
			f.cell(cell, fmt.Sprintf("at most %s a run", limit.Memory))
		}
		grids, all := f.spec.gridsOf(d, a), f.full.gridsOf(before, was)
		for _, name := range slices.SortedFunc(maps.Keys(all), compareNames) {
			f.cell(cell, fewer(grids[name], all[name], name))
		}
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

// summarise says each text once for all cells, for those of a dataset or for those
// of a series, where it is true of them all.
func (f *shortfalls) summarise() {
	for _, text := range f.texts {
		var said []claims.Shortfall
		for _, c := range f.by[text] {
			if slices.ContainsFunc(said, func(s claims.Shortfall) bool { return concerns(s, c) }) {
				continue
			}
			of := []claims.Shortfall{{}, {Dataset: c.Dataset}, {Series: c.Series}, {Dataset: c.Dataset, Series: c.Series}}
			widest := slices.IndexFunc(of, func(s claims.Shortfall) bool {
				return !slices.ContainsFunc(f.cells, func(c claims.Cell) bool { return concerns(s, c) && !slices.Contains(f.by[text], c) })
			})
			of[widest].Text = text
			said = append(said, of[widest])
		}
		f.list = append(f.list, said...)
	}
}

// concerns reports whether a shortfall is one of a cell.
func concerns(s claims.Shortfall, c claims.Cell) bool {
	return (s.Dataset == "" || s.Dataset == c.Dataset) && (s.Series == "" || s.Series == c.Series)
}
