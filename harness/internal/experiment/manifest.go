package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/internal/record"
	"stochopt/internal/shell"

	"gopkg.in/yaml.v3"
)

// Manifest describes the origin of the records of a results folder.
type Manifest struct {
	Tool Tool `json:"tool"`
	// Earlier lists the other builds that may have made records, in order of use.
	Earlier []Tool `json:"earlier_tools,omitempty"`
	Spec    string `json:"spec"`
	Profile string `json:"profile"`
	// Set lists the changes to the spec given by --set.
	Set      []string  `json:"set,omitempty"`
	Seed     uint64    `json:"seed"`
	Planned  int       `json:"planned_runs"`
	Datasets []Dataset `json:"datasets"`
	// BelowPaper lists the ways in which the runs are below full scale. Full scale is the profile "paper" if there is one.
	BelowPaper []claims.Shortfall `json:"below_paper,omitempty"`
	// SpecSHA256 is the checksum of the resolved spec. SHA256 is that of the manifest without this field.
	SpecSHA256 string `json:"spec_sha256,omitempty"`
	SHA256     string `json:"sha256,omitempty"`
}

func (m Manifest) text() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// sealed returns the text of the manifest with its checksum.
func (m Manifest) sealed() ([]byte, error) {
	m.SHA256 = ""
	text, err := m.text()
	if err != nil {
		return nil, fmt.Errorf("encoding the manifest: %w", err)
	}
	m.SHA256 = disk.SHA256Of(text)
	return m.text()
}

// Intact reports whether text is the manifest as it was written.
func (m Manifest) Intact(text []byte) bool {
	sealed, err := m.sealed()
	return err == nil && m.SHA256 != "" && bytes.Equal(sealed, text)
}

// Describes reports whether spec is the resolved spec with which the manifest was written.
func (m Manifest) Describes(spec []byte) bool { return m.SpecSHA256 == disk.SHA256Of(spec) }

// command returns the command that makes the records again.
func (m *Manifest) command() string {
	args := []string{"stochopt", "run", "SPEC"}
	if m.Profile != "" {
		args = append(args, "--profile", m.Profile)
	}
	for _, set := range m.Set {
		args = append(args, "--set", set)
	}
	return shell.Words(args)
}

// Builds returns a warning if several builds made the records of a folder, or nothing.
func (m *Manifest) Builds(dir string) []string {
	if len(m.Earlier) == 0 {
		return nil
	}
	var names []string
	for _, t := range m.builds() {
		names = append(names, fmt.Sprintf("%s (%s, %s %s)", t, t.Go, t.Platform, t.GOAMD64))
	}
	return []string{fmt.Sprintf("%s: made by builds %s: runs with equal keys are reused; for runs of one build give "+
		"another --out, and verify compares the records with a build", dir, strings.Join(names, " and "))}
}

// otherBuilds returns the builds in the manifest of a folder, except the build of a tool.
func otherBuilds(dir string, tool Tool) []Tool {
	m, err := readManifest(dir)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(m.builds(), tool.sameBuild)
}

// builds lists the builds that may have made records, the latest last.
func (m *Manifest) builds() []Tool { return append(slices.Clone(m.Earlier), m.Tool) }

// hasBuild reports whether the manifest lists a build.
func (m *Manifest) hasBuild(t Tool) bool { return slices.ContainsFunc(m.builds(), t.sameBuild) }

// addBuilds adds the builds of a manifest to the manifest in a folder.
func addBuilds(dir string, from Manifest) error {
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	added := slices.DeleteFunc(from.builds(), m.hasBuild)
	if len(added) == 0 {
		return nil
	}
	m.Earlier = append(m.Earlier, added...)
	data, err := m.sealed()
	if err == nil {
		err = writeIn(dir, File{ManifestFile, data}, disk.Replace)
	}
	return err
}

// StandIns returns the ids of the datasets that are stand-ins.
func (m *Manifest) StandIns() []string {
	var ids []string
	for _, d := range m.Datasets {
		if d.StandIn {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// skippedRows describes the datasets of which rows were skipped.
func (m *Manifest) skippedRows() []string {
	var list []string
	for _, d := range m.Datasets {
		if d.Rows != "" {
			list = append(list, d.ID+": "+d.Rows)
		}
	}
	return list
}

// Dataset describes a dataset of the runs.
type Dataset struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Hash    string `json:"hash"`
	StandIn bool   `json:"stand_in"`
	Reason  string `json:"stand_in_reason,omitempty"`
	// Rows describes how many rows of the file were read, if some were skipped.
	Rows string `json:"rows,omitempty"`
}

// describe returns the resolved spec and then the manifest. The manifest is last, because it makes the folder a results
// folder.
func describe(s *spec.Spec, m Manifest) ([]File, error) {
	resolved, err := yaml.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encoding the resolved spec: %w", err)
	}
	m.SpecSHA256 = disk.SHA256Of(resolved)
	manifest, err := m.sealed()
	return []File{{SpecFile, resolved}, {ManifestFile, manifest}}, err
}

// Describe writes the resolved spec and the manifest to the results folder.
func Describe(dir string, s *spec.Spec, m Manifest) error {
	files, err := describe(s, m)
	for _, f := range files {
		if err == nil {
			err = writeIn(dir, f, disk.Replace)
		}
	}
	return err
}

// writeIn writes a file into a folder by the given function.
func writeIn(dir string, f File, write func(path string, data []byte) error) error {
	path := filepath.Join(dir, f.Name)
	if err := write(path, f.Data); err != nil {
		return fmt.Errorf("cannot write %s: %w; free space or use another --out", path, err)
	}
	return nil
}

// Names of the copies of SpecFile and ManifestFile in a database. See record.Store.SetMeta.
const (
	MetaSpec     = "spec"
	MetaManifest = "manifest"
)

// CopyDescription copies the spec and the manifest of a results folder into its database, and stores the name of the
// tool that writes it.
func CopyDescription(store *record.Store, dir string, tool Tool) error {
	for name, file := range map[string]string{MetaSpec: SpecFile, MetaManifest: ManifestFile} {
		text, err := disk.ReadFile(filepath.Join(dir, file), MaxText)
		if err == nil {
			err = store.SetMeta(name, string(text))
		}
		if err != nil {
			return err
		}
	}
	return store.SetMeta("tool", tool.String())
}

// manifestDamage returns a warning if the manifest is damaged, and nil if it is valid or missing.
func manifestDamage(dir string) []string {
	path := filepath.Join(dir, ManifestFile)
	data, err := disk.ReadFile(path, MaxText)
	if err == nil {
		err = json.Unmarshal(data, new(Manifest))
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return []string{fmt.Sprintf("%s is damaged: %v; it is written again from the given spec", path, err)}
}

// readManifest reads the manifest of a folder. Its errors say what to do.
func readManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	data, err := disk.ReadFile(path, MaxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not a results folder, because it has no %s; "+
			"name a folder that `run` has made, such as results/<name>", dir, ManifestFile)
	case err != nil && !errors.Is(err, disk.ErrTooLong):
		return nil, fmt.Errorf("cannot read the results folder %s: %w", dir, err)
	}
	var m Manifest
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; run the spec again, which replaces it and repeats no run", path, err)
	}
	return &m, nil
}
