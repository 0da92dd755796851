package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/spec"

	"github.com/google/renameio/v2"
	"gopkg.in/yaml.v3"
)

// Names of the files that say what a results folder was made from.
const (
	SpecFile     = "spec.yaml"
	ManifestFile = "manifest.json"
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

// Tool says what program and machine made the records.
type Tool struct {
	Version  string `json:"version"`
	Revision string `json:"vcs_revision"`
	Dirty    bool   `json:"vcs_dirty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	CPUs     int    `json:"cpus"`
	CPU      string `json:"cpu"`
	// GOAMD64 is the microarchitecture level of an amd64 build; from v3 on the
	// compiler fuses multiplications and additions, and the bits differ.
	GOAMD64 string `json:"goamd64,omitempty"`
}

// String names the program, as timings do.
func (t Tool) String() string {
	text := t.Version + " " + t.Revision
	if t.Dirty {
		text += " (modified)"
	}
	return text
}

// Fuses reports whether the binary's arithmetic differs in its last bits from
// that of the default build.
func (t Tool) Fuses() bool { return t.GOAMD64 == "v3" || t.GOAMD64 == "v4" }

// Dataset is a dataset as it was found.
type Dataset struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Hash    string `json:"hash"`
	StandIn bool   `json:"stand_in"`
	Reason  string `json:"stand_in_reason,omitempty"`
}

// ThisTool describes the running binary and machine.
func ThisTool() Tool {
	t := Tool{
		Version: "unknown", Revision: "unknown",
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPUs: runtime.NumCPU(), CPU: cpuModel(),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t
	}
	if info.Main.Version != "" {
		t.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOAMD64":
			t.GOAMD64 = s.Value
		case "vcs.revision":
			t.Revision = s.Value
		case "vcs.modified":
			t.Dirty = s.Value == "true"
		}
	}
	return t
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

// ReadManifest reads the manifest of a results folder.
func ReadManifest(dir string) (*Manifest, error) {
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

func makeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", path, err)
	}
	return nil
}
