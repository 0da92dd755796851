package registry

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
)

// The catalog rejects invalid parameters of data, which package datasets does not check again, and
// accepts valid ones.
func TestParametersOfData(t *testing.T) {
	t.Parallel()
	catalog := Catalog()
	refs := make(map[string]datasets.Ref)
	for _, s := range catalog.Sources {
		refs[s.Name] = datasets.Ref{Source: s.Name}
	}
	for _, format := range datasets.Formats() {
		refs[format] = datasets.Ref{Path: "x", Test: "y", Format: format}
	}
	for name, ref := range refs {
		params := catalog.SourceParams(name)
		checkParams(t, name, params)
		required := map[string]any{}
		if ref.Format == "idx" || ref.Format == "npy" {
			required["labels"], required["test_labels"] = "z", "z"
		}
		for _, p := range params {
			if p.Required {
				required[p.Name] = int64(2)
			}
		}
		accepts := func(p spec.Param, v any) bool {
			ref.With = maps.Clone(required)
			ref.With[p.Name] = v
			_, err := p.Coerce(v)
			return err == nil && ref.Check() == nil
		}
		for i, q := range datasets.Params(name) {
			var refused []any
			switch {
			case q.Kind == "int":
				refused = []any{int64(*q.Min - 1), int64(*q.Max + 1)}
			case q.Kind == "float":
				refused = []any{*q.Min - 1, *q.Max + 1}
			case len(q.Choices) > 0:
				refused = []any{"no-such"}
			}
			for _, v := range refused {
				if accepts(params[i], v) {
					t.Errorf("%s accepts %s = %v", name, q.Name, v)
				}
			}
			for _, choice := range q.Choices {
				if !accepts(params[i], choice) {
					t.Errorf("%s rejects %s = %s", name, q.Name, choice)
				}
			}
		}
		ref.With = required
		if err := ref.Check(); err != nil {
			t.Errorf("%s with the required parameters: %v", name, err)
		}
		if accepts(spec.Param{Name: "no-such", Kind: "int"}, int64(1)) {
			t.Errorf("%s accepts the parameter no-such", name)
		}
	}
	for _, p := range datasets.Preparations() {
		if !slices.Contains(catalog.Prepares, p.Name) {
			t.Errorf("the catalog lacks the preparation %s", p.Name)
		}
	}
}

func TestOpenOfOwnFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := Open(t.Context(), &spec.DatasetEntry{ID: "x", Path: "x.csv", Format: "csv"}, datasets.Options{})
	if _, named := errors.AsType[*datasets.NamedError](err); named || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
}
