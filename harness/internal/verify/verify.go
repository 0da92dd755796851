// Package verify checks a results folder for consistency and against the program: the
// manifest against the resolved spec; the plan against the spec; records, timings and optima
// against the plan and one another; derived files against the records; and a sample of the
// records and the optima against a second run. It changes nothing in the folder.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/internal/record"
	"stochopt/results/words"
)

// Options says how much to verify, and provides data and memory.
type Options struct {
	// Runs is the number of records to make again, 0 for the default (see Sample); All
	// asks for all of them. Seed draws them.
	Runs int
	All  bool
	Seed uint64
	// Tool is the running program.
	Tool experiment.Tool
	// Open opens data; the data sets named are to be stand-ins.
	Open func(standIns []string) plan.Opener
	// Memory bounds what running a plan may take, in bytes, of which so many are for its
	// data.
	Memory func(p *plan.Plan) (bytes, data int64, err error)
	// Run says how runs are made again. Its Dir, Tool, Memory and Data do not count.
	Run run.Options
}

// InputError says why a folder cannot be verified. The user can resolve it.
type InputError struct{ Err error }

// Error implements error.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// verification is one in progress.
type verification struct {
	Report
	opt    Options
	folder *experiment.Folder
	// lines are those of its files, damaged ones excepted.
	lines *record.Inventory
	spec  *spec.Spec
	plan  *plan.Plan
	// onRecord holds the planned runs that are on record, as the readers of the folder
	// take them.
	onRecord map[*plan.Item]record.Run
	// compacted names the records in the file of runs, nil until it is asked for.
	compacted map[identity]bool
	// stored are the certified optima, each once.
	stored []objective.ReferenceLine
	// scratch is a folder for what is made again.
	scratch string
}

// Folder verifies a results folder. What is wrong with it is in the report. The error is
// that of the context or of Options.Memory, an *InputError if there are no results, the
// records are of another schema or the data cannot be had, or what kept it from working.
func Folder(ctx context.Context, dir string, opt Options) (*Report, error) {
	v := &verification{Report: Report{Dir: dir}, opt: opt, onRecord: make(map[*plan.Item]record.Run)}
	f, damage := experiment.Open(dir)
	if damage != nil && !experiment.HoldsResults(dir) {
		return nil, &InputError{damage}
	}
	var err error
	if v.lines, err = record.ReadInventory(dir); err != nil {
		return nil, &InputError{err}
	}
	if v.scratch, err = os.MkdirTemp("", "stochopt-verify-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(v.scratch)
	v.take(f, damage)
	v.readSpec()
	about, err := v.folder.Packing()
	switch {
	case err != nil:
		v.find(checkManifest, Damaged, Finding{File: experiment.PackedFile, Text: err.Error()})
	case about != nil:
		err = v.packed(about)
	default:
		if err = v.build(ctx); err == nil {
			err = v.all(ctx)
		}
	}
	if err != nil {
		return nil, err
	}
	v.finish()
	return &v.Report, nil
}

// all makes the checks for which the folder has what they need.
func (v *verification) all(ctx context.Context) error {
	v.compareManifest()
	v.sound()
	if v.plan != nil {
		v.comparePlan()
		v.compareRecords()
	}
	v.compareTimings()
	if err := v.optima(); err != nil {
		return err
	}
	if v.plan == nil {
		return nil
	}
	v.identities()
	if err := v.rerun(ctx); err != nil {
		return err
	}
	return v.derived(ctx)
}

// build plans the spec with the data that the records are of.
func (v *verification) build(ctx context.Context) error {
	if v.spec == nil {
		return nil
	}
	p, err := plan.Build(ctx, v.spec, v.opt.Open(v.standIns()))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		if len(v.Findings) == 0 {
			return &InputError{err}
		}
		// What is wrong with the spec may well be why.
		v.findf(checkPlan, Missing, Finding{File: experiment.SpecFile}, "the spec cannot be planned: %v", err)
		return nil
	}
	v.plan = p
	return nil
}

