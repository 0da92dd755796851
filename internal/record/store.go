package record

import (
	"errors"
	"fmt"
	"io/fs"
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
	// file is that of db or lines when it was opened.
	file os.FileInfo

	mu       sync.Mutex
	records  *records
	optima   map[string][]byte
	plan     []ID
	total    total
	warnings []string
	closed   bool

	queue   chan row
	written chan struct{}
	// failed is the error of the first write that failed.
	failed atomic.Pointer[error]
}

// groupFor is how long finished runs wait for others to be written with them, of which there are
// mostGrouped.
const (
	groupFor    = 200 * time.Millisecond
	mostGrouped = 1000
)

// Open opens a results folder for writing, which it makes if need be, and takes in what the parts
// have. Without a part it is the only writer, and fails with a *LockedError if there is another. A
// database that is damaged is kept under another name, and a new one begun with all that is sound.
func Open(dir string, o Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("results: cannot create folder %s: %w; use another --out", dir, err)
	}
	if err := disk.Inside(dir); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	s := &Store{dir: dir, part: o.Part, unlock: func() error { return nil }}
	var err error
	if s.part != "" {
		err = s.openPart()
	} else if s.unlock, err = lock(dir); err == nil {
		if err = s.openDatabase(o.Fresh); err != nil {
			err = errors.Join(err, s.unlock())
		}
	}
	if err != nil {
		return nil, err
	}
	s.queue, s.written = make(chan row, mostGrouped), make(chan struct{})
	go s.write()
	return s, nil
}

func (s *Store) openPart() error {
	c, err := read(s.dir)
	if err != nil {
		return err
	}
	s.take(c)
	return c.close()
}

// take takes in what was read.
func (s *Store) take(c *contents) {
	s.records, s.optima, s.plan, s.total = c.merged(), c.optima, c.plan, c.total
	s.warnings = append(s.warnings, damageWarnings(s.dir, c.damage)...)
	for _, text := range s.records.warnings {
		s.warnings = append(s.warnings, text)
	}
}

