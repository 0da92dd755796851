package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"stochopt/harness/internal/external/externaltest"
)

// externalSpec is an experiment with a method of the tests, which declares sum_kt2.
func externalSpec(method string) string {
	return fmt.Sprintf(`version: 1
name: ext
task: pca
seed: 7
repeats: 2
budget: {iterations: 60}
record: {points: 6}
datasets:
  - {id: a, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: incremental}
  - {id: theirs, external: %s, with: {speed: 2}}
figures:
  - {id: fig-cost, x: sum_kt2, y: suboptimality}
  - {id: fig-iterations, x: iterations, y: suboptimality}
tables:
  - {id: tab, columns: [sum_kt2, final_suboptimality]}
claims:
  - {id: c, says: "it captures something", check: {reaches: {series: theirs, metric: suboptimality, value: 10, cost: sum_kt2}}}
`, externaltest.Spec(method))
}

// Programs that a spec names are started with leave only.
func TestExternalNeedsLeave(t *testing.T) {
	home(t)
	write(t, "s.yaml", externalSpec("incremental"))
	wantText(t, "plan", ok(t, "plan", "s.yaml").out, "theirs: run starts, if --external allow is given, "+externaltest.Variable+"=incremental "+os.Args[0])
	wantText(t, "plan", ok(t, "plan", "s.yaml", "--json").out, `"program": "`+externaltest.Variable+"=incremental "+os.Args[0])
	ok(t, "validate", "s.yaml")
	for _, args := range [][]string{{"run", "s.yaml"}, {"run", "s.yaml", "--external", "refuse"}} {
		o := stochopt(t, args...)
		if o.code != exitUsage {
			t.Errorf("%v: exit %d", args, o.code)
		}
		wantText(t, "stderr", o.err, "nothing was started:\n  theirs: "+externaltest.Variable+"=incremental ", "give --external allow if you trust them")
	}
	if _, err := os.Stat(at(t, "results")); err == nil {
		t.Error("a run that is refused leaves a folder")
	}
	if o := stochopt(t, "run", "s.yaml", "--external", "ask"); o.code != exitUsage {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
	ok(t, "run", "s.yaml", "--external", "allow")
	ok(t, "run", "s.yaml", "--external", "refuse") // there is nothing left to start
	remove(t, "results")
	if o := stochopt(t, "run", "s.yaml", "--external", "refuse"); o.code != exitUsage {
		t.Errorf("exit %d", o.code)
	}
}

// What only the program says of its costs is marked wherever it is shown.
func TestDeclaredCostsAreMarked(t *testing.T) {
	home(t)
	write(t, "s.yaml", externalSpec("incremental"))
	ok(t, "run", "s.yaml", "--external", "allow")
	const text = "declared by the program of theirs, not counted"
	wantText(t, "figure", read(t, "results/ext/figures/fig-cost.svg"), "declared by the program of theirs")
	if strings.Contains(read(t, "results/ext/figures/fig-iterations.svg"), "declared by") {
		t.Error("iterations are counted")
	}
	wantText(t, "table", ok(t, "table", "results/ext").out, text)
	wantText(t, "claims", ok(t, "claims", "results/ext").out, "declared by the program of theirs")
	csv := read(t, "results/ext/curves.csv")
	wantText(t, "curves.csv", csv, ",declared\n", ",sum_kt;sum_kt2\n")
	write(t, "other.yaml", strings.Replace(externalSpec("incremental"), "seed: 7", "seed: 8", 1))
	ok(t, "run", "other.yaml", "--external", "allow", "--out", "others")
	o := stochopt(t, "compare", "results/ext", "others/ext", "--cost", "sum_kt2")
	wantText(t, "compare", o.out+o.err, text)
}

// verify starts nothing by itself; with leave it makes external runs again, and finds out what
// is not as it says.
func TestVerifyExternal(t *testing.T) {
	home(t)
	write(t, "s.yaml", externalSpec("incremental"))
	ok(t, "run", "s.yaml", "--external", "allow")
	wantText(t, "verify", ok(t, "verify", "results/ext").out,
		"not re-run: 2 runs, skipped or of external programs (--external allow starts deterministic ones)", "2 of 2 records re-run, 0 differ")
	wantText(t, "verify", ok(t, "verify", "results/ext", "--external", "allow").out, "4 of 4 records re-run, 0 differ")
	write(t, "drawn.yaml", externalSpec(externaltest.Drawn))
	ok(t, "run", "drawn.yaml", "--external", "allow", "--out", "drawn")
	o := stochopt(t, "verify", "drawn/ext", "--external", "allow")
	if o.code != exitFailed {
		t.Errorf("exit %d", o.code)
	}
	wantText(t, "verify", o.out, "theirs", "recorded / re-run")
}

// Runs with parameters that the program does not take fail, and say why.
func TestExternalParameters(t *testing.T) {
	home(t)
	for with, want := range map[string]string{
		"speed: -1":   `parameter speed: must be at least 0, got -1`,
		"speed: fast": `parameter speed: want a number, got the text "fast"`,
		"sped: 2":     `the program has no parameter "sped" (did you mean "speed"?)`,
	} {
		write(t, "s.yaml", strings.Replace(externalSpec("incremental"), "speed: 2", with, 1))
		remove(t, "results")
		o := stochopt(t, "run", "s.yaml", "--external", "allow")
		if o.code != exitFailed || !strings.Contains(o.out, want) {
			t.Errorf("%s: exit %d: %s", with, o.code, o.out)
		}
	}
	// A grid of them is selected and drawn like any other.
	write(t, "s.yaml", strings.Replace(externalSpec("incremental"), "speed: 2", "speed: [1, 2]", 1))
	ok(t, "run", "s.yaml", "--external", "allow")
}

// A change of what the program is made of makes its runs anew, and no others.
func TestExternalKeys(t *testing.T) {
	home(t)
	write(t, "lib.txt", "1")
	text := strings.Replace(externalSpec("incremental"), "version: 1, env", "version: 1, files: ["+at(t, "lib.txt")+"], env", 1)
	write(t, "s.yaml", text)
	run := func() string { t.Helper(); return ok(t, "run", "s.yaml", "--external", "allow").err }
	run()
	wantText(t, "run", run(), "4 runs, 4 of them on record")
	write(t, "lib.txt", "2")
	wantText(t, "run", run(), "4 runs, 2 of them on record")
	write(t, "lib.txt", "1")
	wantText(t, "run", run(), "4 runs, 4 of them on record")
	write(t, "s.yaml", strings.Replace(text, "env: {", "env: {X: y, ", 1))
	wantText(t, "run", run(), "4 runs, 2 of them on record")
	os.Remove(at(t, "lib.txt"))
	o := stochopt(t, "run", "s.yaml", "--external", "allow")
	if o.code != exitUsage || !strings.Contains(o.err, `s.yaml:12:5: algorithm "theirs": external: files: open lib.txt: no such file`) {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
}

// What is wrong with an external entry is found before anything is started, with its place.
func TestExternalMistakes(t *testing.T) {
	home(t)
	const entry = "{command: [python3, x.py], version: 1}"
	for _, test := range []struct{ task, id, external, more, want string }{
		{"pca", "msg", entry, "", `s.yaml:6:10: algorithms.msg.id: "msg" is an algorithm of the harness: give the external one another id`},
		{"pca", "sbp", entry, "", `"sbp" is an algorithm of the harness`},
		{"pca", "a b", entry, "", `s.yaml:6:10: algorithms.a b.id: "a b" does not match ^[A-Za-z0-9]`},
		{"svm-sparse", "mine", entry, "", `runs of the task svm-sparse are not performed by other programs; remove it`},
		{"loss", "mine", entry, "", `runs of the task loss are not performed by other programs; remove it`},
		{"pca", "mine", "{command: [], version: 1}", "", `algorithms.mine.external.command: is empty: give it at least 1 item`},
		{"pca", "mine", "{command: [x]}", "", `algorithms.mine.external: missing key "version"`},
		{"pca", "mine", "{version: 1}", "", `algorithms.mine.external: missing key "command"`},
		{"pca", "mine", "{command: [x], version: 0}", "", `algorithms.mine.external.version: must be at least 1, got 0`},
		{"pca", "mine", "{command: [x], version: 1, shell: true}", "", `algorithms.mine.external.shell: unknown key`},
		{"pca", "mine", "{command: [x], version: 1, env: {A: [1]}}", "", `algorithms.mine.external.env.A: want text, got a list`},
		{"pca", "mine", "{command: [./x], version: 1}", "", `s.yaml:6:5: algorithm "mine": external: command: there is no file ./x`},
		{"pca", "mine", "{command: [x], version: 1, files: [y]}", "", `s.yaml:6:5: algorithm "mine": external: files: open y: no such file`},
		{"pca", "mine", entry, ", step: {schedule: inverse}", `step.c is missing`},
		{"pca", "mine", entry, ", limit: {seconds: 1}", `needs the task svm-sparse`},
	} {
		write(t, "s.yaml", fmt.Sprintf("version: 1\nname: x\ntask: %s\nbudget: {iterations: 5}\nalgorithms:\n  - {id: %s, external: %s, with: {k: 2}%s}\ndatasets:\n  - {id: a, source: simulated-gaussian, with: {dim: 6, gap: 2}}\n",
			test.task, test.id, test.external, test.more))
		o := stochopt(t, "validate", "s.yaml")
		if o.code != exitUsage || !strings.Contains(o.out+o.err, test.want) {
			t.Errorf("%s: exit %d: %s%s", test.want, o.code, o.out, o.err)
		}
	}
	write(t, "s.yaml", "version: 1\nname: x\ntask: pca\nbudget: {iterations: 5}\nalgorithms:\n  - {id: mine, with: {k: 2}}\ndatasets:\n  - {id: a, source: simulated-gaussian, with: {dim: 6, gap: 2}}\n")
	if o := stochopt(t, "validate", "s.yaml"); o.code != exitUsage || !strings.Contains(o.out+o.err, `unknown algorithm "mine"`) {
		t.Errorf("exit %d: %s%s", o.code, o.out, o.err)
	}
}
