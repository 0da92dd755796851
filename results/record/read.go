package record

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
)

// Experiment is what there is of an experiment, read from its records alone.
type Experiment struct {
	// Dir is the folder, Name its base name.
	Dir  string
	Name string
	// Runs holds the records of the plan that exist, in its order and with its
	// labels. Without a plan, it holds those of RunsFile, then those that are in
	// journals only, ordered by dataset, series, parameters and repeat.
	Runs []Run
	// Planned is the number of runs of the plan, 0 without one.
	Planned int
	// Warnings says what was found wrong with the files.
	Warnings []string
	// Files says how sound the files are that were read, PlanFile included.
	Files []Lines
	// Aside is the number of damaged lines that DamagedFile keeps.
	Aside int

	// plan lists the planned runs, each once; nil without a plan.
	plan    []ID
	timings Timings
	// lines are the files that the records are read from.
	lines map[string]*lineFile
	// others are the completed records that are not among Runs.
	others []Run
	// timesLost is set if damaged lines have cost records their timings.
	timesLost bool
}

// Completed returns the runs that were completed (see Run.Completed), those outside
// the current plan included, and need not be done anew for a timing lost by damage.
func (e *Experiment) Completed() []Run {
	return slices.DeleteFunc(slices.Concat(e.Runs, e.others), func(r Run) bool { return !r.Completed() || e.timesLost && !e.timings.of.get(r.ref()).timed })
}

// Damage says of each file that has damaged lines what is wrong; it is among Warnings.
func (e *Experiment) Damage() (warnings []string) {
	for _, l := range e.Files {
		if w := l.Warning(e.Dir, Seen); w != "" {
			warnings = append(warnings, w)
		}
	}
	return warnings
}

// Add takes in how sound one more file of the folder is.
func (e *Experiment) Add(l Lines) {
	e.Files = append(e.Files, l)
	if w := l.Warning(e.Dir, Seen); w != "" {
		e.Warnings = append(e.Warnings, w)
	}
}

// ReadDir reads the results folder of a running, stopped, partial or complete
// experiment without locking it or changing its records. The experiment is what PlanFile
// says; other records in the folder are kept for reuse and not among Runs. In a
// folder without a plan, or with a broken one, which a warning says, it is all
// records but the archived ones. ReadDir fails if the folder cannot be read and,
// with a *SchemaError, if it holds records of another schema.
func ReadDir(dir string) (*Experiment, error) { return readDir(dir, readIndex(dir)) }

// ReadWithoutIndex is ReadDir, but reads every line, whatever an index beside the files says, and
// writes none.
func ReadWithoutIndex(dir string) (*Experiment, error) { return readDir(dir, nil) }

func readDir(dir string, x index) (*Experiment, error) {
	c, err := readFolder(dir, x)
	if err != nil {
		return nil, err
	}
	e := &Experiment{Dir: dir, Name: filepath.Base(dir), Files: c.files, Aside: c.kept, lines: c.lines}
	e.Warnings = append(e.Damage(), c.warnings...)
	if abs, err := filepath.Abs(dir); err == nil {
		e.Name = filepath.Base(abs)
	}
	if c.hasPlan {
		e.plan, e.Planned = c.plan, len(c.plan)
	} else {
		c.plan = c.all()
	}
	e.take(c)
	if len(e.Runs) == 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("%s: no records yet", dir))
	}
	return e, nil
}

// take takes the records of the plan.
func (e *Experiment) take(c *contents) {
	inPlan := sync.OnceValue(func() *Finder { return finderOf(c.plan) })
	planned := func(id ref) bool { return inPlan().Find(id.key, id.extent) >= 0 }
	all := c.merge(func(id ref, w string) {
		if planned(id) {
			e.Warnings = append(e.Warnings, w)
		}
	})
	e.timings.of, e.timesLost = all, c.timesLost()
	if e.Runs = c.runs; !all.are(c.plan, c.runs) || all.len() > len(c.runs) {
		e.Runs = all.planned(c.plan)
		e.others = all.completed(func(id ref) bool { return !planned(id) })
		all.point(e.Runs, e.others)
	}
}

// all names all records but the archived ones: those of RunsFile, then those that are in
// journals only, in order. A failure is history once the same run was completed, under
// whatever label, and so is a limit once it has ended by itself.
func (c *contents) all() []ID {
	var journaled []Run
	for _, j := range c.journals {
		journaled = append(journaled, j.run)
	}
	slices.SortStableFunc(journaled, compareRuns)
	runs := slices.Concat(c.runs, journaled)
	best, own := make(map[ref]int), make(map[ID]int)
	var ids []ID
	for _, r := range runs {
		best[r.ref()], own[r.ID()] = max(best[r.ref()], r.standing()), max(own[r.ID()], r.standing())
		ids = append(ids, r.ID())
	}
	return slices.DeleteFunc(ids, func(id ID) bool { return own[id] < best[id.ref()] })
}

func compareRuns(a, b Run) int {
	names := slices.Concat(a.Params.Names(), b.Params.Names())
	slices.Sort(names)
	return cmp.Or(
		cmp.Compare(a.Dataset, b.Dataset),
		cmp.Compare(a.Series, b.Series),
		CompareParams(a.Params, b.Params, names),
		cmp.Compare(a.Repeat, b.Repeat),
		cmp.Compare(a.Key, b.Key),
		cmp.Compare(a.Extent, b.Extent),
	)
}
