package record

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
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
	// Journaled is the number of Runs that are in journals only.
	Journaled int
	// Planned is the number of runs of the plan, 0 without one.
	Planned int
	// Warnings says what was found wrong with the files.
	Warnings []string

	// plan lists the planned runs, each once; nil without a plan.
	plan    []ID
	timings map[ref]Timing
	// others are the completed records that are not among Runs.
	others []Run
}

// Completed returns the runs that were completed (see Run.Completed), those outside
// the current plan included.
func (e *Experiment) Completed() []Run {
	return slices.DeleteFunc(slices.Concat(e.Runs, e.others), func(r Run) bool { return !r.Completed() })
}

// ReadDir reads the results folder of a running, stopped, partial or complete
// experiment without locking or changing it. The experiment is what PlanFile
// says; other records in the folder are kept for reuse and not among Runs. In a
// folder without a plan, or with a broken one, which a warning says, it is all
// records but the archived ones. ReadDir fails if the folder cannot be read and,
// with a *SchemaError, if it holds records of another schema.
func ReadDir(dir string) (*Experiment, error) {
	c, err := readFolder(dir)
	if err != nil {
		return nil, err
	}
	e := &Experiment{Dir: dir, Name: filepath.Base(dir), Warnings: c.warnings}
	if abs, err := filepath.Abs(dir); err == nil {
		e.Name = filepath.Base(abs)
	}
	if c.hasPlan {
		e.readPlanned(c)
	} else {
		e.readAll(c)
	}
	if len(e.Runs) == 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("%s: no records yet", dir))
	}
	return e, nil
}

// readPlanned takes the records of the plan.
func (e *Experiment) readPlanned(c *contents) {
	inPlan := refs(c.plan)
	all := c.merge(func(id ref, w string) {
		if inPlan[id] {
			e.Warnings = append(e.Warnings, w)
		}
	})
	e.Planned = len(c.plan)
	e.plan = c.plan
	e.Runs = all.planned(c.plan)
	e.others = all.completed(func(id ref) bool { return !inPlan[id] })
	e.timings = make(map[ref]Timing, len(all))
	for id, r := range all {
		if r.timed {
			e.timings[id] = r.timing
		}
	}
	compacted := refs(slices.Concat(c.runs, c.archive))
	for _, r := range e.Runs {
		if !compacted[r.ref()] {
			e.Journaled++
		}
	}
}

// readAll takes all records but the archived ones.
func (e *Experiment) readAll(c *contents) {
	e.timings, e.others = c.timings, c.archive
	at := map[ID]int{}
	first := map[ref]Run{}
	add := func(r Run) bool {
		old, known := first[r.ref()]
		if !known || old.yields(r) {
			first[r.ref()] = r
		} else if r.standing() == standingEnded && differ(old, r) {
			e.Warnings = append(e.Warnings, nondeterminism(old))
			return false
		}
		i, ok := at[r.ID()]
		if !ok {
			at[r.ID()] = len(e.Runs)
			e.Runs = append(e.Runs, r)
			return true
		}
		if e.Runs[i].yields(r) {
			e.Runs[i] = r
			return true
		}
		return false
	}
	for _, r := range c.runs {
		add(r)
	}
	compacted := len(e.Runs)
	for _, j := range c.journals {
		_, timed := e.timings[j.Run.ref()]
		if add(j.Run) || !timed {
			e.timings[j.Run.ref()] = j.Timing
		}
	}
	// A failure is history once the same run was completed, under whatever label,
	// and so is a limit once it has ended by itself.
	kept, dropped := e.Runs[:0], 0
	for i, r := range e.Runs {
		if r.standing() == first[r.ref()].standing() {
			kept = append(kept, r)
		} else if i < compacted {
			dropped++
		}
	}
	e.Runs = kept
	compacted -= dropped
	e.Journaled = len(e.Runs) - compacted
	slices.SortStableFunc(e.Runs[compacted:], compareRuns)
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
