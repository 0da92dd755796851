package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/compare"
	"stochopt/internal/record"
)

// compareHome creates a folder with results of the small spec in a/small.
func compareHome(t *testing.T) {
	t.Helper()
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml", "--out", "a")
}

// variant runs the small spec with other arguments.
func variant(t *testing.T, out string, args ...string) {
	t.Helper()
	ok(t, append([]string{"run", "small.yaml", "--out", out}, args...)...)
}

// Folder a has the results of the small spec, and same has a copy. step has other step sizes, good and bad are
// far apart, and the other folders have more or less work.
func TestCompareOutcomes(t *testing.T) {
	skipIfShort(t)
	compareHome(t)
	variant(t, "same")
	variant(t, "step", "--set", "algorithms.msg.step.c=[0.001, 0.0001]")
	variant(t, "one", "--set", "repeats=1", "--set", "algorithms.msg.step.c=[1e-6, 1e-7]")
	variant(t, "single", "--set", "repeats=1")
	variant(t, "good", "--set", "repeats=12", "--set", "algorithms.msg.step.c=[1]")
	variant(t, "bad", "--set", "repeats=12", "--set", "algorithms.msg.step.c=[0.0001]")
	variant(t, "short", "--set", "budget.iterations=20", "--set", "repeats=1")
	variant(t, "series", "--set", "algorithms=[{id: msg, step: {c: [0.25, 1]}}]")
	variant(t, "part")
	lines := strings.SplitAfter(asText(t, "part/small"), "\n")
	write(t, "part/small/runs.jsonl", strings.Join(lines[:len(lines)-2], "")) // a run is missing
	write(t, "other.yaml", edit(t, small, "name: small", "name: other"))
	variant(t, "more")
	variant(t, "stepped", "--set", "algorithms.msg.step.c=[0.001, 0.0001]")
	ok(t, "run", "other.yaml", "--out", "more")
	ok(t, "run", "other.yaml", "--out", "stepped")
	variant(t, "text")
	write(t, "text/small/runs.jsonl.gz", gzipped(t, asText(t, "text/small")))
	remove(t, "text/small/runs.jsonl")
	variant(t, "later") // of a later version with other claims and tables
	spec := read(t, "later/small/spec.yaml")
	write(t, "later/small/spec.yaml", spec+"claims:\n  - {id: later, check: {not-yet: known}}\ntables:\n  - {id: tab, kind: not-yet}\n")
	const (
		pass      = "2 cells: 2 identical; PASS"
		undecided = "2 cells: 1 identical, 1 inconclusive; no regression shown; 1 cell undecided"
		less      = "INCOMPLETE: the candidate has less: "
	)
	for _, test := range []struct {
		args string
		code int
		last string
	}{
		{"a same --strict", 0, pass},
		{"a/small same/small --strict", 0, pass},
		{"a same/small --strict", 0, pass},
		{"text same --strict", 0, pass},
		{"later same --strict", 0, pass},
		{"text same --strict --time", 0, pass + "; CPU seconds of 2 cells undecided"},
		{"a same --strict --time", 0, pass + "; CPU seconds of 2 cells undecided"}, // two repeats are too few
		{"a step", 0, undecided},
		{"a step --strict", 2, "2 cells: 1 identical, 1 inconclusive; UNDECIDED: 1 cell undecided, which --strict does not let pass"},
		{"a step --at 1e6 --strict", 2, "2 cells: 1 identical, 1 inconclusive; UNDECIDED: 1 cell undecided, which --strict does not let pass"},
		{"one one", 0, pass},
		{"good bad --target 0.5", 1, "2 cells: 1 identical, 1 worse; REGRESSION: 1 cell worse"},
		{"bad good --strict", 0, "2 cells: 1 identical, 1 better; PASS"},
		{"a step --experiment */*/msg --metric suboptimalty", exitError, "1 cell: 1 incomparable; NOTHING COMPARED: every cell is incomparable"},
		{"a step --experiment */*/msg --metric tset/suboptimality", exitError, "1 cell: 1 incomparable; NOTHING COMPARED: every cell is incomparable"},
		{"a step --experiment */*/msg --cost kernel_evals", exitError, "1 cell: 1 incomparable; NOTHING COMPARED: every cell is incomparable"},
		{"more stepped --experiment */*/incremental", 0, pass},
		{"more stepped --experiment small/*/inc*", 0, "1 cell: 1 identical; PASS"},
		{"more stepped --experiment small/g,other", 0, "4 cells: 3 identical, 1 inconclusive; no regression shown; 1 cell undecided"},
		{"more stepped --experiment !other/*/* --experiment !*/*/msg", 0, "1 cell: 1 identical; PASS"},
		{"more stepped --experiment !small", 0, pass},
		{"a/small more/other", 0, pass}, // two experiments may have different names
		{"a part", 2, "2 cells: 2 identical; " + less + "1 of 2 repeats, small is PARTIAL, 5 of 6 runs"},
		{"part a", 0, pass},
		{"a part --experiment */*/msg", 0, "1 cell: 1 identical; PASS"},
		{"a short", 2, "2 cells: 2 equivalent; " + less + "1 of 2 repeats, 20 of 40 iterations"},
		{"a series", 2, "2 cells: 1 identical, 1 incomparable; " + less + "small: incremental is missing"},
		{"a more", 0, "4 cells: 2 identical, 2 incomparable; PASS"},
		{"a more --strict", 2, "4 cells: 2 identical, 2 incomparable; UNDECIDED: 2 cells undecided, which --strict does not let pass"},
		{"more a", 2, "4 cells: 2 identical, 2 incomparable; " + less + "other is missing"},
	} {
		o := runCompare(t, test.args)
		if last := lastLine(o.out); o.code != test.code || last != test.last {
			t.Errorf("compare %s: exit %d, the last line is\n%s\nwant exit %d,\n%s\n%s", test.args, o.code, last, test.code, test.last, o.err)
		}
	}
	wantText(t, "compare of times", runCompare(t, "a same --time").out, "CPU seconds", "inconclusive")
	wantText(t, "compare without times", inOneLine(runCompare(t, "text same --time").out),
		"warning: the CPU seconds of 2 cells are not compared: the baseline has no CPU times")
	// JSON also has the choice of each side. One repeat gives no verdict.
	type report struct {
		compare.Report
		Code int `json:"exit_code"`
	}
	r := parseJSON[report](t, runCompare(t, "good bad --json").out)
	i := slices.IndexFunc(r.Cells, func(c compare.Cell) bool { return c.Series == "msg" })
	if r.Code != 1 || r.Cells[i].Verdict != compare.Worse || !slices.Equal(r.Cells[i].Changed, []string{"step.c: 1 -> 0.0001"}) {
		t.Errorf("JSON: exit code %d, %+v", r.Code, r.Cells[i])
	}
	r = parseJSON[report](t, runCompare(t, "a step --json").out)
	if c := r.Cells[slices.IndexFunc(r.Cells, func(c compare.Cell) bool { return c.Series == "msg" })]; c.Choice == nil || c.Choice.Baseline != "step.c=1" || c.Choice.Candidate != "step.c=0.001" {
		t.Errorf("the choices are %+v", c.Choice)
	}
	for _, c := range parseJSON[report](t, runCompare(t, "single one --json").out).Cells {
		if c.Verdict == compare.Better || c.Verdict == compare.Worse || c.Verdict == compare.Equivalent {
			t.Errorf("%s: %s from one repeat", c.Series, c.Verdict)
		}
	}
}

