package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"

	"gopkg.in/yaml.v3"
)

// ArithmeticError says that the records of a folder are made on another architecture, or by a
// binary that was built for other instructions, so that a record made here would differ from
// them in its last bits.
type ArithmeticError struct{ Dir, There, Here string }

// Error implements error.
func (e *ArithmeticError) Error() string {
	return fmt.Sprintf("the records of %s are made on %s, and this is %s, whose results differ in their last bits: use machines and a binary of one kind, or another --out", e.Dir, e.There, e.Here)
}

// CheckArithmetic returns an *ArithmeticError if the manifest of a folder says that its records
// are made on machines that compute in another way than a tool. It is nil where there is no
// manifest, or one that is damaged or does not say. It writes nothing.
func CheckArithmetic(dir string, t Tool) error {
	m, err := readManifest(dir)
	if err != nil {
		return nil
	}
	there, here := m.Tool.Arithmetic(), t.Arithmetic()
	if there == "" || there == here {
		return nil
	}
	return &ArithmeticError{dir, there, here}
}

// DescribeShared is Describe for one of several processes, on whatever machines, that work in
// a folder for the same spec. What describes the folder already, but for the machine, is left
// as it is. Of those who find nothing there one is the first; of the others CheckArithmetic
// is the judge.
func DescribeShared(dir string, s *spec.Spec, m Manifest) error {
	old, err := readManifest(dir)
	if err != nil {
		err := writeDescription(dir, s, m, disk.Create)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		if old, err = readManifest(dir); err != nil { // damaged
			return Describe(dir, s, m)
		}
	}
	if err := CheckArithmetic(dir, m.Tool); err != nil {
		return err
	}
	same, err := old.describes(dir, s, m)
	if err != nil || same {
		return err
	}
	return Describe(dir, s, m)
}

// describes reports whether a manifest of a folder says, of other machines maybe, what m says
// of a spec, and the spec in the folder is that.
func (old *Manifest) describes(dir string, s *spec.Spec, m Manifest) (bool, error) {
	resolved, err := yaml.Marshal(s)
	if err != nil {
		return false, fmt.Errorf("encoding the resolved spec: %w", err)
	}
	m.Tool, m.SpecSHA256, m.SHA256 = old.Tool, disk.SHA256Of(resolved), old.SHA256
	is, err := old.text()
	if err != nil {
		return false, fmt.Errorf("encoding the manifest: %w", err)
	}
	want, err := m.text()
	if err != nil {
		return false, fmt.Errorf("encoding the manifest: %w", err)
	}
	recorded, err := spec.ReadFile(filepath.Join(dir, SpecFile))
	return err == nil && bytes.Equal(is, want) && bytes.Equal(recorded, resolved), nil
}
