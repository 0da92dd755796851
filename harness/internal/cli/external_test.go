package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/harness/internal/external/externaltest"
	"stochopt/harness/internal/verify"
)

// externalSpec returns a spec with an external method of the tests, which declares sum_kt2.
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

// externalProducts has products with the declared cost.
const externalProducts = `figures:
  - {id: fig-cost, x: sum_kt2, y: suboptimality}
tables:
  - {id: tab, columns: [sum_kt2, final_suboptimality]}
claims:
  - {id: c, says: "it captures something", check: {reaches: {series: theirs, metric: suboptimality, value: 10, cost: sum_kt2}}}
`

// External programs start only with permission.
func TestExternalNeedsPermission(t *testing.T) {
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
	ok(t, "run", "s.yaml", "--external", "refuse") // no runs are missing
}

// All products mark a cost that only the program counts.
func TestDeclaredCostsAreMarked(t *testing.T) {
	home(t)
	write(t, "s.yaml", externalSpec("incremental")+externalProducts)
	ok(t, "run", "s.yaml", "--external", "allow")
	const text = "declared by the program of theirs"
	wantText(t, "figure", read(t, "results/ext/figures/fig-cost.svg"), text)
	wantText(t, "table", ok(t, "table", "results/ext").out, text)
	wantText(t, "claims", ok(t, "claims", "results/ext").out, text)
	wantText(t, "curves.csv", read(t, "results/ext/curves.csv"), ",declared\n", ",sum_kt;sum_kt2\n")
	wantText(t, "compare", ok(t, "compare", "results/ext", "results/ext", "--cost", "sum_kt2", "-v").out, text)
}

// Verify starts programs only with permission. It finds differences of repeated runs.
func TestVerifyExternal(t *testing.T) {
	skipIfShort(t)
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

// A change of the program or its files invalidates only its runs.
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
			t.Errorf("after the change to %+v, %d runs are on record", change, n)
		}
	}
	write(t, "s.yaml", text)
	if n := onRecord(); n != 4 {
		t.Errorf("after the change back, %d runs are on record", n)
	}
	remove(t, "lib.txt")
	wantOutcome(t, stochopt(t, "run", "s.yaml", "--external", "allow"), exitUsage,
		`s.yaml:12:5: algorithm "theirs": external: files: open lib.txt: no such file or directory; a relative path starts at the working directory`)
}

const helpers = "../../../external"

// python returns an interpreter that has numpy.
func python(t *testing.T) string {
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Skip("there is no python3 with numpy (Debian: python3-numpy)")
	return ""
}

func rscript(t *testing.T) string {
	path, err := exec.LookPath("Rscript")
	if err != nil {
		t.Skip("there is no Rscript (Debian: r-base-core)")
	}
	return path
}

// compile builds a program in C, with warnings as errors.
func compile(t *testing.T, source string) string {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler")
	}
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O2", "-I", helpers+"/c", "-o", program, source, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// program writes a source file. It replaces HELPERS by the folder of the helpers.
func program(t *testing.T, name, text string) string {
	folder, err := filepath.Abs(helpers)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "HELPERS", folder)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// wantPass checks a program that follows the protocol.
func wantPass(t *testing.T, task string, command ...string) {
	t.Helper()
	o := stochopt(t, append([]string{"external", "check", "--task", task, "--"}, command...)...)
	if o.code != exitOK || o.err != "" {
		t.Errorf("%v: exit %d\n%s%s", command, o.code, o.out, o.err)
	}
}

