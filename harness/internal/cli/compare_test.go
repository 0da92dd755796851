package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/compare"
	"stochopt/internal/record"
)

// compareHome is an empty folder with results of the small spec in a/small, and of
// variants of it elsewhere.
func compareHome(t *testing.T) {
	t.Helper()
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml", "--out", "a")
}

func variant(t *testing.T, out string, args ...string) {
	t.Helper()
	ok(t, append([]string{"run", "small.yaml", "--out", out}, args...)...)
}

func TestCompareIdentical(t *testing.T) {
	compareHome(t)
	variant(t, "b")
	for _, args := range [][]string{{"a", "b"}, {"a/small", "b/small"}, {"a", "b/small"}} {
		o := ok(t, append([]string{"compare", "--strict"}, args...)...)
		if o.out != "2 cells: 2 identical; PASS\n" || o.err != "" {
			t.Errorf("%v: %q %q", args, o.out, o.err)
		}
	}
	wantText(t, "all cells", ok(t, "compare", "a", "b", "-v").out, "│ incremental", "│ msg ", "identical")
}

// Of a changed step size the table names exactly the cells that changed. Two repeats
// are never enough for a verdict.
func TestCompareStepSize(t *testing.T) {
	compareHome(t)
	variant(t, "b", "--set", "algorithms.msg.step.c=[0.001, 0.0001]")
	o := ok(t, "compare", "a", "b")
	wantText(t, "table", o.out, "small: suboptimality / iterations\n", "│ msg ", "chosen step.c=1 -> step.c=0.001\n", "inconclusive [",
		"baseline, candidate: geometric means over repeats, ",
		"the cost at equal iterations changed",
		"to decide, run more repeats at fresh seeds (a number fixed in advance); adding repeats until there is a decision",
		"2 cells: 1 identical, 1 inconclusive; no regression shown; 1 cell undecided\n")
	if strings.Contains(o.out, "incremental") {
		t.Errorf("the table names a cell that did not change:\n%s", o.out)
	}
	o = stochopt(t, "compare", "a", "b", "--strict")
	wantLast(t, o, 2, "UNDECIDED: 1 cell undecided, which --strict does not let pass")
}

func TestCompareOneRepeat(t *testing.T) {
	compareHome(t)
	variant(t, "b", "--set", "repeats=1")
	variant(t, "c", "--set", "repeats=1", "--set", "algorithms.msg.step.c=[1e-6, 1e-7]")
	o := ok(t, "compare", "b", "c")
	wantText(t, "table", o.out, "the cost at equal iterations changed", "│     1 │ sum_kt ", "1 inconclusive; no regression shown; 1 cell undecided\n")
	r := parseJSON[compare.Report](t, ok(t, "compare", "b", "c", "--format", "json").out)
	for _, c := range r.Cells {
		if c.Verdict == compare.Better || c.Verdict == compare.Worse || c.Verdict == compare.Equivalent {
			t.Errorf("%s: %s from one repeat", c.Series, c.Verdict)
		}
	}
}

func TestCompareWorseAndBetter(t *testing.T) {
	compareHome(t)
	variant(t, "b", "--set", "repeats=12", "--set", "algorithms.msg.step.c=[1]")
	variant(t, "c", "--set", "repeats=12", "--set", "algorithms.msg.step.c=[0.0001]")
	o := stochopt(t, "compare", "b", "c", "--target", "0.5")
	wantLast(t, o, 1, "REGRESSION: 1 cell worse")
	wantText(t, "table", o.out, "changed: step.c: 1 -> 0.0001", "│    12 │ area ", " worse", "2 cells: 1 identical, 1 worse; REGRESSION: 1 cell worse\n")
	wantText(t, "the other way round", ok(t, "compare", "c", "b", "--strict").out, "changed: step.c: 0.0001 -> 1", " better")
	o = stochopt(t, "compare", "b", "c", "--format", "markdown")
	if o.code != 1 {
		t.Errorf("exit %d, want 1", o.code)
	}
	wantText(t, "markdown", o.out, "**REGRESSION: 1 cell worse**", "| msg ")
	o = stochopt(t, "compare", "b", "c", "--format", "json")
	wantText(t, "json", o.out, `"outcome": "REGRESSION: 1 cell worse"`, `"exit_code": 1`)
	if strings.Contains(o.out, "NaN") {
		t.Error("there is a NaN in the JSON")
	}
}

