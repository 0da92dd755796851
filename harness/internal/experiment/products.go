package experiment

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"stochopt/harness/internal/claims"
	"stochopt/internal/disk"
	"stochopt/plots"
	"stochopt/plots/draw"
	"stochopt/plots/table"
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
	Warnings []Warning
	// Verdicts are those on the claims of the spec, in its order.
	Verdicts []claims.Verdict

	// texts and charts are what is to be written.
	texts  []text
	charts []*plots.Chart
}

// text is the content of a file.
type text struct {
	name string
	data []byte
}

// Warning is what a reader of products should know.
type Warning struct {
	// About is what it is about: OfChoices, OfTables or OfFigures.
	About string
	Text  string
}

// Values of Warning.About.
const (
	OfChoices = "choices of parameters"
	OfTables  = "tables"
	OfFigures = "figures"
)

func (p *Products) warn(about string, texts []string) {
	for _, text := range texts {
		p.Warnings = append(p.Warnings, Warning{about, text})
	}
}

// Write writes products into the folder, or nothing if a curve cannot be read. Records that do not
// belong to any figure are no error; a missing figure's data make a warning.
func (d *Derivation) Write(what What) (*Products, error) { return d.WriteTo(d.Folder.Dir, what) }

// WriteTo is Write into another folder.
func (d *Derivation) WriteTo(dir string, what What) (*Products, error) {
	p, err := d.products(what)
	if err = cmp.Or(d.Records.Err(), err); err == nil {
		err = p.write(dir)
	}
	return p, err
}

// products makes the content of products.
func (d *Derivation) products(what What) (*Products, error) {
	p := &Products{}
	p.warn(OfChoices, d.Choice.Warnings())
	if what.Data {
		if err := p.data(d); err != nil {
			return nil, err
		}
	}
	in := d.Plots()
	if what.Tables {
		if err := p.tables(d, in); err != nil {
			return nil, err
		}
	}
	if what.Figures {
		if err := p.figures(d, in); err != nil {
			return nil, err
		}
	}
	if what.Claims {
		if err := p.judge(d); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Products) data(d *Derivation) error {
	if err := p.file(SelectionFile, d.Choice.WriteCSV); err != nil {
		return err
	}
	return p.file(CurvesFile, func(w io.Writer) error {
		return WriteCurves(w, d.Spec.Name, d.Choice.Runs())
	})
}

func (p *Products) tables(d *Derivation, in plots.Input) error {
	for _, t := range d.Spec.Tables {
		g := plots.Build(t, in)
		p.Tables = append(p.Tables, g)
		p.warn(OfTables, g.Warnings)
		for _, f := range table.Formats {
			write := func(w io.Writer) error { return f.Write(w, g) }
			if err := p.file(filepath.Join("tables", t.ID+"."+f.Ext), write); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Products) figures(d *Derivation, in plots.Input) error {
	for _, f := range d.Spec.Figures {
		chart, err := plots.Compose(f, in)
		if err != nil {
			return err
		}
		p.charts = append(p.charts, chart)
		caption := func(w io.Writer) error {
			_, err := fmt.Fprintln(w, chart.Caption)
			return err
		}
		name := filepath.Join("figures", f.ID)
		if err := p.file(name+".txt", caption); err != nil {
			return err
		}
		if err := p.file(name+".csv", chart.WriteCSV); err != nil {
			return err
		}
		p.warn(OfFigures, chart.Warnings)
	}
	return nil
}

// file makes the content of one file of the folder.
func (p *Products) file(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p.texts = append(p.texts, text{name, b.Bytes()})
	return nil
}

// write writes each file of the folder, atomically.
func (p *Products) write(dir string) error {
	for _, t := range p.texts {
		path := filepath.Join(dir, t.name)
		if err := disk.Write(dir, t.name, t.data); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		p.Files = append(p.Files, path)
	}
	for _, chart := range p.charts {
		drawn, err := draw.Save(chart, dir, "figures")
		if err != nil {
			return err
		}
		p.Files = append(p.Files, drawn...)
	}
	return nil
}
