package cli

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
	"stochopt/harness/internal/verify"
	"stochopt/internal/record"
)

// Successful commands: a part of stdout and all of stderr.
func TestVerbs(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+tables+"profiles: {tiny: {repeats: 1}}\n")
	write(t, "other.yaml", edit(t, small, "name: small", "name: other"))
	ok(t, "run", "small.yaml")
	for _, test := range []struct {
		args, out string
		err       string // all of stderr
	}{
		{"validate small.yaml other.yaml", "small.yaml: ok, 6 runs\nother.yaml: ok, 6 runs\n", ""},
		{"validate small.yaml --profile tiny", "small.yaml: ok, 3 runs\n", ""},
		{"validate small.yaml --set repeats=1 --set algorithms.msg.step.c=1", "small.yaml: ok, 2 runs\n", ""},
		{"plan small.yaml other.yaml", "│ other │ g       │ msg         │    4 │         0 │", ""},
		{"status results/small", "│ g       │ incremental │    2 │        2 │        0 │      0 │", ""},
		{"verify results/small --all --sample 2 -j 2", "results/small: 6 of 6 records re-run, 0 differ\n", "verify: 6 runs, 0 already done\n"},
		{"algorithms show sbp", "\ntask svm, version 3\n", ""},
		{"datasets info mnist", "      - name: test\n        rows: 10000\n", ""},
		{"datasets info timit", "replace `source: timit` with `path: train.svm, test: test.svm, positive: 3`", ""},
		{"datasets info simulated-margin", "│ R         │ float │ required │ 1 to 1000000  │", ""},
		{"version", fmt.Sprintf("spec version %d, record schema %d\n", spec.Version, record.Schema), ""},
		{"completion bash", "__start_stochopt", ""},
		{"help run", "stochopt run SPEC... [flags]", ""},
		{"run --help", "stochopt run SPEC... [flags]", ""},
		{"datasets", "Available Commands:", ""},
		{"", "Exit codes: 0 ok; 1 a run or claim failed", ""},
	} {
		o := ok(t, strings.Fields(test.args)...)
		wantText(t, test.args, o.out, test.out)
		if o.err != test.err {
			t.Errorf("%s: stderr is %q, want %q", test.args, o.err, test.err)
		}
	}
}

func TestJSON(t *testing.T) {
	home(t)
	type object = map[string]any
	list := parseJSON[[]object](t, ok(t, "algorithms", "list", "--json").out)
	if len(list) < 8 || list[0]["id"] != "saa" || list[0]["params"].([]any)[0].(object)["name"] != "k" {
		t.Errorf("algorithms list: %v", list)
	}
	if data := parseJSON[map[string][]object](t, ok(t, "datasets", "list", "--json").out); len(data["datasets"]) == 0 || len(data["generators"]) != len(datasets.Generators()) {
		t.Errorf("datasets list: %v", data)
	}
	if schema := parseJSON[object](t, ok(t, "schema").out); schema["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("schema: %v", schema["$schema"])
	}
}

func TestDatasetsFetch(t *testing.T) {
	home(t)
	write(t, "cache/adult/a9a.t", "nonsense")
	o := stochopt(t, "datasets", "fetch", "adult", "--offline", "--json")
	files := parseJSON[map[string][]struct {
		File    string `json:"file"`
		OK      bool   `json:"ok"`
		Problem string `json:"problem"`
	}](t, o.out)["adult"]
	if o.code != exitFailed || len(files) != 2 || files[0].OK || files[1].OK || files[1].Problem == "" {
		t.Errorf("exit %d, files %+v: %s", o.code, files, o.err)
	}
	for _, env := range []map[string]string{{"HARNESS_CACHE": "nowhere"}, {"HARNESS_CACHE": "nowhere", "HARNESS_MIRROR": "nosuch"}} {
		if o := stochoptWith(t, t.Context(), env, "datasets", "fetch", "adult", "--offline"); o.code != exitFailed || o.out != "" {
			t.Errorf("with %v: exit %d: %s%s", env, o.code, o.out, o.err)
		}
	}
}

// Plan counts the reusable runs with their time, and the iterations of the missing ones.
func TestPlanOfRecordedRuns(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml", "--only", "series=msg")
	ok(t, "run", "small.yaml", "--only", "series=msg", "--set", "algorithms.msg.step.c=4")
	rows := parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)
	if msg := rows[0]; msg.Runs != 4 || msg.OnRecord != 4 || msg.Iterations != 0 || msg.Seconds <= 0 {
		t.Errorf("on record: %+v", msg)
	}
	if rest := rows[1]; rest.OnRecord != 0 || rest.Iterations != 2*40 || rest.Seconds != 0 {
		t.Errorf("not on record: %+v", rest)
	}
	rows = parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json", "--set", "budget.iterations=41").out)
	if rows[0].OnRecord != 0 || rows[0].Iterations != 4*41 {
		t.Errorf("plan of a longer budget: %+v", rows[0])
	}
}

