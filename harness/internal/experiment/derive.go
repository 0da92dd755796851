package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/plots"
)

// Derivation is what the records of a folder say once the parameters are selected: what figures,
// tables, claims and reports are made from.
type Derivation struct {
	Folder  *Folder
	Records *record.Experiment
	// Spec is what is selected, drawn and judged by.
	Spec      *spec.Spec
	Selection *selection.Selection
	// Halved is the selection at each support size, nil if the spec asks for another.
	Halved *selection.Halved
	// Shortfalls are the ways in which the runs are smaller than the experiment at its full scale.
	Shortfalls []claims.Shortfall
	// Notes appear on every figure and table.
	Notes []string
}

// Derive selects the parameters of the experiment by a spec: that of the folder, or one that draws
// or claims something else.
func (f *Folder) Derive(s *spec.Spec) (*Derivation, error) {
	e, err := f.Records()
	if err != nil {
		return nil, err
	}
	halved, err := f.packedHalved(e.Runs)
	if err != nil {
		return nil, err
	}
	d, err := f.derive(e, s, halved)
	return d, cmp.Or(e.Err(), err)
}

// derive is Derive of some records, and of the selection at each support size if that is known.
func (f *Folder) derive(e *record.Experiment, s *spec.Spec, halved *selection.Halved) (d *Derivation, err error) {
	defer record.CatchLeftOut(&err)
	sel, err := selection.Select(e.Runs, s.Select.Options())
	if err != nil {
		return nil, err
	}
	if !s.Select.BySize() {
		halved = nil
	} else if halved == nil {
		if halved, err = halve(e, s); err != nil {
			return nil, err
		}
	}
	return &Derivation{
		Folder: f, Records: e, Spec: s, Selection: sel, Halved: halved,
		Shortfalls: f.Manifest.BelowPaper, Notes: append(notes(e, sel), f.Manifest.rows()...),
	}, nil
}

// In returns the derivation with another folder to write to.
func (d *Derivation) In(dir string) *Derivation {
	other, folder := *d, *d.Folder
	folder.Dir, other.Folder = dir, &folder
	return &other
}

// Warnings are those of the selection.
func (d *Derivation) Warnings() []string {
	w := d.Selection.Warnings()
	if d.Halved != nil {
		w = append(w, d.Halved.Warnings()...)
	}
	return w
}

// Plots is what figures and tables are made from.
func (d *Derivation) Plots() plots.Input {
	return plots.Input{
		Catalog: registry.Looks(), Runs: d.Selection.Runs(), Title: d.Spec.Title, Profile: d.Folder.Manifest.Profile, Set: d.Folder.Manifest.Set,
		Halved: d.Halved, Notes: d.Notes, Tuned: d.Selection.Tuned,
	}
}

// Claims is what claims are judged from.
func (d *Derivation) Claims() claims.Input {
	in := claims.Input{
		Origin: d.Folder.origin(d.Spec, d.Folder.missing(d.Records)),
		Metric: d.Spec.Select.Metric, Runs: d.Selection.Runs(), Halved: d.Halved, Selection: d.Selection,
		Deterministic: Deterministic(d.Spec),
	}
	in.Shortfalls = d.Shortfalls
	return in
}

// Deterministic lists the series of a spec without randomness.
func Deterministic(s *spec.Spec) []claims.Cell {
	var out []claims.Cell
	for i := range s.Datasets {
		for j := range s.Algorithms {
			data, a := &s.Datasets[i], &s.Algorithms[j]
			if a.RunsOn(data.ID) && s.Deterministic(data, a) {
				out = append(out, claims.Cell{Dataset: data.ID, Series: a.Series()})
			}
		}
	}
	return out
}

// halve selects at each support size. The sizes that tables show are reported too.
func halve(e *record.Experiment, s *spec.Spec) (*selection.Halved, error) {
	o := selection.HalvingOptions{
		Count: s.Select.Halvings, Seed: s.Seed, Tune: s.Select.Tune, Over: s.Select.Over, Validation: s.Select.By == selection.ByValidation,
	}
	for _, t := range s.Tables {
		o.Sizes = append(o.Sizes, t.Sizes...)
	}
	return selection.Halve(e.Runs, o)
}

// notes are what has to be said on the face of every figure and table: that runs are still missing,
// and which series have no run to show.
func notes(e *record.Experiment, sel *selection.Selection) []string {
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
