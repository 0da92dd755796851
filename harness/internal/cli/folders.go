package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// folders returns the results folders that arguments name, each being one or the folder of several.
// It reports the arguments and folders that it ignores.
func (a *app) folders(dirs []string) ([]string, error) {
	dirs = a.paths(dirs)
	found, idle, err := experiment.Find(dirs)
	if err != nil {
		return nil, usage(err)
	}
	for _, dir := range idle {
		fmt.Fprintf(a.err, "note: %s holds no results and is ignored\n", dir)
	}
	named := func(dir string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return filepath.Clean(d) == dir })
	}
	found = slices.DeleteFunc(found, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, experiment.ManifestFile))
		if !errors.Is(err, fs.ErrNotExist) || named(dir) {
			return false
		}
		fmt.Fprintf(a.err, "warning: %s has no %s and is passed over\n", dir, experiment.ManifestFile)
		return true
	})
	if len(found) == 0 {
		return nil, usagef("%s: there is no results folder with a %s in it; name a folder that run has made, such as results/<name>", dirs[0], experiment.ManifestFile)
	}
	return found, nil
}

// eachFolder does something with each results folder that arguments stand for. What is wrong with
// one does not keep it from the others.
func (a *app) eachFolder(dirs []string, do func(*experiment.Folder) error) error {
	found, err := a.folders(dirs)
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range found {
		f, err := experiment.Open(dir)
		if err = usage(err); err == nil {
			err = with(f, do)
		}
		if err != nil && !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
			errs = append(errs, err) // what is wrong with --spec is said once
		}
	}
	return errors.Join(errs...)
}

// with does something with a results folder and closes it. It is an error if a curve cannot be read.
func with(f *experiment.Folder, do func(*experiment.Folder) error) error {
	defer f.Close()
	err := do(f)
	return cmp.Or(usage(f.Err()), err)
}

// contents reads the resolved spec of a results folder and its records, of which there must be
// some, and tells what is damaged.
func (a *app) contents(f *experiment.Folder) (*spec.Spec, *record.Experiment, error) {
	s, err := f.Spec()
	if err != nil {
		return nil, nil, usage(err)
	}
	e, err := a.records(f)
	return s, e, err
}

// records reads the records of a results folder, of which there must be some, and tells what is
// damaged.
func (a *app) records(f *experiment.Folder) (*record.Experiment, error) {
	e, err := f.Records()
	if err != nil {
		return nil, usage(err)
	}
	a.warn(e.Warnings)
	if len(e.Runs) == 0 {
		return nil, noRecords(f.Dir)
	}
	return e, nil
}

func noRecords(dir string) error { return usagef("%s holds no records yet; start with run", dir) }

// warn tells of what a user should know.
func (a *app) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(a.err, "warning:", w)
	}
}
