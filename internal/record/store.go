package record

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stochopt/internal/disk"
)

// Options of Open.
type Options struct {
	// Part, if set, names the part of the plan that this process performs while others perform
	// theirs: it writes a file of its own in PartsFolder, and not the database.
	Part string
	// Fresh discards all records, optima and the plan.
	Fresh bool
}

// Store is a results folder that is open for writing. Its methods may be called from several
// goroutines.
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

// groupFor is how long a finished run waits for others to be written with it, of which there are
// mostGrouped.
const (
	groupFor    = 200 * time.Millisecond
	mostGrouped = 1000
)

// Open opens a results folder for writing, which it makes if need be. Without a part it is the only
// writer, fails with a *LockedError if there is another, and takes in what parts have. A database that
// is damaged is kept under another name, and a new one begun with all that is sound.
func Open(dir string, o Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("results: cannot create folder %s: %w; use another --out", dir, err)
	}
	s := &Store{dir: dir, part: o.Part, queue: make(chan row, mostGrouped), written: make(chan struct{})}
	go s.write()
	var err error
	if o.Part != "" {
		err = s.openPart()
	} else if s.unlock, err = lock(dir); err == nil {
		err = s.openDatabase(o.Fresh)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) openPart() error {
	c, err := read(s.dir)
	if err != nil {
		return err
	}
	all, _, _ := c.merged()
	s.take(c, all)
	return c.close()
}

// take takes in what was read, with the records made of it.
func (s *Store) take(c *contents, all *records) {
	s.records, s.optima, s.plan, s.total = all, c.optima, c.plan, c.total
	s.warnings = append(s.warnings, damageWarnings(s.dir, c.damage)...)
}

func (s *Store) openDatabase(fresh bool) error {
	if fresh {
		if err := discard(s.dir); err != nil {
			return err
		}
	}
	path := filepath.Join(s.dir, DatabaseFile)
	if text := textFile(s.dir, RunsFile); text != "" && !exists(path) {
		return fmt.Errorf("results: the records of %s are in %s: use another --out, or import them", s.dir, filepath.Base(text))
	}
	c, damaged := &contents{}, &contents{}
	err := c.readSound(path)
	if err == nil && len(c.damage) > 0 {
		damaged, err = s.setAside(path, c)
		c = &contents{}
		err = errors.Join(err, c.readDatabase(path))
	}
	defer damaged.close()
	defer c.close()
	if err != nil {
		return err
	}
	if s.db, err = openDatabase(path, true); err != nil {
		return err
	}
	if err := c.readParts(s.dir); err != nil {
		return err
	}
	s.take(c, newRecords(c.runs))
	for i := range s.records.runs {
		s.records.runs[i].db = s.db
	}
	if err := s.takeSound(damaged); err != nil {
		return err
	}
	if c.partsPlan {
		if err := s.setPlan(c.plan); err != nil {
			return err
		}
	}
	for _, p := range c.parts {
		if err := s.takePart(p); err != nil {
			return err
		}
	}
	return nil
}

// discard removes all records of a folder.
func discard(dir string) error {
	for _, name := range []string{DatabaseFile, DatabaseFile + "-journal", RunsFile, RunsFile + compressed, TimingsFile, TimingsFile + compressed} {
		if err := disk.Remove(dir, name); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(dir, PartsFolder))
}

// readSound reads and checks the database. That it is damaged is no error.
func (c *contents) readSound(path string) error {
	err := c.readDatabase(path)
	if err == nil && c.db != nil {
		var damage []string
		damage, err = c.db.check(checkOthers, c.runs)
		c.damage = append(c.damage, damage...)
	}
	var broken *DamageError
	if errors.As(err, &broken) {
		c.damage, err = append(c.damage, broken.What), nil
	}
	return err
}

// setAside gives a damaged database another name, and reads it there: under the name that it had,
// SQLite would apply to it the journal of the database that takes its place.
func (s *Store) setAside(path string, c *contents) (damaged *contents, err error) {
	aside := path + ".damaged-1"
	for n := 2; exists(aside); n++ {
		aside = fmt.Sprintf("%s.damaged-%d", path, n)
	}
	s.warnings = append(damageWarnings(s.dir, c.damage), fmt.Sprintf("%s is damaged and kept as %s; a new one is begun with the runs that are sound", path, filepath.Base(aside)))
	damaged = &contents{}
	if err := errors.Join(c.close(), os.Rename(path, aside)); err != nil {
		return damaged, err
	}
	return damaged, damaged.readSound(aside)
}

// takeSound takes in what is sound of a damaged database.
func (s *Store) takeSound(old *contents) error {
	for i := range old.runs {
		r := &old.runs[i]
		timing, err := r.readTiming()
		if err != nil {
			continue
		}
		if r.LeftOut == nil {
			curve, err := r.readCurve()
			if err != nil {
				continue
			}
			*r = r.With(curve)
		}
		if err := s.Add(*r, timing); err != nil {
			return err
		}
	}
	for id, data := range old.optima {
		if err := s.AddOptimum(Optimum{id, data}); err != nil {
			return err
		}
	}
	return nil
}

// takePart takes in what a part has.
func (s *Store) takePart(p partFile) error {
	for _, e := range p.entries {
		var err error
		if e.Optimum != nil {
			err = s.AddOptimum(*e.Optimum)
		} else {
			err = s.Add(*e.Run, *e.Timing)
		}
		if err != nil {
			return err
		}
	}
	// Once all of it is written: the queue is in order.
	s.queue <- row{part: p.name, bytes: p.bytes}
	return nil
}

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

// Completed yields the ids of the runs that were completed (see Run.Completed), in no particular
// order. The store must not be used meanwhile.
func (s *Store) Completed() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range s.records.runs {
			if r := &s.records.runs[i]; r.Completed() && !yield(r.ID()) {
				return
			}
		}
	}
}

// Plan returns the plan on record, nil without one.
func (s *Store) Plan() []ID { return slices.Clone(s.plan) }

// Warnings returns what was found wrong with the folder, or with added records, without being an
// error.
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
	return disk.Remove(s.dir, filepath.Join(PartsFolder, PartsPlanFile))
}

func (s *Store) setPlan(plan []ID) error {
	s.plan = plan
	return s.db.named(s.db.putPlan(plan))
}

// SetMeta stores a text about the experiment, such as its spec, beside the records. Parts leave that
// to the one who takes them in.
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

// Add records a run. It is in the database within a fraction of a second, and when Close returns. Of
// a run that is on record already the one that counts stays: see Run.Serves. Once a write has failed
// all that follow fail with the same error.
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

// append writes a line of the part.
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