func runCompare(t *testing.T, args string) outcome {
	t.Helper()
	return stochopt(t, append([]string{"compare"}, strings.Fields(args)...)...)
}

// The test changes a digit of a stored record, as a wrong build would.
func TestCompareChangedBits(t *testing.T) {
	compareHome(t)
	variant(t, "b")
	lines := strings.SplitAfter(asText(t, "b/small"), "\n")
	lines[2] = flipDigit(t, lines[2])
	write(t, "b/small/runs.jsonl", strings.Join(lines, ""))
	o := runCompare(t, "a b")
	if want := "2 cells: 1 identical, 1 inconclusive; BITS CHANGED: 1 run of msg with the same key; raise the Version, or find out why"; o.code != 1 || lastLine(o.out) != want {
		t.Errorf("exit %d, %s", o.code, lastLine(o.out))
	}
	r := parseJSON[compare.Report](t, runCompare(t, "a b --json").out)
	if len(r.Differences) != 1 || r.Differences[0].Key != parseJSON[record.Run](t, lines[2]).Key || r.Differences[0].Excused != "" {
		t.Errorf("differences %+v", r.Differences)
	}
	// Another architecture or a build that fuses operations may round differently.
	manifest := read(t, "b/small/manifest.json")
	for _, test := range []struct {
		key, value string
		excused    bool
	}{{"platform", "linux/other", true}, {"goamd64", "v2", false}, {"goamd64", "v3", true}} {
		text := regexp.MustCompile(`"`+test.key+`": "[^"]*"`).ReplaceAllString(manifest, `"`+test.key+`": "`+test.value+`"`)
		write(t, "b/small/manifest.json", text)
		o = runCompare(t, "a b --json")
		if r := parseJSON[compare.Report](t, o.out); (o.code == 0) != test.excused || (r.Differences[0].Excused != "") != test.excused {
			t.Errorf("%+v: exit %d, differences %+v", test, o.code, r.Differences)
		}
	}
}

