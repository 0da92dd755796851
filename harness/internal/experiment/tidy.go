package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/spec"
	"stochopt/plots"

	"gopkg.in/yaml.v3"
)

// products are the ids of what a spec has drawn, all that Tidy needs of it.
type products struct{ Figures, Tables, Models []product }

type product struct{ ID string }

func ids[T any](list []T, id func(T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = id(x)
	}
	return out
}

// ModelFile returns the file of a model, relative to the results folder.
func ModelFile(id string) string { return filepath.Join("models", id+".model.json") }

// Tidy removes from the results folder the figures and tables of the spec that it
// was last run with and that s no longer asks for, and the verdicts if s makes no
// claims. With all it removes every
// figure and table of that spec, the derived CSV files included, and the models that
// s asks for too: they are made anew. A model that s does not ask for is kept, as
// are all records and whatever is not a product.
func Tidy(dir string, s *spec.Spec, all bool) error {
	data, err := os.ReadFile(filepath.Join(dir, SpecFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var before products
	if err == nil {
		err = yaml.Unmarshal(data, &before)
	}
	if err != nil {
		return fmt.Errorf("reading the spec that %s was last run with: %w", dir, err)
	}
	var stale []string
	gone := func(folder string, before []product, now []string, extensions ...string) {
		for _, p := range before {
			if all || !slices.Contains(now, p.ID) {
				for _, ext := range extensions {
					stale = append(stale, filepath.Join(folder, p.ID+"."+ext))
				}
			}
		}
	}
	gone("figures", before.Figures, ids(s.Figures, func(f plots.Figure) string { return f.ID }), "svg", "pdf", "png", "txt")
	gone("tables", before.Tables, ids(s.Tables, func(t plots.Table) string { return t.ID }), "md", "txt", "csv")
	models := ids(s.Models, func(m spec.ModelEntry) string { return m.ID })
	for _, m := range before.Models {
		if all && slices.Contains(models, m.ID) {
			stale = append(stale, ModelFile(m.ID))
		}
	}
	if all || len(s.Claims) == 0 {
		stale = append(stale, ClaimsFile)
	}
	if all {
		stale = append(stale, SelectionFile, CurvesFile)
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing what the spec no longer asks for: %w", err)
		}
	}
	return nil
}
