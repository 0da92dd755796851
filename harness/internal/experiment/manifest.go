package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/spec"

	"github.com/google/renameio/v2"
	"gopkg.in/yaml.v3"
)

// Manifest says where the records of a results folder come from.
type Manifest struct {
	Tool     Tool      `json:"tool"`
	Spec     string    `json:"spec"`
	Profile  string    `json:"profile"`
	Seed     uint64    `json:"seed"`
	Planned  int       `json:"planned_runs"`
	Datasets []Dataset `json:"datasets"`
	// BelowPaper says in which ways the runs are smaller than the spec at its full
	// scale, of the profile "paper" if it has one.
	BelowPaper []claims.Shortfall `json:"below_paper,omitempty"`
}

// StandIns returns the ids of the datasets that were stand-ins.
func (m *Manifest) StandIns() []string {
	var ids []string
	for _, d := range m.Datasets {
		if d.StandIn {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// Dataset is a dataset as it was found.
type Dataset struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Hash    string `json:"hash"`
	StandIn bool   `json:"stand_in"`
	Reason  string `json:"stand_in_reason,omitempty"`
}

// Describe writes the resolved spec and the manifest to the results folder.
func Describe(dir string, s *spec.Spec, m Manifest) error {
	resolved, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Errorf("encoding the resolved spec: %w", err)
	}
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the manifest: %w", err)
	}
	// The manifest comes last: with it the folder counts as a results folder.
	for _, f := range []struct {
		name string
		data []byte
	}{{SpecFile, resolved}, {ManifestFile, append(manifest, '\n')}} {
		path := filepath.Join(dir, f.name)
		if err := renameio.WriteFile(path, f.data, 0o644); err != nil {
			return fmt.Errorf("cannot write %s: %w; free space or use another --out", path, err)
		}
	}
	return nil
}

// readManifest reads the manifest of a results folder.
func readManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not a results folder, it has no %s: name a folder that run has made, such as results/<name>", dir, ManifestFile)
	case err != nil:
		return nil, fmt.Errorf("cannot read the results folder %s: %w", dir, err)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; run the spec again, which writes it anew and repeats no run", path, err)
	}
	return &m, nil
}
