package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"stochopt/internal/disk"
	"stochopt/internal/lease"
)

// Options of Open.
type Options struct {
	// Shared lets several processes write to the folder side by side, each its
	// own part of the plan. Such a store cannot compact: one that is not shared
	// does, once they are done.
	Shared bool
	// Part names the part of a shared store, in small letters, digits and hyphens. Each
	// part is open once; those without a name exclude nobody.
	Part string
	// Beside lets processes with a part work on in the folder of a store that is not
	// shared. It compacts what they have recorded so far, and leaves their journals alone.
	Beside bool
	// Job is what this process is to a batch system. One that was started again takes its
	// part, if it has one, over from its former self.
	Job Job
	// Fresh discards all records of the folder, and the plan.
	Fresh bool
}

// Store is the results folder of one experiment, open for writing. Its methods
// may be called from several goroutines.
//
// Records are appended to journals, one a process, and Compact rewrites the
// folder into its final form. A kill at any moment loses at most the line that
// was being written. Where a record occurs more than once, the order is
// RunsFile, ArchiveFile, then the journals by name: the first that finished or
// diverged counts, or else the one of the largest limit, or else the last. So a run
// that two processes have made, each in its journal, is there once.
type Store struct {
	dir  string
	opts Options

	// leasing guards the lease, and what was written under it to journals that are closed.
	leasing sync.Mutex
	lease   *lease.Lease
	written []lease.Sum
	// free are the journals that were nobody's when the folder was opened, and marks what
	// those who have ended left. living says that there are journals of others.
	free   map[string]bool
	marks  []Holder
	living bool

	// gate is held for reading while appending, and for writing while
	// compacting or closing.
	gate   sync.RWMutex
	closed bool

	mu      sync.Mutex
	records *records
	// inRuns and inArchive are the records that RunsFile and ArchiveFile hold, in their order.
	inRuns, inArchive []Run
	// plan is what PlanFile holds, if that is known. tidy says that the files hold no less and
	// no more than they should, TimingsFile in the order of the others.
	plan []ID
	tidy bool
	// journalFiles are the journals that are covered by records.
	journalFiles []string
	journals     []*Journal
	// lines are the files that records are read from, by their names.
	lines    map[string]*lineFile
	warnings []string
	// timesLost is set if damaged lines have cost records their timings.
	timesLost bool

	// at, if set, is called at each point of Compact and SetPlan that a kill
	// could hit.
	at func(point string) error
	// wrote, if set, is called after each write to a journal.
	wrote func()
}

// Open opens the results folder dir, which it creates if need be, takes hold of it
// and reads all its records. It fails if the folder cannot be written to, with a
// *BusyError if another process has it or the part open, and, with a *SchemaError, if it
// holds records of another schema. Damaged lines are appended to DamagedFile, unless they
// are in journals that others write or the store is shared: then they stay where they are.
func Open(dir string, o Options) (*Store, error) {
	if (o.Shared || o.Beside) && o.Fresh {
		return nil, fmt.Errorf("results: cannot discard the records of %s while other processes share it: run without --shard, or use another --out", dir)
	}
	if strings.Trim(o.Part, partLetters) != "" || o.Part == wholePart {
		return nil, fmt.Errorf("results: a part of a folder cannot be named %q", o.Part)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("results: cannot create folder %s: %w; use another --out", dir, err)
	}
	if err := disk.Inside(dir); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	s := &Store{
		dir:     dir,
		opts:    o,
		records: newRecords(0),
		lines:   map[string]*lineFile{},
	}
	if err := s.hold(); err != nil {
		return nil, err
	}
	var err error
	if !o.Shared {
		err = s.claim()
	}
	if err == nil {
		err = s.load()
	}
	if err != nil {
		return nil, errors.Join(err, s.lease.Release())
	}
	return s, nil
}

