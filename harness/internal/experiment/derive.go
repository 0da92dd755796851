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

// Derivation has what figures, tables, verdicts and reports are derived from: the records of a folder, a spec and the
// selected parameters.
type Derivation struct {
	Folder  *Folder
	Records *record.Experiment
	// Spec has the selection rule, figures, tables and claims.
	Spec   *spec.Spec
	Choice *selection.Choice
	// Origin describes the source of the records and lists missing runs.
	Origin claims.Origin
	// Notes appear on all figures and tables.
	Notes []string
}

// Derive selects parameters by the rule of a spec. The spec is that of the folder, or one with other figures, tables or
// claims.
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
		Origin: f.origin(s, missingRuns(e)), Notes: append(notes(e, choice), f.Manifest.skippedRows()...),
	}, nil
}

// Plots returns the input of figures and tables.
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

// Deterministic lists the deterministic series of a spec.
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

// notes returns the notes for all figures and tables: on missing runs, and then on series without a finished run.
func notes(e *record.Experiment, choice *selection.Choice) []string {
	var out []string
	for _, c := range choice.Series {
		if !c.OK {
			out = append(out, fmt.Sprintf("%s on %s: no run finished", c.Name, c.Dataset))
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if n := len(e.Runs); n < e.Planned {
		out = slices.Insert(out, 0, fmt.Sprintf("PARTIAL: %d of %d runs", n, e.Planned))
	}
	return out
}
