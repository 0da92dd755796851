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

// source describes a source: a generator or an entry of the manifest.
func source(name string) spec.Source {
	simulated := slices.ContainsFunc(datasets.Generators(), func(g datasets.Generator) bool { return g.Name == name })
	return spec.Source{Name: name, Params: sourceParams(name), Simulated: simulated}
}

// sourceParams describes the parameters of a source or of the format of a file.
func sourceParams(name string) []spec.Param {
	var out []spec.Param
	for _, p := range datasets.Params(name) {
		out = append(out, spec.Param{
			Name: p.Name, Kind: p.Kind, Required: p.Required, Choices: p.Choices, Min: p.Min, Max: p.Max, Doc: p.Doc,
		})
	}
	return out
}

// Ref returns the reference with which package datasets opens a dataset entry.
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
	// The caller names the dataset. The remaining error of a file names the file and the line.
	err = named.Err
	if e.Path != "" && errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; paths in a spec are relative to the working directory", err)
	}
	return nil, err
}
