package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/spec"
	"stochopt/internal/compare"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
	"stochopt/plots"
)

// side is an experiment on one side of a comparison, with what was found out in reading it.
type side struct {
	compare.Side
	profile string
	// panel is how the spec draws what is compared.
	panel    plots.Panel
	warnings []string
	// partial says how many of its runs it has, if not all.
	partial string
	folder  *experiment.Folder
}

// closeSides closes the folders of sides.
func closeSides(sides []side) {
	for _, s := range sides {
		if s.folder != nil {
			s.folder.Close()
		}
	}
}

// unreadable returns the first error that was met when a curve of the sides was read.
func unreadable(sides []side) error {
	for _, s := range sides {
		if s.folder != nil && s.folder.Err() != nil {
			return fmt.Errorf("%s: %w", s.Dir, s.folder.Err())
		}
	}
	return nil
}

// sides reads the experiments of a results folder, or of a folder that holds several. For
// filtered-out experiments only the name is read.
func (a *app) sides(ctx context.Context, dir string, f *compareFilter) ([]side, error) {
	folders, err := a.folders([]string{dir})
	if err != nil {
		return nil, err
	}
	var sides []side
	from := make(map[string]string)
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := readSide(folder, f)
		if err != nil {
			return nil, err
		}
		if before, ok := from[s.Name]; ok {
			return nil, usagef("%s and %s both hold the experiment %s; compare one at a time", before, folder, s.Name)
		}
		from[s.Name] = folder
		sides = append(sides, s)
	}
	return sides, nil
}

