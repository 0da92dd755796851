package page

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
	"stochopt/plots"
)

// read reads the content of a results folder.
func read(dir string, o Options) (*Experiment, error) {
	f, err := experiment.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := f.SpecText()
	if err != nil {
		return nil, err
	}
	s, err := f.Spec()
	if err != nil {
		return nil, fmt.Errorf("this version cannot read the recorded spec: %w", err)
	}
	e := &Experiment{
		Name: s.Name, Title: s.Title, Task: s.Task, Dir: dir, Manifest: f.Manifest, Spec: string(text),
		Links: links(dir, o.Out), DerivedOnly: f.DerivedOnly(),
	}
	if e.DerivedOnly {
		return e, e.addFiles(f, s)
	}
	d, err := f.Derive(s)
	if err != nil {
		return nil, err
	}
	sum := experiment.Summarise(d.Records)
	e.Counts, e.Seconds, e.Planned, e.Notes = sum.Counts, sum.StepSeconds, f.Planned(d.Records), d.Notes
	e.damage = d.Records.Warnings
	e.Warnings = slices.Concat(e.damage, d.Choice.Warnings(), f.Manifest.Builds(dir))
	e.Missing = max(e.Planned-e.Runs, 0)
	e.addProblems(sum.Problems)
	e.SelectedBy, e.Selection = selectionOf(d)
	e.addProducts(d)
	e.Notes = append(e.Notes, d.Plots().Criteria(s.Figures, s.Tables)...)
	e.addVerdicts(d.Verdicts())
	return e, f.Err()
}

// addProducts adds the figures and tables of the spec and the default profiles.
func (e *Experiment) addProducts(d *experiment.Derivation) {
	in, figures := d.Plots(), d.Spec.Figures
	if len(d.Records.Runs) == 0 {
		figures = nil
	}
	e.addFigures(figures, in)
	for _, t := range d.Spec.Tables {
		e.addTable(&Table{Grid: plots.Build(t, in)})
	}
	first := len(e.Exhibits)
	e.addFigures(in.DefaultProfiles(figures), in)
	for _, x := range e.Exhibits[first:] {
		x.Default = true
	}
}

// addFigures adds figures. It adds a warning for each figure that cannot be drawn.
func (e *Experiment) addFigures(figures []plots.Figure, in plots.Input) {
	for _, f := range figures {
		figure, err := newFigure(f, in)
		if err != nil {
			e.Warnings = append(e.Warnings, fmt.Sprintf("cannot draw figure %s: %v", f.ID, err))
			continue
		}
		e.addFigure(figure)
	}
}

// linkedFiles lists the files that a page links to, in display order.
var linkedFiles = []string{
	experiment.CurvesFile, experiment.SelectionFile, experiment.SelectionFile + ".gz",
	record.DatabaseFile, experiment.ChecksumsFile, experiment.ObservationsFile,
	experiment.ClaimsFile, experiment.SpecFile, experiment.ManifestFile,
}

// links returns the existing linkedFiles of a results folder. out is the path of the page.
func links(dir, out string) []Link {
	var list []Link
	relative, linked := relativePath(dir, out)
	for _, name := range linkedFiles {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		l := Link{Name: name, Bytes: info.Size()}
		if linked {
			l.Href = (&url.URL{Path: filepath.ToSlash(filepath.Join(relative, name))}).String()
		}
		list = append(list, l)
	}
	return list
}

// relativePath returns the path of a folder relative to the page at out. ok is false unless the folder of the page
// contains the folder or is inside it.
func relativePath(dir, out string) (path string, ok bool) {
	from, err1 := filepath.Abs(filepath.Dir(out))
	folder, err2 := filepath.Abs(dir)
	path, err3 := filepath.Rel(from, folder)
	back, err4 := filepath.Rel(folder, from)
	if out == "" || errors.Join(err1, err2, err3, err4) != nil {
		return "", false
	}
	return path, filepath.IsLocal(path) || filepath.IsLocal(back)
}
