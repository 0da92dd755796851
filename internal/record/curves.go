package record

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"stochopt/internal/parallel"

	gojson "github.com/goccy/go-json"
)

// value reads the data of a row of table curve or times and verifies its checksum.
func (d *database) value(stmt *sql.Stmt, table string, run int64) ([]byte, error) {
	var text []byte
	var crc int64
	if err := checkReplaced(d.path, d.file); err != nil {
		return nil, fmt.Errorf("results: %w; repeat the command", err)
	}
	err := stmt.QueryRow(run).Scan(&text, &crc)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, &DamageError{d.path, fmt.Sprintf("table %s has no row %d", table, run)}
	case err != nil:
		return nil, d.wrap(err)
	case int64(sumOf(text)) != crc:
		return nil, &DamageError{d.path, fmt.Sprintf("row %d of table %s has a wrong checksum", run, table)}
	}
	return text, nil
}

// CurveChecksum returns the CRC-32C of the curve of a run, as eight hexadecimal digits.
func (r *Run) CurveChecksum() string {
	if r.summary != nil {
		return r.summary.Checksum
	}
	line, err := encodeLine(r.Curve)
	if err != nil {
		panic(err) // a decoded curve can be encoded
	}
	return sumText(line)
}

// readCurve returns the curve of a run. It reads the curve from the database if it is not in memory.
func (r *Run) readCurve() (Curve, error) {
	if r.summary == nil {
		return r.Curve, nil
	}
	if c, ok := r.db.curves.get(r.row); ok {
		return c, nil
	}
	text, err := r.db.value(r.db.curve, "curve", r.row)
	if err != nil {
		return Curve{}, err
	}
	return r.decodeCurve(text)
}

func (r *Run) decodeCurve(text []byte) (Curve, error) {
	if sumText(text) != r.summary.Checksum {
		return Curve{}, fmt.Errorf("results: %s changed during reading; repeat the command", r.db.path)
	}
	// This library parses long lists of numbers three times as fast as DecodeLine. It is less strict,
	// but the checksum has been verified.
	var c Curve
	if err := gojson.Unmarshal(text, &c); err != nil {
		return Curve{}, &DamageError{r.db.path, fmt.Sprintf("row %d of table curve: %v", r.row, err)}
	}
	r.db.curves.put(r.row, c, len(text))
	return c, nil
}

// cacheCurves reads the curves of the runs with the given indices into the cache. It uses one query for
// the range of rows and does nothing if most rows in the range are not needed. It ignores errors, which
// readCurve will report.
func cacheCurves(runs []*Run, indices []int) {
	d := runs[indices[0]].db
	byRow := make(map[int64]*Run, len(indices))
	first, last := int64(math.MaxInt64), int64(0)
	for _, i := range indices {
		r := runs[i]
		if r.summary == nil || r.db != d {
			continue
		}
		if _, ok := r.db.curves.get(r.row); !ok {
			byRow[r.row] = r
			first, last = min(first, r.row), max(last, r.row)
		}
	}
	if len(byRow) == 0 || last-first >= int64(2*len(byRow)) || checkReplaced(d.path, d.file) != nil {
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

const (
	cacheBytes    = 64 << 20 // capacity of a curveCache
	curveOverhead = 2 << 10  // memory of a curve in excess of the length of its text
)

// curveCache caches curves by row.
type curveCache struct {
	mu     sync.Mutex
	curves map[int64]Curve
	bytes  int
}

func (k *curveCache) get(row int64) (Curve, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.curves[row]
	return c, ok
}

// put adds a curve with a text of the given length. It empties a full cache first.
func (k *curveCache) put(row int64, c Curve, bytes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	bytes += curveOverhead
	if k.bytes += bytes; k.curves == nil || k.bytes > cacheBytes {
		k.curves, k.bytes = map[int64]Curve{}, bytes
	}
	k.curves[row] = c
}

// ReadCurves calls do concurrently with the index and the curve of each run. As in Measured, a curve
// that cannot be read is empty.
func ReadCurves(runs []*Run, do func(i int, c Curve)) {
	order := make([]int, len(runs)) // sorted by row
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(runs[i].row, runs[j].row) })
	blocks := slices.Collect(slices.Chunk(order, 256))
	parallel.Each(len(blocks), func(b int) {
		cacheCurves(runs, blocks[b])
		for _, i := range blocks[b] {
			do(i, runs[i].Measured())
		}
	})
}
