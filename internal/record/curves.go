package record

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	gojson "github.com/goccy/go-json"
	"golang.org/x/sync/errgroup"
)

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
	case int64(sumOf(text)) != crc:
		return nil, &DamageError{d.path, fmt.Sprintf("row %d of table %s is not as it was written", run, table)}
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
		panic(err) // what has been decoded has a JSON form
	}
	return sumText(line)
}

// readCurve returns the curve of a run, which it may read from the database.
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
		return Curve{}, fmt.Errorf("results: %s has changed while it was read: repeat the command", r.db.path)
	}
	// This library reads long lists of numbers three times as fast as the one of DecodeLine, and is
	// less strict, which does not matter below a checksum.
	var c Curve
	if err := gojson.Unmarshal(text, &c); err != nil {
		return Curve{}, &DamageError{r.db.path, fmt.Sprintf("row %d of table curve: %v", r.row, err)}
	}
	r.db.curves.put(r.row, c, len(text))
	return c, nil
}

// cacheCurves reads the curves of some of the runs into memory with one query, if most rows between
// the first and the last are theirs. What cannot be read is left to readCurve.
func cacheCurves(runs []*Run, of []int) {
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

// curvesKept bounds the memory of the curves that stay in memory once they are read, in bytes. A
// curve takes about as much as its text, and curveOverhead for its maps.
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

// ReadCurves calls do with the index and the curve of each run, for several runs at a time. As of
// Measured, a curve that cannot be read is empty.
func ReadCurves(runs []*Run, do func(i int, c Curve)) {
	order := make([]int, len(runs)) // in the order of the database
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(runs[i].row, runs[j].row) })
	blocks := slices.Collect(slices.Chunk(order, 256))
	inParallel(len(blocks), func(b int) {
		cacheCurves(runs, blocks[b])
		for _, i := range blocks[b] {
			do(i, runs[i].Measured())
		}
	})
}

// inParallel calls do with 0 to n-1, on all cores.
func inParallel(n int, do func(i int)) {
	var workers errgroup.Group
	cores := runtime.GOMAXPROCS(0)
	for w := range cores {
		workers.Go(func() error {
			for i := w; i < n; i += cores {
				do(i)
			}
			return nil
		})
	}
	workers.Wait()
}