// flipDigit changes the last digit of the first suboptimality of a record, and the checksum.
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

func TestCompareOverlay(t *testing.T) {
	compareHome(t)
	variant(t, "b", "--set", "algorithms.msg.step.c=[0.001, 0.0001]")
	ok(t, "compare", "a", "b", "--overlay", "figures")
	svg := read(t, "figures/small.svg")
	wantText(t, "figure", svg, ">g · MSG: inconclusive<", ">baseline<", ">MSG, candidate<")
	if strings.Contains(svg, "Incremental") {
		t.Error("the figure shows a cell that did not change")
	}
	// Identical cells are not drawn.
	ok(t, "compare", "a", "a", "--overlay", "none")
	if files, err := os.ReadDir(at(t, "none")); err != nil || len(files) > 0 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

func TestCompareErrors(t *testing.T) {
	compareHome(t)
	write(t, "other.yaml", edit(t, edit(t, edit(t, small, "name: small", "name: other"), "id: g", "id: h"), "dim: 6", "dim: 7"))
	ok(t, "run", "other.yaml", "--out", "c")
	write(t, "empty/x", "")
	asText(t, "a/small")
	for _, dir := range []string{"damaged/small", "mixed/small", "none/small", "torn/small", "both/one", "both/two"} {
		for _, f := range []string{"spec.yaml", "manifest.json", "runs.jsonl"} {
			write(t, filepath.Join(dir, f), read(t, "a/small", f))
		}
	}
	write(t, "damaged/small/manifest.json", "{")
	write(t, "mixed/small/runs.jsonl", string(record.Seal([]byte(`{"schema":3}`)))+"\n")
	write(t, "none/small/runs.jsonl", "")
	write(t, "torn/small/runs.jsonl.gz", gzipped(t, read(t, "a/small/runs.jsonl"))[:200])
	remove(t, "torn/small/runs.jsonl")
	for _, args := range []string{
		"", "a", "a a a", "a nowhere", "a small.yaml", "a empty", "a damaged", "a mixed", "a none", "a torn", "both a", "a c", "a/small c/other",
		"a a --format yaml", "a a --tolerance 5", "a a --tolerance NaN", "a a --at 10,x", "a a --target 0", "a a --unknown",
		"a a --experiment small/g/mgs", "a a --experiment [", "a a --experiment a/b/c/d", "a a --experiment !*/*/*", "a a --overlay small.yaml",
	} {
		o := runCompare(t, args)
		if o.code != exitError || o.err == "" {
			t.Errorf("compare %s: exit %d, %s", args, o.code, o.err)
		}
	}
	wantOutcome(t, runCompare(t, "a a --experiment small/g/mgs"), exitError,
		`stochopt: --experiment "small/g/mgs": no cell matches (did you mean "small/g/msg"?)`)
	wantOutcome(t, runCompare(t, "a c"), exitError,
		"stochopt: compare: no cell is on both sides: the baseline has g incremental, g msg; the candidate has h incremental, h msg")
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[len(lines)-1]
}
