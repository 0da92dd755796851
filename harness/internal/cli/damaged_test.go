package cli

import (
	"database/sql"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// query runs SQL on the database of a results folder, and returns the values of its first row.
func query(t *testing.T, dir, text string, values ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", at(t, dir, record.DatabaseFile))
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

// A curve or a time that cannot be read ends a command with a message. A run repeats what is lost.
func TestDamagedCurvesAndTimes(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+tables)
	ok(t, "run", "small.yaml")
	ok(t, "run", "small.yaml", "--out", "other")
	whole := exported(t, "results/small")
	for table, verbs := range map[string][]string{
		"curve": {"plot results/small", "table results/small", "compare results/small other/small", "report results/small -o r.html", "export results/small --to jsonl"},
		"times": {"export results/small --to csv"},
	} {
		query(t, "results/small", "UPDATE "+table+" SET crc = crc + 1")
		for _, args := range verbs {
			o := stochopt(t, strings.Fields(args)...)
			code := exitUsage
			if strings.HasPrefix(args, "compare") {
				code = exitError
			}
			if o.code != code {
				t.Errorf("with damage in %s %s exits with %d, want %d", table, args, o.code, code)
			}
			wantText(t, args, o.err, "cannot read g msg[", "results/small/results.db is damaged: row ", " of table "+table+" is not as it was written; run the spec again")
		}
		ok(t, "run", "small.yaml")
		if exported(t, "results/small") != whole {
			t.Errorf("with damage in %s the records are not what they were", table)
		}
	}
}
