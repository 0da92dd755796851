// Package output writes what can be derived from the records of an experiment:
// the selection, tidy curves, tables and figures. It reads records and never
// runs an algorithm.
package output

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/spec"
	"stochopt/plots"
	"stochopt/results"

	"github.com/google/renameio/v2"
)

const (
	selectionFile = "selection.csv"
	curvesFile    = "curves.csv"
)

// What selects the products to write.
type What struct {
	Data, Tables, Figures bool
}

// All writes everything.
var All = What{Data: true, Tables: true, Figures: true}

// Products says what Write has written.
type Products struct {
	// Files are the paths written.
	Files []string
	// Tables are the tables as built, to be shown.
	Tables []*plots.Grid
	// Warnings are what a reader of the products should know.
	Warnings []string
	// Selected are the runs of the selected parameters. Halved is the selection by
	// halvings, nil if the spec asks for another.
	Selected []results.Run
	Halved   *results.Halved
}

// Write derives the products of the experiment e from its records, by the
// resolved spec s, into its folder. Records that do not belong to any figure
// are no error; a missing figure's data make a warning.
func Write(e *results.Experiment, s *spec.Spec, profile string, what What) (*Products, error) {
	sel, err := results.Select(e.Runs, results.SelectOptions{
		By: s.Select.By, Metric: s.Select.Metric, Over: s.Select.Over, Tune: s.Select.Tune,
	})
	if err != nil {
		return nil, err
	}
	runs := sel.Runs()
	p := &Products{Warnings: sel.Warnings(), Selected: runs}
	selection := sel.WriteCSV
	halved, err := halve(e, s)
	if err != nil {
		return nil, err
	}
	p.Halved = halved
	if halved != nil {
		selection = halved.WriteCSV
		p.Warnings = append(p.Warnings, halved.Warnings()...)
	}
	if what.Data {
		if err := p.file(e.Dir, selectionFile, selection); err != nil {
			return nil, err
		}
		curves := func(w io.Writer) error { return results.WriteCurves(w, s.Name, runs) }
		if err := p.file(e.Dir, curvesFile, curves); err != nil {
			return nil, err
		}
	}
	in := plots.Input{Runs: runs, Title: s.Title, Profile: profile, Timings: e.Timings(), Halved: halved, Notes: notes(e, sel)}
	if what.Tables {
		if err := p.tables(e, s, in); err != nil {
			return nil, err
		}
	}
	if what.Figures {
		for _, f := range s.Figures {
			drawn, err := plots.Draw(f, in, filepath.Join(e.Dir, "figures"))
			if err != nil {
				return nil, err
			}
			p.Files = append(p.Files, drawn.Files...)
			caption := func(w io.Writer) error {
				_, err := fmt.Fprintln(w, drawn.Caption)
				return err
			}
			if err := p.file(e.Dir, filepath.Join("figures", f.ID+".txt"), caption); err != nil {
				return nil, err
			}
			p.Warnings = append(p.Warnings, drawn.Warnings...)
		}
	}
	return p, nil
}

// halve selects by halvings if the spec says so; it returns nil otherwise. The
// sizes that tables show are reported too.
func halve(e *results.Experiment, s *spec.Spec) (*results.Halved, error) {
	if s.Select.By != results.ByHalvings {
		return nil, nil
	}
	o := results.HalvingOptions{Count: s.Select.Halvings, Seed: s.Seed, Tune: s.Select.Tune, Over: s.Select.Over}
	for _, t := range s.Tables {
		o.Sizes = append(o.Sizes, t.Sizes...)
	}
	return results.Halve(e.Runs, o)
}

// notes are what has to be said on the face of every figure and table: that
// runs are still missing, and which series have no run to show.
func notes(e *results.Experiment, sel *results.Selection) []string {
	var out []string
	if n := len(e.Runs); n < e.Planned {
		out = append(out, fmt.Sprintf("PARTIAL: %d of %d runs", n, e.Planned))
	}
	for _, c := range sel.Choices {
		if !c.OK {
			out = append(out, fmt.Sprintf("%s on %s: no run finished", c.Series, c.Dataset))
		}
	}
	slices.Sort(out[min(1, len(out)):])
	return slices.Compact(out)
}

func (p *Products) tables(e *results.Experiment, s *spec.Spec, in plots.Input) error {
	for _, t := range s.Tables {
		g, err := plots.Build(t, in)
		if err != nil {
			return err
		}
		p.Tables = append(p.Tables, g)
		p.Warnings = append(p.Warnings, g.Warnings...)
		files, err := g.Save(filepath.Join(e.Dir, "tables"))
		if err != nil {
			return err
		}
		p.Files = append(p.Files, files...)
	}
	return nil
}

// file writes one file of the folder, atomically.
func (p *Products) file(dir, name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	path := filepath.Join(dir, name)
	if err := makeFolder(path); err != nil {
		return err
	}
	if err := renameio.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	p.Files = append(p.Files, path)
	return nil
}
