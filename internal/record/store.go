package record

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stochopt/internal/disk"
)

// Store is a results folder opened for writing. Its methods are safe for concurrent use.
type Store struct {
	dir    string
	unlock func() error
	db     *database // nil for a part
	part   string
	lines  *os.File    // file of the part, created on the first write
	file   os.FileInfo // of lines, when created

	mu       sync.Mutex
	records  *records
	optima   map[string][]byte
	plan     []ID
	total    total
	warnings []string
	closed   bool

	queue   chan row              // rows for the writer goroutine
	written chan struct{}         // closed when the writer has ended
	failed  atomic.Pointer[error] // error of the first failed write
}

// The writer collects up to maxBatch runs for up to batchDelay and writes them in one transaction.
const (
	batchDelay = 200 * time.Millisecond
	maxBatch   = 1000
)

// Lookup returns the record of a completed run; failed and skipped runs are repeated. The record has
// its original labels. The caller must not modify it.
func (s *Store) Lookup(key, extent string) (Run, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.records.get(ref{key, extent})
	if r == nil || !r.Completed() {
		return Run{}, false
	}
	return *r, true
}

// Plan returns the stored plan, or nil.
func (s *Store) Plan() []ID { return slices.Clone(s.plan) }

// Warnings returns non-fatal problems with the folder and with added records.
func (s *Store) Warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warnings)
}

// SetPlan stores the plan, which determines the runs that ReadDir returns. It removes duplicates.
func (s *Store) SetPlan(plan []ID) error {
	seen := make(map[ID]bool, len(plan))
	once := make([]ID, 0, len(plan))
	for _, id := range plan {
		if !seen[id] {
			seen[id], once = true, append(once, id)
		}
	}
	if s.part != "" {
		return writePartsPlan(s.dir, once)
	}
	if !slices.Equal(once, s.plan) {
		if err := s.setPlan(once); err != nil {
			return err
		}
	}
	// Killed shards may have left a complete or incomplete plan.
	if err := disk.Sweep(s.dir, PartsFolder); err != nil {
		return err
	}
	return disk.Remove(s.dir, filepath.Join(PartsFolder, PartsPlanFile))
}

func (s *Store) setPlan(plan []ID) error {
	s.plan = plan
	return s.db.wrap(s.db.putPlan(plan))
}

// SetMeta stores a text about the experiment, such as its spec. It does nothing in a part: the process
// that imports the parts calls SetMeta too.
func (s *Store) SetMeta(name, value string) error {
	if s.part != "" {
		return nil
	}
	return s.db.wrap(setMeta(s.db, name, value))
}

// Optima maps the id of each certified optimum to its JSON.
func (s *Store) Optima() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.optima)
}

// AddOptimum stores a certified optimum. It replaces one with the same id.
func (s *Store) AddOptimum(o Optimum) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.optima[o.ID] = o.Data
	if s.part != "" {
		return s.append(entry{Optimum: &o})
	}
	return s.db.wrap(putOptimum(s.db, o))
}

// Add records a run. The run is on disk within a fraction of a second, and at the latest when Close
// returns. If there is already a record of the run, Add keeps one of them; see records.add. After a
// failed write, all later calls return its error.
func (s *Store) Add(r Run, t Timing) error {
	encoded, err := encodeRow(r, t)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("results: folder %s is closed", s.dir)
	}
	if err := s.failed.Load(); err != nil {
		return *err
	}
	if s.part != "" {
		if err := s.append(entry{Run: &r, Timing: &t}); err != nil {
			return err
		}
	}
	// The curve can be read from the database.
	r.db, r.row, r.crc, r.summary, r.Curve = s.db, s.total.rows+1, encoded.crc(), encoded.summary, Curve{}
	replaced, kept, warning := s.records.add(r)
	if warning != "" {
		s.warnings = append(s.warnings, warning)
	}
	if !kept || s.part != "" {
		return nil
	}
	if replaced != nil {
		s.total.rows, s.total.sum = s.total.rows-1, s.total.sum-int64(replaced.crc)
		s.records.get(r.ref()).row = replaced.row
		r.row = replaced.row
	}
	s.total.add(r.crc)
	encoded.id, encoded.total = r.row, s.total
	s.queue <- encoded
	return nil
}

// append writes a line to the file of the part.
func (s *Store) append(e entry) error {
	line, err := encodeEntry(e)
	if err != nil {
		return err
	}
	if s.lines == nil {
		s.lines, err = newPart(s.dir, s.part)
		if err == nil {
			s.file, err = s.lines.Stat()
		}
	} else {
		err = checkReplaced(s.lines.Name(), s.file)
	}
	if err == nil {
		_, err = s.lines.Write(line)
	}
	return s.fail(err, 1)
}

// fail adds a remedy to an error of writing runs and returns it. It stores the first error in s.failed.
func (s *Store) fail(err error, runs int) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("results: cannot write %s: %w; at least %d runs were not recorded: "+
		"free disk space or restore the folder, and repeat the command", s.dir, err, runs)
	s.failed.CompareAndSwap(nil, &err)
	return err
}

// write writes the rows of the queue to the database until the queue is closed.
func (s *Store) write() {
	defer close(s.written)
	for first := range s.queue {
		batch := s.batch(first)
		if s.failed.Load() != nil {
			continue // drain the queue: Add may be blocked
		}
		err := checkReplaced(s.db.path, s.db.file)
		if err == nil {
			err = s.db.wrap(s.db.put(batch))
		}
		_ = s.fail(err, len(batch)) // returned by Add and Close
	}
}

// batch collects rows to write together with the first.
func (s *Store) batch(first row) []row {
	batch := []row{first}
	timeout := time.After(batchDelay)
	for len(batch) < maxBatch {
		select {
		case r, ok := <-s.queue:
			if !ok {
				return batch
			}
			batch = append(batch, r)
		case <-timeout:
			return batch
		}
	}
	return batch
}

// Close writes the remaining runs and releases the folder.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	close(s.queue)
	<-s.written
	var err error
	if failed := s.failed.Load(); failed != nil {
		err = *failed
	}
	if s.lines != nil {
		err = errors.Join(err, s.lines.Sync(), s.lines.Close())
	}
	if s.db != nil {
		err = errors.Join(err, s.db.Close())
	}
	if s.unlock != nil {
		err = errors.Join(err, s.unlock())
	}
	return err
}
