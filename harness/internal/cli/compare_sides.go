package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/spec"
	"stochopt/internal/compare"
	"stochopt/internal/record"
	"stochopt/plots"
)

// side is an experiment on one side of a comparison. It has no runs if the filter needs none.
type side struct {
	compare.Side
	folder  *experiment.Folder
	profile string
	// panel is how the spec draws what is compared.
	panel    plots.Panel
	warnings []string
	// partial says how many of its runs it has, if not all.
	partial string
}

// cell names the cell of a run.
func (s *side) cell(r *record.Run) string { return s.Name + "/" + r.Dataset + "/" + r.Series }

// closeSides closes the folders of sides.
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

// sides reads the experiments of a results folder, or of a folder that holds several.
func (a *app) sides(ctx context.Context, dir string, filter *compareFilter) ([]side, error) {
	folders, err := a.folders([]string{dir})
	if err != nil {
		return nil, err
	}
	var sides []side
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := readSide(folder, filter)
		if err != nil {
			return nil, usage(err)
		}
		if before, ok := named(sides, s.Name); ok {
			return nil, usagef("%s and %s both hold the experiment %s; compare one at a time", before.Dir, folder, s.Name)
		}
		sides = append(sides, s)
	}
	return sides, nil
}

// readSide reads a results folder, and chooses by its own spec. It reads the name alone if the
// filter leaves nothing of the experiment.
func readSide(dir string, filter *compareFilter) (side, error) {
	f, err := experiment.Open(dir)
	if err != nil {
		return side{}, err
	}
	m := &f.Manifest
	out := side{Side: compare.Side{Name: m.Spec, Dir: dir, Platform: platform(m.Tool)}, folder: f, profile: m.Profile}
	if !filter.reads(m.Spec) {
		return out, nil
	}
	// The claims and tables of a baseline of another version need not be valid in this one.
	s, err := f.Spec("claims=[]", "tables=[]")
	if err != nil {
		return side{}, err
	}
	e, err := f.Records()
	if err != nil {
		return side{}, err
	}
	if len(e.Runs) == 0 {
		return side{}, noRecords(dir)
	}
	out.Runs, out.Rule = e.Runs, s.Rule()
	if s.Select.BySize() {
		d, err := f.Derive(s)
		if err != nil {
			return side{}, fmt.Errorf("%s: %w", dir, err)
		}
		out.Choice, out.Runs = d.Choice, d.Choice.Runs()
	}
	out.warnings = slices.Concat(e.Warnings, m.Builds(dir))
	if n, planned := len(e.Runs), f.Planned(e); n < planned && !f.Exported() {
		out.partial = fmt.Sprintf("%d of %d runs", n, planned)
		out.warnings = append(out.warnings, fmt.Sprintf("%s: PARTIAL: %s", dir, out.partial))
	}
	certain := experiment.Deterministic(s)
	out.Deterministic = func(dataset, series string) bool {
		return slices.Contains(certain, claims.Cell{Dataset: dataset, Series: series})
	}
	out.Drawn = func(dataset string) bool {
		return slices.ContainsFunc(s.Datasets, func(e spec.DatasetEntry) bool { return e.ID == dataset && e.Subset != nil })
	}
	out.panel = shownFirst(s)
	out.Metric, out.Split, out.Cost = out.panel.Y, out.panel.Split, out.panel.X
	return out, nil
}

// platform names what the bits of records may depend on.
func platform(t experiment.Tool) string {
	if t.Fuses() {
		return t.Platform + " GOAMD64=" + t.GOAMD64
	}
	return t.Platform
}

// shownFirst returns the first panel of the spec's figures that shows curves along a counter, else
// along time, without the time; else the metric that parameters are selected by. The comparison
// chooses the values that are empty.
func shownFirst(s *spec.Spec) plots.Panel {
	var timed *plots.Panel
	for _, f := range s.Figures {
		panels := f.Panels
		if len(panels) == 0 {
			panels = []plots.Panel{{}}
		}
		for _, p := range panels {
			p = plots.Panel{X: "iterations", Y: "suboptimality"}.With(f.Panel).With(p)
			switch {
			case p.Draw != "" || p.Y == "rank" || p.Y == "spectrum":
			case p.X != "seconds":
				return p
			case timed == nil:
				p.X, timed = "", &p
			}
		}
	}
	if timed != nil {
		return *timed
	}
	return plots.Panel{Y: s.Select.Metric}
}

// named returns the side of a name, if there is one.
func named(sides []side, name string) (s side, ok bool) {
	if i := slices.IndexFunc(sides, func(s side) bool { return s.Name == name }); i >= 0 {
		return sides[i], true
	}
	return side{}, false
}

// cellsOf lists the cells of sides, each once.
func cellsOf(sides []side) []string {
	var cells []string
	for _, s := range sides {
		if len(s.Runs) == 0 {
			cells = append(cells, wholeCell(s.Name))
		}
		for i := range s.Runs {
			cells = append(cells, s.cell(&s.Runs[i]))
		}
	}
	slices.Sort(cells)
	return slices.Compact(cells)
}

func experiments(sides []side) string {
	var names []string
	for _, s := range sides {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// compared are sides as package compare has them.
func compared(sides []side) []compare.Side {
	var out []compare.Side
	for _, s := range sides {
		out = append(out, s.Side)
	}
	return out
}

// checkRecorded reports what is to be compared and no run of the sides records.
func checkRecorded(o *compare.Options, sides []side) error {
	if o.Metric == "" && o.Split == "" && o.Cost == "" {
		return nil
	}
	metrics, splits, costs := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, s := range sides {
		for i := range s.Runs {
			c := s.Runs[i].Measured()
			for name := range c.Cost {
				costs[name] = true
			}
			for split, columns := range c.Metrics {
				splits[split] = true
				for name := range columns {
					metrics[name] = true
				}
			}
		}
	}
	for _, f := range []struct {
		flag, value string
		recorded    map[string]bool
	}{{"split", o.Split, splits}, {"metric", o.Metric, metrics}, {"cost", o.Cost, costs}} {
		if f.value != "" && !f.recorded[f.value] {
			return usagef("--%s %q: no run has it%s", f.flag, f.value, spec.Hint(f.value, slices.Sorted(maps.Keys(f.recorded))))
		}
	}
	return nil
}
