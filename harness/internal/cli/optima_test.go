package cli

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// query runs SQL on the database of a results folder, and returns the values of its first row.
func query(t *testing.T, dir, text string, values ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, record.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if len(values) > 0 {
		err = db.QueryRow(text).Scan(values...)
	} else {
		_, err = db.Exec(text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every command that reads a folder reports damaged optima. A run solves them again, to the same
// bits, once it needs them.
func TestDamagedOptimaAreReported(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	const dir = "results/small"
	var sound, solved string
	query(t, dir, "SELECT data FROM optimum", &sound)
	query(t, dir, "UPDATE optimum SET crc = crc + 1")
	for _, args := range [][]string{
		{"status", dir}, {"plan", "small.yaml"}, {"report", dir, "-o", "page.html"}, {"claims", dir},
	} {
		if o := stochopt(t, args...); strings.Count(o.err, "is not as it was written") != 1 ||
			!strings.Contains(o.err, "run the spec again") {
			t.Errorf("%s says %s%s", args[0], o.out, o.err)
		}
	}
	o := ok(t, "status", dir, "--json")
	if r := parseJSON[[]progressReport](t, o.out)[0]; r.Damaged != 1 {
		t.Errorf("%d rows are damaged", r.Damaged)
	}
	wantText(t, "status", ok(t, "status", dir).out, "damaged rows or lines: 1\n")

	o = ok(t, "run", "small.yaml")
	wantText(t, "a run of the complete folder", o.out, "6 runs, 6 of them from the record")
	wantText(t, "warning", o.err, "the optimum")
	if o = ok(t, "status", dir); strings.Contains(o.out+o.err, "damaged") {
		t.Errorf("after it status says %s%s", o.out, o.err)
	}
	ok(t, "run", "small.yaml", "--set", "repeats=3")
	if query(t, dir, "SELECT data FROM optimum", &solved); solved != sound {
		t.Errorf("solved again, the optimum is\n%s\nand was\n%s", solved, sound)
	}
}