func (s *Store) openDatabase(fresh bool) error {
	path := filepath.Join(s.dir, DatabaseFile)
	if fresh {
		if err := discard(s.dir); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if text := textFile(s.dir, RunsFile); text != "" {
			return fmt.Errorf("results: the records of %s are in %s: use another --out, or import them", s.dir, filepath.Base(text))
		}
	} else if err := s.repair(path); err != nil {
		return err
	}
	db, err := openDatabase(path, true)
	if err != nil {
		return err
	}
	c, err := read(s.dir)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	s.take(c)
	s.db = db
	if s.file, err = os.Stat(path); err == nil {
		err = s.importParts(c)
	}
	if err != nil {
		return errors.Join(err, s.db.Close())
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

// repair checks the database. If it is damaged, the file is kept under another name, and another
// takes its place, with all that is sound.
func (s *Store) repair(path string) error {
	c, err := read(s.dir)
	var broken *DamageError
	switch {
	case errors.As(err, &broken):
		c = &contents{damage: []string{broken.What}}
	case err != nil:
		return err
	default:
		defer c.close()
		damage, err := c.db.check(c.runs)
		if err != nil {
			return err
		}
		c.damage = append(c.damage[:c.inDatabase:c.inDatabase], damage...)
	}
	if len(c.damage) == 0 {
		return nil
	}
	kept := path + ".damaged-1"
	for n := 2; ; n++ {
		if _, err := os.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
			break
		}
		kept = fmt.Sprintf("%s.damaged-%d", path, n)
	}
	sound, err := c.copyTo(path + ".new")
	if err != nil {
		return err
	}
	if err := os.Rename(path, kept); err != nil {
		return err
	}
	for _, text := range damageWarnings(s.dir, c.damage) {
		s.warnings = append(s.warnings, text)
	}
	s.warnings = append(s.warnings, fmt.Sprintf("%s was damaged and is kept as %s; the new one has the %d runs of it that are sound", path, filepath.Base(kept), sound))
	return os.Rename(path+".new", path)
}

// copyTo writes a database with what is sound, and returns how many runs that are.
func (c *contents) copyTo(path string) (sound int, err error) {
	for _, name := range []string{path, path + "-journal"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	db, err := openDatabase(path, true)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var rows []row
	var runs total
	for i := range c.runs {
		r := &c.runs[i]
		curve, err := r.readCurve()
		if err != nil {
			continue
		}
		timing, err := r.readTiming()
		if err != nil {
			continue
		}
		encoded, err := encodeRow(r.With(curve), timing)
		if err != nil {
			continue
		}
		encoded.id = runs.rows + 1
		runs.add(encoded.crc())
		if rows = append(rows, encoded); len(rows) == mostGrouped {
			if err := db.put(rows, runs); err != nil {
				return 0, db.named(err)
			}
			rows = rows[:0]
		}
	}
	if err := db.put(rows, runs); err != nil {
		return 0, db.named(err)
	}
	for id, data := range c.optima {
		if err := putOptimum(db, Optimum{id, data}); err != nil {
			return 0, db.named(err)
		}
	}
	return int(runs.rows), nil
}

// importParts writes what the parts have, and how far each was read.
func (s *Store) importParts(c *contents) error {
	if c.partsPlan {
		if err := s.db.putPlan(c.plan); err != nil {
			return s.db.named(err)
		}
	}
	var rows []row
	for i := range s.records.runs {
		r := &s.records.runs[i]
		if r.db != nil {
			continue
		}
		encoded, err := encodeRow(*r, *r.timing)
		if err != nil {
			return err
		}
		s.place(r, &encoded)
		if rows = append(rows, encoded); len(rows) == mostGrouped {
			if err := s.db.put(rows, s.total); err != nil {
				return s.db.named(err)
			}
			rows = rows[:0]
		}
	}
	if err := s.db.put(rows, s.total); err != nil {
		return s.db.named(err)
	}
	for _, p := range c.parts {
		for _, e := range p.entries {
			if e.Optimum != nil {
				if err := putOptimum(s.db, *e.Optimum); err != nil {
					return s.db.named(err)
				}
			}
		}
		if _, err := s.db.Exec("INSERT OR REPLACE INTO part (file, bytes) VALUES (?, ?)", p.name, p.bytes); err != nil {
			return s.db.named(err)
		}
	}
	return nil
}

// place gives a row the id of the record that it takes the place of, or a new one, and counts it.
func (s *Store) place(r *Run, encoded *row) {
	if r.row == 0 {
		r.row = s.total.rows + 1
		s.total.rows++
	} else {
		s.total.sum -= int64(r.crc)
	}
	encoded.id, r.crc = r.row, encoded.crc()
	s.total.sum += int64(r.crc)
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
	for i, id := range plan {
		if err := id.validate(); err != nil {
			return fmt.Errorf("results: entry %d of the plan: %w", i, err)
		}
		if !seen[id] {
			seen[id], once = true, append(once, id)
		}
	}
	if s.part != "" {
		return writePartsPlan(s.dir, once)
	}
	if !slices.Equal(once, s.plan) {
		if err := s.db.putPlan(once); err != nil {
			return s.db.named(err)
		}
		s.plan = once
	}
	return disk.Remove(s.dir, filepath.Join(PartsFolder, PartsPlanFile))
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
	before := len(s.records.warnings)
	at, ok := s.records.at[r.ref()]
	var old Run
	if ok {
		old = s.records.runs[at]
	}
	if !s.records.add(r.Timed(t)) {
		if len(s.records.warnings) > before {
			s.warnings = append(s.warnings, s.records.warnings[r.ref()])
		}
		return nil
	}
	added := s.records.get(r.ref())
	// What is written need not stay in memory.
	added.db, added.timing, added.Curve = s.db, nil, Curve{}
	added.summary = encoded.summary
	if s.part != "" {
		return s.append(entry{Run: &r, Timing: &t})
	}
	added.row, added.crc = old.row, old.crc
	s.place(added, &encoded)
	encoded.total = s.total
	s.queue <- encoded
	return nil
}

// append writes a line of the part.
func (s *Store) append(e entry) error {
	line, err := encodeEntry(e)
	if err != nil {
		return err
	}
	if err = s.writeLine(line); err != nil {
		s.failed.CompareAndSwap(nil, &err)
	}
	return err
}

func (s *Store) writeLine(line []byte) (err error) {
	if s.lines == nil {
		if s.lines, err = newPart(s.dir, s.part); err != nil {
			return err
		}
		if s.file, err = s.lines.Stat(); err != nil {
			return err
		}
	}
	path := s.lines.Name()
	if err := s.inPlace(path); err != nil {
		return fmt.Errorf("%w; put the folder in its place and repeat the command", err)
	}
	if _, err := s.lines.Write(line); err != nil {
		return fmt.Errorf("results: cannot write %s: %w; free space and repeat the command: what it has done up to now is on record", path, err)
	}
	return nil
}

// inPlace fails if the file that is written to was moved or removed: it can be written to, and
// nothing of it is left.
func (s *Store) inPlace(path string) error {
	now, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("results: cannot write %s: %w", path, err)
	case !os.SameFile(now, s.file):
		return fmt.Errorf("results: cannot write %s: another file has taken its place", path)
	}
	return nil
}

// write writes what is in the queue to the database, until that is closed.
func (s *Store) write() {
	defer close(s.written)
	for first := range s.queue {
		batch := s.group(first)
		if s.failed.Load() != nil {
			continue // Add may be waiting
		}
		if err := s.store(batch); err != nil {
			s.failed.Store(&err)
		}
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

func (s *Store) store(batch []row) error {
	err := s.inPlace(filepath.Join(s.dir, DatabaseFile))
	if err == nil {
		err = s.db.named(s.db.put(batch, batch[len(batch)-1].total))
	}
	if err != nil {
		return fmt.Errorf("%w; %d runs or more are not on record; put the folder in its place or free space, and repeat the command", err, len(batch))
	}
	return nil
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
	switch {
	case s.db != nil:
		return errors.Join(err, s.db.Close(), s.unlock())
	case s.lines != nil:
		return errors.Join(err, s.lines.Sync(), s.lines.Close())
	}
	return err
}
