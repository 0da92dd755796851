package record

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"
	"sync"

	gojson "github.com/goccy/go-json"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// summary is what the table run keeps in the place of a curve.
type summary struct {
	Points int `json:"points"`
	// End is the last iteration, 0 without points.
	End int64 `json:"end"`
	// Checksum is that of the text of the curve.
	Checksum string `json:"crc"`
}

func summarise(c Curve, text []byte) *summary {
	s := &summary{Points: c.Len(), Checksum: sumText(text)}
	if s.Points > 0 {
		s.End = c.Cost[CostIterations][s.Points-1]
	}
	return s
}

// head is a run as the table run has it. The text of parameters is the same in many runs, which share
// what it means.
type head struct {
	Run
	Params json.RawMessage `json:"params"`
	Curve  *summary        `json:"curve"`
}

// row is a run as the tables have it.
type row struct {
	id                   int64
	record, curve, times []byte
	step, eval           float64
	summary              *summary
	// total is what the table run holds with this row.
	total total
	// part and bytes, if set, say instead how much of a part is in the tables.
	part  string
	bytes int64
}

func encodeRow(r Run, t Timing) (row, error) {
	if err := cmp.Or(r.Validate(), t.validate()); err != nil {
		return row{}, fmt.Errorf("%s: %w", r.Name(), err)
	}
	r = r.whole()
	var errs [4]error
	out := row{step: t.StepSeconds, eval: t.EvalSeconds}
	var params []byte
	params, errs[0] = encodeLine(r.Params)
	out.curve, errs[1] = encodeLine(r.Curve)
	out.summary = summarise(r.Curve, out.curve)
	out.record, errs[2] = encodeLine(head{r, params, out.summary})
	out.times, errs[3] = encodeLine(t)
	return out, errors.Join(errs[:]...)
}

func (r *row) crc() uint32 { return runSum(r.record, r.step, r.eval) }

// runSum is the checksum of a row of the table run.
func runSum(record []byte, step, eval float64) uint32 {
	times := "\x00" + FormatFloat(step) + "\x00" + FormatFloat(eval)
	return crc32.Update(crc32.Checksum(record, castagnoli), castagnoli, []byte(times))
}

