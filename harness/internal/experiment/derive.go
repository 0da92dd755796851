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
	Spec   *spec.Spec
	Choice *selection.Choice
	// Origin says where the records come from, and what they lack.
	Origin claims.Origin
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
	choice, err := selection.Choose(e.Runs, s.Rule())
	if err = cmp.Or(e.Err(), err); err != nil {
		return nil, err
	}
	return &Derivation{
		Folder: f, Records: e, Spec: s, Choice: choice,
		Origin: f.origin(s, MissingRuns(e)), Notes: append(notes(e, choice), f.Manifest.rows()...),
	}, nil
}

// Plots is what figures and tables are made from.
func (d *Derivation) Plots() plots.Input {
	var data []plots.Data
	for _, e := range d.Spec.Datasets {
		data = append(data, plots.Data{ID: e.ID, Title: e.Title})
	}
	return plots.Input{
		Catalog: registry.Looks(), Choice: d.Choice, Data: data, Title: d.Spec.Title,
		Profile: d.Folder.Manifest.Profile, Set: d.Folder.Manifest.Set, Notes: d.Notes,
	}
}

// Deterministic lists the series of a spec without randomness.
func Deterministic(s *spec.Spec) []claims.DatasetSeries {
	var out []claims.DatasetSeries
	for i := range s.Datasets {
		for j := range s.Algorithms {
			data, a := &s.Datasets[i], &s.Algorithms[j]
			if a.RunsOn(data.ID) && s.Deterministic(data, a) {
				out = append(out, claims.DatasetSeries{Dataset: data.ID, Series: a.Series()})
			}
		}
	}
	return out
}

// notes are what has to be said on the face of every figure and table: that runs are still missing,
// and which series have no run to show.
func notes(e *record.Experiment, choice *selection.Choice) []string {
	var out []string
	if n := len(e.Runs); n < e.Planned {
		out = append(out, fmt.Sprintf("PARTIAL: %d of %d runs", n, e.Planned))
	}
	for _, c := range choice.Series {
		if !c.OK {
			out = append(out, fmt.Sprintf("%s on %s: no run finished", c.Name, c.Dataset))
		}
	}
	slices.Sort(out[min(1, len(out)):])
	return slices.Compact(out)
}
