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

// Sweep removes what a kill left of products that were being written. No other process may be at
// work in the folder.
func Sweep(dir string) error {
	if err := disk.Sweep(dir, ".", "figures", "tables"); err != nil {
		return fmt.Errorf("removing what was left half written: %w", err)
	}
	return nil
}

// Tidy removes from the results folder the figures and tables of the spec that it was last run with
// and that s does not ask for, and the verdicts if s makes no claims. It keeps all records and
// whatever is not a product. If the recorded spec is damaged, Tidy keeps what that drew. damage
// says whether it or the manifest is.
func Tidy(dir string, s *spec.Spec) (damage []string, err error) {
	path := filepath.Join(dir, SpecFile)
	data, err := spec.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return manifestDamage(dir), nil
	}
	// before is all that Tidy needs of the spec.
	var before struct{ Figures, Tables []struct{ ID string } }
	if err == nil {
		err = yaml.Unmarshal(data, &before)
	}
	if err != nil {
		before.Figures, before.Tables = nil, nil
		damage = append(damage, fmt.Sprintf("%s is damaged: %v; it is written again from the given spec, and figures and tables that only the damaged one asked for are kept", path, err))
	}
	var stale []string
	for _, f := range before.Figures {
		if !slices.ContainsFunc(s.Figures, func(now plots.Figure) bool { return now.ID == f.ID }) {
			stale = append(stale, productFiles("figures", f.ID, "svg", "pdf", "png", "txt", "csv")...)
		}
	}
	for _, t := range before.Tables {
		if !slices.ContainsFunc(s.Tables, func(now plots.Table) bool { return now.ID == t.ID }) {
			stale = append(stale, productFiles("tables", t.ID, "md", "txt", "csv")...)
		}
	}
	if len(s.Claims) == 0 {
		stale = append(stale, ClaimsFile, ObservationsFile)
	}
	for _, name := range stale {
		if err := disk.Remove(dir, name); err != nil {
			return damage, fmt.Errorf("removing what the spec no longer asks for: %w", err)
		}
	}
	return append(damage, manifestDamage(dir)...), nil
}

// productFiles are the files of a figure or a table.
func productFiles(folder, id string, extensions ...string) (names []string) {
	for _, ext := range extensions {
		names = append(names, filepath.Join(folder, id+"."+ext))
	}
	return names
}
