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

// contents is the content of a results folder.
type contents struct {
	db        *database
	runs      []Run      // from the database or, without one, from text
	parts     []partFile // not yet imported
	plan      []ID
	hasPlan   bool
	partsPlan bool // plan is from PartsPlanFile
	optima    map[string][]byte
	meta      map[string]string
	total     total
	imported  map[string]int64 // bytes of each part in the database
	damage    []string
}

// read reads a results folder: its database and its parts or, if it has neither, its text.
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

// readDatabase reads all tables of the database, if it exists, except curve and times. It omits damaged
// rows and reports them in c.damage.
func (c *contents) readDatabase(path string) (err error) {
	c.optima, c.imported = map[string][]byte{}, map[string]int64{}
	if !exists(path) {
		return nil
	}
	if c.db, err = openDatabase(path, false); err != nil {
		return err
	}
	tx, err := c.db.Begin() // a consistent view
	if err != nil {
		return c.db.wrap(err)
	}
	defer tx.Rollback()
	for _, read := range []func(q querier) error{c.readMeta, c.readRuns, c.readPlan, c.readOptima, c.readImported} {
		err := c.db.wrap(read(tx))
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
			c.damage = append(c.damage, fmt.Sprintf("%q of table meta has a wrong checksum", name))
			return nil
		}
		c.meta[name] = value
		return nil
	})
	// If the total is missing, it will not match the rows.
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
			c.damage = append(c.damage, fmt.Sprintf("the optimum %q has a wrong checksum", id))
			return nil
		}
		c.optima[id] = data
		return nil
	})
}

// readImported reads how much of each part has been imported. It ignores damaged rows: importing a
// part again does no harm.
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

// readPlan reads the plan. A damaged plan counts as missing.
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
		err = &DamageError{c.db.path, "table plan has a wrong checksum"}
	}
	if err != nil {
		c.plan = nil
	}
	c.hasPlan = c.plan != nil
	return err
}

func (id ID) crc() uint32 { return checksum(id.Key, id.Extent, id.Dataset, id.Group, id.Series) }

// merged merges the records and optima of the parts into those of the database or text.
func (c *contents) merged() (all *records, optima map[string][]byte, warnings map[ref]string) {
	all, optima, warnings = newRecords(c.runs), c.optima, map[ref]string{}
	for _, p := range c.parts {
		for _, e := range p.entries {
			if e.Optimum != nil {
				optima[e.Optimum.ID] = e.Optimum.Data
			} else if _, _, w := all.add(e.Run.WithTiming(*e.Timing)); w != "" {
				warnings[e.Run.ref()] = w
			}
		}
	}
	return all, optima, warnings
}

// Experiment is the content of a results folder, opened for reading.
type Experiment struct {
	// Dir is the folder, Name its base name.
	Dir  string
	Name string
	// Runs holds the records of the plan in its order, with its labels. Without a plan it holds all
	// records.
	Runs []Run
	// Planned is the number of runs of the plan, 0 without one.
	Planned int
	// Warnings describes problems with the records. Damaged is the number of damaged rows and lines.
	Warnings []string
	Damaged  int
	// Optima maps the id of each certified optimum to its JSON.
	Optima map[string][]byte
	// Meta is table meta of the database, or nil; see Store.SetMeta.
	Meta map[string]string

	damage  []string
	plan    []ID
	records *records
	db      *database
}

// ReadDir reads a results folder: results.db and parts or, if it has neither, runs.jsonl or
// runs.jsonl.gz. It changes no files, and other processes may be writing. Curves and timings are read
// on demand until Close; see Err. ReadDir returns a *DamageError if the database is unreadable and a
// *SchemaError if the records have another schema.
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

// damageWarnings returns warnings for the first few of the damaged rows and lines.
func damageWarnings(dir string, damage []string) []string {
	const most = 5
	if n := len(damage) - most; n > 0 {
		damage = append(slices.Clone(damage[:most]), fmt.Sprintf("%d more errors", n))
	}
	var warnings []string
	for _, text := range damage {
		warnings = append(warnings, fmt.Sprintf("%s is damaged: %s; run the spec again to repeat lost runs", dir, text))
	}
	return warnings
}

// Err returns the first error of reading a curve or a timing of Runs, a *DamageError if the database
// is damaged. An unreadable curve is empty, so callers must check Err before they write or print
// results derived from Runs. Err may be called concurrently.
func (e *Experiment) Err() error {
	if e.db == nil {
		return nil
	}
	if err := e.db.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Close closes the database. Curves and timings that have not been read become unavailable.
func (e *Experiment) Close() error {
	if e.db == nil {
		return nil
	}
	return e.db.Close()
}

// Completed returns all completed runs (see Run.Completed), including runs outside the current plan,
// with their original labels.
func (e *Experiment) Completed() []Run {
	return slices.DeleteFunc(slices.Clone(e.records.runs), func(r Run) bool { return !r.Completed() })
}

// Check verifies the checksums of all curves and timings and the integrity of the database file. It
// returns all damage, including that found by ReadDir.
func (e *Experiment) Check() (damage []string, err error) {
	if e.db != nil {
		damage, err = e.db.check(checkAll, e.records.runs)
	}
	return slices.Concat(e.damage, damage), err
}

// Plan iterates over the runs of the plan and whether each has a record.
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
