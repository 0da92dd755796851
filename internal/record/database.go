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

	"modernc.org/sqlite" // SQLite's own code for files and locks, translated to Go
	sqlite3 "modernc.org/sqlite/lib"
)

// DatabaseFile is the database of a results folder. docs/performance.md explains the choice of driver.
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
	// failed is the first error of reading a curve or a timing.
	failed atomic.Pointer[error]
}

// fail adds the name of the run to an error and returns it. It stores the first error in d.failed.
func (d *database) fail(r *Run, err error) error {
	err = fmt.Errorf("cannot read %s: %w", r.Name(), err)
	d.failed.CompareAndSwap(nil, &err)
	return err
}

// DamageError reports a corrupt database or row.
type DamageError struct{ Path, What string }

// Error implements error.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s is damaged: %s; run the spec again: the file is kept, "+
		"its intact runs are copied to a new database, and the others are repeated", e.Path, e.What)
}

// openDatabase opens a database. If write is set, it creates a missing one. It returns a *DamageError if
// the file is not a results database and a *SchemaError if its schema has another version.
func openDatabase(path string, write bool) (*database, error) {
	if write && !exists(path) {
		if err := createDatabase(path); err != nil {
			return nil, fmt.Errorf("results: cannot create %s: %w; use another --out", path, err)
		}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("results: %s is not a regular file; move it away", path)
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
		return nil, d.wrap(err)
	}
	return d, nil
}

// checkReplaced returns an error if the opened file is no longer at its path. Writes to it would be
// lost, and SQLite would apply the journal of the file that replaced it.
func checkReplaced(path string, opened os.FileInfo) error {
	now, err := os.Stat(path)
	if err == nil && !os.SameFile(now, opened) {
		err = fmt.Errorf("%s was replaced by another file", path)
	}
	return err
}

// address returns the SQLite URI of a file.
func address(path string, options ...string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // Windows: a drive letter
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: strings.Join(options, "&")}
	return "file:" + u.EscapedPath() + "?" + u.RawQuery
}

// prepare verifies the schema and prepares the statements.
func (d *database) prepare() (err error) {
	objects, err := schemaOf(d.DB)
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
	case have != want || slices.ContainsFunc(expected, func(object string) bool { return !slices.Contains(objects, object) }):
		return &DamageError{d.path, "it does not have the schema of a results database"}
	}
	if d.curve, err = d.Prepare("SELECT data, crc FROM curve WHERE run = ?"); err != nil {
		return err
	}
	d.times, err = d.Prepare("SELECT data, crc FROM times WHERE run = ?")
	return err
}

// createDatabase creates an empty database atomically.
func createDatabase(path string) error {
	temporary := path + ".new"
	// SQLite would apply a leftover journal of another database.
	for _, name := range []string{path + "-journal", temporary, temporary + "-journal"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	db, err := sql.Open("sqlite", address(temporary, "mode=rwc", "_pragma=synchronous(FULL)"))
	if err != nil {
		return err
	}
	_, err = db.Exec("BEGIN;\n" + schema + "COMMIT;")
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// expectedSchema returns schemaOf of a new database.
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

// schemaOf returns the definitions of the tables, views and indexes.
func schemaOf(db *sql.DB) (objects []string, err error) {
	err = each(db, "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema", func(scan func(...any) error) error {
		var text sql.NullString
		err := scan(&text)
		objects = append(objects, text.String)
		return err
	})
	return objects, err
}

// wrap adds the file to an error of SQLite. It returns a *DamageError if the error reports corruption.
func (d *database) wrap(err error) error {
	var known *DamageError
	var schema *SchemaError
	var failed *sqlite.Error
	switch {
	case err == nil || errors.As(err, &known) || errors.As(err, &schema):
		return err
	case errors.As(err, &failed) && isDamage(failed.Code()&0xff):
		return &DamageError{d.path, failed.Error()}
	case errors.As(err, &failed) && failed.Code()&0xff == sqlite3.SQLITE_BUSY:
		return fmt.Errorf("results: %s is in use by another program: %w; close that program or wait", d.path, err)
	case errors.As(err, &failed) && failed.Code() == sqlite3.SQLITE_READONLY_ROLLBACK:
		return fmt.Errorf("results: cannot read %s: undoing an interrupted write requires write permission: %w", d.path, err)
	}
	return fmt.Errorf("results: cannot use %s: %w", d.path, err)
}

func isDamage(code int) bool {
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_FORMAT
}

// checksum returns the CRC-32C of texts separated by zero bytes.
func checksum(texts ...string) uint32 {
	return sumOf([]byte(strings.Join(texts, "\x00")))
}

// total is a number of rows and the sum of their checksums, as stored in table meta.
type total struct{ rows, sum int64 }

func (t total) String() string { return fmt.Sprintf("%d %d", t.rows, t.sum) }

func (t *total) add(crc uint32) { t.rows, t.sum = t.rows+1, t.sum+int64(crc) }

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// each calls do for each row of a query.
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

// Names in table meta.
const (
	metaRuns = "runs"
	metaPlan = "plan"
)

func setMeta(q querier, name, value string) error {
	_, err := q.ExecContext(context.Background(), "INSERT OR REPLACE INTO meta (name, value, crc) VALUES (?, ?, ?)", name, value, checksum(name, value))
	return err
}

// Integrity checks of SQLite. checkOthers omits table run: its check computes all generated columns,
// which takes ten times as long as reading the table, and finds nothing more.
const (
	checkOthers = "PRAGMA integrity_check(sqlite_schema); PRAGMA integrity_check(curve); PRAGMA integrity_check(times);" +
		"PRAGMA integrity_check(plan); PRAGMA integrity_check(optimum); PRAGMA integrity_check(part); PRAGMA integrity_check(meta)"
	checkAll = "PRAGMA integrity_check"
)

// check runs integrity checks and verifies the checksums of all curves and timings. It returns the
// damage found in the database and in the given runs.
func (d *database) check(pragmas string, runs []Run) (damage []string, err error) {
	report := func(err error) error {
		var broken *DamageError
		var failed *sqlite.Error
		switch wrapped := d.wrap(err); {
		case errors.As(wrapped, &broken):
			damage = append(damage, broken.What)
		case errors.As(err, &failed) && failed.Code() == sqlite3.SQLITE_ERROR:
			damage = append(damage, failed.Error()) // a record is not JSON
		default:
			return wrapped
		}
		return nil
	}
	for pragma := range strings.SplitSeq(pragmas, ";") {
		if err := report(each(d, pragma, func(scan func(...any) error) error {
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
		if err := report(each(d, "SELECT run, data, crc FROM "+table, func(scan func(...any) error) error {
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
				continue // stored in a part
			}
			sum, ok := found[runs[i].row]
			if !ok || table == "curve" && fmt.Sprintf("%08x", sum) != runs[i].summary.Checksum {
				damage = append(damage, fmt.Sprintf("row %d of table %s is missing or has a wrong checksum", runs[i].row, table))
			}
		}
	}
	return damage, nil
}
