package experiment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stochopt/internal/disk"
	"stochopt/internal/record"
)

// Import writes the records of a text folder into the database of another folder, with spec and
// manifest if these are missing. Existing records stay, and an existing manifest then also lists
// the builds of the imported folder.
func (f *Folder) Import(dir string) (err error) {
	e, err := f.Records()
	if err != nil {
		return err
	}
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	// The manifest comes last: with it the folder counts as a results folder.
	for _, name := range []string{SpecFile, ManifestFile} {
		text, err := disk.ReadFile(filepath.Join(f.Dir, name), MostText)
		if err != nil {
			return fmt.Errorf("cannot import %s: %w", f.Dir, err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			continue
		}
		if err := disk.Write(dir, name, text); err != nil {
			return err
		}
	}
	if err := addBuilds(dir, f.Manifest); err != nil {
		return err
	}
	if err := CopyDescription(store, dir, ThisTool()); err != nil {
		return err
	}
	plan := make([]record.ID, len(e.Runs))
	for i := range e.Runs {
		r := &e.Runs[i]
		plan[i] = r.ID()
		times, _ := r.Timing()
		if err := e.Err(); err != nil {
			return err
		}
		if err := store.Add(*r, times); err != nil {
			return err
		}
	}
	if store.Plan() != nil {
		return nil
	}
	return store.SetPlan(plan)
}
