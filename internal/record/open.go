package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Options are the options of Open.
type Options struct {
	// Part, if set, is the name of the part of the plan that this process performs. The process
	// writes to its own file in PartsFolder instead of the database.
	Part string
}

// Open opens a results folder for writing and creates it if necessary. Without a part, it imports all
// parts and excludes other writers: if there is one, it returns a *LockedError. It renames a damaged
// database and copies the intact records to a new one.
func Open(dir string, o Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("results: cannot create folder %s: %w; use another --out", dir, err)
	}
	s := &Store{dir: dir, part: o.Part, queue: make(chan row, maxBatch), written: make(chan struct{})}
	go s.write()
	var err error
	if o.Part != "" {
		err = s.openPart()
	} else if s.unlock, err = lock(dir); err == nil {
		err = s.openDatabase()
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
	s.load(c, all)
	return c.close()
}

// load sets the contents of the store, with the merged records.
func (s *Store) load(c *contents, all *records) {
	s.records, s.optima, s.plan, s.total = all, c.optima, c.plan, c.total
	s.warnings = append(s.warnings, damageWarnings(s.dir, c.damage)...)
}

func (s *Store) openDatabase() error {
	path := filepath.Join(s.dir, DatabaseFile)
	if text := runsFile(s.dir); text != "" && !exists(path) {
		return fmt.Errorf("results: the records of %s are stored as text in %s: use another --out, or import them", s.dir, filepath.Base(text))
	}
	c, damaged := &contents{}, &contents{}
	err := c.readIntact(path)
	if err == nil && len(c.damage) > 0 {
		damaged, err = s.renameDamaged(path, c)
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
	s.load(c, newRecords(c.runs))
	for i := range s.records.runs {
		s.records.runs[i].db = s.db
	}
	if err := s.addIntact(damaged); err != nil {
		return err
	}
	if c.partsPlan {
		if err := s.setPlan(c.plan); err != nil {
			return err
		}
	}
	for _, p := range c.parts {
		if err := s.importPart(p); err != nil {
			return err
		}
	}
	return nil
}

// readIntact reads and checks the database. It collects damage in c.damage instead of returning an
// error.
func (c *contents) readIntact(path string) error {
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

// renameDamaged renames a damaged database and reads it again under the new name. Under the old name,
// SQLite would apply the journal of the new database to it.
func (s *Store) renameDamaged(path string, c *contents) (damaged *contents, err error) {
	renamed := path + ".damaged-1"
	for n := 2; exists(renamed); n++ {
		renamed = fmt.Sprintf("%s.damaged-%d", path, n)
	}
	s.warnings = append(damageWarnings(s.dir, c.damage), fmt.Sprintf(
		"%s is damaged: it is kept as %s, and its intact runs are copied to a new database", path, filepath.Base(renamed)))
	damaged = &contents{}
	if err := errors.Join(c.close(), os.Rename(path, renamed)); err != nil {
		return damaged, err
	}
	return damaged, damaged.readIntact(renamed)
}

// addIntact adds the intact runs and optima of a damaged database.
func (s *Store) addIntact(old *contents) error {
	for i := range old.runs {
		r := old.runs[i]
		timing, err := r.readTiming()
		if err != nil {
			continue
		}
		curve, err := r.readCurve()
		if err != nil {
			continue
		}
		if err := s.Add(r.With(curve), timing); err != nil {
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

// importPart adds the runs and optima of a part.
func (s *Store) importPart(p partFile) error {
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
	// The queue is ordered: this row follows all runs of the part.
	s.queue <- row{part: p.name, bytes: p.bytes}
	return nil
}
