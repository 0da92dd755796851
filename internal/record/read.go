package record

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// contents is what a results folder holds.
type contents struct {
	db *database
	// runs has the records of the database, or those of the text where there is none, and parts
	// what the parts have beyond that.
	runs  []Run
	parts []partFile
	// plan is the plan; without one, hasPlan is false. With partsPlan it is that of the parts.
	plan      []ID
	hasPlan   bool
	partsPlan bool
	optima    map[string][]byte
	meta      map[string]string
	total     total
	// imported says how many bytes of each part the database has.
	imported map[string]int64
	damage   []string
}

// read reads a results folder: its database and its parts or, where there is neither, its text.
func read(dir string) (c *contents, err error) {
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("results: cannot read folder %s: %w", dir, err)
	}
	c = &contents{}
	if err = c.readDatabase(filepath.Join(dir, DatabaseFile)); err == nil {
		err = c.readParts(dir)
	}
	if err == nil && c.db == nil && len(c.parts) == 0 && !c.partsPlan && len(c.damage) == 0 {
		c.runs, c.damage, err = readTextFolder(dir)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *contents) readParts(dir string) (err error) {
	if c.parts, err = readParts(dir, c.imported); err != nil {
		return err
	}
	for _, p := range c.parts {
		c.damage = append(c.damage, p.damage...)
	}
	plan, damage, err := readPartsPlan(dir)
	if plan != nil {
		c.plan, c.hasPlan, c.partsPlan = plan, true, true
	}
	c.damage = append(c.damage, damage...)
	return err
}

