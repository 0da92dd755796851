package cli

import (
	"database/sql"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// query runs SQL on the database of a results folder and reads the first row into values, if there are any.
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

// rawFiles returns the contents of all files in a folder by path.
func rawFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(at(t, dir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files[relative(t, path)] = read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Commands that read damaged rows fail and write nothing. Other commands report the damage. A run restores the
// lost records with the same bits.
func TestDamagedRows(t *testing.T) {
	skipIfShort(t)
	home(t)
	write(t, "small.yaml", edit(t, claimed, "figures: []\n", tables))
	ok(t, "run", "small.yaml", "--profile", "smoke", "--out", "sound")
	whole, optima := exported(t, "sound/small"), optimaOf(t, "sound/small")
	for _, test := range []struct {
		table, statement string
		// failing lists the commands that read the row. reported is the number of damaged rows in status.
		failing  []string
		reported int
	}{
		{"run", `UPDATE run SET record = replace(record, '"seed"', '"sead"') WHERE id = 1`, []string{"export D --to csv"}, 1},
		{"curve", "UPDATE curve SET data = replace(data, '1', '2') WHERE run = 1", []string{
			"plot D", "table D", "claims D", "report D -o report.html", "export D --to csv", "export D --to jsonl -o runs.jsonl",
			"compare D sound/small", "compare sound/small D --metric error --overlay overlay",
		}, 0},
		{"times", "UPDATE times SET crc = crc + 1", []string{"export D --to csv -o curves.csv"}, 0},
		{"optimum", "UPDATE optimum SET crc = crc + 1", []string{"export D --to jsonl"}, 1},
	} {
		if err := os.CopyFS(at(t, test.table), os.DirFS(at(t, "sound"))); err != nil {
			t.Fatal(err)
		}
		dir := test.table + "/small"
		query(t, dir, test.statement)
		before := rawFiles(t, ".")
		for _, text := range test.failing {
			args := strings.Fields(strings.Replace(text, " D", " "+dir, 1))
			code := exitUsage
			if args[0] == "compare" {
				code = exitError
			}
			if o := stochopt(t, args...); o.code != code || o.out != "" || o.err == "" {
				t.Errorf("%s: %s: exit %d, stdout %q, stderr %q", test.table, text, o.code, o.out, o.err)
			} else if code == exitError && !strings.Contains(o.err, "row 1 of table curve") {
				t.Errorf("%s does not name the row: %s", text, o.err)
			}
		}
		if r := parseJSON[[]statusReport](t, ok(t, "status", dir, "--json").out)[0]; r.Damaged != test.reported || len(r.Warnings) != r.Damaged {
			t.Errorf("%s: status counts %d damaged rows and warns %q", test.table, r.Damaged, r.Warnings)
		}
		if !maps.Equal(rawFiles(t, "."), before) {
			t.Errorf("%s: a failed command has changed a file", test.table)
		}
		ok(t, "run", "small.yaml", "--profile", "smoke", "--out", test.table)
		if exported(t, dir) != whole {
			t.Errorf("%s: the records differ after the run", test.table)
		}
		for _, name := range []string{"selection.csv", "curves.csv", "claims.json"} {
			if read(t, dir, name) != read(t, "sound/small", name) {
				t.Errorf("%s: %s differs after the run", test.table, name)
			}
		}
		if r := parseJSON[[]statusReport](t, ok(t, "status", dir, "--json").out)[0]; r.Damaged != 0 {
			t.Errorf("%s: after the run status counts %d damaged rows", test.table, r.Damaged)
		}
		ok(t, "run", "small.yaml", "--profile", "smoke", "--out", test.table, "--set", "repeats=6")
		if optimaOf(t, dir) != optima {
			t.Errorf("%s: the optima differ after the run", test.table)
		}
	}
}

// A run restores a damaged manifest or spec.
func TestDamagedDescription(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	for _, name := range []string{"manifest.json", "spec.yaml"} {
		whole := read(t, "results/small", name)
		write(t, filepath.Join("results/small", name), whole[:len(whole)/2]+"\x00\n - [")
		if o := stochopt(t, "plot", "results/small"); o.code != exitUsage {
			t.Errorf("with a damaged %s plot exits with %d: %s", name, o.code, o.err)
		}
		o := ok(t, "run", "small.yaml")
		if n := len(opened(t, "results/small").Manifest.Earlier); n != 0 || o.err == "" {
			t.Errorf("%s: %d earlier builds: %s", name, n, o.err)
		}
		if name == "spec.yaml" && read(t, "results/small", name) != whole {
			t.Errorf("%s differs after the run", name)
		}
		ok(t, "plot", "results/small")
	}
}