func TestExamplesFollowTheProtocol(t *testing.T) {
	for name, check := range map[string]func(*testing.T){
		"python":      func(t *testing.T) { wantPass(t, "pca", python(t), helpers+"/python/oja.py") },
		"python rows": func(t *testing.T) { wantPass(t, "svm", python(t), helpers+"/python/kernel_pegasos.py") },
		"r":           func(t *testing.T) { wantPass(t, "pca", rscript(t), "--vanilla", helpers+"/r/incremental.R") },
		"c":           func(t *testing.T) { wantPass(t, "pca", compile(t, helpers+"/c/power.c")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

const chattyPython = `import sys
sys.path.insert(0, "HELPERS/python")
import stochopt
import os
import numpy as np

class Chatty(stochopt.Method):
    name, tasks, serve = "Chatty", ["pca"], ["samples"]

    def init(self, run):
        pass

    def advance(self, t, X):
        print('{"advanced": {"to": 0}}')
        os.system("echo garbage")
        os.write(1, b"garbage\n")

    def state(self):
        return {"U": np.eye(self.run.d, self.run.k)}

stochopt.main(Chatty)
`

const chattyR = `source("HELPERS/r/stochopt.R")
stochopt_main(stochopt_method(name = "Chatty", version = 1, tasks = "pca", serve = "samples",
  init = function(run) list(),
  advance = function(s, run, t, block) { print("garbage"); cat("{}\n"); system("echo garbage"); s },
  state = function(s, run) list(U = diag(1, run$d, run$k))))
`

const chattyC = `#include "stochopt.h"
typedef struct { int none; } chatty;
static int init(so_run *r, void *self) { (void)r; (void)self; return 0; }
static int advance(so_run *r, void *self, int64_t t, int64_t n) {
  (void)r; (void)self; (void)t; (void)n;
  puts("garbage");
  return system("echo garbage");
}
static int state(so_run *r, void *self) {
  double *U = so_part(r, "U", r->d, r->k);
  (void)self;
  for (int64_t i = 0; i < r->d * r->k; i++) U[i] = i / r->k == i % r->k;
  return 0;
}
SO_MAIN(chatty, .name = "Chatty", .version = 1, .tasks = "pca", .serve = "samples")
`

// The output of a method and its children does not mix with the messages.
func TestPrintsDoNotBreakTheProtocol(t *testing.T) {
	for name, check := range map[string]func(*testing.T){
		"python": func(t *testing.T) { wantPass(t, "pca", python(t), program(t, "chatty.py", chattyPython)) },
		"r":      func(t *testing.T) { wantPass(t, "pca", rscript(t), "--vanilla", program(t, "chatty.R", chattyR)) },
		"c":      func(t *testing.T) { wantPass(t, "pca", compile(t, program(t, "chatty.c", chattyC))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

// Flags of check come before the command.
func TestCheckFlagsComeFirst(t *testing.T) {
	for _, flag := range []string{"--with=c=1", "--task"} {
		if o := stochopt(t, "external", "check", "no-such-program", flag, "x"); o.code != exitUsage {
			t.Errorf("exit %d: %s", o.code, o.err)
		}
	}
	// After --, a flag belongs to the command, which does not exist.
	if o := stochopt(t, "external", "check", "--", "no-such-program", "--task", "x"); o.code != exitFailed {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
}

// The libraries of the peers must be installed.
func TestPeersFollowTheProtocol(t *testing.T) {
	if os.Getenv("EXTERNAL_PEERS") == "" {
		t.Skip("the libraries take seconds to load; make external-test runs this test")
	}
	if exec.Command("/usr/bin/python3", "-c", "import sklearn, mdp").Run() != nil {
		t.Skip("there is no scikit-learn or MDP (Debian: python3-sklearn, python3-mdp)")
	}
	for _, c := range []string{"pca pca_sklearn.py incremental", "pca pca_sklearn.py randomised", "pca pca_mdp.py", "svm svm_sklearn.py svc", "svm svm_sklearn.py nystrom", "svm svm_sklearn.py fourier"} {
		t.Run(c, func(t *testing.T) {
			words := strings.Fields(c)
			wantPass(t, words[0], append([]string{"/usr/bin/python3", helpers + "/peers/" + words[1]}, words[2:]...)...)
		})
	}
	t.Run("kernlab", func(t *testing.T) {
		if exec.Command(rscript(t), "-e", "library(kernlab)").Run() != nil {
			t.Skip("there is no kernlab (Debian: r-cran-kernlab)")
		}
		wantPass(t, "svm", rscript(t), "--vanilla", helpers+"/peers/svm_kernlab.R")
	})
}

func TestCheckFindsErrors(t *testing.T) {
	for method, says := range map[string]string{externaltest.Drawn: "a second run differs", externaltest.Skewed: "not orthonormal"} {
		o := stochopt(t, "external", "check", "--", "env", externaltest.Variable+"="+method, os.Args[0])
		if o.code != exitFailed {
			t.Errorf("%s: exit %d", method, o.code)
		}
		wantText(t, "check", o.err, says)
	}
}