func (c *contents) close() error {
	if c.db == nil {
		return nil
	}
	return c.db.Close()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// readDatabase reads all tables of the database, if there is one, but those of curves and times.
// What is damaged is left out.
func (c *contents) readDatabase(path string) (err error) {
	c.optima, c.imported = map[string][]byte{}, map[string]int64{}
	if !exists(path) {
		return nil
	}
	if c.db, err = openDatabase(path, false); err != nil {
		return err
	}
	tx, err := c.db.Begin() // in which the database does not change
	if err != nil {
		return c.db.named(err)
	}
	defer tx.Rollback()
	for _, read := range []func(q querier) error{c.readMeta, c.readRuns, c.readPlan, c.readOptima, c.readImported} {
		err := c.db.named(read(tx))
		var broken *DamageError
		if errors.As(err, &broken) {
			c.damage = append(c.damage, broken.What)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (c *contents) readMeta(q querier) error {
	c.meta = map[string]string{}
	err := each(q, "SELECT name, value, crc FROM meta", func(scan func(...any) error) error {
		var name, value string
		var crc int64
		if scan(&name, &value, &crc) != nil || int64(checksum(name, value)) != crc {
			c.damage = append(c.damage, fmt.Sprintf("%q of table meta is not as it was written", name))
			return nil
		}
		c.meta[name] = value
		return nil
	})
	// Without the total, it differs from what is found.
	_, _ = fmt.Sscanf(c.meta[metaRuns], "%d %d", &c.total.rows, &c.total.sum)
	return err
}

func (c *contents) readRuns(q querier) error {
	runs, damage, err := c.db.runs(q, c.total)
	c.runs, c.damage = runs, append(c.damage, damage...)
	return err
}

func (c *contents) readOptima(q querier) error {
	return each(q, "SELECT id, data, crc FROM optimum", func(scan func(...any) error) error {
		var id string
		var data []byte
		var crc int64
		if scan(&id, &data, &crc) != nil || int64(checksum(id, string(data))) != crc {
			c.damage = append(c.damage, fmt.Sprintf("the optimum %q is not as it was written", id))
			return nil
		}
		c.optima[id] = data
		return nil
	})
}

// readImported reads how much of each part is imported. What is wrong is not damage: a part may be
// imported again.
func (c *contents) readImported(q querier) error {
	return each(q, "SELECT file, bytes, crc FROM part", func(scan func(...any) error) error {
		var file string
		var bytes, crc int64
		if scan(&file, &bytes, &crc) == nil && int64(checksum(file, strconv.FormatInt(bytes, 10))) == crc {
			c.imported[file] = bytes
		}
		return nil
	})
}

// readPlan reads the plan. It is whole or it is nothing.
func (c *contents) readPlan(q querier) error {
	want := cmp.Or(c.meta[metaPlan], total{}.String())
	var found total
	err := each(q, "SELECT key, extent, dataset, panel, series FROM plan ORDER BY position", func(scan func(...any) error) error {
		var id ID
		if scan(&id.Key, &id.Extent, &id.Dataset, &id.Group, &id.Series) == nil {
			found.add(id.crc())
			c.plan = append(c.plan, id)
		}
		return nil
	})
	if err == nil && found.String() != want {
		err = &DamageError{c.db.path, "table plan is not as it was written"}
	}
	if err != nil {
		c.plan = nil
	}
	c.hasPlan = c.plan != nil
	return err
}

func (id ID) crc() uint32 { return checksum(id.Key, id.Extent, id.Dataset, id.Group, id.Series) }

// merged brings records and optima together, those of the database or the text first.
func (c *contents) merged() (all *records, optima map[string][]byte, warnings map[ref]string) {
	all, optima, warnings = newRecords(c.runs), c.optima, map[ref]string{}
	for _, p := range c.parts {
		for _, e := range p.entries {
			if e.Optimum != nil {
				optima[e.Optimum.ID] = e.Optimum.Data
			} else if _, _, w := all.add(e.Run.Timed(*e.Timing)); w != "" {
				warnings[e.Run.ref()] = w
			}
		}
	}
	return all, optima, warnings
}

// Experiment is what there is of an experiment, read from its records alone.
type Experiment struct {
	// Dir is the folder, Name its base name.
	Dir  string
	Name string
	// Runs holds the records of the plan that exist, in its order and with its labels, or without a
	// plan all records.
	Runs []Run
	// Planned is the number of runs of the plan, 0 without one.
	Planned int
	// Warnings says what was found wrong with the records. Damaged is the number of rows and lines
	// that are damaged.
	Warnings []string
	Damaged  int
	// Optima has the certified optima as JSON, by what they are optima of.
	Optima map[string][]byte
	// Meta is the table meta of the database, nil without one: see Store.SetMeta.
	Meta map[string]string

	damage  []string
	plan    []ID
	records *records
	db      *database
}

// ReadDir reads a results folder: results.db and parts or, where there is neither, runs.jsonl or
// runs.jsonl.gz. It changes nothing, and other processes may be writing. Curves and timings are
// read when they are asked for, until Close: see Err. It fails if the folder cannot be read, with a
// *DamageError if the database cannot, and with a *SchemaError if the records are of another
// schema.
func ReadDir(dir string) (*Experiment, error) {
	c, err := read(dir)
	if err != nil {
		return nil, err
	}
	e := &Experiment{Dir: dir, Name: filepath.Base(dir), Damaged: len(c.damage), Meta: c.meta, damage: c.damage, db: c.db}
	if abs, err := filepath.Abs(dir); err == nil {
		e.Name = filepath.Base(abs)
	}
	all, optima, warnings := c.merged()
	e.records, e.Optima = all, optima
	e.Warnings = damageWarnings(dir, c.damage)
	if c.hasPlan {
		e.plan, e.Planned = c.plan, len(c.plan)
		e.Runs = all.planned(c.plan)
	} else {
		e.Runs = all.runs
	}
	for i := range e.Runs {
		if w := warnings[e.Runs[i].ref()]; w != "" {
			e.Warnings = append(e.Warnings, w)
		}
	}
	if len(e.Runs) == 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("%s: no records yet", dir))
	}
	return e, nil
}

// damageWarnings says what is damaged, in a few lines.
func damageWarnings(dir string, damage []string) []string {
	const most = 5
	if n := len(damage) - most; n > 0 {
		damage = append(slices.Clone(damage[:most]), fmt.Sprintf("%d more are damaged", n))
	}
	var warnings []string
	for _, text := range damage {
		warnings = append(warnings, fmt.Sprintf("%s: %s; run the spec again: it repeats what is lost", dir, text))
	}
	return warnings
}

// Err returns the first error that was met when a curve or a timing of Runs was read, a *DamageError
// if the database is damaged. As such a curve is empty, nothing may be written or printed that was
// derived from Runs before Err has returned nil. It may be called from several goroutines.
func (e *Experiment) Err() error {
	if e.db == nil {
		return nil
	}
	if err := e.db.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Close closes the database: what Runs have not read cannot be read any more.
func (e *Experiment) Close() error {
	if e.db == nil {
		return nil
	}
	return e.db.Close()
}

// Completed returns the runs that were completed (see Run.Completed), those outside the current
// plan included, with the labels that they were recorded with.
func (e *Experiment) Completed() []Run {
	return slices.DeleteFunc(slices.Clone(e.records.runs), func(r Run) bool { return !r.Completed() })
}

// Check reads all curves and timings of the database, and asks SQLite whether the file is sound. It
// returns all damage, that found by ReadDir included.
func (e *Experiment) Check() (damage []string, err error) {
	if e.db != nil {
		damage, err = e.db.check(checkAll, e.records.runs)
	}
	return slices.Concat(e.damage, damage), err
}

// Plan yields the runs of the plan, and whether there is a record of each.
func (e *Experiment) Plan() iter.Seq2[ID, bool] {
	return func(yield func(ID, bool) bool) {
		recorded := refs(e.Runs)
		for _, id := range e.plan {
			if !yield(id, recorded[id.ref()]) {
				return
			}
		}
	}
}
