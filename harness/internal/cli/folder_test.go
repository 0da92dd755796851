package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
)

func TestFoldersThatCannotBeUsed(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	t.Run("unwritable", func(t *testing.T) {
		// The tests may run as root, whom no permissions stop.
		write(t, "file", "")
		wantOutcome(t, stochopt(t, "run", "small.yaml", "--out", "file"), exitUsage,
			"stochopt: results: cannot create folder file/small: mkdir file: not a directory; use another --out")
	})
	t.Run("in use", func(t *testing.T) {
		store, err := record.Open(at(t, "busy/small"), record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		host, _ := os.Hostname()
		o := stochopt(t, "run", "small.yaml", "--out", "busy")
		if o.code != exitUsage {
			t.Errorf("exit %d, want %d", o.code, exitUsage)
		}
		wantText(t, "stderr", o.err, fmt.Sprintf("stochopt: busy/small is being written by process %d on %s", os.Getpid(), host),
			": wait for it, or use another --out; if it no longer runs, remove busy/small/results.lock\n")
	})
	t.Run("newer schema", func(t *testing.T) {
		ok(t, "run", "small.yaml", "--out", "newer")
		query(t, "newer/small", "PRAGMA user_version = 9")
		newer := read(t, "newer/small/results.db")
		want := "stochopt: newer/small/results.db: results written by schema 9; this build reads schema 1: use a newer build or another --out"
		for _, args := range [][]string{
			{"run", "small.yaml", "--out", "newer"},
			{"plan", "small.yaml", "--out", "newer"},
			{"status", "newer/small"}, {"plot", "newer/small"}, {"table", "newer/small"}, {"verify", "newer/small"},
		} {
			wantOutcome(t, stochopt(t, args...), exitUsage, want)
		}
		if got := read(t, "newer/small/results.db"); got != newer {
			t.Error("the newer database was changed")
		}
	})
	t.Run("no results folder", func(t *testing.T) {
		if err := os.Mkdir(at(t, "empty"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"empty", "none"} {
			for _, verb := range []string{"plot", "table", "status", "verify"} {
				want := "stochopt: empty is not a results folder (it has no manifest.json) and contains none; name a results folder, such as results/<name>, or a folder of them"
				switch {
				case verb == "verify":
					want = "stochopt: " + dir + " is not a results folder, because it has no manifest.json; name a folder that run has made, such as results/<name>"
				case dir == "none":
					want = "stochopt: cannot read none: no such file or directory; name a results folder, or a folder of results folders"
				}
				wantOutcome(t, stochopt(t, verb, dir), exitUsage, want)
			}
		}
	})
	t.Run("damaged manifest", func(t *testing.T) {
		ok(t, "run", "small.yaml", "--out", "damaged")
		write(t, "damaged/small/manifest.json", "{")
		wantOutcome(t, stochopt(t, "status", "damaged/small"), exitUsage,
			"stochopt: damaged/small/manifest.json is damaged: unexpected end of JSON input; run the spec again: that writes it again and repeats no run")
		o := ok(t, "run", "small.yaml", "--out", "damaged")
		if !strings.Contains(o.out, "6 runs, 6 of them from the record") || !strings.Contains(o.err, "warning: damaged/small/manifest.json is damaged: ") {
			t.Errorf("the advice did not hold: %s%s", o.out, o.err)
		}
		ok(t, "status", "damaged/small")
	})
	t.Run("damaged spec", func(t *testing.T) {
		ok(t, "run", "small.yaml", "--out", "damaged")
		whole := read(t, "damaged/small/spec.yaml")
		write(t, "damaged/small/spec.yaml", whole[:len(whole)/2]+"\x00\n - [")
		o := ok(t, "run", "small.yaml", "--out", "damaged")
		if !strings.Contains(o.out, "6 runs, 6 of them from the record") || !strings.Contains(o.err, "warning: damaged/small/spec.yaml is damaged: ") {
			t.Errorf("%s%s", o.out, o.err)
		}
		if read(t, "damaged/small/spec.yaml") != whole {
			t.Error("the spec was not written anew")
		}
	})
	t.Run("damaged records", func(t *testing.T) {
		ok(t, "run", "small.yaml", "--out", "lines")
		if o := ok(t, "status", "lines/small"); strings.Contains(o.out+o.err, "damaged") || strings.Contains(o.out, "checksum") {
			t.Errorf("sound records: %s%s", o.out, o.err)
		}
		whole := exported(t, "lines/small")
		query(t, "lines/small", "UPDATE run SET record = replace(record, '\"seed\"', '\"sead\"') WHERE id = 1")
		damaged := read(t, "lines/small/results.db")
		for _, args := range [][]string{
			{"status", "lines/small"}, {"plot", "lines/small"}, {"claims", "lines/small"}, {"report", "lines/small", "-o", "lines.html"},
			{"compare", "lines/small", "lines/small"}, {"plan", "small.yaml", "--out", "lines"},
		} {
			if o := stochopt(t, args...); !strings.Contains(o.err+o.out, "lines/small: row 1 of table run") {
				t.Errorf("%v: exit %d: %s%s", args, o.code, o.out, o.err)
			}
		}
		wantText(t, "status", ok(t, "status", "lines/small").out, "damaged rows or lines: 1\n")
		if read(t, "lines/small/results.db") != damaged {
			t.Error("reading wrote to the database")
		}
		o := ok(t, "run", "small.yaml", "--out", "lines")
		if !strings.Contains(o.out, "6 runs, 5 of them from the record") || !strings.Contains(o.err, "row 1 of table run") {
			t.Errorf("%s%s", o.out, o.err)
		}
		if exported(t, "lines/small") != whole {
			t.Error("the records are not what they were")
		}
		if o := ok(t, "status", "lines/small"); strings.Contains(o.out+o.err, "damaged") {
			t.Errorf("status is %s%s", o.out, o.err)
		}
	})
}

func TestFoldersWithoutRecords(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ctx, cancel := context.WithCancel(context.Background())
	cancelWhen := &cancelOn{text: "0 of them on record", cancel: cancel}
	a := newApp(t, &strings.Builder{}, cancelWhen)
	if code := a.run(ctx, []string{"run", "small.yaml", "--set", "budget.iterations=50000000"}); code != exitInterrupted {
		t.Fatalf("exit %d, want %d: %s", code, exitInterrupted, cancelWhen.seen.String())
	}
	wantText(t, "stderr", cancelWhen.seen.String(), "small: interrupted: 0 of 6 runs saved; run the same command to resume\n")
	for _, verb := range []string{"plot", "table"} {
		o := stochopt(t, verb, "results/small")
		if o.code != exitUsage || !strings.HasSuffix(o.err, "stochopt: results/small holds no records yet; start with run\n") {
			t.Errorf("%s: exit %d: %s", verb, o.code, o.err)
		}
	}
	o := stochopt(t, "verify", "results/small")
	wantOutcome(t, o, exitFailed, "stochopt: results/small: 6 findings")
	wantText(t, "verify", o.out, "MISSING: g incremental[k=2] repeat 0", "results/small: 0 of 0 records re-run, 0 differ")
	o = ok(t, "status", "results/small")
	wantText(t, "status", o.out, "small: 0 of 6 runs on record: 0 finished, 0 diverged, 0 failed")
	wantText(t, "stderr", o.err, "warning: results/small: no records yet")
}

// cancelOn is a stderr that cancels once it has seen a text.
type cancelOn struct {
	seen   strings.Builder
	text   string
	cancel context.CancelFunc
}

func (c *cancelOn) Write(p []byte) (int, error) {
	c.seen.Write(p)
	if strings.Contains(c.seen.String(), c.text) {
		c.cancel()
	}
	return len(p), nil
}

func TestBadFlags(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	for _, test := range []struct{ args, want string }{
		{"runn small.yaml", `unknown verb "runn" (did you mean "run"?); see stochopt --help`},
		{"runn small.yaml -j 2", `unknown verb "runn" (did you mean "run"?); see stochopt --help`},
		{"frobnicate", `unknown verb "frobnicate"; see stochopt --help`},
		{"help frobnicate", `unknown verb "frobnicate"; see stochopt --help`},
		{"datasets lst --json", `unknown verb "lst" (did you mean "list"?); see stochopt datasets --help`},
		{"algorithms shw", `unknown verb "shw" (did you mean "show"?); see stochopt algorithms --help`},
		{"completion fsh", `unknown verb "fsh" (did you mean "fish"?); see stochopt completion --help`},
		{"--frobnicate", `unknown flag: --frobnicate; see stochopt --help`},
		{"run small.yaml --frobnicate", `unknown flag: --frobnicate; see stochopt run --help`},
		{"run", `no spec is given; see stochopt run --help`},
		{"plan", `no spec is given; see stochopt plan --help`},
		{"validate", `no spec is given; see stochopt validate --help`},
		{"status", `no results folder is given; see stochopt status --help`},
		{"plot", `no results folder is given; see stochopt plot --help`},
		{"verify a b", `want one results folder, got 2; see stochopt verify --help`},
		{"run small.yaml -j 0", `-j 0: want at least 1`},
		{"run small.yaml -j -2", `-j -2: want at least 1`},
		{"verify results/small -j 0", `-j 0: want at least 1`},
		{"verify results/small --sample 0", `--sample 0: want at least 1`},
		{"verify results/small --sample 0", `--sample 0: want at least 1`},
		{"run small.yaml --shard 0/2", `--shard "0/2": want i/n with 1 <= i <= n, such as 2/8, or prepare`},
		{"run small.yaml --shard 3/2", `--shard "3/2": want i/n with 1 <= i <= n, such as 2/8, or prepare`},
		{"run small.yaml --shard 1", `--shard "1": want i/n with 1 <= i <= n, such as 2/8, or prepare`},
		{"run small.yaml --shard 1/2/3", `--shard "1/2/3": want i/n with 1 <= i <= n, such as 2/8, or prepare`},
		{"run small.yaml --shard a/b", `--shard "a/b": want i/n with 1 <= i <= n, such as 2/8, or prepare`},
		{"run small.yaml --stand-in maybe", `invalid argument "maybe" for "--stand-in" flag: want one of spec, allow, only, forbid; see stochopt run --help`},
		{"plan small.yaml --stand-in maybe", `invalid argument "maybe" for "--stand-in" flag: want one of spec, allow, only, forbid; see stochopt plan --help`},
		{"verify results/small --stand-in maybe", `invalid argument "maybe" for "--stand-in" flag: want one of spec, allow, only, forbid; see stochopt verify --help`},
		{"algorithms show mgs", `unknown algorithm "mgs" (did you mean "msg"?)`},
		{"datasets info mnit", `unknown dataset "mnit" (did you mean "mnist"? known: adult, counterexample-2d, covtype, ijcnn1, interval, mnist, reuters, simulated-gaussian, simulated-margin, simulated-orthogonal, timit, web)`},
		{"datasets fetch mnit --offline", `unknown dataset "mnit" (did you mean "mnist"? known: adult, counterexample-2d, covtype, ijcnn1, interval, mnist, reuters, simulated-gaussian, simulated-margin, simulated-orthogonal, timit, web)`},
	} {
		t.Run(test.args, func(t *testing.T) {
			wantOutcome(t, stochopt(t, strings.Fields(test.args)...), exitUsage, "stochopt: "+test.want)
		})
	}
}

func TestShard(t *testing.T) {
	for text, want := range map[string][2]int{"": {0, 0}, "1/1": {0, 1}, "2/8": {1, 8}, "8/8": {7, 8}} {
		o := runOptions{shard: text}
		if err := o.parseShard(); err != nil || [2]int{o.part.Shard, o.part.Shards} != want {
			t.Errorf("--shard %q is %+v, %v; want %v", text, o.part, err, want)
		}
	}
	for _, text := range []string{"0/1", "-1/2", "2/1", "1/0", "01/2", "1/2 ", " 1/2", "1/2x", "/", "1/", "1"} {
		if err := (&runOptions{shard: text}).parseShard(); err == nil {
			t.Errorf("--shard %q is accepted", text)
		}
	}
}

// Output that is lost is an error, whichever verb wrote it and however.
func TestOutputThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	t.Cleanup(func() { full.Close() })
	home(t)
	write(t, "small.yaml", small+tables)
	ok(t, "run", "small.yaml")
	for _, args := range []string{
		"run small.yaml", "plan small.yaml", "plan small.yaml --json", "validate small.yaml",
		"status results/small", "table results/small", "verify results/small --sample 1", "datasets list", "datasets info mnist",
		"algorithms list", "algorithms show msg", "schema", "version", "completion bash", "help", "--help",
	} {
		t.Run(args, func(t *testing.T) {
			var stderr strings.Builder
			a := newApp(t, full, &stderr)
			code := a.run(context.Background(), strings.Fields(args))
			want := "stochopt: cannot write the output: write /dev/full: no space left on device\n" +
				"the disk is full: free space, and repeat the command\n"
			if code != exitFailed || !strings.HasSuffix(stderr.String(), want) {
				t.Errorf("exit %d, want %d; stderr %q, want %q at its end", code, exitFailed, stderr.String(), want)
			}
		})
	}
}

// A folder that another build has made says so, and all who read it do.
func TestFoldersOfSeveralBuilds(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	manifest := read(t, "results/small/manifest.json")
	tool := experiment.ThisTool()
	const said = "results/small: made by builds "
	for _, unsaid := range []string{"(devel)", "unknown", ""} {
		write(t, "results/small/manifest.json", edit(t, manifest, fmt.Sprintf(`"version": %q`, tool.Version), fmt.Sprintf(`"version": %q`, unsaid)))
		if o := ok(t, "run", "small.yaml"); strings.Contains(o.err, said) == (unsaid == tool.Version) {
			t.Errorf("the version %q: %s", unsaid, o.err)
		}
	}
	write(t, "results/small/manifest.json", edit(t, manifest, `"go": "`+tool.Go, `"go": "go1.0`))
	for range 2 { // the second time this build is the last one
		o := ok(t, "run", "small.yaml")
		wantText(t, "run", o.err, "warning: "+said, "(go1.0, ", " and ", "("+tool.Go+", ", "equal keys are reused", "--out", "verify")
		if n := strings.Count(o.err, said); n != 1 {
			t.Errorf("said %d times", n)
		}
	}
	wantText(t, "status", ok(t, "status", "results/small").err, "warning: "+said)
	wantText(t, "compare", inOneLine(ok(t, "compare", "results/small", "results/small").out), said)
	wantText(t, "verify", ok(t, "verify", "results/small").out, "note: "+said)
	remove(t, "results/small")
	if o := ok(t, "run", "small.yaml"); strings.Contains(o.err, said) {
		t.Errorf("of a fresh folder: %s", o.err)
	}
}

// A database that the exported runs of several builds are imported into names all of them, and says so.
func TestImportOfSeveralBuilds(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	asText(t, "results/small")
	manifest := read(t, "results/small/manifest.json")
	version := fmt.Sprintf(`"version": %q`, experiment.ThisTool().Version)
	for i, build := range []string{"v1.0.0", "v2.0.0", "v1.0.0"} {
		write(t, "results/small/manifest.json", edit(t, manifest, version, fmt.Sprintf(`"version": %q`, build)))
		o := ok(t, "import", "results/small", "--out", "to")
		if said := strings.Contains(o.err, "to/small: made by builds v2.0.0 "); said != (i > 0) {
			t.Errorf("after import %d of %s: %s", i, build, o.err)
		}
	}
	m := opened(t, "to/small").Manifest
	intact := m.Intact([]byte(read(t, "to/small/manifest.json")))
	if m.Tool.Version != "v1.0.0" || len(m.Earlier) != 1 || m.Earlier[0].Version != "v2.0.0" || !intact {
		t.Errorf("the manifest is %+v", m)
	}
}
