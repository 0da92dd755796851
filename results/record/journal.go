package record

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"stochopt/internal/lease"
)

// Journal is an append-only file of one process. It is forced to disk when it is
// closed; before, that is left to the operating system, which survives a kill of
// the process but not a power failure. Its methods may be called from several
// goroutines.
type Journal struct {
	store *Store

	mu       sync.Mutex
	file     *os.File
	appended int
	// under is the lease that the file is named after.
	under *lease.Lease
	// lines are those of the file, which has so many bytes, and their checksum.
	lines *lineFile
	size  int64
	sum   uint32
}

// Writer opens a journal. One is enough for all workers of a process.
func (s *Store) Writer() (*Journal, error) {
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.closed {
		return nil, fmt.Errorf("results: folder %s is closed", s.dir)
	}
	j := &Journal{store: s}
	if err := j.open(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.journals = append(s.journals, j)
	s.mu.Unlock()
	return j, nil
}

// open creates a new file for the journal. An existing one is never appended to: its last
// line may be torn, or its owner alive.
func (j *Journal) open() error {
	j.under = j.store.current()
	for i := 0; ; i++ {
		path := filepath.Join(j.store.dir, journalName(j.under.Stem(), i))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("results: cannot create a journal in %s: %w; free space, change its permissions or use another --out", j.store.dir, err)
		}
		j.file, j.appended, j.size, j.sum = f, 0, 0, 0
		j.lines = &lineFile{path: path, journal: true}
		j.store.mu.Lock()
		j.store.journalFiles = append(j.store.journalFiles, path)
		j.store.lines[filepath.Base(path)] = j.lines
		j.store.mu.Unlock()
		return nil
	}
}

// Append stores a run and its timing as one line, in one write. It refuses a
// run that is not valid. After an error the record is not stored, all earlier
// ones are, and appending may be tried again. The run must not be modified
// afterwards.
func (j *Journal) Append(run Run, timing Timing) error {
	if timing.Key == "" && timing.Extent == "" {
		timing.Key, timing.Extent = run.Key, run.Extent
	}
	if timing.Key != run.Key || timing.Extent != run.Extent {
		return fmt.Errorf("results: %s: its timing belongs to another run (key %s, extent %s)", run.Name(), timing.Key, timing.Extent)
	}
	if err := timing.validate(); err != nil {
		return fmt.Errorf("results: %s: invalid timing: %w", run.Name(), err)
	}
	line, err := encodeEntry(run, timing)
	if err != nil {
		return fmt.Errorf("results: invalid record: %w", err)
	}
	s := j.store
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.closed {
		return fmt.Errorf("results: %s: folder %s is closed", run.Name(), s.dir)
	}
	at, err := j.write(line)
	if err != nil {
		return fmt.Errorf("results: %s: %w; all earlier records are safe: free space or repair the disk, then run the same command again", run.Name(), err)
	}
	s.mu.Lock()
	run = canonical(run)
	run.store(at)
	if w := s.records.add(record{&run, timed{timing.StepSeconds, timing.EvalSeconds, at, nil}, true}); w != "" {
		s.warnings = append(s.warnings, w)
	}
	s.mu.Unlock()
	return nil
}

// write appends a line, with its newline, to a file that is this process's before and
// afterwards: one that stood still for long may find that others have taken what was
// there, and removed the file.
func (j *Journal) write(line []byte) (at place, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		if err := j.store.held(); err != nil {
			return at, err
		}
		if j.file != nil && j.under != j.store.current() {
			j.file.Close()
			j.file = nil
		}
		if at, err = j.writeOnce(line); err != nil {
			return at, err
		}
		if j.store.wrote != nil {
			j.store.wrote()
		}
		if err := j.store.held(); err != nil || j.under == j.store.current() {
			return at, err
		}
	}
}

func (j *Journal) writeOnce(line []byte) (at place, err error) {
	if j.file == nil {
		if err := j.open(); err != nil {
			return at, err
		}
	}
	if _, err := j.file.Write(line); err != nil {
		// The file may end in a torn line: the next record starts a new one.
		err = fmt.Errorf("cannot write to %s: %w", j.file.Name(), err)
		j.note()
		j.file.Close()
		j.file = nil
		return at, err
	}
	at = place{j.lines, j.size, len(line) - 1}
	j.size += int64(len(line))
	j.sum = crc32.Update(j.sum, castagnoli, line)
	j.appended++
	return at, nil
}

// note takes down how much was written to the file, for those who wait for it.
func (j *Journal) note() {
	s := j.store
	s.leasing.Lock()
	defer s.leasing.Unlock()
	if j.appended > 0 && j.under == s.lease {
		s.written = append(s.written, lease.Sum{File: filepath.Base(j.file.Name()), Bytes: j.size, CRC32C: j.sum})
	}
}

// close forces the journal to disk and closes it, or removes it if it is empty.
func (j *Journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	j.note()
	f := j.file
	j.file = nil
	if j.appended == 0 {
		f.Close()
		return removeAll([]string{f.Name()})
	}
	err := f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("results: cannot close %s: %w", f.Name(), err)
	}
	return nil
}

func removeAll(paths []string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("results: cannot remove %s: %w", path, err)
		}
	}
	return nil
}
