package cli

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/spec"
	"stochopt/internal/compare"
	"stochopt/internal/record"
	"stochopt/plots"
)

// side is an experiment on one side of a comparison.
type side struct {
	compare.Side
	folder   *experiment.Folder
	profile  string
	warnings []string
	// partial says how many of its planned runs are on record, if not all.
	partial string
}

// cell names the cell of a run.
func (s *side) cell(r *record.Run) string { return s.Name + "/" + r.Dataset + "/" + r.Series }

// sides reads the experiments of a results folder, or of a folder that holds several, as far as the
// filter compares some of their cells.
func (a *app) sides(ctx context.Context, dir string, filter cellFilter) (sides []side, err error) {
	folders, err := a.folders([]string{dir})
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return sides, err
		}
		f, err := experiment.Open(folder)
		if err != nil {
			return sides, usage(err)
		}
		name := f.Manifest.Spec
		if !filter.reads(name) {
			f.Close()
			continue
		}
		if before, ok := named(sides, name); ok {
			return sides, usagef("%s and %s both hold the experiment %s; compare one at a time", before.Dir, folder, name)
		}
		s, err := readSide(f)
		sides = append(sides, s)
		if err != nil {
			return sides, usage(err)
		}
	}
	return sides, nil
}

// readSide reads a results folder, and chooses by its own spec.
func readSide(f *experiment.Folder) (side, error) {
	m := &f.Manifest
	out := side{Side: compare.Side{Name: m.Spec, Dir: f.Dir, Platform: platform(m.Tool)}, folder: f, profile: m.Profile}
	// The claims and tables of a baseline of another version need not be valid in this one.
	s, err := f.Spec("claims=[]", "tables=[]")
	if err != nil {
		return out, err
	}
	e, err := f.Records()
	if err != nil {
		return out, err
	}
	if len(e.Runs) == 0 {
		return out, noRecords(f.Dir)
	}
	out.Runs, out.Rule = e.Runs, s.Rule()
	if s.Select.BySize() {
		d, err := f.Derive(s)
		if err != nil {
			return out, fmt.Errorf("%s: %w", f.Dir, err)
		}
		out.Choice, out.Runs = d.Choice, d.Choice.Runs()
	}
	out.warnings = slices.Concat(e.Warnings, m.Builds(f.Dir))
	if n, planned := len(e.Runs), f.Planned(e); n < planned && !f.Exported() {
		out.partial = fmt.Sprintf("%d of %d runs", n, planned)
		out.warnings = append(out.warnings, fmt.Sprintf("%s: PARTIAL: %s", f.Dir, out.partial))
	}
	certain := experiment.Deterministic(s)
	out.Deterministic = func(dataset, series string) bool {
		return slices.Contains(certain, claims.Cell{Dataset: dataset, Series: series})
	}
	out.Drawn = func(dataset string) bool {
		return slices.ContainsFunc(s.Datasets, func(e spec.DatasetEntry) bool { return e.ID == dataset && e.Subset != nil })
	}
	out.Metric, out.Split, out.Cost = shownFirst(s)
	return out, nil
}

// platform names what the bits of records may depend on.
func platform(t experiment.Tool) string {
	if t.Fuses() {
		return t.Platform + " GOAMD64=" + t.GOAMD64
	}
	return t.Platform
}

// shownFirst returns what the spec's figures show first in curves along a counter, else the metric that
// parameters are selected by. The comparison chooses values that are empty.
func shownFirst(s *spec.Spec) (metric, split, cost string) {
	for _, f := range s.Figures {
		panels := f.Panels
		if len(panels) == 0 {
			panels = []plots.Panel{{}}
		}
		for _, p := range panels {
			p = plots.Panel{X: "iterations", Y: "suboptimality"}.With(f.Panel).With(p)
			if p.Draw == "" && p.Y != "rank" && p.Y != "spectrum" && p.X != "seconds" {
				return p.Y, p.Split, p.X
			}
		}
	}
	return s.Select.Metric, "", ""
}

// closeSides closes the folders of sides, whose curves are read until then.
func closeSides(sides []side) {
	for _, s := range sides {
		s.folder.Close()
	}
}

// unreadable returns the first error that was met when a curve of the sides was read.
func unreadable(sides []side) error {
	for _, s := range sides {
		if err := s.folder.Err(); err != nil {
			return fmt.Errorf("%s: %w", s.Dir, err)
		}
	}
	return nil
}

// named returns the side of a name, if there is one.
func named(sides []side, name string) (s side, ok bool) {
	if i := slices.IndexFunc(sides, func(s side) bool { return s.Name == name }); i >= 0 {
		return sides[i], true
	}
	return side{}, false
}

func experiments(sides []side) string {
	var names []string
	for _, s := range sides {
		names = append(names, s.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "none that --experiment leaves")
}

// compared are sides as package compare has them.
func compared(sides []side) []compare.Side {
	var out []compare.Side
	for _, s := range sides {
		out = append(out, s.Side)
	}
	return out
}

// cellFilter has patterns of the cells that are compared, all if there are none, and, after a "!", of
// those that are left out, as experiment/dataset/series with * for any text.
type cellFilter []string

// complete adds the parts that a pattern of an experiment or a data set leaves out.
func (f cellFilter) complete() error {
	for i, pattern := range f {
		given := strings.Count(pattern, "/")
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" || given > 2 {
			return usagef("--experiment %q: want experiment, experiment/dataset or experiment/dataset/series, with * for any text", pattern)
		}
		f[i] += strings.Repeat("/*", 2-given)
	}
	return nil
}

func fits(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // complete has checked the pattern
	return ok
}

// shows reports whether a cell is compared.
func (f cellFilter) shows(cell string) bool {
	shown := f.all()
	for _, pattern := range f {
		if left, ok := strings.CutPrefix(pattern, "!"); ok && fits(left, cell) {
			return false
		}
		shown = shown || fits(pattern, cell)
	}
	return shown
}

// all reports whether cells are only left out.
func (f cellFilter) all() bool {
	return !slices.ContainsFunc(f, func(pattern string) bool { return !strings.HasPrefix(pattern, "!") })
}

// reads reports whether some cell of the experiment may be compared.
func (f cellFilter) reads(experiment string) bool {
	read := f.all()
	for _, pattern := range f {
		if fits(pattern, "!"+experiment+"/*/*") {
			return false
		}
		first, _, _ := strings.Cut(pattern, "/")
		read = read || fits(first, experiment)
	}
	return read
}

// leave returns the experiments with the runs of the cells that are compared.
func (f cellFilter) leave(sides []side) (left []side) {
	for _, s := range sides {
		hidden := func(r record.Run) bool { return !f.shows(s.cell(&r)) }
		s.Runs = slices.DeleteFunc(slices.Clone(s.Runs), hidden)
		if len(s.Runs) > 0 {
			left = append(left, s)
		}
	}
	return left
}

// unmatched returns an error if a pattern of what is compared fits no cell.
func (f cellFilter) unmatched(sides []side) error {
	var cells []string
	for _, s := range sides {
		for i := range s.Runs {
			cells = append(cells, s.cell(&s.Runs[i]))
		}
	}
	slices.Sort(cells)
	cells = slices.Compact(cells)
	for _, pattern := range f {
		if !strings.HasPrefix(pattern, "!") && !slices.ContainsFunc(cells, func(cell string) bool { return fits(pattern, cell) }) {
			return usagef("--experiment %q: no such cell is on either side%s", pattern, spec.Hint(pattern, cells))
		}
	}
	return nil
}
