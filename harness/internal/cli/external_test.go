package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"stochopt/harness/internal/external/externaltest"
	"stochopt/harness/internal/verify"
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
`, externaltest.Spec(method))
}

// externalProducts shows the declared cost.
const externalProducts = `figures:
  - {id: fig-cost, x: sum_kt2, y: suboptimality}
tables:
  - {id: tab, columns: [sum_kt2, final_suboptimality]}
claims:
  - {id: c, says: "it captures something", check: {reaches: {series: theirs, metric: suboptimality, value: 10, cost: sum_kt2}}}
`

// Programs that a spec names are started with permission only.
func TestExternalNeedsLeave(t *testing.T) {
	home(t)
	write(t, "s.yaml", externalSpec("incremental"))
	rows := parseJSON[[]planned](t, ok(t, "plan", "s.yaml", "--json").out)
	if want := externaltest.Variable + "=incremental " + os.Args[0]; rows[1].Program != want {
		t.Errorf("the program is %q, want %q", rows[1].Program, want)
	}
	ok(t, "validate", "s.yaml")
	for _, args := range [][]string{{"run", "s.yaml"}, {"run", "s.yaml", "--external", "ask"}} {
		if o := stochopt(t, args...); o.code != exitUsage {
			t.Errorf("%v: exit %d: %s", args, o.code, o.err)
		}
	}
	wantNone(t, "results")
	ok(t, "run", "s.yaml", "--external", "allow")
	ok(t, "run", "s.yaml", "--external", "refuse") // there is nothing left to start
}

// A cost that only the program counts is marked wherever it is shown.
func TestDeclaredCostsAreMarked(t *testing.T) {
	home(t)
	write(t, "s.yaml", externalSpec("incremental")+externalProducts)
	ok(t, "run", "s.yaml", "--external", "allow")
	const text = "declared by the program of theirs"
	wantText(t, "figure", read(t, "results/ext/figures/fig-cost.svg"), text)
	wantText(t, "table", ok(t, "table", "results/ext").out, text)
	wantText(t, "claims", ok(t, "claims", "results/ext").out, text)
	wantText(t, "curves.csv", read(t, "results/ext/curves.csv"), ",metric,value,declared\n", ",sum_kt;sum_kt2\n")
	wantText(t, "compare", ok(t, "compare", "results/ext", "results/ext", "--cost", "sum_kt2", "-v").out, text)
}

// Verify starts nothing by itself. With permission it makes external runs again and finds differences.
func TestVerifyExternal(t *testing.T) {
	home(t)
	write(t, "s.yaml", externalSpec("incremental"))
	write(t, "drawn.yaml", externalSpec(externaltest.Drawn))
	ok(t, "run", "s.yaml", "--external", "allow")
	ok(t, "run", "drawn.yaml", "--external", "allow", "--out", "drawn")
	for _, test := range []struct {
		args  []string
		code  int
		again int
	}{
		{[]string{"results/ext"}, exitOK, 2},
		{[]string{"results/ext", "--external", "allow"}, exitOK, 4},
		{[]string{"drawn/ext", "--external", "allow"}, exitFailed, 4},
	} {
		o := stochopt(t, append([]string{"verify", "--json"}, test.args...)...)
		r := parseJSON[verify.Report](t, o.out)
		if o.code != test.code || r.Count("records re-run").Checked != test.again {
			t.Errorf("%q: exit %d, %+v", test.args, o.code, r)
		}
	}
}

// Runs with parameters that the program does not take fail.
func TestExternalParameters(t *testing.T) {
	home(t)
	write(t, "s.yaml", strings.Replace(externalSpec("incremental"), "speed: 2", "sped: 2", 1))
	o := stochopt(t, "run", "s.yaml", "--external", "allow")
	if o.code != exitFailed {
		t.Errorf("exit %d: %s", o.code, o.out)
	}
	wantText(t, "run", o.out, `the program has no parameter "sped" (did you mean "speed"?)`)
}

// After a change of the program or its files, its runs are performed again, and no others.
func TestExternalKeys(t *testing.T) {
	home(t)
	write(t, "lib.txt", "1")
	text := strings.Replace(externalSpec("incremental"), "version: 1, env", "version: 1, files: ["+at(t, "lib.txt")+"], env", 1)
	write(t, "s.yaml", text)
	onRecord := func() (n int) {
		t.Helper()
		return sumOnRecord(parseJSON[[]planned](t, ok(t, "plan", "s.yaml", "--json").out))
	}
	ok(t, "run", "s.yaml", "--external", "allow")
	for _, change := range []struct{ lib, spec string }{{"2", text}, {"1", strings.Replace(text, "env: {", "env: {X: y, ", 1)}} {
		write(t, "lib.txt", change.lib)
		write(t, "s.yaml", change.spec)
		if n := onRecord(); n != 2 {
			t.Errorf("after the change to %+v %d runs are on record", change, n)
		}
	}
	write(t, "s.yaml", text)
	if n := onRecord(); n != 4 {
		t.Errorf("unchanged, %d runs are on record", n)
	}
	remove(t, "lib.txt")
	wantOutcome(t, stochopt(t, "run", "s.yaml", "--external", "allow"), exitUsage,
		`s.yaml:12:5: algorithm "theirs": external: files: open lib.txt: no such file or directory; a relative path starts at the working directory`)
}

// Mistakes in an external entry are reported before anything is started.
func TestExternalMistakes(t *testing.T) {
	home(t)
	const entry = "{command: [python3, x.py], version: 1}"
	for _, test := range []struct{ task, id, entry, want string }{
		{"pca", "msg", "external: " + entry, `s.yaml:6:10: algorithms.msg.id: "msg" is an algorithm of the harness: give the external one another id`},
		{"svm-sparse", "mine", "external: " + entry, `s.yaml:6:16: algorithms.mine.external: runs of the task svm-sparse are not performed by other programs; remove it`},
		{"pca", "mine", "external: {version: 1}", `s.yaml:6:26: algorithms.mine.external: missing key "command"`},
		{"pca", "mine", "external: {command: [./x], version: 1}", `s.yaml:6:5: algorithm "mine": external: command: there is no file ./x; a relative path starts at the working directory`},
		{"pca", "mine", "external: " + entry + ", step: {schedule: inverse}", `s.yaml:6:5: algorithms.mine: step.c is missing: give the constant of the inverse schedule (dataset "a")`},
	} {
		write(t, "s.yaml", fmt.Sprintf("version: 1\nname: x\ntask: %s\nbudget: {iterations: 5}\nalgorithms:\n  - {id: %s, %s, with: {k: 2}}\n"+
			"datasets:\n  - {id: a, source: simulated-gaussian, with: {dim: 6, gap: 2}}\n", test.task, test.id, test.entry))
		wantOutcome(t, stochopt(t, "validate", "s.yaml"), exitUsage, test.want)
	}
}
