package record

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"sync"

	"stochopt/internal/parallel"
)

// summary replaces the curve in table run.
type summary struct {
	Points   int    `json:"points"`
	End      int64  `json:"end"` // last iteration, 0 without points
	Checksum string `json:"crc"` // of the text of the curve
}

// head is a record in table run. Params stays encoded, because runs with equal parameters share the
// decoded ones.
type head struct {
	Run
	Params json.RawMessage `json:"params"`
	Curve  *summary        `json:"curve"`
}

// row is a run encoded for the tables or, if part is set, a row of table part.
type row struct {
	id                   int64
	record, curve, times []byte
	step, eval           float64
	summary              *summary
	total                total // of table run, including this row
	part                 string
	bytes                int64
}

func encodeRow(r Run, t Timing) (row, error) {
	r, err := r.withCurve()
	if err != nil {
		return row{}, err
	}
	if err := cmp.Or(r.Validate(), t.validate()); err != nil {
		return row{}, fmt.Errorf("%s: %w", r.Name(), err)
	}
	var errs [4]error
	out := row{step: t.StepSeconds, eval: t.EvalSeconds}
	var params []byte
	params, errs[0] = encodeLine(r.Params)
	out.curve, errs[1] = encodeLine(r.Curve)
	out.summary = &summary{r.Curve.Len(), r.Curve.end(), sumText(out.curve)}
	out.record, errs[2] = encodeLine(head{r, params, out.summary})
	out.times, errs[3] = encodeLine(t)
	return out, errors.Join(errs[:]...)
}

func (r *row) crc() uint32 { return runSum(r.record, r.step, r.eval) }

// runSum returns the checksum of a row of table run.
func runSum(record []byte, step, eval float64) uint32 {
	times := "\x00" + formatFloat(step) + "\x00" + formatFloat(eval)
	return crc32.Update(sumOf(record), castagnoli, []byte(times))
}

// put writes rows in one transaction.
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
		exec(1, r.id, string(r.curve), sumOf(r.curve))
		exec(2, r.id, string(r.times), sumOf(r.times))
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

// runRow is a row of table run.
type runRow struct {
	id, crc    int64
	record     []byte
	step, eval float64
}

// runs reads table run. It omits and reports damaged rows. want is the total in table meta.
func (d *database) runs(q querier, want total) (runs []Run, damage []string, err error) {
	rows := make([]runRow, 0, want.rows)
	last := int64(0)
	for {
		err = each(q, "SELECT id, record, step_seconds, eval_seconds, crc FROM run WHERE id > ? ORDER BY id", func(scan func(...any) error) error {
			var s runRow
			_ = scan(&s.id, &s.record, &s.step, &s.eval, &s.crc) // after an error, the checksum will not match
			if rows = append(rows, s); s.id <= last {
				damage = append(damage, fmt.Sprintf("row %d of table run is out of order", s.id))
			}
			last = max(last, s.id)
			return nil
		}, last)
		var broken *DamageError
		if !errors.As(d.wrap(err), &broken) {
			break
		}
		if last >= want.rows {
			damage, err = append(damage, broken.What), nil
			break
		}
		// A page is unreadable: continue after it.
		last++
		damage = append(damage, fmt.Sprintf("row %d of table run cannot be read", last))
	}
	if err != nil {
		return nil, nil, err
	}
	all := make([]Run, len(rows))
	errs := make([]error, len(rows))
	var params sync.Map
	parallel.Each(len(rows), func(i int) { errs[i] = d.decode(rows[i], &all[i], &params) })
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
	if damage == nil && found != want {
		damage = append(damage, fmt.Sprintf("table run has %d rows with checksum %d, want %d rows with checksum %d",
			found.rows, found.sum, want.rows, want.sum))
	}
	return runs, damage, nil
}

// decode decodes a row into r. params caches decoded parameters by their text.
func (d *database) decode(s runRow, r *Run, params *sync.Map) error {
	if int64(runSum(s.record, s.step, s.eval)) != s.crc {
		return errors.New("wrong checksum")
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

// putPlan replaces the plan.
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
