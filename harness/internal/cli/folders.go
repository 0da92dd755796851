package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/output"
	reports "stochopt/harness/internal/report"
)

// folders returns the results folders that arguments stand for, as report takes them,
// each being one or the folder of several. It notes arguments and folders that are
// passed over.
func (a *app) folders(dirs []string) ([]string, error) {
	found, idle, err := reports.Folders(dirs)
	if err != nil {
		return nil, usage(err)
	}
	for _, err := range idle {
		var none *reports.NoResultsError
		if errors.As(err, &none) {
			fmt.Fprintf(a.err, "note: %s holds no results and is passed over\n", none.Dir)
		}
	}
	named := func(dir string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return filepath.Clean(d) == dir })
	}
	found = slices.DeleteFunc(found, func(dir string) bool {
		if _, err := os.Stat(filepath.Join(dir, output.ManifestFile)); !errors.Is(err, fs.ErrNotExist) || named(dir) {
			return false
		}
		fmt.Fprintf(a.err, "warning: %s has no %s and is passed over\n", dir, output.ManifestFile)
		return true
	})
	if len(found) == 0 {
		return nil, usagef("%s: there is no results folder with a %s in it; name a folder that run has made, such as results/<name>", dirs[0], output.ManifestFile)
	}
	return found, nil
}

// eachFolder does something with each results folder that arguments stand for. What is
// wrong with one does not keep it from the others.
func (a *app) eachFolder(dirs []string, do func(dir string) error) error {
	found, err := a.folders(dirs)
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range found {
		err := do(dir)
		if err != nil && !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
			errs = append(errs, err) // what is wrong with --spec is said once
		}
	}
	return errors.Join(errs...)
}
