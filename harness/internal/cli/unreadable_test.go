package cli

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// contentOf returns the text of all files of a folder, by path.
func contentOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(at(t, dir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files[asGiven(t, path)] = read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A curve that cannot be read is an error of every command that reads it, which then writes nothing.
func TestUnreadableCurve(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, claimed, "figures: []\n", products))
	ok(t, "run", "small.yaml", "--profile", "smoke")
	ok(t, "run", "small.yaml", "--profile", "smoke", "--out", "sound")
	sound := contentOf(t, "results")
	for _, row := range []int{1, 15} { // of a series with a grid, and of one without
		if err := os.CopyFS(at(t, fmt.Sprint(row)), os.DirFS(at(t, "results"))); err != nil {
			t.Fatal(err)
		}
		dir := fmt.Sprintf("%d/small", row)
		runSQL(t, dir, fmt.Sprintf("UPDATE curve SET data = replace(data, '1', '2') WHERE run = %d", row))
		damaged := contentOf(t, ".")
		for _, test := range []struct {
			code int
			args []string
		}{
			{exitUsage, []string{"plot", dir}},
			{exitUsage, []string{"table", dir}},
			{exitUsage, []string{"claims", dir}},
			{exitUsage, []string{"report", dir, "-o", "report.html"}},
			{exitUsage, []string{"export", dir, "--to", "csv"}},
			{exitUsage, []string{"export", dir, "--to", "csv", "-o", "curves.csv"}},
			{exitUsage, []string{"export", dir, "--to", "jsonl", "-o", "runs.jsonl"}},
			{exitError, []string{"compare", dir, "sound/small"}},
			{exitError, []string{"compare", "sound/small", dir, "--metric", "error", "--overlay", "overlay"}},
		} {
			t.Run(fmt.Sprint(row, test.args), func(t *testing.T) {
				o := stochopt(t, test.args...)
				wantText(t, "stderr", o.err, "cannot read g ", fmt.Sprintf("row %d of table curve is not as it was written", row))
				if o.code != test.code || o.out != "" {
					t.Errorf("exit %d, want %d; stdout is %q", o.code, test.code, o.out)
				}
				if !maps.Equal(contentOf(t, "."), damaged) {
					t.Error("it has written something")
				}
			})
		}
		// Verify lists it, and a new run repeats it.
		if r := parseJSON[struct{ Findings []struct{ Text string } }](t, stochopt(t, "verify", dir, "--json").out); len(r.Findings) != 1 {
			t.Errorf("verify finds %+v", r.Findings)
		}
		ok(t, "run", "small.yaml", "--profile", "smoke", "--out", fmt.Sprint(row))
		for _, name := range []string{"selection.csv", "curves.csv", "claims.json"} {
			if read(t, dir, name) != sound[filepath.Join("results/small", name)] {
				t.Errorf("%s differs after the run was repeated", name)
			}
		}
	}
}

// A folder without records is judged from observations, and a report shows what it holds. Other commands
// name the command that makes the records.
func TestFolderWithoutRecords(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, claimed, "figures: []\n", products))
	run := []string{"run", "small.yaml", "--profile", "smoke", "--set", "repeats=4"}
	ok(t, run...)
	for _, name := range []string{"results.db", "curves.csv"} {
		if err := os.Remove(at(t, "results/small", name)); err != nil {
			t.Fatal(err)
		}
	}
	wantText(t, "claims", ok(t, "claims", "results/small", "--from", "observations", "--no-fail").out, "claims: 1 reproduced, 1 not reproduced")
	ok(t, "report", "results", "-o", "report.html")
	wantText(t, "report", read(t, "report.html"), "no records, but what was derived from them", "data:image/png;base64,", "MSG takes 40 steps", "| Algorithm")
	for _, args := range [][]string{{"plot"}, {"table"}, {"claims"}, {"status"}, {"verify"}, {"export", "--to", "csv"}, {"import", "--out", "imported"}} {
		o := stochopt(t, append(args, "results/small")...)
		wantOutcome(t, o, exitUsage, "stochopt: results/small has no records, only what was derived from them: "+
			"use claims --from observations, or report; to make the records, run the spec small again: stochopt run SPEC --profile smoke --set repeats=4")
	}
	wantText(t, "compare", stochopt(t, "compare", "results", "results").err, "results/small has no records")
	ok(t, append(run, "--out", "build")...)
	for _, name := range []string{"selection.csv", "claims.json"} {
		if read(t, "build/small", name) != read(t, "results/small", name) {
			t.Errorf("%s differs after the records were made again", name)
		}
	}
}
