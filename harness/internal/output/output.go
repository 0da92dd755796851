// Package output writes what can be derived from the records of an experiment:
// the selection, tidy curves, tables and figures. It reads records and never
// runs an algorithm.
package output

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"stochopt/harness/internal/spec"
	"stochopt/plots"
	"stochopt/results"

	"github.com/google/renameio/v2"
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
	p := &Products{Warnings: sel.Warnings()}
	runs := sel.Runs()
	if what.Data {
		if err := p.file(e.Dir, "selection.csv", sel.WriteCSV); err != nil {
			return nil, err
		}
		curves := func(w io.Writer) error { return results.WriteCurves(w, s.Name, runs) }
		if err := p.file(e.Dir, "curves.csv", curves); err != nil {
			return nil, err
		}
	}
	in := plots.Input{Runs: runs, Title: s.Title, Profile: profile}
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
			p.Warnings = append(p.Warnings, drawn.Warnings...)
		}
	}
	return p, nil
}

func (p *Products) tables(e *results.Experiment, s *spec.Spec, in plots.Input) error {
	var timings []results.Timing
	for _, r := range in.Runs {
		if t, ok := e.Timing(r); ok {
			timings = append(timings, t)
		}
	}
	for _, t := range s.Tables {
		g, err := plots.Build(t, in, timings)
		if err != nil {
			return err
		}
		p.Tables = append(p.Tables, g)
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
