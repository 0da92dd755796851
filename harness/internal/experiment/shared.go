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

// Begin prepares a results folder before its runs start. It writes the spec and the manifest, stores the plan, and
// removes products that the spec does not request. If shared is true, other processes may work in the folder.
func Begin(
	store *record.Store, dir string, s *spec.Spec, m Manifest, plan []record.ID, shared bool,
) (warnings []string, err error) {
	describe := describeShared
	if !shared {
		describe = Describe
		if err := disk.Sweep(dir, ".", figures, tables); err != nil {
			return nil, fmt.Errorf("removing temporary files: %w", err)
		}
	}
	if warnings, err = removeStale(dir, s); err != nil {
		return nil, err
	}
	if err := store.SetPlan(plan); err != nil {
		return nil, err
	}
	m.Earlier = otherBuilds(dir, m.Tool)
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

// CheckArithmetic returns an error if a tool has another Arithmetic than the tool that made the records of the folder.
// It returns nil if the manifest is missing, damaged or incomplete.
func CheckArithmetic(dir string, t Tool) error {
	m, err := readManifest(dir)
	if err != nil {
		return nil
	}
	there, here := m.Tool.Arithmetic(), t.Arithmetic()
	if there == "" || there == here {
		return nil
	}
	return fmt.Errorf("the records of %s were made on %s, but this is %s, whose results differ in their last bits: "+
		"use the same kind of machine and binary, or another --out", dir, there, here)
}

// describeShared is Describe for several processes that run the same spec in one folder, on any machines. It keeps an
// existing description that differs only in the machine. If several processes find no description, one of them writes
// it, and the others check their arithmetic against it.
func describeShared(dir string, s *spec.Spec, m Manifest) error {
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
	expected := m // the existing manifest, if it differs only in the machine
	if old.hasBuild(m.Tool) {
		expected.Tool, expected.Earlier = old.Tool, old.Earlier
	}
	files, err := describe(s, expected)
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := disk.ReadFile(filepath.Join(dir, f.Name), MaxText)
		if err != nil || !bytes.Equal(text, f.Data) {
			return Describe(dir, s, m)
		}
	}
	return nil
}