// A bit of a stored record is changed by hand: as a broken build would.
func TestCompareOtherBits(t *testing.T) {
	compareHome(t)
	variant(t, "b")
	lines := strings.SplitAfter(asText(t, "b/small"), "\n")
	lines[2] = flipDigit(t, lines[2])
	write(t, "b/small/runs.jsonl", strings.Join(lines, ""))
	key := parseJSON[record.Run](t, lines[2]).Key
	o := stochopt(t, "compare", "a", "b")
	wantLast(t, o, 1, "BITS CHANGED: 1 run of msg with the same key; raise the Version, or find out why")
	wantText(t, "table", strings.Join(strings.Fields(o.out), " "), "SAME KEY, OTHER BITS: either", "small: g msg[", "(key "+key+"): curve population/suboptimality at point 0: ")
	// Another platform may round differently, and so may a build that fuses.
	for _, edits := range [][2]string{{`"platform": "`, `"platform": "other/`}, {`"goamd64": "v1"`, `"goamd64": "v3"`}} {
		manifest := read(t, "b/small/manifest.json")
		if !strings.Contains(manifest, edits[0]) {
			continue // not on this architecture
		}
		write(t, "b/small/manifest.json", edit(t, manifest, edits[0], edits[1]))
		o = stochopt(t, "compare", "a", "b")
		if o.code != 0 {
			t.Errorf("%s: exit %d: %s", edits[1], o.code, o.err)
		}
		wantText(t, "table", o.out, "SAME KEY, OTHER BITS", "(no regression: the records were made on ")
		write(t, "b/small/manifest.json", manifest)
	}
}

