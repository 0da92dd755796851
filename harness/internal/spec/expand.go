package spec

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Cell is a combination of a dataset, an algorithm entry and values of its parameters. It is run once per repeat.
type Cell struct {
	Dataset   *DatasetEntry
	Algorithm *AlgorithmEntry
	// Series is the name of the entry's series.
	Series string
	// Params holds all parameters by flat name ("k", "step.c"), including defaults of the catalog. Values are
	// int64, float64, string or bool.
	Params map[string]any
}

// Expand yields the cells of a specification from Load or Parse. The loops are, from the outermost: datasets,
// their problem parameters, algorithms, their other parameters, schedules, step size constants. Parameters on the
// same level are in the order of their names.
func (s *Spec) Expand() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, d := range each(s.Datasets) {
			if !slices.ContainsFunc(s.Algorithms, func(a AlgorithmEntry) bool { return a.RunsOn(d.ID) }) {
				continue // tooLarge does not bound the number of its problems
			}
			for problem := range combinations(d.Problem) {
				for _, a := range each(s.Algorithms) {
					if !a.RunsOn(d.ID) {
						continue
					}
					for own := range combinations(s.ownGrids(d, a)) {
						if !yield(Cell{d, a, a.Series(), s.resolve(a, problem, own)}) {
							return
						}
					}
				}
			}
		}
	}
}

// ownGrids returns the grids of an entry on a dataset without the problem of the dataset: the entry's own grids, and
// those of the defaults.
func (s *Spec) ownGrids(d *DatasetEntry, a *AlgorithmEntry) map[string]Grid {
	grids := make(map[string]Grid)
	for _, p := range s.algorithm(a).Params {
		if _, ok := d.Problem[p.Name]; !ok {
			if g := s.given(a, p.Name); len(g) > 0 {
				grids[p.Name] = g
			}
		}
	}
	return grids
}

// given returns the grid of a parameter in an entry, or else in the defaults.
func (s *Spec) given(a *AlgorithmEntry, name string) Grid {
	if g := given(a.With, a.Step, name); len(g) > 0 {
		return g
	}
	return given(s.Defaults.With, s.Defaults.Step, name)
}

func given(with map[string]Grid, step Step, name string) Grid {
	switch name {
	case "step.schedule":
		return step.Schedule
	case "step.c":
		return step.C
	}
	return with[name]
}

// resolve returns the parameters of a cell of entry a: its own values, those of the problem, and defaults.
func (s *Spec) resolve(a *AlgorithmEntry, problem, own map[string]any) map[string]any {
	params := make(map[string]any)
	for _, p := range s.algorithm(a).Params {
		if v := cmp.Or(own[p.Name], problem[p.Name], p.Default); v != nil {
			params[p.Name], _ = p.Coerce(v) // the values of a loaded specification are valid
		}
	}
	return params
}

// combinations yields every combination of values of the grids. The last name varies fastest.
func combinations(grids map[string]Grid) iter.Seq[map[string]any] {
	names := slices.SortedFunc(maps.Keys(grids), compareNames)
	return func(yield func(map[string]any) bool) {
		choice := make(map[string]any)
		var choose func(i int) bool
		choose = func(i int) bool {
			if i == len(names) {
				return yield(maps.Clone(choice))
			}
			for _, v := range grids[names[i]] {
				choice[names[i]] = v
				if !choose(i + 1) {
					return false
				}
			}
			return true
		}
		choose(0)
	}
}

// compareNames orders parameters by name, with step.schedule and step.c last.
func compareNames(a, b string) int {
	rank := func(name string) int {
		switch {
		case name == "step.c":
			return 2
		case strings.HasPrefix(name, stepPrefix):
			return 1
		}
		return 0
	}
	return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
}

// SourceParams returns the parameters of the source of a dataset, or of the format of its file, with defaults.
func (s *Spec) SourceParams(d *DatasetEntry) map[string]any {
	params := make(map[string]any)
	for _, p := range s.catalog.SourceParams(d.origin()) {
		if v := cmp.Or(d.With[p.Name], normaliseScalar(p.Default)); v != nil {
			params[p.Name] = v
		}
	}
	return params
}

// origin returns the source of the dataset or the format of its file. Catalog.SourceParams expects this name.
func (d *DatasetEntry) origin() string { return cmp.Or(d.Source, d.Format) }
