package spec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/whole"
)

// fewRuns reports more combinations of parameters, or more runs, than there may be, with
// the factors that make most of them.
func (c *validator) fewRuns() bool {
	s := c.spec
	var cells, runs, most float64
	var what, at string
	for _, d := range each(s.Datasets) {
		for i, a := range each(s.Algorithms) {
			if !a.RunsOn(d.ID) {
				continue
			}
			repeats := s.Repeats
			if s.Deterministic(d, a) {
				repeats = 1
			}
			n, factors := s.factors(d, a)
			cells += n
			n *= float64(repeats)
			runs += n
			if n > most {
				most = n
				what = fmt.Sprintf("of series %q on dataset %q: %s", a.Series(), d.ID,
					strings.Join(append(factors, fmt.Sprintf("%d repeats", repeats)), " × "))
				if at = rawPath("algorithms", strconv.Itoa(i)); float64(repeats) > n/float64(repeats) && cells <= maxCells {
					at = rawPath("repeats")
				}
			}
		}
	}
	switch {
	case cells > maxCells:
		c.fail(at, "the grids make %s combinations, more than %d; most are %s", told(cells), maxCells, what)
	case runs > maxRuns:
		c.fail(at, "the spec asks for %s runs, more than %d; most are %s", told(runs), maxRuns, what)
	default:
		return true
	}
	return false
}

// factors returns the number of combinations of an entry on a dataset, and the numbers of
// values that make it.
func (s *Spec) factors(d *DatasetEntry, a *AlgorithmEntry) (n float64, factors []string) {
	grids := s.ownGrids(d, a)
	maps.Copy(grids, d.Problem)
	n = 1
	for _, name := range slices.SortedFunc(maps.Keys(grids), compareNames) {
		if k := len(grids[name]); k > 1 {
			n *= float64(k)
			factors = append(factors, fmt.Sprintf("%d values of %s", k, name))
		}
	}
	return n, factors
}

// told writes a number of runs, which may be beyond all integers.
func told(n float64) string {
	if i, ok := whole.Of(n); ok {
		return strconv.FormatInt(i, 10)
	}
	return fmt.Sprintf("%.3g", n)
}
