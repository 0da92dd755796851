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
	"stochopt/plots/table"

	"gopkg.in/yaml.v3"
)

// removeStale removes the figures and tables that the recorded spec requests and s does not. It removes the verdicts if
// s has no claims. It keeps all other files and, if the recorded spec is damaged, all figures and tables. damage has
// warnings on a damaged spec or manifest.
func removeStale(dir string, s *spec.Spec) (damage []string, err error) {
	path := filepath.Join(dir, SpecFile)
	data, err := spec.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return manifestDamage(dir), nil
	}
	// A recorded spec of another version may be invalid, so only this part is decoded.
	var before struct{ Figures, Tables []struct{ ID string } }
	if err == nil {
		err = yaml.Unmarshal(data, &before)
	}
	if err != nil {
		before.Figures, before.Tables = nil, nil
		damage = append(damage, fmt.Sprintf("%s is damaged: %v; it is written again from the given spec, "+
			"and all figures and tables are kept", path, err))
	}
	var stale []string
	for _, f := range before.Figures {
		if !slices.ContainsFunc(s.Figures, func(now plots.Figure) bool { return now.ID == f.ID }) {
			for _, ext := range []string{"svg", "pdf", "png", "txt", "csv"} {
				stale = append(stale, filepath.Join(figures, f.ID+"."+ext))
			}
		}
	}
	for _, t := range before.Tables {
		if !slices.ContainsFunc(s.Tables, func(now plots.Table) bool { return now.ID == t.ID }) {
			for _, format := range table.Formats {
				stale = append(stale, filepath.Join(tables, t.ID+"."+format.Ext))
			}
		}
	}
	if len(s.Claims) == 0 {
		stale = append(stale, ClaimsFile, ObservationsFile)
	}
	for _, name := range stale {
		if err := disk.Remove(dir, name); err != nil {
			return damage, fmt.Errorf("removing products that the spec no longer requests: %w", err)
		}
	}
	return append(damage, manifestDamage(dir)...), nil
}
