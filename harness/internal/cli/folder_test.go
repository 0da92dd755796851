package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"stochopt/harness/internal/experiment"
)

func TestUnusableFolders(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	write(t, "file", "") // file permissions would not stop root
	wantOutcome(t, stochopt(t, "run", "small.yaml", "--out", "file"), exitUsage,
		"stochopt: results: cannot create folder file/small: mkdir file: not a directory; use another --out")

	ok(t, "run", "small.yaml", "--out", "newer")
	query(t, "newer/small", "PRAGMA user_version = 9")
	write(t, "empty/x", "")
	for _, args := range []string{
		"run small.yaml --out newer", "plan small.yaml --out newer", "status newer/small", "plot newer/small", "table newer/small",
		"verify newer/small", "plot empty", "table empty", "status empty", "verify none", "claims none", "report none -o r.html",
		"report empty -o r.html", "report small.yaml -o r.html", "report newer", "report newer -o empty",
	} {
		if o := stochopt(t, strings.Fields(args)...); o.code != exitUsage || o.err == "" || o.out != "" {
			t.Errorf("%s: exit %d: %s%s", args, o.code, o.out, o.err)
		}
	}
	wantNone(t, "r.html")
}

func TestUsageErrors(t *testing.T) {
	claimsHome(t)
	write(t, "same.yaml", small)
	ok(t, "run", "small.yaml", "--profile", "smoke")
	for args, want := range map[string]string{
		"runn small.yaml -j 2":                       `unknown command "runn" (did you mean "run"?); see stochopt --help`,
		"datasets lst --json":                        `unknown command "lst" (did you mean "list"?); see stochopt datasets --help`,
		"datasets --frobnicate":                      `unknown flag: --frobnicate; see stochopt datasets --help`,
		"run":                                        `want run SPEC..., got 0 arguments; see stochopt run --help`,
		"verify a b":                                 `want verify DIR, got 2 arguments; see stochopt verify --help`,
		"verify results/small --sample 0":            `--sample 0: want at least 1`,
		"run small.yaml -j 0":                        `-j 0: must be at least 1`,
		"run small.yaml --shard 3/2":                 `invalid argument "3/2" for "--shard" flag: want prepare, or i/n with 1 <= i <= n, such as 2/8; see stochopt run --help`,
		"run small.yaml --only serie=msg":            `--only "serie=msg": unknown key "serie" (did you mean "series"?)`,
		"run small.yaml --only series=mgs":           `--only series=mgs: no run has this series (did you mean "msg"?)`,
		"import results/small":                       `--out is missing: name the folder to import into`,
		"algorithms list --task svn":                 `unknown task "svn" (did you mean "svm"?)`,
		"algorithms show mgs":                        `unknown algorithm "mgs" (did you mean "msg"?)`,
		"claims results/small --about 4":             `--about "4": no claim matches (known: 1, 2, 3, far, length, too-long)`,
		"claims results/small --outcome reproducd":   `--outcome "reproducd": unknown outcome (did you mean "reproduced"?)`,
		"run small.yaml same.yaml":                   `same.yaml: small.yaml has the same name, "small", and so the same results folder; rename one of them`,
		"verify results/small --stand-in maybe":      `invalid argument "maybe" for "--stand-in" flag: want one of spec, allow, only, forbid; see stochopt verify --help`,
		"run small.yaml --only algorithm=oja":        `--only algorithm=oja: no run has this algorithm (known: msg, incremental)`,
		"plan none.yaml":                             `cannot read the spec: open none.yaml: no such file or directory; name a YAML file`,
		"run small.yaml --only series=msg,dataset=x": `--only dataset=x: no run has this dataset (known: g)`,
	} {
		wantOutcome(t, stochopt(t, strings.Fields(args)...), exitUsage, "stochopt: "+want)
	}
	for _, args := range []string{
		"help frobnicate", "completion fsh", "--frobnicate", "status", "verify results/small -j 0", "export results/small --to xml",
		"run small.yaml --only g", "run small.yaml --only series=msg,series=oja", "run small.yaml --only algorithm=incremental,series=msg",
		"run small.yaml --set repeats=-3", "run same.yaml --profile smoke", "run results",
		"claims list small.yaml --about lengths", "claims nowhere",
	} {
		if o := stochopt(t, strings.Fields(args)...); o.code != exitUsage || o.err == "" {
			t.Errorf("%s: exit %d: %s", args, o.code, o.err)
		}
	}
}

func TestShard(t *testing.T) {
	for text, want := range map[string][2]int{"": {0, 0}, "1/1": {0, 1}, "2/8": {1, 8}, "8/8": {7, 8}} {
		var o runOptions
		if err := o.parseShard(text); err != nil || [2]int{o.part.Shard, o.part.Shards} != want {
			t.Errorf("--shard %q is %+v, %v; want %v", text, o.part, err, want)
		}
	}
	for _, text := range []string{"0/1", "-1/2", "2/1", "1/0", "01/2", "1/2 ", " 1/2", "1/2x", "/", "1/", "1"} {
		if err := new(runOptions).parseShard(text); err == nil {
			t.Errorf("--shard %q is accepted", text)
		}
	}
}

// All commands report output that is lost.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	t.Cleanup(func() { full.Close() })
	home(t)
	write(t, "small.yaml", small+tables)
	ok(t, "run", "small.yaml")
	for _, args := range []string{
		"run small.yaml", "plan small.yaml", "validate small.yaml", "status results/small", "table results/small",
		"verify results/small --sample 1", "datasets info mnist", "schema", "completion bash", "--help", "compare results results",
	} {
		t.Run(args, func(t *testing.T) {
			var stderr strings.Builder
			a := newApp(t, full, &stderr)
			code, want := a.run(context.Background(), strings.Fields(args)), exitFailed
			if args == "compare results results" {
				want = exitError
			}
			if last := lastLine(stderr.String()); code != want || last != "the disk is full: free some space and repeat the command" {
				t.Errorf("exit %d, want %d; stderr %q", code, want, stderr.String())
			}
		})
	}
}

