package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"stochopt/internal/disk"

	"github.com/gofrs/flock"
)

// Options of Open.
type Options struct {
	// Shared lets several processes write to the folder side by side, each its
	// own part of the plan. Such a store cannot compact: a store that is not
	// shared does, once they are done.
	Shared bool
	// Fresh discards all records of the folder, and the plan.
	Fresh bool
}

// Store is the results folder of one experiment, open for writing. Its methods
// may be called from several goroutines.
//
// Records are appended to journals, one a worker, and Compact rewrites the
// folder into its final form. A kill at any moment loses at most the line that
// was being written. Where a record occurs more than once, the order is
// RunsFile, ArchiveFile, then the journals by name: the first that finished or
// diverged counts, or else the one of the largest limit, or else the last.
type Store struct {
	dir  string
	opts Options
	lock *flock.Flock

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
}

// Open opens the results folder dir, which it creates if need be, takes its
// lock and reads all its records. It fails if the folder cannot be written to,
// if another process has it open (two shared stores do not exclude each other),
// and, with a *SchemaError, if it holds records of another schema. Damaged lines are
// appended to DamagedFile, unless the store is shared: then they stay where they are.
func Open(dir string, o Options) (*Store, error) {
	if o.Shared && o.Fresh {
		return nil, fmt.Errorf("results: cannot discard the records of %s while other processes share it: run without --shard, or use another --out", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("results: cannot create folder %s: %w; use another --out", dir, err)
	}
	if err := probe(dir); err != nil {
		return nil, fmt.Errorf("results: cannot write to folder %s: %w; free space, change its permissions or use another --out", dir, err)
	}
	if err := disk.Inside(dir); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	s := &Store{
		dir:     dir,
		opts:    o,
		lock:    flock.New(filepath.Join(dir, lockFile), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644)),
		records: newRecords(0),
		lines:   map[string]*lineFile{},
	}
	try := s.lock.TryLock
	if o.Shared {
		try = s.lock.TryRLock
	}
	switch ok, err := try(); {
	case err != nil:
		return nil, fmt.Errorf("results: cannot lock %s: %w; use an --out on a file system with locks", s.lock.Path(), err)
	case !ok:
		return nil, fmt.Errorf("results: folder %s is in use by another process, which holds the lock %s: wait for it, stop it, or use another --out", dir, s.lock.Path())
	}
	if err := s.load(); err != nil {
		s.lock.Close()
		return nil, err
	}
	return s, nil
}

// probe writes a byte to the folder: some file systems accept an empty file
// even when they are full.
func probe(dir string) error {
	f, err := disk.NewPending(filepath.Join(dir, "write.test"))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	_, err = f.Write([]byte{'\n'})
	return err
}

func (s *Store) load() error {
	c, err := readFolder(s.dir, readIndex(s.dir))
	if err != nil {
		return err
	}
	if s.opts.Fresh {
		return s.discard(c.journalFiles)
	}
	if !s.opts.Shared {
		if err := s.removeLeftovers(); err != nil {
			return err
		}
	}
	done := Passed
	if !s.opts.Shared {
		// Before any file is written anew without its damaged lines.
		if err := PutAside(s.dir, c.files...); err != nil {
			return err
		}
		done = Aside
	}
	for _, l := range c.files {
		if w := l.Warning(s.dir, done); w != "" {
			s.warnings = append(s.warnings, w)
		}
	}
	s.warnings = append(s.warnings, c.warnings...)
	s.timesLost = c.timesLost()
	s.journalFiles, s.lines = c.journalFiles, c.lines
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
	for _, name := range []string{PlanFile, RunsFile, PackedFile, ArchiveFile, TimingsFile, DamagedFile, indexFile} {
		paths = append(paths, filepath.Join(s.dir, name))
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

// Close closes the journals, releases the lock and lets go of the records. It does not
// compact.
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
	if err := s.lock.Close(); err != nil && first == nil {
		first = fmt.Errorf("results: cannot release %s: %w", s.lock.Path(), err)
	}
	return first
}