// readSide reads one results folder and selects by its own spec.
func readSide(dir string, filter *compareFilter) (side, error) {
	f, err := experiment.Open(dir)
	if err != nil {
		return side{}, usage(err)
	}
	m := &f.Manifest
	if name := m.Spec; !filter.reads(name) {
		return side{Side: compare.Side{Name: name, Dir: dir}}, nil
	}
	// The claims and tables of a baseline of another version need not be valid in this one.
	s, err := f.Spec("claims=[]", "tables=[]")
	if err != nil {
		return side{}, usage(err)
	}
	e, err := f.Records()
	if err != nil {
		return side{}, usage(err)
	}
	if len(e.Runs) == 0 {
		return side{}, noRecords(dir)
	}
	runs := e.Runs
	var choice *selection.Choice
	if s.Select.BySize() {
		d, err := f.Derive(s)
		if err != nil {
			return side{}, usage(fmt.Errorf("%s: %w", dir, err))
		}
		choice, runs = d.Choice, d.Choice.Runs()
	}
	out := side{folder: f, profile: m.Profile, warnings: slices.Clone(e.Warnings)}
	if n, planned := len(e.Runs), f.Planned(e); n < planned {
		out.partial = fmt.Sprintf("%d of %d runs", n, planned)
		out.warnings = append(out.warnings, fmt.Sprintf("%s: PARTIAL: %s", dir, out.partial))
	}
	certain := experiment.Deterministic(s)
	out.Side = compare.Side{
		Name: cmp.Or(m.Spec, s.Name), Dir: dir, Platform: platform(m.Tool),
		Runs: runs, Rule: s.Rule(), Choice: choice,
		Deterministic: func(dataset, series string) bool {
			return slices.Contains(certain, claims.Cell{Dataset: dataset, Series: series})
		},
		Drawn: func(dataset string) bool {
			return slices.ContainsFunc(s.Datasets, func(e spec.DatasetEntry) bool { return e.ID == dataset && e.Subset != nil })
		},
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
// along time, but for that; else the metric that parameters are selected by. The comparison chooses
// the values that are empty.
func shownFirst(s *spec.Spec) plots.Panel {
	for _, timed := range []bool{false, true} {
		for _, f := range s.Figures {
			panels := f.Panels
			if len(panels) == 0 {
				panels = []plots.Panel{{}}
			}
			for _, p := range panels {
				x, y := cmp.Or(p.X, f.X, "iterations"), cmp.Or(p.Y, f.Y, "suboptimality")
				if cmp.Or(p.Draw, f.Draw) != "" || y == "rank" || y == "spectrum" || (x == "seconds") != timed {
					continue
				}
				if timed {
					x = ""
				}
				log := f.Log
				if p.Log != nil {
					log = p.Log
				}
				return plots.Panel{X: x, Y: y, Split: cmp.Or(p.Split, f.Split), Log: log}
			}
		}
	}
	return plots.Panel{Y: s.Select.Metric}
}

// matched are the sides of a comparison.
type matched struct {
	base, cand []side
	warnings   []string
	// partial tells the experiments of the candidate that lack runs of their plan.
	partial []string
}

// matchSides filters both sides and gives two single experiments one name.
func matchSides(base, cand []side, f *compareFilter) (*matched, error) {
	there := namesOf(slices.Concat(base, cand))
	if err := f.unused(there); err != nil {
		return nil, err
	}
	m := &matched{warnings: f.idle(there)}
	if len(base) == 1 && len(cand) == 1 && base[0].Name != cand[0].Name {
		m.warnings = append(m.warnings, fmt.Sprintf("the experiments differ: %s is %s, %s is %s", base[0].Dir, base[0].Name, cand[0].Dir, cand[0].Name))
		cand[0].Name = base[0].Name
	}
	m.base, m.cand = m.take(base, f), m.take(cand, f)
	const nothing = "--experiment and --exclude leave nothing of the "
	switch {
	case len(m.base) == 0:
		return nil, usagef(nothing + "baseline")
	case len(m.cand) == 0:
		return nil, usagef(nothing + "candidate")
	}
	if !slices.ContainsFunc(m.base, func(b side) bool { _, ok := named(m.cand, b.Name); return ok }) {
		return nil, usagef("no experiment is on both sides: the baseline has %s, the candidate %s", experiments(m.base), experiments(m.cand))
	}
	for _, c := range m.cand {
		if c.partial != "" {
			m.partial = append(m.partial, c.Name+" has "+c.partial)
		}
	}
	for _, b := range m.base {
		if c, ok := named(m.cand, b.Name); ok && c.profile != b.profile {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: the baseline is of profile %q, the candidate of %q", b.Name, b.profile, c.profile))
		}
	}
	return m, nil
}

// take returns what the filter leaves of the experiments.
func (m *matched) take(sides []side, f *compareFilter) []side {
	var out []side
	for _, s := range sides {
		hidden := func(r record.Run) bool { return !f.shows(s.Name, &r) }
		if slices.ContainsFunc(s.Runs, hidden) {
			s.Runs = slices.DeleteFunc(slices.Clone(s.Runs), hidden)
		}
		if len(s.Runs) > 0 {
			out = append(out, s)
			m.warnings = append(m.warnings, s.warnings...)
		}
	}
	return out
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

// check reports what no run of either side records.
func (m *compareMeasure) check(in *matched) error {
	if !(m.floor >= 0) || math.IsInf(m.floor, 0) {
		return usagef("--floor %v: want 0 or more", m.floor)
	}
	if m.metric == "" && m.split == "" && m.cost == "" {
		return nil
	}
	var metrics, splits, costs []string
	for _, s := range slices.Concat(in.base, in.cand) {
		for i := range s.Runs {
			c := s.Runs[i].Measured()
			for name := range c.Cost {
				costs = words.AddOnce(costs, name)
			}
			for split, columns := range c.Metrics {
				splits = words.AddOnce(splits, split)
				for name := range columns {
					if m.split == "" || split == m.split {
						metrics = words.AddOnce(metrics, name)
					}
				}
			}
		}
	}
	for _, f := range []struct {
		flag, value string
		have        []string
	}{{"split", m.split, splits}, {"metric", m.metric, metrics}, {"cost", m.cost, costs}} {
		have := slices.Sorted(slices.Values(f.have))
		if f.value != "" && !slices.Contains(have, f.value) {
			hint := spec.Hint(f.value, have)
			if !strings.Contains(hint, "(known: ") {
				hint += "; there are " + strings.Join(have, ", ")
			}
			return usagef("--%s %q: no run has it%s", f.flag, f.value, hint)
		}
	}
	return nil
}
