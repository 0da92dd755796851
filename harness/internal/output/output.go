// Package output writes what can be derived from the records of an experiment:
// the selection, tidy curves, tables, figures and verdicts on claims. It reads records and never
// runs an algorithm.
package output

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/spec"
	"stochopt/plots"
	"stochopt/plots/draw"
	"stochopt/results/analysis"
	"stochopt/results/record"

	"github.com/google/renameio/v2"
)

const (
	selectionFile = "selection.csv"
	curvesFile    = "curves.csv"
	claimsFile    = "claims.json"
)

// What selects the products to write.
type What struct {
	Data, Tables, Figures, Claims bool
}

// All writes everything.
var All = What{Data: true, Tables: true, Figures: true, Claims: true}

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
	Selected []record.Run
	Halved   *analysis.Halved
	// Verdicts are those on the claims of the spec, in its order.
	Verdicts []claims.Verdict
}

// Write derives the products of the experiment e from its records, by the
// resolved spec s, into its folder. Records that do not belong to any figure
// are no error; a missing figure's data make a warning.
func Write(e *record.Experiment, s *spec.Spec, profile string, what What) (*Products, error) {
	d, err := Derive(e, s, profile)
	if err != nil {
		return nil, err
	}
	runs := d.Selection.Runs()
	p := &Products{Warnings: d.Warnings(), Selected: runs, Halved: d.Halved}
	selection := d.Selection.WriteCSV
	if d.Halved != nil {
		selection = d.Halved.WriteCSV
	}
	if what.Data {
		if err := p.file(e.Dir, selectionFile, selection); err != nil {
			return nil, err
		}
		curves := func(w io.Writer) error { return record.WriteCurves(w, s.Name, runs) }
		if err := p.file(e.Dir, curvesFile, curves); err != nil {
			return nil, err
		}
	}
	in := d.Plots()
	if what.Tables {
		if err := p.tables(e, s, in); err != nil {
			return nil, err
		}
	}
	if what.Figures {
		for _, f := range s.Figures {
			chart, err := plots.Compose(f, in)
			if err != nil {
				return nil, err
			}
			files, err := draw.Save(chart, filepath.Join(e.Dir, "figures"))
			if err != nil {
				return nil, err
			}
			p.Files = append(p.Files, files...)
			caption := func(w io.Writer) error {
				_, err := fmt.Fprintln(w, chart.Caption)
				return err
			}
			if err := p.file(e.Dir, filepath.Join("figures", f.ID+".txt"), caption); err != nil {
				return nil, err
			}
			p.Warnings = append(p.Warnings, chart.Warnings...)
		}
	}
	if what.Claims {
		if err := p.claims(d); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Products) tables(e *record.Experiment, s *spec.Spec, in plots.Input) error {
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
