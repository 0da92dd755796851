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
	"stochopt/harness/internal/model"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/results/record"
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
		v.remark(checkProducts, RemarkUnchecked, "not compared: some of the records are missing")
		return nil
	}
	d, files, err := v.derive()
	if err != nil || d == nil {
		return err
	}
	made := make(map[string]bool)
	for _, f := range files {
		made[filepath.ToSlash(f.name)] = true
		if err := v.sameFile(checkProducts, f.name, f.path); err != nil {
			return err
		}
	}
	if err := v.models(ctx, d, made); err != nil {
		return err
	}
	v.others(made)
	return nil
}

// product is a file that was made anew, by its name in the folder.
type product struct{ name, path string }

// derive makes anew, in the scratch folder, what is derived from the records. Without a
// derivation there is a finding.
func (v *verification) derive() (*experiment.Derivation, []product, error) {
	d, err := v.folder.Derive(v.spec)
	if err != nil {
		v.find(checkProducts, Damaged, Finding{Text: "nothing can be derived from the records: " + err.Error()})
		return nil, nil, nil
	}
	dir := filepath.Join(v.scratch, "products")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	products, err := d.In(dir).Write(experiment.All)
	if err != nil {
		if inScratch(err, v.scratch) {
			return nil, nil, err
		}
		v.find(checkProducts, Damaged, Finding{Text: "they cannot be derived from the records: " + err.Error()})
		return nil, nil, nil
	}
	var made []product
	for _, path := range products.Files {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, nil, err
		}
		made = append(made, product{name, path})
	}
	return d, made, nil
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

// models makes the models of the spec again and compares them with those saved.
func (v *verification) models(ctx context.Context, d *experiment.Derivation, made map[string]bool) error {
	for i := range v.spec.Models {
		m := &v.spec.Models[i]
		name := experiment.ModelFile(m.ID)
		made[filepath.ToSlash(name)] = true
		if _, err := os.Stat(filepath.Join(v.folder.Dir, name)); errors.Is(err, fs.ErrNotExist) {
			if v.folder.Manifest.NoModels {
				v.remark(checkModels, RemarkUnchecked, "model %s was left out, by --no-models or --only", m.ID)
				continue
			}
			at := Finding{File: filepath.ToSlash(name)}
			v.findf(checkModels, Missing, at, "missing; run the spec again to save it")
			continue
		}
		if v.startsProgram(m) {
			v.remark(checkModels, RemarkUnchecked, "model %s is of an external algorithm and so not verified; --external allow starts its program", m.ID)
			continue
		}
		if err := v.model(ctx, d, m, name); err != nil {
			return err
		}
	}
	return nil
}

// startsProgram reports whether making a model again could start a program without leave.
func (v *verification) startsProgram(m *spec.ModelEntry) bool {
	return !v.opt.Run.External && slices.ContainsFunc(v.spec.Algorithms, func(a spec.AlgorithmEntry) bool {
		return a.External != nil && (a.Series() == m.Series || m.Series == spec.Best)
	})
}

func (v *verification) model(ctx context.Context, d *experiment.Derivation, m *spec.ModelEntry, name string) error {
	opt := v.opt.Run
	opt.Dir, opt.Tool = filepath.Join(v.scratch, "runs"), v.folder.Manifest.Tool.String()
	var err error
	if opt.Memory, opt.Data, err = v.opt.Memory(&plan.Plan{Spec: v.spec, Problems: v.plan.Problems}); err != nil {
		return err
	}
	if err := os.MkdirAll(opt.Dir, 0o755); err != nil {
		return err
	}
	again, err := v.opt.Model(ctx, v.plan, d, m, opt)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		at := Finding{File: filepath.ToSlash(name)}
		v.findf(checkModels, Differs, at, "the classifier cannot be made again: %v", err)
		return nil
	}
	if err := model.Write(v.scratch, name, again); err != nil {
		return err
	}
	return v.sameFile(checkModels, name, filepath.Join(v.scratch, name))
}

// owned are the files of a results folder that are neither derived from the records nor
// models.
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
		if !made[name] && !slices.Contains(owned, name) && !record.IsCheckpoint(name) &&
			!strings.HasPrefix(name, experiment.ClusterFolder+"/") && !strings.HasPrefix(name, ".") && !experiment.IsRecord(name) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		v.remark(checkProducts, RemarkWarning, "%v", err)
	}
	if len(names) > 0 {
		v.remark(checkProducts, RemarkOthers, "the spec does not ask for these files, which are not compared: %s", words.List(names, 5))
	}
}
