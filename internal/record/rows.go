package record

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
)

// summary is what the table run keeps in the place of a curve.
type summary struct {
	Points int `json:"points"`
	// End is the last iteration, 0 without points.
	End int64 `json:"end"`
	// Checksum is that of the text of the curve.
	Checksum string          `json:"crc"`
	Columns  json.RawMessage `json:"columns"`

	columns *Columns
}

func summarise(c Curve, text []byte) *summary {
	s := &summary{Points: c.Len(), Checksum: fmt.Sprintf("%08x", sumOf(text)), columns: columnsOf(c)}
	if s.Points > 0 {
		s.End = c.Cost[CostIterations][s.Points-1]
	}
	s.Columns = json.RawMessage(s.columns.text)
	return s
}

// head is a run as the table run has it. The texts of parameters and columns are the same in many
// runs, which share what they mean.
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
}

func encodeRow(r Run, t Timing) (row, error) {
	r = canonical(r.whole())
	if err := r.Validate(); err != nil {
		return row{}, fmt.Errorf("%s: %w", r.Name(), err)
	}
	curve, err := encodeLine(r.Curve)
	if err != nil {
		return row{}, err
	}
	params, err := encodeLine(r.Params)
	if err != nil {
		return row{}, err
	}
	brief := summarise(r.Curve, curve)
	record, err := encodeLine(head{r, params, brief})
	if err != nil {
		return row{}, err
	}
	times, err := encodeLine(t)
	return row{record: record, curve: curve, times: times, step: t.StepSeconds, eval: t.EvalSeconds, summary: brief}, err
}

func (r *row) crc() uint32 { return runSum(r.record, r.step, r.eval) }

// runSum is the checksum of a row of the table run.
func runSum(record []byte, step, eval float64) uint32 {
	buf := make([]byte, 0, 64)
	buf = append(strconv.AppendFloat(buf, step, 'g', -1, 64), ' ')
	return checksum(record, strconv.AppendFloat(buf, eval, 'g', -1, 64))
}

// put writes rows, and how many there are with them.
func (d *database) put(rows []row, runs total) error {
	tx, err := d.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, put := range []struct {
		query string
		args  func(r *row) []any
	}{
		{"INSERT OR REPLACE INTO run (id, record, step_seconds, eval_seconds, crc) VALUES (?, ?, ?, ?, ?)",
			func(r *row) []any { return []any{r.id, string(r.record), r.step, r.eval, r.crc()} }},
		{"INSERT OR REPLACE INTO curve (run, data, crc) VALUES (?, ?, ?)",
			func(r *row) []any { return []any{r.id, string(r.curve), sumOf(r.curve)} }},
		{"INSERT OR REPLACE INTO times (run, data, crc) VALUES (?, ?, ?)",
			func(r *row) []any { return []any{r.id, string(r.times), sumOf(r.times)} }},
	} {
		stmt, err := tx.Prepare(put.query)
		if err != nil {
			return err
		}
		for i := range rows {
			if _, err := stmt.Exec(put.args(&rows[i])...); err != nil {
				return err
			}
		}
	}
	if err := setMeta(tx, metaRuns, runs.String()); err != nil {
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
			err := scan(&s.id, &s.record, &s.step, &s.eval, &s.crc)
			rows, last = append(rows, s), max(last, s.id)
			return err
		}, last)
		var broken *DamageError
		if !errors.As(d.named(err), &broken) || last >= have.rows {
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
	known := &interned{params: map[string]Params{}, columns: map[string]*Columns{}}
	inParallel(len(rows), func(i int) { errs[i] = d.decode(rows[i], &all[i], known) })
	var found total
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

func (d *database) decode(s stored, r *Run, known *interned) error {
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
	return known.resolve(h, r)
}

// interned holds what the texts of parameters and of columns mean.
type interned struct {
	mu      sync.Mutex
	params  map[string]Params
	columns map[string]*Columns
}

// resolve sets the parameters and the columns of a run.
func (k *interned) resolve(h head, r *Run) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var ok bool
	if r.Params, ok = k.params[string(h.Params)]; !ok {
		if err = DecodeLine(h.Params, &r.Params); err != nil {
			return err
		}
		k.params[string(h.Params)] = r.Params
	}
	if r.summary.columns, ok = k.columns[string(h.Curve.Columns)]; !ok {
		if r.summary.columns, err = columnsFrom(string(h.Curve.Columns)); err != nil {
			return err
		}
		k.columns[string(h.Curve.Columns)] = r.summary.columns
	}
	r.summary.Columns = nil
	return nil
}

// value reads the text of a row of curve or times, and checks its checksum.
func (d *database) value(stmt *sql.Stmt, table string, run int64) ([]byte, error) {
	var text []byte
	var crc int64
	err := stmt.QueryRow(run).Scan(&text, &crc)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, &DamageError{d.path, fmt.Sprintf("table %s has no row %d", table, run)}
	case err != nil:
		return nil, d.named(err)
	case int64(sumOf(text)) != crc:
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
	if is := fmt.Sprintf("%08x", sumOf(text)); is != r.summary.Checksum {
		return Curve{}, fmt.Errorf("results: %s has changed while it was read: repeat the command", r.db.path)
	}
	var c Curve
	if err := DecodeLine(text, &c); err != nil {
		return Curve{}, &DamageError{r.db.path, fmt.Sprintf("row %d of table curve: %v", r.row, err)}
	}
	r.db.curves.put(r.row, c)
	return c, nil
}

// curvesKept bounds the memory of the curves that stay in memory once they are read, in bytes.
const curvesKept = 256 << 20

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

func (k *curveCache) put(row int64, c Curve) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bytes += c.bytes(); k.of == nil || k.bytes > curvesKept {
		k.of, k.bytes = map[int64]Curve{}, c.bytes()
	}
	k.of[row] = c
}

// check reads every curve and every timing, and says what is damaged.
func (d *database) check(runs []Run) (damage []string, err error) {
	for _, table := range []string{"curve", "times"} {
		found := map[int64]uint32{}
		err := each(d, "SELECT run, data, crc FROM "+table, func(scan func(...any) error) error {
			var run, crc int64
			var text sql.RawBytes
			if err := scan(&run, &text, &crc); err != nil {
				return err
			}
			if is := sumOf(text); int64(is) == crc {
				found[run] = is
			}
			return nil
		})
		var broken *DamageError
		if err = d.named(err); err != nil && !errors.As(err, &broken) {
			return damage, err
		}
		for i := range runs {
			if runs[i].db == nil {
				continue // it is in a part
			}
			crc, ok := found[runs[i].row]
			if !ok || table == "curve" && fmt.Sprintf("%08x", crc) != runs[i].summary.Checksum {
				damage = append(damage, fmt.Sprintf("row %d of table %s is not as it was written", runs[i].row, table))
			}
		}
	}
	return damage, nil
}

// inOneTransaction calls do with a transaction in which the database does not change.
func (d *database) inOneTransaction(do func(tx *sql.Tx) error) error {
	tx, err := d.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return do(tx)
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
		o.ID, string(o.Data), checksum([]byte(o.ID), o.Data))
	return err
}
