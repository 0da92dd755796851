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

// Kinds is a set of kinds of products.
type Kinds struct {
	Data, Tables, Figures, Claims bool
}

// AllKinds is the set of all kinds.
var AllKinds = Kinds{Data: true, Tables: true, Figures: true, Claims: true}

// Products are derived from the records of a folder.
type Products struct {
	// Files lists the files to write.
	Files []File
	// Tables has the tables of the spec.
	Tables []*plots.Grid
	// Warnings concern the products.
	Warnings []string
	// Verdicts has the verdicts on the claims of the spec, in its order.
	Verdicts []claims.Verdict
	// Failed has an error for each figure that could not be drawn or written.
	Failed []error
}

// File is a file of a folder with its content.
type File struct {
	Name string
	Data []byte
}

// The folders for figures and tables.
const figures, tables = "figures", "tables"

// Write makes products and writes their files into the folder, each atomically. If a curve cannot be read, it writes
// nothing. Errors of figures do not stop it; they are in Failed.
func (d *Derivation) Write(kinds Kinds) (*Products, error) {
	p, err := d.Products(kinds)
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

// Products makes products without writing them. A figure without data gives a warning.
func (d *Derivation) Products(kinds Kinds) (*Products, error) {
	p := &Products{Warnings: d.Choice.Warnings()}
	for _, kind := range []struct {
		wanted bool
		add    func(*Derivation) error
	}{{kinds.Data, p.addData}, {kinds.Tables, p.addTables}, {kinds.Figures, p.addFigures}, {kinds.Claims, p.addVerdicts}} {
		if !kind.wanted {
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
	return p.addFile(CurvesFile, func(w io.Writer) error {
		return WriteCSV(w, d.Spec.Name, d.Records, d.Choice.Runs(), false)
	})
}

func (p *Products) addTables(d *Derivation) error {
	for _, t := range d.Spec.Tables {
		g := plots.Build(t, d.Plots())
		p.Tables = append(p.Tables, g)
		for _, f := range table.Formats {
			write := func(w io.Writer) error { return f.Write(w, g) }
			if err := p.addFile(filepath.Join(tables, t.ID+"."+f.Ext), write); err != nil {
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

// addFile adds a file with the output of a function.
func (p *Products) addFile(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p.Files = append(p.Files, File{name, b.Bytes()})
	return nil
}