func TestDivergedRunsDoNotFail(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, edit(t, small, "{id: msg, step: {c: [0.25, 1]}}", "{id: power, step: {c: 1e+100}}"), "  - {id: incremental}\n", "")+products)
	for range 2 {
		ok(t, "run", "small.yaml")
		r := parseJSON[[]statusReport](t, ok(t, "status", "results/small", "--json").out)[0]
		if r.Diverged != 2 || len(r.Problems) != 2 || r.Problems[0].Status != record.StatusDiverged {
			t.Errorf("status: %+v", r)
		}
	}
	wantText(t, "stderr of table", ok(t, "table", "results/small").err, "diverged: g power[k=2;step.c=1e+100;step.schedule=inverse-sqrt] repeat 0: ")
}

// The content of a user's file identifies it. Its path may be absolute or relative to the working directory.
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
		// The mean squared norm is 1, nearly all in two directions.
		c := r.Measured()
		y, n := c.Metrics["test"]["objective"], c.Cost["iterations"]
		if v := y[len(y)-1]; v < 0.6 || v > 1.6 || n[len(n)-1] != 48 {
			t.Errorf("%s: captures %v in %d iterations, want two passes over 24 rows", r.Name(), v, n[len(n)-1])
		}
	}
	ok(t, "verify", "results/small", "--all")
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
	// Verify reports changed data.
	write(t, "data/d.csv", read(t, "other.csv"))
	wantFinding(t, verified(t, "results/small", func(string) {}), verify.Differs, "", `data set "m" has the hash`)
}

// Failed runs are recorded and reported, and only they are repeated.
func TestRunsThatFail(t *testing.T) {
	home(t)
	write(t, "huge.csv", strings.Repeat("1e200,2e200,-1e200\n", 8))
	write(t, "good.csv", "1,2,3\n3,2,1\n1,1,0\n")
	write(t, "small.yaml", edit(t, small, dataset, `  - {id: huge, path: huge.csv, format: csv, problem: {k: 2}}
  - {id: good, path: good.csv, format: csv, problem: {k: 2}}`))
	counts := func() (c record.Counts) {
		return parseJSON[[]statusReport](t, ok(t, "status", "results/small", "--json").out)[0].Counts
	}
	for range 2 {
		o := stochopt(t, "run", "small.yaml")
		if o.code != exitFailed || lastLine(o.err) != "stochopt: 6 runs failed; status lists them, and the same command repeats them" {
			t.Errorf("exit %d: %s", o.code, o.err)
		}
		if c := counts(); c.Finished != 6 || c.Failed != 6 {
			t.Errorf("status counts %+v", c)
		}
		if n := sumOnRecord(parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)); n != 6 {
			t.Errorf("plan counts failed runs as done: %d", n)
		}
	}
	write(t, "huge.csv", strings.Repeat("1,2,-1\n3,1,0\n", 8))
	ok(t, "run", "small.yaml")
	if c := counts(); c.Finished != 12 {
		t.Errorf("with corrected data, status counts %+v", c)
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

// Plot and table restore the products of run with the same bytes. A run of another spec replaces the products and
// keeps files of the user.
func TestProductsOfRun(t *testing.T) {
	skipIfShort(t)
	home(t)
	write(t, "small.yaml", small+products)
	ok(t, "run", "small.yaml", "-j", "2")
	if m := opened(t, "results/small").Manifest; m.Planned != 6 || m.Seed != 7 || m.Spec != "small" {
		t.Errorf("manifest: %+v", m)
	}
	want := rawFiles(t, "results/small")
	for _, name := range []string{"curves.csv", "figures/fig.svg", "figures/fig.pdf", "figures/fig.png", "tables/tab.md"} {
		if len(want[filepath.Join("results/small", name)]) < 100 {
			t.Errorf("%s is almost empty", name)
		}
		remove(t, "results/small", name)
	}
	ok(t, "plot", "results/small")
	ok(t, "table", "results/small")
	if got := rawFiles(t, "results/small"); !maps.Equal(got, want) {
		t.Errorf("the files are %q, want the same bytes as in %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	// The resolved spec and a spec with other names have the same runs.
	wantOutcome(t, ok(t, "run", "results/small/spec.yaml"), exitOK, "small: 6 runs, 6 already done")
	write(t, "results/small/tables/mine.md", "")
	write(t, "small.yaml", edit(t, edit(t, small+tables, "id: msg,", "as: gradient, id: msg,"), "id: tab,", "id: other,"))
	wantOutcome(t, ok(t, "run", "small.yaml"), exitOK, "small: 6 runs, 6 already done")
	for _, name := range []string{"figures/fig.svg", "tables/tab.md"} {
		wantNone(t, "results/small", name)
	}
	read(t, "results/small/tables/mine.md")
	wantText(t, "table", read(t, "results/small/tables/other.md"), "radient")
}
