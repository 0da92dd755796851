package cli

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// cellPatterns are patterns of cells, as experiment/dataset/series, with * for any text.
type cellPatterns []string

// complete adds the parts that a pattern of an experiment or a data set leaves out.
func (p cellPatterns) complete(flag string) error {
	for i, pattern := range p {
		given := strings.Count(pattern, "/")
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" || given > 2 {
			return usagef("--%s %q: want experiment, experiment/dataset or experiment/dataset/series, with * for any text", flag, pattern)
		}
		p[i] += strings.Repeat("/*", 2-given)
	}
	return nil
}

// fit reports whether any of the patterns fits a cell.
func (p cellPatterns) fit(cell string) bool {
	return slices.ContainsFunc(p, func(pattern string) bool { return fits(pattern, cell) })
}

func fits(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // complete has checked the pattern
	return ok
}

// compareFilter says which cells are compared: those that only names, or all if it is empty,
// without those that exclude names.
type compareFilter struct{ only, exclude cellPatterns }

// shows reports whether a cell is compared.
func (f *compareFilter) shows(cell string) bool {
	return (len(f.only) == 0 || f.only.fit(cell)) && !f.exclude.fit(cell)
}

// reads reports whether some cell of the experiment may be compared.
func (f *compareFilter) reads(experiment string) bool {
	some := func(p string) bool { return fits(p[:strings.Index(p, "/")], experiment) }
	return (len(f.only) == 0 || slices.ContainsFunc(f.only, some)) && !f.exclude.fit(wholeCell(experiment))
}

// wholeCell stands for all cells of an experiment.
func wholeCell(experiment string) string { return experiment + "/*/*" }

// leave returns the experiments with the runs of the cells that are compared.
func (f *compareFilter) leave(sides []side) (left []side) {
	for _, s := range sides {
		hidden := func(r record.Run) bool { return !f.shows(s.cell(&r)) }
		if slices.ContainsFunc(s.Runs, hidden) {
			s.Runs = slices.DeleteFunc(slices.Clone(s.Runs), hidden)
		}
		if len(f.only)+len(f.exclude) > 0 {
			s.partial = "" // the runs that it lacks need not be of these cells
		}
		if len(s.Runs) > 0 {
			left = append(left, s)
		}
	}
	return left
}

// unmatched returns an error if a pattern of what is compared fits none of the cells, and warnings
// about exclusions that do not: the data set or series may be missing on some machines.
func (f *compareFilter) unmatched(cells []string) (warnings []string, err error) {
	absent := func(pattern string) bool {
		return !slices.ContainsFunc(cells, func(cell string) bool { return fits(pattern, cell) })
	}
	message := func(pattern string) string { return "no such cell is on either side" + spec.Hint(pattern, cells) }
	for _, p := range f.only {
		if absent(p) {
			return nil, usagef("--experiment %q: %s", p, message(p))
		}
	}
	for _, p := range f.exclude {
		if absent(p) {
			warnings = append(warnings, fmt.Sprintf("--exclude %q leaves nothing out: %s", p, message(p)))
		}
	}
	return warnings, nil
}
