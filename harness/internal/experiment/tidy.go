package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/plots"

	"gopkg.in/yaml.v3"
)

// products are the ids of what a spec has drawn, all that Tidy needs of it.
type products struct{ Figures, Tables []product }

type product struct{ ID string }

func ids[T any](list []T, id func(T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = id(x)
	}
	return out
}

// Sweep removes what a kill left of products that were being written. No other process may be at
// work in the folder.
func Sweep(dir string) error {
	if err := disk.Sweep(dir, ".", "figures", "tables"); err != nil {
		return fmt.Errorf("removing what was left half written: %w", err)
	}
	return nil
}

// Tidy removes from the results folder the figures and tables of the spec that it was last run with
// and that s no longer asks for, and the verdicts if s makes no claims. With all it removes every
// figure and table of that spec and the derived CSV files: they are made again. It keeps all
// records and whatever is not a product. If the recorded spec is damaged, Tidy keeps what that
// drew, and damage says so; else damage is empty.
func Tidy(dir string, s *spec.Spec, all bool) (damage string, err error) {
	path := filepath.Join(dir, SpecFile)
	data, err := spec.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var before products
	if err == nil {
		err = yaml.Unmarshal(data, &before)
	}
	if err != nil {
		before = products{}
		damage = fmt.Sprintf("%s is damaged: %v; it is written again from the given spec, and figures and tables that only the damaged one asked for are kept", path, err)
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
	gone("figures", before.Figures, ids(s.Figures, func(f plots.Figure) string { return f.ID }), "svg", "pdf", "png", "txt", "csv")
	gone("tables", before.Tables, ids(s.Tables, func(t plots.Table) string { return t.ID }), "md", "txt", "csv")
	if all || len(s.Claims) == 0 {
		stale = append(stale, ClaimsFile, ObservationsFile)
	}
	if all {
		stale = append(stale, SelectionFile, CurvesFile)
	}
	for _, name := range stale {
		if err := disk.Remove(dir, name); err != nil {
			return damage, fmt.Errorf("removing what the spec no longer asks for: %w", err)
		}
	}
	return damage, nil
}
