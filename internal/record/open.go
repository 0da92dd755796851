package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Options of Open.
type Options struct {
	// Part, if set, names the part of the plan that this process performs while others perform
	// theirs: it writes a file of its own in PartsFolder, and not the database.
	Part string
}

// Open opens a results folder for writing, which it makes if need be. Without a part it is the only
// writer, fails with a *LockedError if there is another, and takes in what parts have. A database
// that is damaged is kept under another name, and a new one begun with all that is sound.
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
	s.take(c, all)
	return c.close()
}

// take takes in what was read, with the records made of it.
func (s *Store) take(c *contents, all *records) {
	s.records, s.optima, s.plan, s.total = all, c.optima, c.plan, c.total
	s.warnings = append(s.warnings, damageWarnings(s.dir, c.damage)...)
}

func (s *Store) openDatabase() error {
	path := filepath.Join(s.dir, DatabaseFile)
	if text := runsFile(s.dir); text != "" && !exists(path) {
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