// put writes rows, all or none.
func (d *database) put(rows []row) error {
	tx, err := d.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var statements [4]*sql.Stmt
	for i, query := range []string{
		"INSERT OR REPLACE INTO run (id, record, step_seconds, eval_seconds, crc) VALUES (?, ?, ?, ?, ?)",
		"INSERT OR REPLACE INTO curve (run, data, crc) VALUES (?, ?, ?)",
		"INSERT OR REPLACE INTO times (run, data, crc) VALUES (?, ?, ?)",
		"INSERT OR REPLACE INTO part (file, bytes, crc) VALUES (?, ?, ?)",
	} {
		if statements[i], err = tx.Prepare(query); err != nil {
			return err
		}
	}
	exec := func(i int, args ...any) {
		if err == nil {
			_, err = statements[i].Exec(args...)
		}
	}
	var runs total
	for i := range rows {
		r := &rows[i]
		if r.part != "" {
			exec(3, r.part, r.bytes, checksum(r.part, strconv.FormatInt(r.bytes, 10)))
			continue
		}
		exec(0, r.id, string(r.record), r.step, r.eval, r.crc())
		exec(1, r.id, string(r.curve), checksum(string(r.curve)))
		exec(2, r.id, string(r.times), checksum(string(r.times)))
		runs = r.total
	}
	if err == nil && runs.rows > 0 {
		err = setMeta(tx, metaRuns, runs.String())
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

// stored is a row of the table run.
type stored struct {
	id, crc    int64
	record     []byte
	step, eval float64
}

// runs reads the table run. What is damaged is left out, and said.
func (d *database) runs(q querier, have total) (runs []Run, damage []string, err error) {
	rows := make([]stored, 0, have.rows)
	last := int64(0)
	for {
		err = each(q, "SELECT id, record, step_seconds, eval_seconds, crc FROM run WHERE id > ? ORDER BY id", func(scan func(...any) error) error {
			var s stored
			_ = scan(&s.id, &s.record, &s.step, &s.eval, &s.crc) // after an error the checksum differs
			if rows = append(rows, s); s.id <= last {
				damage = append(damage, fmt.Sprintf("row %d of table run is out of order", s.id))
			}
			last = max(last, s.id)
			return nil
		}, last)
		var broken *DamageError
		if !errors.As(d.named(err), &broken) {
			break
		}
		if last >= have.rows {
			damage, err = append(damage, broken.What), nil
			break
		}
		// One page of it cannot be read: go on behind it.
		last++
		damage = append(damage, fmt.Sprintf("row %d of table run cannot be read", last))
	}
	if err != nil {
		return nil, nil, err
	}
	all := make([]Run, len(rows))
	errs := make([]error, len(rows))
	var params sync.Map
	inParallel(len(rows), func(i int) { errs[i] = d.decode(rows[i], &all[i], &params) })
	var found total
	runs = all[:0]
	for i, err := range errs {
		if err != nil {
			damage = append(damage, fmt.Sprintf("row %d of table run: %v", rows[i].id, err))
			continue
		}
		found.add(all[i].crc)
		runs = append(runs, all[i])
	}
	if damage == nil && found != have {
		damage = append(damage, fmt.Sprintf("it has %d runs with the checksum %d in place of %d with %d", found.rows, found.sum, have.rows, have.sum))
	}
	return runs, damage, nil
}

// decode decodes a row. Params has the parameters that are known, by their text.
func (d *database) decode(s stored, r *Run, params *sync.Map) error {
	if int64(runSum(s.record, s.step, s.eval)) != s.crc {
		return errors.New("it is not as it was written")
	}
	var h head
	if err := DecodeLine(s.record, &h); err != nil {
		return err
	}
	if h.Curve == nil {
		return errors.New("the summary of the curve is missing")
	}
	*r, r.summary = h.Run, h.Curve
	r.db, r.row, r.crc, r.step, r.eval = d, s.id, uint32(s.crc), s.step, s.eval
	if known, ok := params.Load(string(h.Params)); ok {
		r.Params = known.(Params)
		return nil
	}
	err := DecodeLine(h.Params, &r.Params)
	params.Store(string(h.Params), r.Params)
	return err
}

// value reads the text of a row of curve or times, and checks its checksum.
func (d *database) value(stmt *sql.Stmt, table string, run int64) ([]byte, error) {
	var text []byte
	var crc int64
	if err := inPlace(d.path, d.file); err != nil {
		return nil, fmt.Errorf("results: %w: repeat the command", err)
	}
	err := stmt.QueryRow(run).Scan(&text, &crc)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, &DamageError{d.path, fmt.Sprintf("table %s has no row %d", table, run)}
	case err != nil:
		return nil, d.named(err)
	case int64(checksum(string(text))) != crc:
		return nil, &DamageError{d.path, fmt.Sprintf("row %d of table %s is not as it was written", run, table)}
	}
	return text, nil
}

// readCurve reads the curve of a run of the database.
func (r *Run) readCurve() (Curve, error) {
	if c, ok := r.db.curves.get(r.row); ok {
		return c, nil
	}
	text, err := r.db.value(r.db.curve, "curve", r.row)
	if err != nil {
		return Curve{}, err
	}
	return r.decodeCurve(text)
}

func (r *Run) decodeCurve(text []byte) (c Curve, err error) {
	if sumText(text) != r.summary.Checksum {
		return c, fmt.Errorf("results: %s has changed while it was read: repeat the command", r.db.path)
	}
	// This library reads long lists of numbers three times as fast as the one of DecodeLine, and is
	// less strict, which does not matter below a checksum.
	if err := gojson.Unmarshal(text, &c); err != nil {
		return c, &DamageError{r.db.path, fmt.Sprintf("row %d of table curve: %v", r.row, err)}
	}
	r.db.curves.put(r.row, c, len(text))
	return c, nil
}

// readCurves reads the curves of some of the runs into memory with one query, if most rows between
// the first and the last are theirs. What cannot be read is left to readCurve.
func readCurves(runs []*Run, of []int) {
	d := runs[of[0]].db
	byRow := make(map[int64]*Run, len(of))
	first, last := int64(math.MaxInt64), int64(0)
	for _, i := range of {
		r := runs[i]
		if r.summary == nil || r.db != d {
			continue
		}
		if _, ok := r.db.curves.get(r.row); !ok {
			byRow[r.row] = r
			first, last = min(first, r.row), max(last, r.row)
		}
	}
	if len(byRow) == 0 || last-first >= int64(2*len(byRow)) || inPlace(d.path, d.file) != nil {
		return
	}
	each(d, "SELECT run, data FROM curve WHERE run BETWEEN ? AND ?", func(scan func(...any) error) error {
		var row int64
		var text sql.RawBytes
		err := scan(&row, &text)
		if r := byRow[row]; r != nil && err == nil {
			r.decodeCurve(text)
		}
		return err
	}, first, last)
}

// curvesKept bounds the memory of the curves that stay in memory once they are read, in bytes. A curve
// takes about as much as its text, and curveOverhead for its maps.
const (
	curvesKept    = 64 << 20
	curveOverhead = 2 << 10
)

// curveCache keeps the curves that were read last.
type curveCache struct {
	mu    sync.Mutex
	of    map[int64]Curve
	bytes int
}

func (k *curveCache) get(row int64) (Curve, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.of[row]
	return c, ok
}

func (k *curveCache) put(row int64, c Curve, bytes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	bytes += curveOverhead
	if k.bytes += bytes; k.of == nil || k.bytes > curvesKept {
		k.of, k.bytes = map[int64]Curve{}, bytes
	}
	k.of[row] = c
}

// Checks that SQLite makes. That of the table run computes all of its columns, and takes ten times as
// long as reading it, which shows the same damage.
const (
	checkOthers = "PRAGMA integrity_check(sqlite_schema); PRAGMA integrity_check(curve); PRAGMA integrity_check(times);" +
		"PRAGMA integrity_check(plan); PRAGMA integrity_check(optimum); PRAGMA integrity_check(part); PRAGMA integrity_check(meta)"
	checkAll = "PRAGMA integrity_check"
)

// check asks SQLite whether the file is sound, reads all curves and timings, and says which of some
// runs are damaged.
func (d *database) check(pragmas string, runs []Run) (damage []string, err error) {
	reported := func(err error) error {
		var broken *DamageError
		var failed *sqlite.Error
		switch named := d.named(err); {
		case errors.As(named, &broken):
			damage = append(damage, broken.What)
		case errors.As(err, &failed) && failed.Code() == sqlite3.SQLITE_ERROR:
			damage = append(damage, failed.Error()) // a record is not JSON
		default:
			return named
		}
		return nil
	}
	for pragma := range strings.SplitSeq(pragmas, ";") {
		if err := reported(each(d, pragma, func(scan func(...any) error) error {
			var text string
			if err := scan(&text); err != nil || text != "ok" {
				damage = append(damage, text)
			}
			return nil
		})); err != nil {
			return damage, err
		}
	}
	for _, table := range []string{"curve", "times"} {
		found := make(map[int64]uint32, len(runs))
		if err := reported(each(d, "SELECT run, data, crc FROM "+table, func(scan func(...any) error) error {
			var run, crc int64
			var text sql.RawBytes
			err := scan(&run, &text, &crc)
			if sum := crc32.Checksum(text, castagnoli); err == nil && int64(sum) == crc {
				found[run] = sum
			}
			return nil
		})); err != nil {
			return damage, err
		}
		for i := range runs {
			if runs[i].db == nil {
				continue // it is in a part
			}
			sum, ok := found[runs[i].row]
			if !ok || table == "curve" && fmt.Sprintf("%08x", sum) != runs[i].summary.Checksum {
				damage = append(damage, fmt.Sprintf("row %d of table %s is not as it was written", runs[i].row, table))
			}
		}
	}
	return damage, nil
}

// putPlan writes the plan in the place of the one before.
func (d *database) putPlan(plan []ID) error {
	tx, err := d.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec("DELETE FROM plan"); err != nil {
		return err
	}
	stmt, err := tx.Prepare("INSERT INTO plan (position, key, extent, dataset, panel, series) VALUES (?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	var all total
	for i, id := range plan {
		all.add(id.crc())
		if _, err := stmt.Exec(i, id.Key, id.Extent, id.Dataset, id.Group, id.Series); err != nil {
			return err
		}
	}
	if err := setMeta(tx, metaPlan, all.String()); err != nil {
		return err
	}
	return tx.Commit()
}

func putOptimum(q querier, o Optimum) error {
	_, err := q.ExecContext(context.Background(), "INSERT OR REPLACE INTO optimum (id, data, crc) VALUES (?, ?, ?)",
		o.ID, string(o.Data), checksum(o.ID, string(o.Data)))
	return err
}
