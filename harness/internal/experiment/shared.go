package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/internal/record"
)

// Begin has a results folder describe the plan of a spec before its runs start: it writes the spec
// and the manifest, and removes products that the spec does not ask for. With shared, other
// processes may work in the folder at the same time.
func Begin(store *record.Store, dir string, s *spec.Spec, m Manifest, plan []record.ID, shared bool) (warnings []string, err error) {
	describe := DescribeShared
	if !shared {
		describe = Describe
		if err := Sweep(dir); err != nil {
			return nil, err
		}
	}
	if warnings, err = Tidy(dir, s); err != nil {
		return nil, err
	}
	if err := store.SetPlan(plan); err != nil {
		return nil, err
	}
	m.Earlier = OtherBuilds(dir, m.Tool)
	if err := CheckArithmetic(dir, m.Tool); err != nil {
		warnings = append(warnings, err.Error())
	} else {
		warnings = append(warnings, m.Builds(dir)...)
	}
	if err := describe(dir, s, m); err != nil {
		return nil, err
	}
	return warnings, CopyDescription(store, dir, m.Tool)
}

// CheckArithmetic returns an error if the manifest of a folder says that its records are made on
// another architecture than that of a tool, or by a binary that was built for other instructions, so
// that a record made here would differ from them in its last bits. It is nil where there is no
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
	return fmt.Errorf("the records of %s are made on %s, and this is %s, whose results differ in their last bits: use machines and a binary of one kind, or another --out", dir, there, here)
}

// DescribeShared is Describe for one of several processes, on any machines, that work in a
// folder for the same spec. It keeps an existing description that differs only in the machine.
// If several processes find none, one of them writes it, and CheckArithmetic checks the others.
func DescribeShared(dir string, s *spec.Spec, m Manifest) error {
	old, err := readManifest(dir)
	if err != nil {
		files, err := describe(s, m)
		if err != nil {
			return err
		}
		if err := writeIn(dir, files[0], disk.Replace); err != nil {
			return err
		}
		if err := writeIn(dir, files[1], disk.Create); !errors.Is(err, fs.ErrExist) {
			return err
		}
		if old, err = readManifest(dir); err != nil { // damaged
			return Describe(dir, s, m)
		}
	}
	if err := CheckArithmetic(dir, m.Tool); err != nil {
		return err
	}
	theirs := m
	if old.names(m.Tool) {
		theirs.Tool, theirs.Earlier = old.Tool, old.Earlier
	}
	files, err := describe(s, theirs)
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := disk.ReadFile(filepath.Join(dir, f.Name), MostText)
		if err != nil || !bytes.Equal(text, f.Data) {
			return Describe(dir, s, m)
		}
	}
	return nil
}
