package experiment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stochopt/internal/disk"
	"stochopt/internal/record"
)

// Import adds the records of the folder to the database in dir. It keeps the records that dir has. It copies the spec
// and the manifest if dir lacks them, and adds the builds to the manifest.
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
	// The manifest is last, because it makes the folder a results folder.
	for _, name := range []string{SpecFile, ManifestFile} {
		text, err := disk.ReadFile(filepath.Join(f.Dir, name), MaxText)
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
