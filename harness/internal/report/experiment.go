package report

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/spec"
	"stochopt/plots"
	"stochopt/plots/draw"
	"stochopt/results/record"
)

// read makes the part of the page that a results folder is. Ids in its figures begin
// with prefix.
func read(dir, prefix string, o Options) (Experiment, error) {
	f, err := experiment.Open(dir)
	if err != nil {
		return Experiment{}, err
	}
	text, err := f.SpecText()
	if err != nil {
		return Experiment{}, err
	}
	s, err := f.Spec()
	if err != nil {
		return Experiment{}, fmt.Errorf("the recorded specification is not one that this version reads: %w", err)
	}
	d, err := f.Derive(s)
	if err != nil {
		return Experiment{}, err
	}
	records := d.Records
	e := Experiment{
		Name: s.Name, Title: s.Title, Task: s.Task, Dir: dir, Mirrors: s.Mirrors,
		Manifest: f.Manifest, Spec: string(text), Notes: d.Notes, Warnings: slices.Concat(records.Warnings, d.Warnings()),
		Links: links(dir, o.Out), damage: records.Warnings,
	}
	e.count(records, f.Planned(records))
	in := d.Plots()
	e.names(records, s, in.Catalog)
	verdicts, remark := d.Standing()
	e.Verdicts = verdicts
	if remark != "" {
		e.Warnings = append(e.Warnings, remark)
	}
	e.SelectedBy, e.Selection = selection(d)
	for _, t := range s.Tables {
		g, err := plots.Build(t, in)
		if err != nil {
			e.Warnings = append(e.Warnings, fmt.Sprintf("table %s is left out: %v", t.ID, err))
			continue
		}
		e.Tables = append(e.Tables, g)
		e.Warnings = append(e.Warnings, g.Warnings...)
	}
	if len(records.Runs) == 0 {
		return e, nil // nothing to draw yet
	}
	e.Costs = plots.Costs(records.Runs, in)
	for i, f := range s.Figures {
		fig, err := figure(f, in, fmt.Sprintf("%sf%d-", prefix, i+1))
		if err != nil {
			e.Warnings = append(e.Warnings, fmt.Sprintf("figure %s is left out: %v", f.ID, err))
			continue
		}
		if slices.Contains(s.Mirrors, f.ID) {
			fig.Mirrors = f.ID
		}
		e.Figures = append(e.Figures, fig)
	}
	return e, nil
}

// count counts the runs, and names those that did not finish.
func (e *Experiment) count(records *record.Experiment, planned int) {
	sum := record.Summarise(records)
	e.Runs, e.Finished, e.Diverged, e.Failed, e.Skipped = sum.Runs, sum.Finished, sum.Diverged, sum.Failed, sum.Skipped
	e.Limited, e.Seconds = sum.OutOfTime+sum.OutOfMemory, sum.StepSeconds
	e.Planned, e.Missing = planned, max(planned-e.Runs, 0)
	for _, p := range sum.Problems {
		repeat := p.Repeat
		p.Name, p.Key, p.Repeat = "", "", 0
		i := slices.IndexFunc(e.Problems, func(o Problem) bool { return o.Problem == p })
		if i < 0 {
			i, e.Problems = len(e.Problems), append(e.Problems, Problem{Problem: p})
		}
		e.Problems[i].Repeats = append(e.Problems[i].Repeats, repeat)
	}
}

// names lists the data sets and series, those of the manifest and the specification
// included that have no record yet.
func (e *Experiment) names(records *record.Experiment, s *spec.Spec, looks plots.Catalog) {
	rows := make(map[string]map[string]int64)
	algorithms := make(map[string]string)
	runs := slices.Clone(records.Runs)
	for i := range records.Runs {
		r := &records.Runs[i]
		if rows[r.Dataset] == nil && r.Rows != nil {
			rows[r.Dataset] = maps.Clone(r.Rows)
		}
		if algorithms[r.Series] == "" {
			algorithms[r.Series] = r.Algorithm
		}
	}
	for _, d := range e.Manifest.Datasets {
		e.Datasets = append(e.Datasets, Dataset{d, rows[d.ID]})
	}
	for i := range s.Algorithms {
		a := &s.Algorithms[i]
		if algorithms[a.Series()] == "" {
			algorithms[a.Series()] = a.ID
			runs = append(runs, record.Run{Series: a.Series(), Algorithm: a.ID})
		}
	}
	for _, k := range looks.Keys(runs) {
		e.Series = append(e.Series, Series{ID: k.Series, Label: k.Label.String(), Algorithm: algorithms[k.Series], Color: k.Color})
	}
}

// reduction is what readers of a page need of the points of a figure.
var reduction = plots.Reduction{Points: 300, PanelPoints: 4000, Digits: 5}

// figure makes a figure of the page.
func figure(f plots.Figure, in plots.Input, prefix string) (Figure, error) {
	chart, err := plots.Compose(f, in)
	if err != nil {
		return Figure{}, err
	}
	drawing, err := draw.SVG(chart)
	if err != nil {
		return Figure{}, err
	}
	svg, err := inline(drawing, prefix)
	if err != nil {
		return Figure{}, err
	}
	return Figure{
		ID: f.ID, Title: chart.Title.String(), Caption: chart.Caption, SVG: svg, SVGPrefix: prefix, Chart: chart.Reduced(reduction),
		Datasets: chart.Datasets, Series: chart.Series, Warnings: chart.Warnings,
	}, nil
}

// linked are the files that a page links to, in its order.
var linked = []string{
	experiment.CurvesFile, experiment.SelectionFile, record.RunsFile, record.TimingsFile, record.ReferencesFile,
	experiment.ClaimsFile, experiment.SpecFile, experiment.ManifestFile,
}

// links are the files of a results folder that are there. A page at the path out
// refers to them if it is in the results folder, beside it, or in a folder above.
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