// flipDigit changes the last digit of the first suboptimality of a record, and its
// checksum with it.
func flipDigit(t *testing.T, line string) string {
	t.Helper()
	at := strings.Index(line, `"suboptimality":[`)
	end := at + strings.IndexAny(line[at:], ",]")
	if at < 0 || line[end-1] < '0' || line[end-1] > '9' {
		t.Fatalf("no suboptimality in %s", line)
	}
	digit := '0' + (line[end-1]-'0'+1)%9
	object, err := record.Unseal([]byte(strings.TrimSuffix(line, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return string(record.Seal([]byte(string(object[:end-1])+string(rune(digit))+string(object[end:])))) + "\n"
}

func TestCompareTextReference(t *testing.T) {
	compareHome(t)
	for _, f := range []string{"spec.yaml", "manifest.json"} {
		write(t, filepath.Join("ref/small", f), read(t, "a/small", f))
	}
	write(t, "ref/small/runs.jsonl.gz", gzipped(t, exported(t, "a/small")))
	if o := ok(t, "compare", "ref", "a", "--strict"); o.out != "2 cells: 2 identical; PASS\n" {
		t.Errorf("%q", o.out)
	}
	write(t, "ref/small/runs.jsonl.gz", gzipped(t, exported(t, "a/small"))[:200])
	o := stochopt(t, "compare", "ref", "a")
	if o.code != 3 {
		t.Errorf("exit %d for a torn file", o.code)
	}
	wantText(t, "stderr", o.err, "runs.jsonl.gz", "unexpected EOF")
}

func TestCompareFilters(t *testing.T) {
	compareHome(t)
	write(t, "other.yaml", edit(t, small, "name: small", "name: other"))
	ok(t, "run", "other.yaml", "--out", "a")
	variant(t, "b", "--set", "algorithms.msg.step.c=[0.001, 0.0001]")
	ok(t, "run", "other.yaml", "--out", "b")
	for _, test := range []struct{ args, want string }{
		{"", "4 cells: 3 identical, 1 inconclusive; "},
		{"--experiment */*/incremental", "2 cells: 2 identical; PASS"},
		{"--experiment small/*/inc*", "1 cell: 1 identical; PASS"},
		{"--experiment small/g,other", "4 cells: 3 identical, 1 inconclusive; "},
		{"--experiment !*/*/msg", "2 cells: 2 identical; PASS"},
		{"--experiment !other/*/* --experiment !*/*/msg", "1 cell: 1 identical; PASS"},
		{"--experiment !small", "2 cells: 2 identical; PASS"},
		{"--experiment !small/g/msg,!other/*/*", "1 cell: 1 identical; PASS"},
	} {
		o := ok(t, append([]string{"compare", "a", "b"}, strings.Fields(test.args)...)...)
		if !strings.Contains(o.out, test.want) || strings.Contains(test.want, "PASS") && o.out != test.want+"\n" {
			t.Errorf("%s: %s\nwant %s", test.args, o.out, test.want)
		}
	}
	// An experiment that the candidate lacks is reported, and not compared.
	o := stochopt(t, "compare", "a", "b/other", "--strict")
	wantLast(t, o, 2, "INCOMPLETE: the candidate has less: small is missing")
	wantText(t, "all rows", stochopt(t, "compare", "a", "b/other", "-v").out, "only in the baseline", "incomparable")
	// Single experiments are compared whatever their names.
	wantText(t, "other names", inOneLine(ok(t, "compare", "a/small", "a/other").out),
		"warning: the experiments differ: a/small is small, a/other is other", "2 cells: 2 identical; PASS")
}

func TestCompareOverlay(t *testing.T) {
	compareHome(t)
	variant(t, "b", "--set", "algorithms.msg.step.c=[0.001, 0.0001]")
	wantText(t, "table", ok(t, "compare", "a", "b", "--overlay", "figures").out, "overlays (SVG, PDF, PNG): figures/small\n")
	svg := read(t, "figures/small.svg")
	wantText(t, "figure", svg, ">g · MSG: inconclusive<", ">baseline<", ">MSG, candidate<")
	if strings.Contains(svg, "Incremental") {
		t.Error("the figure shows a cell that did not change")
	}
	// There is nothing to draw of what is the same.
	ok(t, "compare", "a", "a", "--overlay", "none")
	if files, err := os.ReadDir(at(t, "none")); err != nil || len(files) > 0 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

func TestCompareBadInput(t *testing.T) {
	compareHome(t)
	variant(t, "b", "--set", "algorithms.msg.step.c=[0.001, 0.0001]")
	write(t, "other.yaml", edit(t, edit(t, edit(t, small, "name: small", "name: other"), "id: g", "id: h"), "dim: 6", "dim: 7"))
	write(t, "third.yaml", edit(t, read(t, "other.yaml"), "name: other", "name: third"))
	ok(t, "run", "other.yaml", "third.yaml", "--out", "c")
	if err := os.MkdirAll(at(t, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	asText(t, "a/small")
	for _, dir := range []string{"damaged", "mixed", "none", "nospec"} {
		for _, f := range []string{"spec.yaml", "manifest.json", "runs.jsonl"} {
			write(t, filepath.Join(dir, "small", f), read(t, "a/small", f))
		}
	}
	for _, f := range []string{"spec.yaml", "manifest.json", "runs.jsonl"} {
		write(t, filepath.Join("both/one", f), read(t, "a/small", f))
		write(t, filepath.Join("both/two", f), read(t, "a/small", f))
	}
	write(t, "damaged/small/manifest.json", "{")
	write(t, "mixed/small/runs.jsonl", string(record.Seal([]byte(`{"schema":3}`)))+"\n")
	write(t, "none/small/runs.jsonl", "")
	if err := os.Remove(at(t, "nospec/small/spec.yaml")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want string }{
		{"", "stochopt: want two folders, BASELINE and CANDIDATE, got 0"},
		{"a", "stochopt: want two folders, BASELINE and CANDIDATE, got 1"},
		{"a b c", "got 3"},
		{"a nowhere", "stochopt: cannot read nowhere: no such file or directory; name a results folder, or a folder of results folders"},
		{"a small.yaml", "stochopt: cannot read small.yaml: "},
		{"a empty", "stochopt: empty is not a results folder"},
		{"a damaged", "damaged/small/manifest.json is damaged: "},
		{"a mixed", "mixed/small/runs.jsonl:1: "},
		{"a none", "stochopt: none/small holds no records yet"},
		{"a nospec", "nospec/small has no spec.yaml, the spec that it was run with; run the spec with --out nospec to record it again"},
		{"a c", "stochopt: no experiment is on both sides: the baseline has small, the candidate other, third"},
		{"a/small c/other", "no cell is on both sides"},
		{"a b --format yaml", `stochopt: invalid argument "yaml" for "--format" flag: want one of table, markdown, csv, json`},
		{"a b --tolerance 5", `stochopt: compare: the tolerance is 5; it must be from 0 to 1, such as 0.05 for 5%`},
		{"a b --tolerance NaN", `the tolerance is NaN`},
		{"a b --at 10,x", `parsing "x"`},
		{"a b --target 0", `the targets are [0]`},
		{"a b --experiment small/g/mgs", `stochopt: --experiment "small/g/mgs": no such cell is on either side (did you mean "small/g/msg"?)`},
		{"a b --experiment x*", `stochopt: --experiment "x*/*/*": no such cell is on either side`},
		{"a b --experiment [", `stochopt: --experiment "[": want experiment, `},
		{"a b --experiment a/b/c/d", `stochopt: --experiment "a/b/c/d": want experiment, experiment/dataset or experiment/dataset/series`},
		{"a b --experiment !a/b/c/d", `stochopt: --experiment "!a/b/c/d": want experiment, experiment/dataset or experiment/dataset/series`},
		{"a b --experiment !*/*/*", "stochopt: no experiment is on both sides: the baseline has none that --experiment leaves"},
		{"both a", "stochopt: both/one and both/two both hold the experiment small; compare one at a time"},
		{"a b --unknown", "stochopt: unknown flag: --unknown"},
		{"a b --overlay small.yaml", "stochopt: --overlay small.yaml: cannot draw there: "},
	} {
		t.Run(test.args, func(t *testing.T) {
			o := stochopt(t, append([]string{"compare"}, strings.Fields(test.args)...)...)
			if o.code != 3 {
				t.Errorf("exit %d, want 3", o.code)
			}
			if !strings.Contains(o.err, test.want) || !strings.HasPrefix(o.err, "stochopt: ") || strings.Contains(o.err, "internal error") {
				t.Errorf("stderr is %q, want %q in it", o.err, test.want)
			}
		})
	}
}

// What no run records is compared in no cell.
func TestCompareUnknownMeasures(t *testing.T) {
	compareHome(t)
	variant(t, "b", "--set", "algorithms.msg.step.c=[0.001, 0.0001]")
	for args, want := range map[string]string{
		"--metric suboptimalty": "not all runs record suboptimalty\n", "--cost kernel_evals": "not all runs count kernel_evals\n",
		"--metric tset/suboptimality": "not all runs record suboptimality on tset\n",
	} {
		o := stochopt(t, append([]string{"compare", "a", "b", "--experiment", "*/*/msg"}, strings.Fields(args)...)...)
		wantLast(t, o, exitError, "NOTHING COMPARED: every cell is incomparable")
		wantText(t, args, o.out, want)
	}
}

// Costs that the curves do not reach are no verdict.
func TestCompareBeyondTheRange(t *testing.T) {
	compareHome(t)
	variant(t, "b", "--set", "algorithms.msg.step.c=[0.001, 0.0001]")
	o := stochopt(t, "compare", "a", "b", "--at", "1e6", "--strict")
	if o.code != 2 {
		t.Errorf("exit %d, want 2: %s%s", o.code, o.out, o.err)
	}
	wantText(t, "table", o.out, "1000000 iterations is outside the range that all curves cover")
}

func TestCompareCannotWrite(t *testing.T) {
	compareHome(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	var stderr strings.Builder
	a := newApp(t, full, &stderr)
	if code := a.run(context.Background(), []string{"compare", "a", "a"}); code != 3 {
		t.Errorf("exit %d, want 3: %s", code, stderr.String())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if o := stochoptWith(t, ctx, nil, "compare", "a", "a"); o.code != exitInterrupted {
		t.Errorf("interrupted: exit %d", o.code)
	}
}

// A baseline may be of a version that made other products, which a comparison does not
// need.
func TestCompareIgnoresOtherProducts(t *testing.T) {
	compareHome(t)
	variant(t, "b")
	text := read(t, "a/small/spec.yaml")
	write(t, "a/small/spec.yaml", text+"claims:\n  - {id: later, check: {not-yet: known}}\ntables:\n  - {id: tab, kind: not-yet}\n")
	if o := ok(t, "compare", "a", "b", "--strict"); o.out != "2 cells: 2 identical; PASS\n" {
		t.Errorf("%q", o.out)
	}
}

// A candidate that lacks some of the baseline's work, or of its own plan, does not pass, unless that
// is allowed.
func TestCompareMissingWork(t *testing.T) {
	compareHome(t)
	variant(t, "b")
	variant(t, "short", "--set", "budget.iterations=20", "--set", "repeats=1")
	variant(t, "series", "--set", "algorithms=[{id: msg, step: {c: [0.25, 1]}}]")
	lines := strings.SplitAfter(asText(t, "b/small"), "\n")
	write(t, "b/small/runs.jsonl", strings.Join(lines[:len(lines)-2], "")) // a repeat is missing
	for _, test := range []struct {
		cand string
		want []string
	}{
		{"b", []string{"1 of 2 repeats", "small is PARTIAL, 5 of 6 runs"}},
		{"short", []string{"1 of 2 repeats", "20 of 40 iterations"}},
		{"series", []string{"small: incremental is missing"}},
	} {
		o := stochopt(t, "compare", "a", test.cand)
		if last := lastLine(o.out); o.code != 2 || !strings.HasSuffix(last, "; INCOMPLETE: the candidate has less: "+strings.Join(test.want, ", ")) {
			t.Errorf("%s: exit %d, the last line is %q", test.cand, o.code, last)
		}
		r := parseJSON[struct{ Missing []string }](t, stochopt(t, "compare", "a", test.cand, "--format", "json").out)
		if !slices.Equal(r.Missing, test.want) {
			t.Errorf("%s: JSON says %q", test.cand, r.Missing)
		}
		// What the candidate has more of is no lack.
		if o := ok(t, "compare", test.cand, "a"); strings.Contains(o.out, "has less") {
			t.Errorf("a has less than %s: %s", test.cand, o.out)
		}
	}
	// The runs that are missing are not of the cells compared.
	if o := ok(t, "compare", "a", "b", "--experiment", "*/*/msg"); lastLine(o.out) != "1 cell: 1 identical; PASS" {
		t.Errorf("of cells that are complete it says %q", o.out)
	}
}

// wantLast checks the exit code and the outcome that a comparison ends with and prints once.
func wantLast(t *testing.T, o outcome, code int, text string) {
	t.Helper()
	if o.code != code || !strings.HasSuffix(lastLine(o.out), text) || strings.Count(o.out+o.err, text) != 1 {
		t.Errorf("exit %d, and it prints\n%s%s\nwant exit %d, and %s once, at the end", o.code, o.out, o.err, code, text)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[len(lines)-1]
}

// Of other experiments nothing may be decided, which is no pass.
func TestCompareNothingDecided(t *testing.T) {
	compareHome(t)
	variant(t, "b", "--set", "algorithms.msg.step.c=[0.001, 0.0001]")
	o := ok(t, "compare", "a", "b", "--experiment", "*/*/msg")
	if want := "1 cell: 1 inconclusive; no regression shown; 1 cell undecided"; lastLine(o.out) != want {
		t.Errorf("the last line is %q, want %q", lastLine(o.out), want)
	}
	wantLast(t, stochopt(t, "compare", "a", "b", "--experiment", "*/*/msg", "--strict"), 2, "UNDECIDED: 1 cell undecided, which --strict does not let pass")
}

// An experiment that one side lacks has no rows.
func TestCompareExperimentOfOneSide(t *testing.T) {
	compareHome(t)
	write(t, "other.yaml", edit(t, small, "name: small", "name: other"))
	variant(t, "b")
	ok(t, "run", "other.yaml", "--out", "b")
	for _, test := range []struct{ base, cand, want string }{
		{"a", "b", "warning: other is only in the candidate\n4 cells: 2 identical, 2 incomparable; PASS\n"},
		{"b", "a", "4 cells: 2 identical, 2 incomparable; INCOMPLETE: the candidate has less: other is missing\n"},
	} {
		if o := stochopt(t, "compare", test.base, test.cand, "--strict"); o.code != 2 {
			t.Errorf("--strict: exit %d", o.code)
		}
		o := stochopt(t, "compare", test.base, test.cand)
		if o.out != test.want {
			t.Errorf("%s\nwant\n%s", o.out, test.want)
		}
	}
}
