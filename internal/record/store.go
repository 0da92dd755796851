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

// Store is a results folder that is open for writing. Its methods may be called from several goroutines.
type Store struct {
	dir    string
	unlock func() error
	db     *database
	// part is set in place of db for a part. Its file, lines, is created with the first line.
	part  string
	lines *os.File
	// file is that of lines when it was created.
	file os.FileInfo

	mu       sync.Mutex
	records  *records
	optima   map[string][]byte
	plan     []ID
	total    total
	warnings []string
	closed   bool

	// queue holds what the writer is to write, written is closed once it has ended, and failed is
	// the error of the first write that failed.
	queue   chan row
	written chan struct{}
	failed  atomic.Pointer[error]
}

// groupFor is how long a finished run waits for others to be written with it, of which there are mostGrouped.
const (
	groupFor    = 200 * time.Millisecond
	mostGrouped = 1000
)

// Lookup returns the record of a run that was completed (see Run.Completed): never of one that
// failed or was skipped, which are repeated. Its labels are those it was recorded with. It must not
// be modified.
func (s *Store) Lookup(key, extent string) (Run, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.records.get(ref{key, extent})
	if r == nil || !r.Completed() {
		return Run{}, false
	}
	return *r, true
}

// Plan returns the plan on record, nil without one.
func (s *Store) Plan() []ID { return slices.Clone(s.plan) }

// Warnings returns what was found wrong with the folder, or with added records, without being an error.
func (s *Store) Warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warnings)
}

// SetPlan makes plan the current one: what ReadDir takes the experiment to be. An entry that occurs
// twice counts once.
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
	// Shards that were killed may have left theirs, whole or half written.
	if err := disk.Sweep(s.dir, PartsFolder); err != nil {
		return err
	}
	return disk.Remove(s.dir, filepath.Join(PartsFolder, PartsPlanFile))
}

func (s *Store) setPlan(plan []ID) error {
	s.plan = plan
	return s.db.named(s.db.putPlan(plan))
}

// SetMeta stores a text about the experiment, such as its spec, beside the records. Parts leave
// that to the one who takes them in.
func (s *Store) SetMeta(name, value string) error {
	if s.part != "" {
		return nil
	}
	return s.db.named(setMeta(s.db, name, value))
}

// Optima returns the certified optima as JSON, by what they are optima of.
func (s *Store) Optima() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.optima)
}

// AddOptimum stores a certified optimum, in the place of one with the same id.
func (s *Store) AddOptimum(o Optimum) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.optima[o.ID] = o.Data
	if s.part != "" {
		return s.append(entry{Optimum: &o})
	}
	return s.db.named(putOptimum(s.db, o))
}

// Add records a run. It is in the database within a fraction of a second, and when Close returns.
// Of a run that is on record already the one that counts stays: see Run.Serves. Once a write has
// failed all that follow fail with the same error.
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
	// What is written need not stay in memory.
	r.db, r.row, r.crc, r.summary, r.Curve = s.db, s.total.rows+1, encoded.crc(), encoded.summary, Curve{}
	replaced, counts, warning := s.records.add(r)
	if warning != "" {
		s.warnings = append(s.warnings, warning)
	}
	if !counts || s.part != "" {
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
		err = inPlace(s.lines.Name(), s.file)
	}
	if err == nil {
		_, err = s.lines.Write(line)
	}
	return s.fail(err, 1)
}

// fail keeps the error of the first write that failed, and says what to do.
func (s *Store) fail(err error, runs int) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("results: cannot write %s: %w; %d runs or more are not on record: free space, or put the folder in its place, and repeat the command", s.dir, err, runs)
	s.failed.CompareAndSwap(nil, &err)
	return err
}

// write writes what is in the queue to the database, until that is closed.
func (s *Store) write() {
	defer close(s.written)
	for first := range s.queue {
		batch := s.group(first)
		if s.failed.Load() != nil {
			continue // Add may be waiting
		}
		err := inPlace(s.db.path, s.db.file)
		if err == nil {
			err = s.db.named(s.db.put(batch))
		}
		_ = s.fail(err, len(batch)) // which Add and Close return
	}
}

// group waits for more rows to write with the first.
func (s *Store) group(first row) []row {
	batch := []row{first}
	enough := time.After(groupFor)
	for len(batch) < mostGrouped {
		select {
		case r, ok := <-s.queue:
			if !ok {
				return batch
			}
			batch = append(batch, r)
		case <-enough:
			return batch
		}
	}
	return batch
}

// Close writes what is not written yet, and lets go of the folder.
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
