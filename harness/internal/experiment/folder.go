// Package experiment reads and writes results folders. Open is the reader: the manifest, the
// resolved spec, the records, what is selected from them and the verdicts on claims, as values,
// each read when it is asked for. Describe, Tidy and Derivation.Write are the writer: where the
// records come from, and all that can be derived from them. Nothing here runs an algorithm.
package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// Files of a results folder. Package record has others.
const (
	// SpecFile is the resolved spec, ManifestFile says what made the records.
	SpecFile     = "spec.yaml"
	ManifestFile = "manifest.json"
	// SelectionFile, CurvesFile and ClaimsFile are derived from the records.
	SelectionFile = "selection.csv"
	CurvesFile    = "curves.csv"
	ClaimsFile    = "claims.json"
	// ClusterFolder holds what was submitted to a cluster, and is no part of the results.
	ClusterFolder = "cluster"
)

// MostText bounds ManifestFile and ClaimsFile, in bytes: fifty times the largest that the specs of
// the thesis make.
const MostText = 2 << 20

// Folder is the results folder of a running, stopped or complete experiment. It is not safe for concurrent use.
type Folder struct {
	Dir      string
	Manifest Manifest

	records *record.Experiment
}

// Open opens a results folder. It fails where there is no manifest that can be read, for that is
// the last file to be written before the first run begins.
func Open(dir string) (*Folder, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{Dir: dir, Manifest: *m}, nil
}

// Records reads the records, once. Their Warnings say what is damaged. It fails if DerivedOnly is true.
func (f *Folder) Records() (*record.Experiment, error) {
	if f.records != nil {
		return f.records, nil
	}
	if f.DerivedOnly() {
		return nil, fmt.Errorf("%s has no records, only what was derived from them: use claims, report, or, if it has %s, verify; to make the records, run the spec %s again: %s",
			f.Dir, ChecksumsFile, f.Manifest.Spec, f.Manifest.command())
	}
	e, err := record.ReadDir(f.Dir)
	if err != nil {
		return nil, err
	}
	f.records = e
	return e, nil
}

// Err returns the first error that was met when a curve or a timing of the records was read.
func (f *Folder) Err() error {
	if f.records == nil {
		return nil
	}
	return f.records.Err()
}

// Close closes the records: curves and timings that were not read cannot be read any more.
func (f *Folder) Close() error {
	if f.records == nil {
		return nil
	}
	return f.records.Close()
}

// SpecText reads the resolved spec that the folder was last run with, as YAML.
func (f *Folder) SpecText() ([]byte, error) {
	text, err := spec.ReadFile(filepath.Join(f.Dir, SpecFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s, the spec that it was run with; run the spec with --out %s to record it again: no recorded run is repeated",
			f.Dir, SpecFile, filepath.Dir(filepath.Clean(f.Dir)))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the spec that was run: %w", err)
	}
	return text, nil
}

// Spec reads the resolved spec that the folder was last run with. Mistakes in it are spec.Errors:
// it may be of another version of this program. Of sets, which are those of spec.LoadOptions, a
// reader who needs parts of it only may put others in their place.
func (f *Folder) Spec(sets ...string) (*spec.Spec, error) {
	text, err := f.SpecText()
	if err != nil {
		return nil, err
	}
	return spec.Parse(filepath.Join(f.Dir, SpecFile), text, spec.LoadOptions{Sets: sets, Catalog: registry.Catalog()})
}

// Planned is the number of runs that the experiment is to have: that of the plan or, where there is
// none, of the manifest.
func (f *Folder) Planned(e *record.Experiment) int { return max(e.Planned, f.Manifest.Planned) }

// DerivedOnly reports whether the folder holds what was derived from records, and no records, as
// those of results/paper. A folder whose records were lost has curves, too.
func (f *Folder) DerivedOnly() bool {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(f.Dir, name))
		return err == nil
	}
	return (has(SelectionFile) || has(SelectionFile+".gz")) && !has(CurvesFile) && len(recordFiles(f.Dir)) == 0
}

// Exported reports whether the records are compressed text, such as those of results/reference,
// which may leave out runs of the plan.
func (f *Folder) Exported() bool {
	_, err := os.Stat(filepath.Join(f.Dir, record.RunsFile+".gz"))
	return err == nil
}
