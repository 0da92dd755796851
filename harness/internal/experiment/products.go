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

// What selects products.
type What struct {
	Data, Tables, Figures, Claims bool
}

// All selects everything.
var All = What{Data: true, Tables: true, Figures: true, Claims: true}

// Products are what is derived from the records of a folder.
type Products struct {
	// Files will be written into the folder.
	Files []File
	// Tables are the tables as built, to be shown.
	Tables []*plots.Grid
	// Warnings are what a reader of the products should know.
	Warnings []string
	// Verdicts are those on the claims of the spec, in its order.
	Verdicts []claims.Verdict
	// Failed says of each figure that could not be drawn or written why.
	Failed []error
}

// File is the content of a file of a folder.
type File struct {
	Name string
	Data []byte
}

// figures is the folder of the files of figures.
const figures = "figures"

// Write makes products and writes their files into the folder, each atomically, or nothing if a curve
// cannot be read. A figure that fails is among the Failed; the others are written.
func (d *Derivation) Write(what What) (*Products, error) {
	p, err := d.Products(what)
	if err != nil {
		return nil, err
	}
	for _, f := range p.Files {
		err := disk.Write(d.Folder.Dir, f.Name, f.Data)
		if err == nil {
			continue
		}
		err = fmt.Errorf("writing %s: %w", filepath.Join(d.Folder.Dir, f.Name), err)
		if filepath.Dir(f.Name) != figures {
			return nil, err
		}
		p.Failed = append(p.Failed, err)
	}
	return p, nil
}

// Products makes products. Records that do not belong to any figure are no error; a missing figure's
// data make a warning.
func (d *Derivation) Products(what What) (*Products, error) {
	p := &Products{Warnings: d.Choice.Warnings()}
	for _, kind := range []struct {
		asked bool
		add   func(*Derivation) error
	}{{what.Data, p.addData}, {what.Tables, p.addTables}, {what.Figures, p.addFigures}, {what.Claims, p.addVerdicts}} {
		if !kind.asked {
			continue
		}
		if err := kind.add(d); err != nil {
			return nil, cmp.Or(d.Records.Err(), err)
		}
	}
	return p, d.Records.Err()
}

func (p *Products) addData(d *Derivation) error {
	if err := p.addFile(SelectionFile, d.Choice.WriteCSV); err != nil {
		return err
	}
	return p.addFile(CurvesFile, func(w io.Writer) error { return WriteCSV(w, d.Spec.Name, d.Records, d.Choice.Runs(), false) })
}

func (p *Products) addTables(d *Derivation) error {
	for _, t := range d.Spec.Tables {
		g := plots.Build(t, d.Plots())
		p.Tables = append(p.Tables, g)
		for _, f := range table.Formats {
			write := func(w io.Writer) error { return f.Write(w, g) }
			if err := p.addFile(filepath.Join("tables", t.ID+"."+f.Ext), write); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Products) addFigures(d *Derivation) error {
	for _, f := range d.Spec.Figures {
		chart, err := plots.Compose(f, d.Plots())
		var drawn []draw.File
		if err == nil {
			drawn, err = draw.Files(chart)
		}
		if err != nil {
			p.Failed = append(p.Failed, err)
			continue
		}
		p.Warnings = append(p.Warnings, chart.Warnings...)
		name := filepath.Join(figures, f.ID)
		p.Files = append(p.Files, File{name + ".txt", []byte(chart.Caption + "\n")})
		if err := p.addFile(name+".csv", chart.WriteCSV); err != nil {
			return err
		}
		for _, f := range drawn {
			p.Files = append(p.Files, File{name + "." + f.Ext, f.Data})
		}
	}
	return nil
}

// addFile adds what a function writes.
func (p *Products) addFile(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p.Files = append(p.Files, File{name, b.Bytes()})
	return nil
}
