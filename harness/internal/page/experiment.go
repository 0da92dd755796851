package page

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
	"stochopt/plots"
)

// read makes the part of the page that shows a results folder.
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
		return nil, fmt.Errorf("this version cannot read the recorded specification: %w", err)
	}
	if f.DerivedOnly() {
		return readFiles(f, s, text, o)
	}
	d, err := f.Derive(s)
	if err != nil {
		return nil, err
	}
	sum := experiment.Summarise(d.Records)
	e := &Experiment{
		Name: s.Name, Title: s.Title, Task: s.Task, Dir: dir, Manifest: f.Manifest, Spec: string(text),
		Counts: sum.Counts, Seconds: sum.StepSeconds, Planned: f.Planned(d.Records), Notes: d.Notes,
		Warnings: slices.Concat(d.Records.Warnings, d.Choice.Warnings()), Links: links(dir, o.Out), damage: d.Records.Warnings,
	}
	e.Missing = max(e.Planned-e.Runs, 0)
	e.addProblems(sum.Problems)
	e.SelectedBy, e.Selection = choicesOf(d)
	e.addProducts(d)
	verdicts, remark := d.Standing()
	e.addVerdicts(verdicts)
	if remark != "" {
		e.Warnings = append(e.Warnings, remark)
	}
	return e, f.Err()
}

// addProducts adds the figures and tables. A figure that cannot be made is a warning.
func (e *Experiment) addProducts(d *experiment.Derivation) {
	in := d.Plots()
	for _, t := range d.Spec.Tables {
		g := plots.Build(t, in)
		e.Tables = append(e.Tables, &Table{Grid: g})
		e.Warnings = append(e.Warnings, g.Warnings...)
	}
	if len(d.Records.Runs) == 0 {
		return // there is nothing to draw yet
	}
	e.Tables = append(e.Tables, &Table{Grid: plots.Costs(d.Records.Runs, in), Own: true})
	for _, f := range d.Spec.Figures {
		figure, err := newFigure(f, in)
		if err != nil {
			e.Warnings = append(e.Warnings, fmt.Sprintf("figure %s is left out: %v", f.ID, err))
			continue
		}
		figure.Mirrors = slices.Contains(d.Spec.Mirrors, f.ID)
		e.Figures = append(e.Figures, figure)
	}
}

// linked are the files that a page links to, in its order.
var linked = []string{
	experiment.CurvesFile, experiment.SelectionFile, record.DatabaseFile, experiment.ObservationsFile, experiment.ClaimsFile, experiment.SpecFile, experiment.ManifestFile,
}

// links are the files of a results folder that are there. A page at the path out refers to them if
// it is in the results folder, next to it, or in a folder above.
func links(dir, out string) []Link {
	var list []Link
	for _, name := range linked {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		list = append(list, Link{Name: name, Href: href(filepath.Join(dir, name), dir, out), Bytes: info.Size()})
	}
	return list
}

func href(file, dir, out string) string {
	if out == "" {
		return ""
	}
	from, err1 := filepath.Abs(filepath.Dir(out))
	folder, err2 := filepath.Abs(dir)
	to, err3 := filepath.Abs(file)
	if err1 != nil || err2 != nil || err3 != nil {
		return ""
	}
	if !under(folder, from) && !under(from, folder) {
		return ""
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return ""
	}
	return (&url.URL{Path: filepath.ToSlash(rel)}).String()
}

// under reports whether path is dir or in it.
func under(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