// standIns lists the data sets that the records are of stand-ins of; of those without
// records the manifest tells.
func (v *verification) standIns() []string {
	var ids []string
	known := make(map[string]bool)
	for _, r := range v.lines.Runs {
		if id := r.Value.Dataset; !known[id] {
			known[id] = true
			if r.Value.StandIn {
				ids = append(ids, id)
			}
		}
	}
	for _, id := range v.folder.Manifest.StandIns() {
		if !known[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// take takes the folder as it was opened, or with an empty manifest if that was damaged.
func (v *verification) take(f *experiment.Folder, err error) {
	if err == nil {
		v.folder = f
		f.WithoutIndex = true
		return
	}
	v.folder = &experiment.Folder{Dir: v.Dir, WithoutIndex: true}
	kind := Damaged
	if _, missing := os.Stat(filepath.Join(v.Dir, experiment.ManifestFile)); errors.Is(missing, fs.ErrNotExist) {
		kind, err = Missing, errors.New("missing; "+writtenAnew)
	}
	v.find(checkManifest, kind, Finding{File: experiment.ManifestFile, Text: err.Error()})
}

// readSpec reads the resolved spec and compares it with the checksum in the manifest.
func (v *verification) readSpec() {
	text, err := v.folder.SpecText()
	if err != nil {
		v.find(checkSpec, Missing, Finding{File: experiment.SpecFile, Text: err.Error()})
		return
	}
	v.checked(checkSpec, 1)
	same, known := v.folder.Manifest.Describes(text)
	switch {
	case !known:
		v.remark(checkSpec, remarkUnsealed, "the manifest has no checksum of %s, so changes to it may go undetected",
			experiment.SpecFile)
	case !same:
		at := Finding{File: experiment.SpecFile}
		v.findf(checkSpec, Differs, at, "it has changed since the manifest was written: its checksum differs")
	}
	if v.spec, err = v.folder.Spec(); err != nil {
		v.find(checkSpec, Damaged, Finding{File: experiment.SpecFile, Text: err.Error()})
		v.spec = nil
	}
}

// compareManifest compares the manifest with itself, the spec and the data.
func (v *verification) compareManifest() {
	m := v.folder.Manifest
	text, err := disk.ReadFile(filepath.Join(v.folder.Dir, experiment.ManifestFile), experiment.MostText)
	if err != nil || v.Count(checkManifest).Damaged > 0 {
		return
	}
	v.checked(checkManifest, 1)
	differ := func(format string, args ...any) {
		v.find(checkManifest, Differs, Finding{File: experiment.ManifestFile, Text: fmt.Sprintf(format, args...)})
	}
	switch intact, known := m.Intact(text); {
	case !known:
		v.remark(checkManifest, remarkUnsealed, "%s has no checksum: an older version of the program wrote it",
			experiment.ManifestFile)
	case !intact:
		differ("it has changed since it was written: its checksum differs")
	}
	if was, is := m.Tool.String(), v.opt.Tool.String(); was != is {
		v.remark(checkManifest, remarkTool,
			"the folder was last written by %s, but verified by %s, which may explain differences", was, is)
	}
	if v.spec == nil {
		return
	}
	if m.Spec != v.spec.Name {
		differ("spec is %q, but the spec's name is %q", m.Spec, v.spec.Name)
	}
	if m.Seed != v.spec.Seed {
		differ("seed is %d, but the spec's is %d", m.Seed, v.spec.Seed)
	}
	if v.plan == nil {
		return
	}
	if m.Planned != len(v.plan.Items) {
		differ("planned_runs is %d, but the spec has %d runs", m.Planned, len(v.plan.Items))
	}
	v.compareData()
}

// compareData compares the data sets that the manifest lists with those that there are.
func (v *verification) compareData() {
	listed, file := v.folder.Manifest.Datasets, Finding{File: experiment.ManifestFile}
	v.checked(checkData, len(v.plan.Problems))
	for i, pr := range v.plan.Problems {
		id, data := pr.Entry.ID, pr.Data
		at := slices.IndexFunc(listed, func(d experiment.Dataset) bool { return d.ID == id })
		if at < 0 {
			v.findf(checkData, Missing, file, "data set %q is not listed", id)
			continue
		}
		d := listed[at]
		for _, part := range []struct {
			what, is string
			listed   string
		}{
			{"hash", data.Hash, d.Hash}, {"title", data.Title, d.Title},
			{"stand_in", fmt.Sprint(data.StandIn), fmt.Sprint(d.StandIn)},
		} {
			if part.is != part.listed {
				v.findf(checkData, Differs, file, "data set %q: %s is %s, but the data have %s",
					id, part.what, part.listed, part.is)
			}
		}
		if at != i {
			v.findf(checkData, Differs, file, "data set %q is number %d, but number %d in the spec", id, at+1, i+1)
		}
	}
	for _, d := range listed {
		of := func(pr *plan.Problem) bool { return pr.Entry.ID == d.ID }
		if !slices.ContainsFunc(v.plan.Problems, of) {
			v.findf(checkData, Superfluous, file, "data set %q is not in the spec", d.ID)
		}
	}
}

// sound reports damaged lines and what else readers of the folder warn of.
func (v *verification) sound() {
	e, err := v.folder.Records()
	if err != nil {
		v.find(checkLines, Damaged, Finding{Text: err.Error()})
		return
	}
	var said []string
	for _, l := range e.Files {
		if l.File != record.ReferencesFile { // optima looks closer
			v.soundLines(l)
		}
		said = append(said, l.Warning(v.folder.Dir, record.Seen))
	}
	if e.Aside > 0 {
		v.remark(checkLines, remarkWarning, "%s keeps %s that an earlier run found",
			record.DamagedFile, words.Count(e.Aside, "damaged line"))
	}
	for _, w := range e.Warnings {
		if !slices.Contains(said, w) {
			v.remark(checkLines, remarkWarning, "%s", w)
		}
	}
}

// soundLines takes in how sound the lines of a file are.
func (v *verification) soundLines(l record.Lines) {
	c := v.check(checkLines)
	c.Checked, c.Of = c.Checked+l.Count, c.Of+l.Count
	for _, d := range l.Damaged {
		v.find(checkLines, Damaged, Finding{File: l.File, Line: d.Line, Text: d.Why})
	}
}
