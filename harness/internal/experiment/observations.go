package experiment

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/internal/observe"
)

// ObservationsFile has the tables from which the claims of the folder were judged.
const ObservationsFile = "observations.csv.gz"

// maxObservations is the maximum uncompressed size of ObservationsFile, in bytes.
const maxObservations = 256 << 20

// Observe returns the tables that decide the claims of the spec, from the records.
func (d *Derivation) Observe() *observe.Tables {
	var laws []observe.PowerLaws
	for _, t := range d.Spec.Tables {
		laws = append(laws, t.PowerLaws())
	}
	in := claims.Input{
		Origin: d.Origin, Choice: d.Choice, Deterministic: Deterministic(d.Spec), Laws: laws,
	}
	return &observe.Tables{List: claims.Observe(d.Spec.Claims, in), Missing: in.Missing}
}

func writeObservations(w io.Writer, o *observe.Tables) error {
	out := gzip.NewWriter(w)
	if err := o.Write(out); err != nil {
		return err
	}
	return out.Close()
}

// Observations reads ObservationsFile.
func (f *Folder) Observations() (*observe.Tables, error) {
	path := filepath.Join(f.Dir, ObservationsFile)
	data, err := disk.ReadCompressed(path, maxObservations)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has neither records nor %s, so its claims cannot be judged; run the spec again",
			f.Dir, ObservationsFile)
	}
	if err != nil {
		return nil, err
	}
	o, err := observe.ReadTables(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w; run the spec again to write it", path, err)
	}
	return o, nil
}

// Decide judges the claims of the folder's spec by ObservationsFile. It writes nothing.
func (f *Folder) Decide(s *spec.Spec) ([]claims.Verdict, error) {
	o, err := f.Observations()
	if err != nil {
		return nil, err
	}
	return claims.Decide(s.Claims, f.origin(s, o.Missing), o.List), nil
}

// origin describes the source of the records, given the missing runs.
func (f *Folder) origin(s *spec.Spec, missing []observe.Missing) claims.Origin {
	return claims.Origin{
		Experiment: s.Name, Profile: f.Manifest.Profile, Set: f.Manifest.Set, Shortfalls: f.Manifest.BelowPaper,
		Missing: missing, Metric: s.Metric(),
	}
}
