package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/disk"
	"stochopt/internal/record"
	"stochopt/results/words"
)

// derived makes everything that is derived from the records anew, in a scratch folder, and
// compares it with the files on disk. While records are missing there is nothing to compare
// with: tables and figures of some records differ from those of all.
func (v *verification) derived(ctx context.Context) error {
	if v.folder.Packed() {
		return nil
	}
	if !v.Complete {
		v.remark(checkProducts, remarkUnchecked, "not compared: some of the records are missing")
		return nil
	}
	files, err := v.derive()
	if err != nil || files == nil {
		return err
	}
	made := make(map[string]bool)
	for _, f := range files {
		made[filepath.ToSlash(f.name)] = true
		if err := v.sameFile(checkProducts, f.name, f.path); err != nil {
			return err
		}
	}
	v.others(made)
	return nil
}

// product is a file that was made anew, by its name in the folder.
type product struct{ name, path string }

// derive makes the products of the records again, in the scratch folder. It returns nil
// after a finding.
func (v *verification) derive() ([]product, error) {
	d, err := v.folder.Derive(v.spec)
	if err != nil {
		v.find(checkProducts, Damaged, Finding{Text: "nothing can be derived from the records: " + err.Error()})
		return nil, nil
	}
	dir := filepath.Join(v.scratch, "products")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	products, err := d.In(dir).Write(experiment.All)
	if err != nil {
		if inScratch(err, v.scratch) {
			return nil, err
		}
		v.find(checkProducts, Damaged, Finding{Text: "they cannot be derived from the records: " + err.Error()})
		return nil, nil
	}
	made := []product{}
	for _, path := range products.Files {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		made = append(made, product{name, path})
	}
	return made, nil
}

// inScratch reports whether an error is of a file that is being made.
func inScratch(err error, scratch string) bool {
	var path *fs.PathError
	return errors.As(err, &path) && strings.HasPrefix(path.Path, scratch)
}

// sameFile compares a file of the folder with the one made anew.
func (v *verification) sameFile(check, name, path string) error {
	want, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	at := Finding{File: filepath.ToSlash(name)}
	got, err := disk.ReadFile(filepath.Join(v.folder.Dir, name), len(want))
	if errors.Is(err, disk.ErrTooLong) {
		err = nil // it differs anyway
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		at.Text = "missing; run the spec again to make it; finished runs are not repeated"
		v.find(check, Missing, at)
		return nil
	case err != nil:
		at.Text = "it cannot be read: " + err.Error()
		v.find(check, Damaged, at)
		return nil
	}
	v.checked(check, 1)
	if !bytes.Equal(got, want) {
		at.Text = where(got, want)
		v.find(check, Differs, at)
	}
	return nil
}

// where says in which line a text differs first from what it should be, and otherwise
// from which byte on.
func where(got, want []byte) string {
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	place := fmt.Sprintf("line %d", 1+bytes.Count(want[:n], []byte{'\n'}))
	if bytes.ContainsRune(want, 0) {
		place = fmt.Sprintf("byte %d", n+1)
	}
	return fmt.Sprintf("it differs from what the records give, from %s on; run the spec again to make it anew", place)
}

// owned are the files of a results folder that are not derived from the records.
var owned = []string{
	experiment.ManifestFile, experiment.SpecFile, experiment.PackedFile, experiment.HalvedFile, record.ReferencesFile, record.ArchiveFile, record.DamagedFile,
}

// others tells of files that the spec does not ask for.
func (v *verification) others(made map[string]bool) {
	var names []string
	err := filepath.WalkDir(v.folder.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(v.folder.Dir, path)
		name = filepath.ToSlash(name)
		if !made[name] && !slices.Contains(owned, name) &&
			!strings.HasPrefix(name, experiment.ClusterFolder+"/") && !strings.HasPrefix(name, ".") && !experiment.IsRecord(name) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		v.remark(checkProducts, remarkWarning, "%v", err)
	}
	if len(names) > 0 {
		v.remark(checkProducts, remarkOthers, "the spec does not ask for these files, which are not compared: %s", words.List(names, 5))
	}
}
