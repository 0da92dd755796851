package record

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// DatabaseFile is the database of a results folder. docs/performance.md says why this driver.
const DatabaseFile = "results.db"

//go:embed schema.sql
var schema string

// database is the database of a results folder.
type database struct {
	*sql.DB
	path         string
	file         os.FileInfo
	curve, times *sql.Stmt
	curves       curveCache
	// failed is the first error in reading the curve or the timing of a run.
	failed atomic.Pointer[error]
}

// fail names the run in an error, which it returns, and keeps if it is the first.
func (d *database) fail(r *Run, err error) error {
	err = fmt.Errorf("cannot read %s: %w", r.Name(), err)
	d.failed.CompareAndSwap(nil, &err)
	return err
}

// DamageError says that a database, or a row of it, is not as it was written.
type DamageError struct{ Path, What string }

// Error implements error.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged: %s; run the spec again: it keeps the file, starts a new one with the sound runs and repeats the others", e.Path, e.What)
}

// openDatabase opens a database, for writing one that is created if it is not there. It fails with
// a *DamageError if the file is no database of the schema, and with a *SchemaError if it is of
// another version of it.
func openDatabase(path string, write bool) (*database, error) {
	if write && !exists(path) {
		if err := createDatabase(path); err != nil {
			return nil, fmt.Errorf("results: cannot create %s: %w; use another --out", path, err)
		}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("results: %s is not a file; move it away", path)
	}
	lock := "deferred"
	if write {
		lock = "immediate"
	}
	db, err := sql.Open("sqlite", address(path, "mode=rw", "_txlock="+lock, "_pragma=busy_timeout(60000)", "_pragma=synchronous(FULL)"))
	if err != nil {
		return nil, err
	}
	if write {
		db.SetMaxOpenConns(1) // one write at a time
	}
	d := &database{DB: db, path: path}
	if d.file, err = os.Stat(path); err == nil {
		err = d.prepare()
	}
	if err != nil {
		db.Close()
		return nil, d.named(err)
	}
	return d, nil
}

// inPlace returns an error if the file that was opened is no longer at its path. What is written to
// it would be lost, and SQLite would apply to it the journal of the one that has taken its place.
func inPlace(path string, opened os.FileInfo) error {
	now, err := os.Stat(path)
	if err == nil && !os.SameFile(now, opened) {
		err = errors.New("another file has taken the place of " + path)
	}
	return err
}

func address(path string, options ...string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // of Windows, with a drive
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: strings.Join(options, "&")}
	return "file:" + u.EscapedPath() + "?" + u.RawQuery
}

func (d *database) prepare() (err error) {
	is, err := schemaOf(d.DB)
	if err != nil {
		return err
	}
	var have, want int
	if err := d.QueryRow("PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if _, err := fmt.Sscanf(schema[strings.Index(schema, "PRAGMA"):], "PRAGMA user_version = %d;", &want); err != nil {
		return err
	}
	expected, err := expectedSchema()
	switch {
	case err != nil:
		return err
	case have != want && have > 0 && have < 1000:
		return &SchemaError{File: d.path, Schema: have, Known: want}
	case have != want || slices.ContainsFunc(expected, func(object string) bool { return !slices.Contains(is, object) }):
		return &DamageError{d.path, "its schema is not that of results"}
	}
	if d.curve, err = d.Prepare("SELECT data, crc FROM curve WHERE run = ?"); err != nil {
		return err
	}
	d.times, err = d.Prepare("SELECT data, crc FROM times WHERE run = ?")
	return err
}

// createDatabase creates a database without rows, as a whole or not at all.
func createDatabase(path string) error {
	unnamed := path + ".new"
	// A journal that is left of another database would be applied to this one.
	for _, name := range []string{path + "-journal", unnamed, unnamed + "-journal"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	db, err := sql.Open("sqlite", address(unnamed, "mode=rwc", "_pragma=synchronous(FULL)"))
	if err != nil {
		return err
	}
	_, err = db.Exec("BEGIN;\n" + schema + "COMMIT;")
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return os.Rename(unnamed, path)
}

// expectedSchema is what schemaOf finds in a new database.
var expectedSchema = sync.OnceValues(func() ([]string, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(schema); err != nil {
		return nil, err
	}
	return schemaOf(db)
})

func schemaOf(db *sql.DB) (objects []string, err error) {
	err = each(db, "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema", func(scan func(...any) error) error {
		var text sql.NullString
		err := scan(&text)
		objects = append(objects, text.String)
		return err
	})
	return objects, err
}

// named makes a *DamageError of an error that says that the file is damaged, and names the file in others.
func (d *database) named(err error) error {
	var known *DamageError
	var schema *SchemaError
	var failed *sqlite.Error
	switch {
	case err == nil || errors.As(err, &known) || errors.As(err, &schema):
		return err
	case errors.As(err, &failed) && isDamage(failed.Code()&0xff):
		return &DamageError{d.path, failed.Error()}
	case errors.As(err, &failed) && failed.Code()&0xff == sqlite3.SQLITE_BUSY:
		return fmt.Errorf("results: %s is in use by another program: %w; close it, or wait", d.path, err)
	case errors.As(err, &failed) && failed.Code() == sqlite3.SQLITE_READONLY_ROLLBACK:
		return fmt.Errorf("results: cannot read %s: a write was interrupted, and undoing it takes permission to write there: %w", d.path, err)
	}
	return fmt.Errorf("results: cannot use %s: %w", d.path, err)
}

func isDamage(code int) bool {
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_FORMAT
}

// checksum is the CRC-32C of some texts with a zero byte between them.
func checksum(texts ...string) uint32 {
	return sumOf([]byte(strings.Join(texts, "\x00")))
}

// total is a number of rows and the sum of their checksums, as the table meta has it.
type total struct{ rows, sum int64 }

func (t total) String() string { return fmt.Sprintf("%d %d", t.rows, t.sum) }

func (t *total) add(crc uint32) { t.rows, t.sum = t.rows+1, t.sum+int64(crc) }

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// each calls do with each row of a query.
func each(q querier, query string, do func(scan func(...any) error) error, args ...any) error {
	rows, err := q.QueryContext(context.Background(), query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Names in the table meta that this package uses.
const (
	metaRuns = "runs"
	metaPlan = "plan"
)

func setMeta(q querier, name, value string) error {
	_, err := q.ExecContext(context.Background(), "INSERT OR REPLACE INTO meta (name, value, crc) VALUES (?, ?, ?)", name, value, checksum(name, value))
	return err
}

// Checks that SQLite makes. That of the table run computes all of its columns, and takes ten times
// as long as reading it, which shows the same damage.
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
			if sum := sumOf(text); err == nil && int64(sum) == crc {
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