// The manifest of a folder that several builds have written names them. Commands warn about them.
func TestFoldersOfSeveralBuilds(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	manifest := read(t, "results/small/manifest.json")
	tool := experiment.ThisTool()
	write(t, "results/small/manifest.json", edit(t, manifest, `"go": "`+tool.Go, `"go": "go1.0`))
	run := strings.Fields("run small.yaml")
	// In the second run, this build is the last one.
	for _, args := range [][]string{run, run, {"status", "results/small"}, {"verify", "results/small"}, {"compare", "results/small", "results/small"}} {
		o := ok(t, args...)
		if n := strings.Count(inOneLine(o.out+o.err), "results/small: made by builds "); n == 0 || n > 1 && args[0] == "run" {
			t.Errorf("%s says it %d times: %s%s", args[0], n, o.out, o.err)
		}
	}
	if m := opened(t, "results/small").Manifest; m.Tool != tool || len(m.Earlier) != 1 || m.Earlier[0].Go == tool.Go {
		t.Errorf("the manifest has %+v and earlier %+v", m.Tool, m.Earlier)
	}
	// The same holds after imports from several builds.
	asText(t, "results/small")
	version := fmt.Sprintf(`"version": %q`, tool.Version)
	for _, build := range []string{"v1.0.0", "v2.0.0", "v1.0.0"} {
		write(t, "results/small/manifest.json", edit(t, manifest, version, fmt.Sprintf(`"version": %q`, build)))
		ok(t, "import", "results/small", "--out", "to")
	}
	m := opened(t, "to/small").Manifest
	intact := m.Intact([]byte(read(t, "to/small/manifest.json")))
	if m.Tool.Version != "v1.0.0" || len(m.Earlier) != 1 || m.Earlier[0].Version != "v2.0.0" || !intact {
		t.Errorf("the manifest is %+v", m)
	}
}

// Claims can be judged without records, and a report shows the products. Other commands name the command that
// restores the records.
func TestFolderWithoutRecords(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, claimed, "figures: []\n", tables))
	run := []string{"run", "small.yaml", "--profile", "smoke", "--set", "repeats=4"}
	ok(t, run...)
	judged := outcomesOf(t, ok(t, "claims", "results/small", "--no-fail", "--json").out)
	remove(t, "results/small/results.db")
	remove(t, "results/small/curves.csv")
	if got := outcomesOf(t, ok(t, "claims", "results/small", "--no-fail", "--json").out); got != judged {
		t.Errorf("from observations the verdicts are %s, from records %s", got, judged)
	}
	ok(t, "report", "results", "-o", "report.html")
	wantText(t, "report", read(t, "report.html"), "no records, only derived files", "MSG takes 40 steps", "| Algorithm")
	for _, args := range [][]string{{"plot"}, {"table"}, {"status"}, {"verify"}, {"export", "--to", "csv"}, {"import", "--out", "imported"}} {
		wantOutcome(t, stochopt(t, append(args, "results/small")...), exitUsage,
			"stochopt: results/small has no records, only derived files: use `claims`, `report` or, with runs.csv.gz, `verify`; "+
				"to make the records, run spec small again: stochopt run SPEC --profile smoke --set repeats=4")
	}
	if o := stochopt(t, "compare", "results", "results"); o.code != exitError {
		t.Errorf("compare: exit %d: %s", o.code, o.err)
	}
	ok(t, append(run, "--out", "build")...)
	for _, name := range []string{"selection.csv", "claims.json"} {
		if read(t, "build/small", name) != read(t, "results/small", name) {
			t.Errorf("%s differs after the records were restored", name)
		}
	}
}

// A folder of results folders stands for all of them. Commands ignore other folders and continue after an
// unreadable one.
func TestFoldersOfFolders(t *testing.T) {
	claimsHome(t)
	write(t, "two.yaml", edit(t, claimed, "name: small", "name: two"))
	ok(t, "run", "small.yaml", "two.yaml", "--profile", "smoke")
	write(t, "results/code/one.go", "package code\n")
	const (
		both = "results/small: redrawn\nresults/two: redrawn\n"
		code = "note: results/code has no results and is ignored\n"
		edge = "note: g msg[k=2]: step.c = 0.25 is at the low end of its grid: widen it\n" // of each folder
	)
	for args, notes := range map[string]string{"results": "", "results results/two": "", "results/code results/small results/two": code} {
		if o := ok(t, append([]string{"plot"}, strings.Fields(args)...)...); o.out != both || o.err != notes+edge+edge {
			t.Errorf("%s: stdout %q, stderr %q", args, o.out, o.err)
		}
	}
	write(t, "results/bad/runs.jsonl", "")
	o := ok(t, "plot", "results")
	if o.out != both || o.err != "warning: results/bad has no manifest.json and is ignored\n"+edge+edge {
		t.Errorf("stdout %q, stderr %q", o.out, o.err)
	}
	if o := stochopt(t, "claims", "results/bad"); o.code != exitUsage {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
	remove(t, "results/small/spec.yaml")
	o = stochopt(t, "claims", "results", "--json")
	if got := outcomesOf(t, o.out); o.code != exitUsage || got != "length: reproduced, too-long: not reproduced, far: not run" {
		t.Errorf("exit %d, %s: %s", o.code, got, o.err)
	}
}
