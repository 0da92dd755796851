package cli

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// progressLine is a line of progress, which a run of more than a few seconds prints.
var progressLine = regexp.MustCompile(`(?m)^.* elapsed.*\n`)

// Each verb's good use: what is on stdout, and what must not be.
func TestVerbs(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+products+"profiles: {tiny: {repeats: 1}}\n")
	write(t, "other.yaml", edit(t, small, "name: small", "name: other"))
	ok(t, "run", "small.yaml")
	for _, test := range []struct {
		args string
		out  []string
		err  string // the whole of stderr
	}{
		{"validate small.yaml other.yaml", []string{"small.yaml: ok, 6 runs\nother.yaml: ok, 6 runs\n"}, ""},
		{"validate small.yaml --profile tiny", []string{"small.yaml: ok, 3 runs\n"}, ""},
		{"validate small.yaml --set repeats=1 --set algorithms.msg.step.c=1", []string{"small.yaml: ok, 2 runs\n"}, ""},
		{"plan small.yaml", []string{"iterations left", "│ small │ g       │ msg         │    4 │         4 │"}, ""},
		{"plan small.yaml other.yaml", []string{"│ other │ g       │ msg         │    4 │         0 │"}, ""},
		{"status results/small", []string{"small: 6 of 6 runs on record: 6 finished, 0 diverged, 0 failed\n", "│ g       │ incremental │    2 │        2 │        0 │      0 │"}, ""},
		{"table results/small", []string{"│ Incremental │ 2 │", "results/small: redrawn\n"}, "*"},
		{"plot results/small", []string{"results/small: redrawn\n"}, "*"},
		{"verify results/small --all -j 2", []string{"results/small: 6 of 6 records re-run, 0 differ\n"}, "verify: running 6 records again\n"},
		{"verify results/small --sample 2", []string{"results/small: 2 of 6 records re-run, 0 differ\n"}, "verify: running 2 records again\n"},
		{"algorithms list", []string{"warmuth-kuzmin", "Cotter 2013, section 6.2"}, ""},
		{"algorithms show msg", []string{"msg: Matrix stochastic gradient\n", "\nsource: Cotter 2013, section 6.2\ntask pca, version 2\n", "│ step.schedule │"}, ""},
		{"algorithms show sbp", []string{"sbp: Stochastic Batch Perceptron\n", "\ntask svm, version 3\n", "│ sigma2", "│ float  │ none", "│ > 0 ", "│ false    │ true or false "}, ""},
		{"algorithms list", []string{"libsvm", "svm", "capped-msg", "pca"}, ""},
		{"datasets list", []string{"mnist", "70000", "simulated-orthogonal", "unlimited"}, ""},
		{"datasets info adult", []string{"name: adult\n", "licence: ", "  - name: a9a\n    sha256: ", "https://", "      - name: train\n        rows: 32561\n"}, ""},
		{"datasets info mnist", []string{"positive: 8\n", "      - name: test\n        rows: 10000\n"}, ""},
		{"datasets info covtype", []string{"obtain: "}, ""},
		{"datasets info timit", []string{"licensees only", "      - name: test\n        rows: 22257\n", "Own copy: put `path: train.svm, test: test.svm, positive: 3`", "obtain: 'TIMIT is licensed"}, ""},
		{"datasets info simulated-margin", []string{"│ R         │ float │ required │ 1 to 1000000  │"}, ""},
		{"schema", []string{`"$schema"`}, ""},
		{"version", []string{"spec version 1, record schema 2\n"}, ""},
		{"completion bash", []string{"# bash completion", "__start_stochopt"}, ""},
		{"completion zsh", []string{"#compdef stochopt"}, ""},
		{"completion fish", []string{"fish completion for stochopt"}, ""},
		{"help run", []string{"stochopt run SPEC... [flags]", "--shard"}, ""},
		{"run --help", []string{"stochopt run SPEC... [flags]", "--shard"}, ""},
		{"--help", []string{"Exit codes: 0 ok; 1 a run or claim failed", "verify"}, ""},
		{"datasets", []string{"Verbs:", "fetch"}, ""},
		{"", []string{"Exit codes: 0 ok; 1 a run or claim failed"}, ""},
		{"__complete ru", []string{"run\tPlan, run what is missing, select, draw, judge claims\n"}, "*"},
	} {
		t.Run(test.args, func(t *testing.T) {
			o := ok(t, strings.Fields(test.args)...)
			wantText(t, "stdout", o.out, test.out...)
			if got := progressLine.ReplaceAllString(o.err, ""); test.err != "*" && got != test.err {
				t.Errorf("stderr is %q, want %q", o.err, test.err)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")

	type object = map[string]any
	rows := parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)
	if len(rows) != 2 || rows[0].Series != "msg" || rows[0].Runs != 4 || rows[0].OnRecord != 4 || rows[0].Seconds <= 0 {
		t.Errorf("plan: %+v", rows)
	}
	o := ok(t, "plan", "small.yaml", "--json", "--out", "elsewhere").out
	if rows := parseJSON[[]planned](t, o); rows[0].Seconds != 0 || rows[1].Iterations != 80 {
		t.Errorf("plan without records: %s", o)
	}
	ok(t, "run", "small.yaml", "--out", "more")
	status := parseJSON[[]object](t, ok(t, "status", "results/small", "more", "--json").out)
	if len(status) != 2 || status[0]["experiment"] != "small" || status[0]["planned_runs"] != 6.0 || status[0]["finished"] != 6.0 || len(status[0]["series"].([]any)) != 2 {
		t.Errorf("status: %v", status)
	}
	list := parseJSON[[]object](t, ok(t, "algorithms", "list", "--json").out)
	if len(list) < 8 || list[0]["id"] != "saa" || list[0]["params"].([]any)[0].(object)["name"] != "k" {
		t.Errorf("algorithms list: %v", list)
	}
	if one := parseJSON[object](t, ok(t, "algorithms", "show", "msg", "--json").out); one["id"] != "msg" || one["version"] != 2.0 {
		t.Errorf("algorithms show: %v", one)
	}
	if data := parseJSON[map[string][]object](t, ok(t, "datasets", "list", "--json").out); len(data["datasets"]) == 0 || len(data["generators"]) != len(datasets.Generators()) {
		t.Errorf("datasets list: %v", data)
	}
	if info := parseJSON[object](t, ok(t, "datasets", "info", "mnist", "--json").out); info["name"] != "mnist" {
		t.Errorf("datasets info: %v", info)
	}
	if v := parseJSON[object](t, ok(t, "version", "--json").out); v["spec_version"] != float64(spec.Version) || v["record_schema"] != float64(record.Schema) {
		t.Errorf("version: %v", v)
	}
	parseJSON[object](t, ok(t, "schema").out)
}

func TestDatasetsFilesVerbs(t *testing.T) {
	home(t)
	write(t, "cache/adult/a9a.t", "nonsense")
	for _, verb := range []string{"verify", "fetch"} {
		o := stochopt(t, "datasets", verb, "adult", "--offline", "--json")
		if o.code != exitFailed {
			t.Errorf("%s: exit %d, want %d", verb, o.code, exitFailed)
		}
		files := parseJSON[map[string][]struct {
			File    string `json:"file"`
			OK      bool   `json:"ok"`
			Problem string `json:"problem"`
		}](t, o.out)["adult"]
		if len(files) != 2 || files[0].OK || files[1].OK || !strings.Contains(files[1].Problem, "wrong checksum") {
			t.Errorf("%s: %+v", verb, files)
		}
		wantText(t, verb, o.err, "stochopt: adult: a9a: ", "adult: a9a.t: ", "cache/adult/a9a.t: wrong checksum: sha256 is ")
	}
	o := stochoptWith(t, t.Context(), map[string]string{"HARNESS_CACHE": "nowhere"}, "datasets", "verify")
	wantText(t, "verify of everything", o.err, "mnist: train-images-idx3-ubyte: cannot find train-images-idx3-ubyte.gz; offline: no download was tried (set HARNESS_MIRROR")
	if o.code != exitFailed || o.out != "" {
		t.Errorf("verify of everything: exit %d: %s", o.code, o.out)
	}
	o = stochoptWith(t, t.Context(), map[string]string{"HARNESS_MIRROR": "nosuch", "HARNESS_CACHE": "nowhere"}, "datasets", "verify", "adult")
	wantText(t, "a mirror that is not there", o.err, "mirror nosuch is not a folder: set HARNESS_MIRROR to a folder or an http(s) URL laid out as <mirror>/adult/")
	if o.code != exitFailed {
		t.Errorf("a mirror that is not there: exit %d, want %d", o.code, exitFailed)
	}
}

// plan says what run will do: runs that an earlier spec asked for are reused.
func TestPlanKnowsWhatRunWillReuse(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	ok(t, "run", "small.yaml", "--set", "algorithms.msg.step.c=4")
	rows := parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)
	if rows[0].OnRecord != 4 || rows[0].Iterations != 0 {
		t.Errorf("plan: %+v", rows[0])
	}
	wantText(t, "run", ok(t, "run", "small.yaml").out, "small: 6 runs, 6 of them from the record in ")
	rows = parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json", "--set", "budget.iterations=41").out)
	if rows[0].OnRecord != 0 || rows[0].Iterations != 4*41 {
		t.Errorf("plan of a longer budget: %+v", rows[0])
	}
}

func TestPlotAndTableRedrawTheSameBytes(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+products)
	ok(t, "run", "small.yaml")
	files := func() map[string]string {
		content := make(map[string]string)
		for _, pattern := range []string{"*.csv", "figures/*", "tables/*"} {
			names, err := filepath.Glob(at(t, "results/small", pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				content[name] = read(t, name)
			}
		}
		return content
	}
	want := files()
	if len(want) < 8 {
		t.Fatalf("run made only %d files", len(want))
	}
	for name := range want {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	ok(t, "plot", "results/small")
	ok(t, "table", "results/small")
	got := files()
	for name, content := range want {
		// The timings in tables are of the same records, and so are the same.
		if got[name] != content {
			t.Errorf("%s is not what it was", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is new", name)
		}
	}
}

func TestRunWritesWhatItSays(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+products)
	o := ok(t, "run", "small.yaml", "-j", "2")
	if !regexp.MustCompile(`(?m)^small: 6 runs in \S+ -> results/small$`).MatchString(o.out) {
		t.Errorf("stdout: %s", o.out)
	}
	wantText(t, "stderr", o.err, "small: 6 runs, 0 of them on record\n")
	wantText(t, "stderr of table", ok(t, "table", "results/small").err, "step.c = ", " end of its grid: widen it")
	rows, err := csv.NewReader(strings.NewReader(read(t, "results/small/curves.csv"))).ReadAll()
	if err != nil || len(rows) < 10 || strings.Join(rows[0][:4], ",") != "experiment,dataset,group,stand_in" {
		t.Errorf("curves.csv: %v, %v", err, rows[:1])
	}
	for _, name := range []string{"fig.svg", "fig.pdf", "fig.png"} {
		if len(read(t, "results/small/figures", name)) < 1000 {
			t.Errorf("%s is next to empty", name)
		}
	}
	m := parseJSON[map[string]any](t, read(t, "results/small/manifest.json"))
	if m["planned_runs"] != 6.0 || m["seed"] != 7.0 || m["spec"] != "small" {
		t.Errorf("manifest: %v", m)
	}
	// The resolved spec is a spec: it asks for the same runs.
	wantText(t, "run of the resolved spec", ok(t, "run", "results/small/spec.yaml").out, "6 of them from the record")

	first := exported(t, "results/small")
	remove(t, "results/small")
	wantText(t, "run", ok(t, "run", "small.yaml").out, "small: 6 runs in ")
	if exported(t, "results/small") != first {
		t.Error("the same runs gave other records")
	}
}

func TestShardsKeepEverything(t *testing.T) {
	home(t)
	write(t, "small.yaml", three(t)+products)
	ok(t, "run", "small.yaml", "--out", "whole")
	for i, s := range []string{"2/3", "1/3", "3/3"} {
		o := ok(t, "run", "small.yaml", "--out", "parts", "--shard", s)
		wantText(t, "shard", o.out, "small: shard "+s+" done: 6 runs; when all shards are done, use collect\n")
		// The records of parts count, and can be drawn already.
		done := 6 * (i + 1)
		wantText(t, "status", ok(t, "status", "parts/small").out, fmt.Sprintf("small: %d of 18 runs on record: %d finished", done, done))
		if rows := parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--out", "parts", "--json").out); sumOnRecord(rows) != done {
			t.Errorf("plan counts %+v, want %d in all", rows, done)
		}
		ok(t, "plot", "parts/small")
		wantText(t, "table", ok(t, "table", "parts/small").out, "│ Incremental │ ")
	}
	wantText(t, "assembling", ok(t, "run", "small.yaml", "--out", "parts").out, "18 runs, 18 of them from the record")
	if exported(t, "parts/small") != exported(t, "whole/small") || optimaOf(t, "parts/small") != optimaOf(t, "whole/small") {
		t.Error("the records or the optima differ from those of one process")
	}
	for _, name := range []string{"selection.csv", "curves.csv", "figures/fig.svg", "tables/tab.md"} {
		if read(t, "parts/small", name) != read(t, "whole/small", name) {
			t.Errorf("%s differs from that of one process", name)
		}
	}
}

func sumOnRecord(rows []planned) (n int) {
	for _, r := range rows {
		n += r.OnRecord
	}
	return n
}

func TestDivergedRunsAreNamedAndDoNotFail(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, small, "{id: msg, step: {c: [0.25, 1]}}", "{id: power, step: {c: 1e+100}}")+products)
	o := ok(t, "run", "small.yaml")
	wantText(t, "stdout", o.out, "small: 4 runs, 2 diverged in ")
	wantText(t, "stderr of table", ok(t, "table", "results/small").err, "diverged: g power[k=2;step.c=1e+100;step.schedule=inverse-sqrt] repeat 0: iteration 1 leaves U without numerical rank k")
	wantText(t, "status", ok(t, "status", "results/small").out, "4 of 4 runs on record: 2 finished, 2 diverged, 0 failed", "diverged: g power[")
	wantText(t, "run again", ok(t, "run", "small.yaml").out, "4 runs, 4 of them from the record")

	// Nothing but diverged runs: still no crash, and still told.
	write(t, "none.yaml", edit(t, edit(t, small, "{id: msg, step: {c: [0.25, 1]}}", "{id: power, step: {c: 1e+100}}"), "  - {id: incremental}\n", "")+products)
	o = ok(t, "run", "none.yaml", "--out", "none")
	wantText(t, "stdout", o.out, "small: 2 runs, 2 diverged in ")
}
