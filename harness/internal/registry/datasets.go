package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
)

// Sources implements spec.Catalog.
func (Catalog) Sources() []string { return datasets.Sources() }

var _ spec.Formats = Catalog{}

// FormatOf implements spec.Formats.
func (Catalog) FormatOf(path string) string { return datasets.FormatOf(path) }

// Prepares implements spec.Catalog.
func (Catalog) Prepares() []string {
	var names []string
	for _, p := range datasets.Preparations() {
		names = append(names, p.Name)
	}
	return names
}

// Distribution implements spec.Distributions.
func (Catalog) Distribution(source string) bool {
	return slices.ContainsFunc(datasets.Generators(), func(g datasets.Generator) bool { return g.Endless && g.Name == source })
}

// SourceParams implements spec.Catalog.
func (Catalog) SourceParams(source string) []spec.Param {
	var out []spec.Param
	for _, p := range datasets.Params(source) {
		out = append(out, spec.Param{
			Name: p.Name, Kind: p.Kind, Required: p.Required, Choices: p.Choices, Min: p.Min, Max: p.Max, Doc: p.Doc,
		})
	}
	return out
}

// Ref returns what package datasets is to open for a dataset entry.
func Ref(e *spec.DatasetEntry) datasets.Ref {
	return datasets.Ref{
		Source: e.Source, Path: e.Path, Test: e.Test, Format: e.Format, Features: e.Features,
		Label: string(e.Label), With: e.With, Positive: e.Positive, Prepare: e.Prepare,
	}
}

// Open opens the data of a dataset entry.
func Open(ctx context.Context, e *spec.DatasetEntry, o datasets.Options) (*datasets.Data, error) {
	data, err := datasets.Open(ctx, Ref(e), o)
	named, ok := errors.AsType[*datasets.NamedError](err)
	if !ok || e.Path == "" && e.ID != e.Source {
		return data, err
	}
	// The caller names the dataset; what is left of a file's error names the file and
	// the line.
	err = named.Err
	if e.Path != "" && errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; paths in a spec are relative to the working directory", err)
	}
	return nil, err
}