func (s *Store) load() error {
	c, err := readFolder(s.dir, readIndex(s.dir))
	if err != nil {
		return err
	}
	if s.opts.Fresh {
		return s.discard(c.journalFiles)
	}
	if slices.ContainsFunc(c.runs, func(r Run) bool { return r.LeftOut != nil }) {
		return fmt.Errorf("results: %s is a packed folder, which leaves curves out, and cannot be added to: use another --out", s.dir)
	}
	if !s.opts.Shared && !s.opts.Beside { // others may be writing
		if err := s.removeLeftovers(); err != nil {
			return err
		}
	}
	mine := func(l Lines) bool {
		return !s.opts.Shared && (!isJournal(l.File) || s.free[filepath.Join(s.dir, l.File)])
	}
	// Before any file is written anew without its damaged lines.
	if err := PutAside(s.dir, slices.DeleteFunc(slices.Clone(c.files), func(l Lines) bool { return !mine(l) })...); err != nil {
		return err
	}
	for _, l := range c.files {
		done := Passed
		if mine(l) {
			done = Aside
		}
		if w := l.Warning(s.dir, done); w != "" {
			s.warnings = append(s.warnings, w)
		}
	}
	s.warnings = append(s.warnings, c.warnings...)
	s.timesLost = c.timesLost()
	for _, path := range c.journalFiles {
		if s.free[path] {
			s.journalFiles = append(s.journalFiles, path)
		}
	}
	s.living, s.lines = len(s.journalFiles) < len(c.journalFiles), c.lines
	s.inRuns, s.inArchive, s.plan = c.runs, c.archive, c.plan
	s.records = c.merge(func(_ ref, w string) { s.warnings = append(s.warnings, w) })
	s.tidy = !s.opts.Shared && c.tidy()
	return nil
}

// tidy reports whether the files are sound and there is no journal.
func (c *contents) tidy() bool {
	named := func(name string) func(Lines) bool { return func(l Lines) bool { return l.File == name } }
	return c.hasPlan && len(c.journalFiles) == 0 && slices.ContainsFunc(c.files, named(RunsFile)) &&
		!slices.ContainsFunc(c.files, func(l Lines) bool { return len(l.Damaged) > 0 }) && c.inStep()
}

// inStep reports whether the timings are those of the records, in their order.
func (c *contents) inStep() bool {
	i := 0
	for _, runs := range [][]Run{c.runs, c.archive} {
		for j := range runs {
			if i < len(c.timings) && c.timings[i].ref == runs[j].ref() {
				i++
			}
		}
	}
	return i == len(c.timings)
}

func (s *Store) discard(journals []string) error {
	paths := slices.Clone(journals)
	for _, name := range []string{PlanFile, RunsFile, PackedFile, ArchiveFile, TimingsFile, packedTimingsFile, DamagedFile, indexFile} {
		paths = append(paths, filepath.Join(s.dir, name))
	}
	if err := s.removeMarks(); err != nil {
		return err
	}
	if err := removeAll(paths); err != nil {
		return err
	}
	return s.removeLeftovers()
}

// removeLeftovers removes what a kill has left of files that were being written.
func (s *Store) removeLeftovers() error {
	if err := disk.Sweep(s.dir, "."); err != nil {
		return fmt.Errorf("results: cannot remove what was left half written: %w", err)
	}
	return nil
}

// Lookup returns the record of a run that was completed (see Run.Completed): never
// of one that failed or was skipped, nor of one whose timing was lost by damage: both are
// to be done anew. Its labels are those it was recorded with. The
// record is shared and must not be modified.
func (s *Store) Lookup(key, extent string) (Run, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.records.get(ref{key, extent})
	if r == nil || !r.run.Completed() || s.timesLost && !r.timed {
		return Run{}, false
	}
	return *r.run, true
}

// Plan returns the current plan: what PlanFile holds, nil without one.
func (s *Store) Plan() []ID {
	s.gate.RLock()
	defer s.gate.RUnlock()
	return slices.Clone(s.plan)
}

// Runs returns what there is of the plan, failed runs included, in the order
// and with the labels of the plan: the records that Compact would write.
func (s *Store) Runs(plan []ID) []Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records.planned(plan)
}

// Warnings returns what was found wrong with the folder, or with appended
// records, without being an error.
func (s *Store) Warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warnings)
}

// Close closes the journals, lets go of the folder and of the records. It does not compact.
func (s *Store) Close() error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.mu.Lock()
	s.records, s.inRuns, s.inArchive, s.plan = nil, nil, nil, nil
	s.mu.Unlock()
	var first error
	for _, j := range s.journals {
		if err := j.close(); err != nil && first == nil {
			first = err
		}
	}
	if err := s.letGo(); first == nil {
		first = err
	}
	return first
}
