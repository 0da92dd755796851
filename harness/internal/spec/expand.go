package spec

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Cell is one combination of a dataset, an algorithm and the values of its
// parameters: what is run, once for each repeat.
type Cell struct {
	Dataset   *DatasetEntry
	Algorithm *AlgorithmEntry
	// Series is the label of the algorithm's entry.
	Series string
	// Params holds all parameters, flat ("k", "step.c"), the defaults of the
	// catalog among them, each an int64, float64, string or bool.
	Params map[string]any
}

// Expand yields the combinations in order: datasets as listed, the values of
// their problem parameters, algorithms as listed, the values of their other
// parameters, schedules, and step size constants, which vary fastest.
// Parameters of one level vary in the order of their names, the last fastest.
//
// s must come from Load or Parse.
func (s *Spec) Expand() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for _, d := range each(s.Datasets) {
			if !slices.ContainsFunc(s.Algorithms, func(a AlgorithmEntry) bool { return a.RunsOn(d.ID) }) {
				continue // its problems may be more than can be counted
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

// ownGrids returns what an entry is given on a dataset besides the dataset's
// problem: its own grids, and the defaults of what neither says.
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

// given returns the values that an entry, or else the defaults, give to a parameter.
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

// resolve returns the parameters of one combination.
func (s *Spec) resolve(a *AlgorithmEntry, problem, own map[string]any) map[string]any {
	params := make(map[string]any)
	for _, p := range s.algorithm(a).Params {
		v := cmp.Or(own[p.Name], problem[p.Name], p.Default)
		if v == nil {
			continue
		}
		if c, err := p.Coerce(v); err == nil {
			v = c
		}
		params[p.Name] = v
	}
	return params
}

// combinations yields every choice of a value from each grid, the last name in
// order varying fastest.
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

// compareNames orders parameters by name, step size parameters last, and the
// schedule before its constant.
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

// SourceParams returns the parameters of a dataset's source, or of its file's
// format, the defaults of the catalog among them.
func (s *Spec) SourceParams(d *DatasetEntry) map[string]any {
	params := make(map[string]any)
	for _, p := range s.catalog.SourceParams(d.kind()) {
		if v := cmp.Or(d.With[p.Name], normaliseScalar(p.Default)); v != nil {
			params[p.Name] = v
		}
	}
	return params
}

// kind returns the name under which the catalog knows the dataset's
// parameters.
func (d *DatasetEntry) kind() string { return cmp.Or(d.Source, d.Format) }
