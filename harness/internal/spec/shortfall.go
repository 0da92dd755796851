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

// dataset compares a dataset's rows and parameters. known holds the sizes of its
// splits before a subset is taken.
func (f *shortfalls) dataset(d, was *DatasetEntry, known map[string]int64) {
	if d.Source != was.Source || d.Path != was.Path {
		f.add(d.ID, fmt.Sprintf("%s in place of %s", cmp.Or(d.Source, d.Path), cmp.Or(was.Source, was.Path)))
	}
	own, before := f.spec.SourceParams(d), f.full.SourceParams(was)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if v, ok := own[name]; ok && !equalValues(v, before[name]) {
			f.add(d.ID, fmt.Sprintf("%s = %v in place of %v", name, v, before[name]))
		}
	}
	if a, b := d.Split, was.Split; a != nil && b != nil && *a != *b {
		f.add(d.ID, fmt.Sprintf("a split by %v in place of %v", a.Fractions(), b.Fractions()))
	}
	var rows []string
	keep, kept := d.Subset.Sizes(), was.Subset.Sizes()
	for i, split := range SplitNames {
		of := known[split]
		if k := int64(kept[i]); k > 0 && (of == 0 || k < of) {
			of = k
		}
		switch n := int64(keep[i]); {
		case n == 0 || of > 0 && n >= of:
		case of > 0:
			rows = append(rows, less(float64(n), float64(of), splitRows[i]))
		default:
			rows = append(rows, fmt.Sprintf("at most %d %s", n, splitRows[i]))
		}
	}
	f.add(d.ID, strings.Join(rows, ", "))
}

// splitRows name the rows of the splits.
var splitRows = [3]string{"training rows", "validation rows", "test rows"}

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
		f.cell(cell, lessBudget(f.spec.BudgetOf(a), f.full.BudgetOf(was)))
		f.limits(cell, a.Limit, was.Limit)
		f.grids(cell, f.spec.gridsOf(d, a), f.full.gridsOf(before, was))
	}
}

func lessBudget(b, was Budget) string {
	n, noun := b.amount()
	if of, same := was.amount(); noun == same {
		return less(n, of, english.PluralWord(2, noun, ""))
	}
	return fmt.Sprintf("%s in place of %s", b, was)
}

// amount is the length in iterations or in passes, as it is given.
func (b Budget) amount() (n float64, noun string) {
	if b.Iterations > 0 {
		return float64(b.Iterations), "iteration"
	}
	return b.Passes, "pass"
}

// String returns "100 iterations" or "2 passes".
func (b Budget) String() string {
	n, noun := b.amount()
	if n != 1 {
		noun = english.PluralWord(2, noun, "")
	}
	return fmt.Sprintf("%s %s", strconv.FormatFloat(n, 'f', -1, 64), noun)
}

func (f *shortfalls) limits(c claims.Cell, l, was *Limit) {
	if l == nil {
		return
	}
	was = cmp.Or(was, &Limit{})
	bound := func(now, before float64, text, of string) {
		switch {
		case now == 0:
		case before == 0:
			f.cell(c, fmt.Sprintf("at most %s a run", text))
		case now < before:
			f.cell(c, fmt.Sprintf("at most %s a run", of))
		}
	}
	bound(l.Seconds, was.Seconds, fmt.Sprintf("%v seconds", l.Seconds), fmt.Sprintf("%v of %v seconds", l.Seconds, was.Seconds))
	bound(float64(l.Memory), float64(was.Memory), l.Memory.String(), fmt.Sprintf("%s of %s", l.Memory, was.Memory))
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

// grids compares the values of the parameters.
func (f *shortfalls) grids(c claims.Cell, own, was map[string]Grid) {
	for _, name := range slices.SortedFunc(maps.Keys(was), compareNames) {
		g, before := own[name], was[name]
		common := 0
		for _, v := range before {
			if slices.ContainsFunc(g, func(w any) bool { return equalValues(v, w) }) {
				common++
			}
		}
		switch {
		case common == len(before):
		case len(g) == 0:
			f.cell(c, fmt.Sprintf("without %s", name))
		case len(before) == 1 && len(g) == 1:
			f.cell(c, fmt.Sprintf("%s = %v in place of %v", name, g[0], before[0]))
		case common == 0:
			f.cell(c, fmt.Sprintf("none of the %d values of %s", len(before), name))
		default:
			f.cell(c, fmt.Sprintf("%d of %d values of %s", common, len(before), name))
		}
	}
}

// equalValues compares two values of a parameter, whatever the kinds of their
// numbers.
func equalValues(a, b any) bool { return record.FormatParam(a) == record.FormatParam(b) }

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
