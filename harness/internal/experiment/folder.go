// Package experiment reads and writes results folders. Open returns a Folder, which reads the resolved spec, the
// records and the verdicts on demand. Begin and Describe write the spec and the manifest. Derivation.Write writes
// everything that is derived from the records. The package runs no algorithms.
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

// Files of a results folder. Package record names the files of records.
const (
	// SpecFile has the resolved spec, and ManifestFile the Manifest.
	SpecFile     = "spec.yaml"
	ManifestFile = "manifest.json"
	// SelectionFile, CurvesFile and ClaimsFile are derived from the records.
	SelectionFile = "selection.csv"
	CurvesFile    = "curves.csv"
	ClaimsFile    = "claims.json"
	// ClusterFolder has the files of cluster jobs, which are not results.
	ClusterFolder = "cluster"
)

// MaxText is the maximum size of ManifestFile and of ClaimsFile in bytes, fifty times the largest in results/.
const MaxText = 2 << 20

// Folder is the results folder of a running, stopped or complete experiment. It is not safe for concurrent use.
type Folder struct {
	Dir      string
	Manifest Manifest

	records *record.Experiment
}

// Open opens a results folder. It returns an error if the manifest is missing or damaged. The manifest is the last
// file written before the first run starts.
func Open(dir string) (*Folder, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{Dir: dir, Manifest: *m}, nil
}

// Records returns the records. It reads them on the first call. Their Warnings describe damage. It returns an error if
// the folder is DerivedOnly.
func (f *Folder) Records() (*record.Experiment, error) {
	if f.records != nil {
		return f.records, nil
	}
	if f.DerivedOnly() {
		return nil, f.noRecords()
	}
	e, err := record.ReadDir(f.Dir)
	if err != nil {
		return nil, err
	}
	f.records = e
	return e, nil
}

// noRecords returns the error of a command that needs records, in a folder without them.
func (f *Folder) noRecords() error {
	return fmt.Errorf("%s has no records, only derived files: use `claims`, `report` or, with %s, `verify`; "+
		"to make the records, run spec %s again: %s", f.Dir, ChecksumsFile, f.Manifest.Spec, f.Manifest.command())
}

// Err returns the first error in reading a curve or a timing of the records.
func (f *Folder) Err() error {
	if f.records == nil {
		return nil
	}
	return f.records.Err()
}

// Close closes the records. Curves and timings can then no longer be read.
func (f *Folder) Close() error {
	if f.records == nil {
		return nil
	}
	return f.records.Close()
}

// SpecText returns the resolved spec of the last run, as YAML.
func (f *Folder) SpecText() ([]byte, error) {
	text, err := spec.ReadFile(filepath.Join(f.Dir, SpecFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s, the spec that was run; run the spec with --out %s to write it again: "+
			"no recorded run is repeated", f.Dir, SpecFile, filepath.Dir(filepath.Clean(f.Dir)))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the spec that was run: %w", err)
	}
	return text, nil
}

// Spec returns the resolved spec of the last run, with changes as in spec.LoadOptions.Sets. It returns spec.Errors if
// the spec of another version is invalid. To avoid that, a caller can change the parts that it does not need.
func (f *Folder) Spec(sets ...string) (*spec.Spec, error) {
	text, err := f.SpecText()
	if err != nil {
		return nil, err
	}
	return spec.Parse(filepath.Join(f.Dir, SpecFile), text, spec.LoadOptions{Sets: sets, Catalog: registry.Catalog()})
}

// Planned returns the number of planned runs: that of the records or of the manifest, whichever is larger.
func (f *Folder) Planned(e *record.Experiment) int { return max(e.Planned, f.Manifest.Planned) }

// DerivedOnly reports whether the folder was published without records, as the folders of results/paper. Such a folder
// has no CurvesFile, unlike a folder whose records were lost.
func (f *Folder) DerivedOnly() bool {
	return (f.has(SelectionFile) || f.has(SelectionFile+".gz")) && !f.has(CurvesFile) && !hasRecords(f.Dir)
}

// Exported reports whether the records are compressed text, as in results/reference. Such records may lack planned
// runs.
func (f *Folder) Exported() bool { return f.has(record.RunsFile + ".gz") }

func (f *Folder) has(name string) bool {
	_, err := os.Stat(filepath.Join(f.Dir, name))
	return err == nil
}
