// Package verify checks a results folder without changing it. It checks all checksums. It compares the spec, the
// manifest, the plan and the data with each other, the records with the plan and the certified optima, and the
// products with the records. It also repeats a sample of the runs.
package verify

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/internal/record"
	"stochopt/internal/scratch"
)

// Options configures a verification.
type Options struct {
	// Runs is the number of runs to repeat, 0 for the default (see drawSample). Seed selects them.
	Runs int
	Seed uint64
	Tool experiment.Tool
	// Open returns an Opener that uses stand-ins for the named data sets.
	Open func(standIns []string) plan.Opener
	// Run has the options for repeating runs. Its Data is ignored.
	Run run.Options
}

// verification is a verification in progress.
type verification struct {
	Report
	opt     Options
	folder  *experiment.Folder
	records *record.Experiment
	spec    *spec.Spec
	plan    *plan.Plan
	// recorded has the records of the plan's items. optima has the stored optima by id.
	recorded map[*plan.Item]*record.Run
	optima   map[string]objective.Optimum
	// checksums replaces the records of a folder that lists its runs only.
	checksums map[*plan.Item]experiment.RunChecksum
	scratch   string // a temporary folder for second runs
}

// Folder verifies a results folder. It returns an error if the folder has no results or the data are not
// available.
func Folder(ctx context.Context, dir string, opt Options) (*Report, error) {
	second, done, err := scratch.Folder(os.TempDir(), "stochopt-verify-")
	if err != nil {
		return nil, err
	}
	defer done()
	v := &verification{opt: opt, scratch: second}
	v.Report = Report{Dir: dir, Seed: opt.Seed, Checks: []*Check{}, Findings: []Finding{}, Notes: []string{}}
	if v.folder, err = experiment.Open(dir); err == nil {
		defer v.folder.Close()
		check := v.checkAll
		if v.folder.DerivedOnly() {
			check = v.checkListed
		}
		err = check(ctx)
		err = cmp.Or(v.folder.Err(), err)
	} else if experiment.HoldsResults(dir) {
		v.find("spec and manifest", Damaged, experiment.ManifestFile, "the file is missing or damaged; %s", restoreAdvice)
		err = nil
	}
	v.OK = len(v.Findings) == 0
	return &v.Report, err
}

// restoreAdvice is the advice for a file that run writes.
const restoreAdvice = "run the spec again to restore it; this repeats no finished run"

// checkAll performs all checks that do not depend on damaged parts.
func (v *verification) checkAll(ctx context.Context) error {
	if err := v.checkSums(); err != nil || v.records == nil {
		return err
	}
	intact := len(v.Findings) == 0
	v.compareFiles()
	if err := v.buildPlan(ctx); err != nil || v.plan == nil {
		return err
	}
	v.comparePlan()
	v.compareRecords()
	if !intact {
		v.note("records are damaged, so runs were not repeated and products were not compared")
		return nil
	}
	v.checkSuboptimality()
	if err := v.rerun(ctx); err != nil {
		return err
	}
	if !v.Complete {
		v.note("records are missing, so products were not compared")
		return nil
	}
	v.compareProducts()
	return nil
}

// checkSums reads the records and checks all checksums and the number of rows.
func (v *verification) checkSums() (err error) {
	var damage []string
	if v.records, err = v.folder.Records(); err == nil {
		v.Count("checksums").Checked = len(v.records.Runs)
		damage, err = v.records.Check()
	}
	var broken *record.DamageError
	if errors.As(err, &broken) {
		damage, err = append(damage, broken.Error()), nil
	}
	for _, text := range damage {
		v.find("checksums", Damaged, "", "%s", strings.TrimPrefix(text, filepath.Clean(v.Dir)+"/"))
	}
	if err == nil && damage == nil {
		v.Notes = append(v.Notes, v.records.Warnings...)
	}
	return err
}

// compareFiles compares the spec and the manifest with their checksums and, if present, with their copies
// in the database.
func (v *verification) compareFiles() {
	m := v.folder.Manifest
	v.Notes = append(v.Notes, m.Builds(v.Dir)...)
	for _, f := range []struct {
		name, file string
		intact     func(text []byte) bool
	}{{experiment.MetaSpec, experiment.SpecFile, m.Describes}, {experiment.MetaManifest, experiment.ManifestFile, m.Intact}} {
		v.Count("spec and manifest").Checked++
		text, err := disk.ReadFile(filepath.Join(v.Dir, f.file), experiment.MaxText)
		copied, ok := v.records.Meta[f.name]
		switch {
		case err != nil:
			v.find("spec and manifest", Missing, f.file, "%v; %s", err, restoreAdvice)
		case !f.intact(text):
			v.find("spec and manifest", Differs, f.file, "the file was changed: its checksum differs from that in the manifest")
		case ok && copied != string(text):
			v.find("spec and manifest", Differs, f.file, "the copy in the database differs at %s", firstDifference(text, []byte(copied)))
		}
	}
	if s, err := v.folder.Spec(); err == nil {
		v.spec = s
	} else {
		v.find("spec and manifest", Damaged, experiment.SpecFile, "%v", err)
	}
	if was, is := m.Tool.String(), v.opt.Tool.String(); was != is {
		v.note("the folder was last written by %s, but verified by %s, which may explain differences", was, is)
	}
}

// buildPlan builds the plan of the spec, if it is readable, with the data of the records. It compares the data
// with the hashes in the manifest.
func (v *verification) buildPlan(ctx context.Context) (err error) {
	if v.spec == nil {
		return nil
	}
	v.plan, err = plan.Build(ctx, v.spec, v.opt.Open(v.folder.Manifest.StandIns()))
	if err != nil && ctx.Err() == nil && len(v.Findings) > 0 { // a finding is the likely cause
		v.find("plan", Missing, experiment.SpecFile, "the spec cannot be planned: %v", err)
		err = nil
	}
	if err != nil || v.plan == nil {
		return err
	}
	for _, pr := range v.plan.Problems {
		v.Count("data sets").Checked++
		id, hash := pr.Entry.ID, pr.Data.Hash
		same := func(d experiment.Dataset) bool { return d.ID == id && d.Hash == hash }
		if !slices.ContainsFunc(v.folder.Manifest.Datasets, same) {
			v.find("data sets", Differs, experiment.ManifestFile,
				"data set %q has the hash %s, which the manifest does not list", id, hash)
		}
	}
	return nil
}
