package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Journal is the append-only file of one worker. It is forced to disk when it is
// closed; before, that is left to the operating system, which survives a kill of
// the process but not a power failure.
type Journal struct {
	store  *Store
	worker int

	mu       sync.Mutex
	file     *os.File
	appended int
	// lines are those of the file, which has so many bytes.
	lines *lineFile
	size  int64
}

// Writer opens a journal for a worker. Each worker should have its own.
func (s *Store) Writer(worker int) (*Journal, error) {
	if worker < 0 {
		return nil, fmt.Errorf("results: worker is %d; it must not be negative", worker)
	}
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.closed {
		return nil, fmt.Errorf("results: folder %s is closed", s.dir)
	}
	j := &Journal{store: s, worker: worker}
	if err := j.open(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.journals = append(s.journals, j)
	s.mu.Unlock()
	return j, nil
}

// open creates a new file for the journal. An existing one, left by a process
// of the same id (on another machine, in another container, or before), is
// never appended to: its last line may be torn, or its owner alive.
func (j *Journal) open() error {
	name := fmt.Sprintf("%s%d-%d", journalPrefix, os.Getpid(), j.worker)
	for i := 0; ; i++ {
		path := filepath.Join(j.store.dir, name+journalSuffix)
		if i > 0 {
			path = filepath.Join(j.store.dir, fmt.Sprintf("%s-%d%s", name, i, journalSuffix))
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("results: cannot create a journal in %s: %w; free space, change its permissions or use another --out", j.store.dir, err)
		}
		j.file, j.appended, j.size = f, 0, 0
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

// write appends a line, with its newline.
func (j *Journal) write(line []byte) (at place, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		if err := j.open(); err != nil {
			return at, err
		}
	}
	if _, err := j.file.Write(line); err != nil {
		// The file may end in a torn line: the next record starts a new one.
		err = fmt.Errorf("cannot write to %s: %w", j.file.Name(), err)
		j.file.Close()
		j.file = nil
		return at, err
	}
	at = place{j.lines, j.size, len(line) - 1}
	j.size += int64(len(line))
	j.appended++
	return at, nil
}

// close forces the journal to disk and closes it, or removes it if it is empty.
func (j *Journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
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
