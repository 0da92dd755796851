package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
)

// generators are the sources that are no entries of the manifest.
var generators = []spec.Source{
	{Name: "simulated-gaussian", Params: simulatedParams, Distribution: true},
	{Name: "simulated-orthogonal", Params: simulatedParams, Distribution: true},
	{Name: "simulated-margin", Params: marginParams},
	{Name: "interval", Params: intervalParams},
	{Name: "counterexample-2d", Distribution: true},
}

// source describes a source, a generator or an entry of the manifest.
func source(name string) spec.Source {
	if i := slices.IndexFunc(generators, func(s spec.Source) bool { return s.Name == name }); i >= 0 {
		return generators[i]
	}
	return spec.Source{Name: name, Params: manifestParams}
}

// formatParams describes the parameters of the formats of files.
var formatParams = map[string][]spec.Param{
	"libsvm": nil,
	"csv": {
		{Name: "header", Kind: "string", Choices: []string{"auto", "yes", "no"}, Doc: "whether the first line names the columns"},
		{Name: "delimiter", Kind: "string", Doc: "the character between fields, a comma if absent"},
	},
	"idx": {
		{Name: "labels", Kind: "string", Doc: "path of the file of labels"},
		{Name: "test_labels", Kind: "string", Doc: "path of the file of labels of the file that test names"},
	},
}

var simulatedParams = []spec.Param{
	{Name: "dim", Kind: "int", Min: bound(2), Doc: "dimension d, 32 if absent"},
	{Name: "gap", Kind: "int", Min: bound(1), Required: true, Doc: "number k of large eigenvalues"},
	{Name: "decay", Kind: "float", Min: bound(1), Doc: "ratio of successive eigenvalues of the smooth part, 1.1 if absent"},
	{Name: "reading", Kind: "string", Choices: readings(), Doc: "how the thesis's contradictory definition is read, " + string(datasets.DefaultReading) + " if absent"},
}

var marginParams = []spec.Param{
	{Name: "dim", Kind: "int", Min: bound(2), Doc: "dimension d of a block, 64 if absent"},
	{Name: "R", Kind: "float", Min: bound(1), Required: true, Doc: "norm of the reference classifier in a block, whose margin is 1/R"},
	{Name: "noise", Kind: "float", Min: bound(0), Max: bound(0.5), Doc: "probability, less than 1/2, that a label is flipped, 0 if absent"},
	{Name: "spread", Kind: "float", Min: bound(0), Max: bound(1), Doc: "how far margins reach from 1/R to 1, 0 if absent"},
	{Name: "blocks", Kind: "int", Min: bound(1), Max: bound(32), Doc: "number of kinds of examples with dim coordinates each, half as frequent one after the other, 1 if absent"},
	{Name: "n", Kind: "int", Min: bound(1), Doc: "number of training rows, 1000 if absent"},
	{Name: "test", Kind: "int", Min: bound(0), Doc: "number of test rows, 1000 if absent"},
	{Name: "draw", Kind: "int", Min: bound(0), Doc: "number of the sample: another for each, 0 if absent"},
}

var intervalParams = []spec.Param{
	{Name: "from", Kind: "float", Doc: "its lower end, -2 if absent"},
	{Name: "to", Kind: "float", Doc: "its upper end, 2 if absent"},
	{Name: "points", Kind: "int", Min: bound(2), Doc: "number of points, 401 if absent"},
}

func readings() []string {
	var names []string
	for _, r := range datasets.Readings() {
		names = append(names, string(r))
	}
	return names
}

var manifestParams = []spec.Param{
	{Name: "part", Kind: "string", Doc: "which part of the dataset: train, test or all"},
	{Name: "variant", Kind: "string", Doc: "which variant of the dataset"},
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
	switch {
	case err == nil:
		return data, nil
	case e.Path == "" && e.ID == e.Source:
		return nil, &unnamed{err, e.ID}
	case e.Path == "":
		return nil, err
	}
	// What is left names the file and the line; the caller names the dataset.
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; paths in a spec are relative to the working directory", err)
	}
	return nil, err
}

// unnamed is an error about a dataset that the caller has named already.
type unnamed struct {
	error
	name string
}

// Error implements error.
func (u *unnamed) Error() string {
	return strings.TrimPrefix(u.error.Error(), "dataset "+u.name+": ")
}

// Unwrap returns the error.
func (u *unnamed) Unwrap() error { return u.error }
