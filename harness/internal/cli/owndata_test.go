package cli

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// A user's own file is named by its content: its path is relative to the working directory, wherever the
// spec is, and may be absolute.
func TestOwnFiles(t *testing.T) {
	home(t)
	x, labels := labelledRows(40, 2)
	write(t, "data/d.csv", newCSV("a,b,c,class\n", x, labels))
	text := withDataset(t, "path: data/d.csv, format: csv, label: class, prepare: [unit-expected-norm], split: {train: 0.6, validation: 0.2, test: 0.2}")
	text = edit(t, edit(t, text, "iterations: 40", "passes: 2"), "by: oracle", "by: validation")
	write(t, "own.yaml", text)
	ok(t, "run", "own.yaml")
	e, err := record.ReadDir(at(t, "results/small"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Runs {
		// The rows have norm 1 on average, and nearly all of it is in two directions.
		c := r.Measured()
		y, n := c.Metrics["test"]["objective"], c.Cost["iterations"]
		if v := y[len(y)-1]; v < 0.6 || v > 1.6 || n[len(n)-1] != 48 {
			t.Errorf("%s: captures %v in %d iterations, want two passes over 24 rows", r.Name(), v, n[len(n)-1])
		}
	}
	write(t, "other.csv", newCSV("a,b,c,class\n", x[:39], labels))
	for _, test := range []struct {
		file, path string
		onRecord   int
	}{
		{filepath.Join(t.TempDir(), "elsewhere.yaml"), "data/d.csv", 6}, {"own.yaml", at(t, "data/d.csv"), 6}, {"own.yaml", "other.csv", 0},
	} {
		file := write(t, test.file, edit(t, text, "data/d.csv", test.path))
		if n := sumOnRecord(parseJSON[[]planned](t, ok(t, "plan", file, "--json").out)); n != test.onRecord {
			t.Errorf("%s of %s: %d runs are on record, want %d", test.file, test.path, n, test.onRecord)
		}
	}
}

// Runs that fail are records, are an error, and are performed again, they alone.
func TestRunsThatFail(t *testing.T) {
	home(t)
	write(t, "huge.csv", strings.Repeat("1e200,2e200,-1e200\n", 8))
	write(t, "good.csv", "1,2,3\n3,2,1\n1,1,0\n")
	write(t, "small.yaml", edit(t, small, dataset, `  - {id: huge, path: huge.csv, format: csv, problem: {k: 2}}
  - {id: good, path: good.csv, format: csv, problem: {k: 2}}`))
	counts := func() (c record.Counts) {
		return parseJSON[[]progressReport](t, ok(t, "status", "results/small", "--json").out)[0].Counts
	}
	for range 2 {
		o := stochopt(t, "run", "small.yaml")
		if o.code != exitFailed || lastLine(o.err) != "stochopt: 6 runs failed; status names them, and the same command tries them again" {
			t.Errorf("exit %d: %s", o.code, o.err)
		}
		if c := counts(); c.Finished != 6 || c.Failed != 6 {
			t.Errorf("status counts %+v", c)
		}
		if n := sumOnRecord(parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)); n != 6 {
			t.Errorf("plan counts failed runs as done: %d", n)
		}
	}
	if o := stochopt(t, "run", "small.yaml", "--out", "parts", "--shard", "1/2"); o.code != exitFailed {
		t.Errorf("shard: exit %d, want %d", o.code, exitFailed)
	}
	write(t, "huge.csv", strings.Repeat("1,2,-1\n3,1,0\n", 8))
	ok(t, "run", "small.yaml")
	if c := counts(); c.Finished != 12 {
		t.Errorf("of mended data status counts %+v", c)
	}
	e, err := record.ReadDir(at(t, "results/small"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Runs {
		for _, y := range r.Measured().Metrics["population"]["suboptimality"] {
			if math.Abs(y) > 100 {
				t.Errorf("%s: suboptimality %v", r.Name(), y)
			}
		}
	}
}
