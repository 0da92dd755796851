package external_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stochopt/harness/internal/external"
)

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

// write makes a source file in which HELPERS stands for the folder of the helpers.
func write(t *testing.T, name, text string) string {
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

// check runs the conformance suite on a command and returns what failed.
func check(t *testing.T, task string, command ...string) []external.Finding {
	t.Helper()
	program, err := external.NewProgram(external.Program{ID: "check", Task: task, Patience: 30 * time.Second}, command, nil)
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]any{"step.schedule": "inverse-sqrt", "step.c": 0.1}
	var failed []external.Finding
	warn := func(text string) { t.Error(text) }
	for _, f := range external.Check(t.Context(), program, given, external.Settings{Warn: warn}) {
		if f.Err != nil {
			failed = append(failed, f)
		}
	}
	return failed
}

func passes(t *testing.T, task string, command ...string) {
	t.Helper()
	for _, f := range check(t, task, command...) {
		t.Errorf("%s: %v", f.What, f.Err)
	}
}

func TestExamplesKeepToTheProtocol(t *testing.T) {
	t.Run("python", func(t *testing.T) { passes(t, "pca", python(t), helpers+"/python/oja.py") })
	t.Run("python rows", func(t *testing.T) { passes(t, "svm", python(t), helpers+"/python/kernel_pegasos.py") })
	t.Run("r", func(t *testing.T) { passes(t, "pca", rscript(t), "--vanilla", helpers+"/r/incremental.R") })
	t.Run("c", func(t *testing.T) { passes(t, "pca", compile(t, helpers+"/c/power.c")) })
}

func TestExamplesAreShort(t *testing.T) {
	for _, name := range []string{"python/oja.py", "python/kernel_pegasos.py", "r/incremental.R", "c/power.c"} {
		text, err := os.ReadFile(filepath.Join(helpers, name))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > 40 {
			t.Errorf("%s has %d lines", name, n)
		}
	}
}

const chattyPython = `import sys
sys.path.insert(0, "HELPERS/python")
import stochopt
import os
import numpy as np

class Chatty(stochopt.Method):
    name, tasks, serve = "Chatty", ["pca"], ["samples"]
    runs = 0

    def init(self, run):
        Chatty.runs += 1

    def advance(self, t, X):
        print('{"advanced": {"to": 0}}')
        os.system("echo garbage")
        os.write(1, b"garbage\n")

    def state(self):
        return {"U": np.eye(self.run.d, self.run.k)%s}

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

// What a method or its children print goes to the log, and not among the messages.
func TestPrintsDoNotSpoilTheProtocol(t *testing.T) {
	t.Run("python", func(t *testing.T) {
		passes(t, "pca", python(t), write(t, "chatty.py", strings.Replace(chattyPython, "%s", "", 1)))
	})
	t.Run("r", func(t *testing.T) { passes(t, "pca", rscript(t), "--vanilla", write(t, "chatty.R", chattyR)) })
	t.Run("c", func(t *testing.T) { passes(t, "pca", compile(t, write(t, "chatty.c", chattyC))) })
}

// The suite finds what is wrong, and says it.
func TestCheckFindsWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct{ state, says, more string }{
		"not deterministic": {" * np.sign(np.random.default_rng().standard_normal(self.run.k))", "deterministic", ""},
		"not orthonormal":   {" * 2", "not orthonormal", ""},
		"not finite":        {" / 0", "not finite", ""},
		"of another shape":  {"[1:]", "shape", ""},
		"other after reset": {" * (-1) ** Chatty.runs", "differ at number", "many = True"},
		"rank not fixed":    {"[:, :3 - self.t % 2]", "the rank is fixed", `rank = "fixed"`},
		"cost of one":       {"", "added 1 to sum_kt2", `counters = ["sum_kt2"]`},
	} {
		t.Run(name, func(t *testing.T) {
			source := strings.Replace(chattyPython, "%s", c.state, 1)
			source = strings.Replace(source, "    runs = 0\n", "    runs, t = 0, 0\n    "+c.more+"\n", 1)
			if strings.HasPrefix(c.more, "counters") {
				source = strings.Replace(source, "        os.system", "        self.cost[\"sum_kt2\"] = t + len(X)\n        os.system", 1)
			}
			source = strings.Replace(source, "        os.system", "        self.t = t + len(X)\n        os.system", 1)
			var all []string
			// Signs are drawn six times a run: that two runs have the same has a chance of 2⁻¹⁸.
			for _, f := range check(t, "pca", python(t), write(t, "wrong.py", source)) {
				all = append(all, f.Err.Error())
			}
			if len(all) != 1 || !strings.Contains(all[0], c.says) {
				t.Errorf("found %q, want one that says %q", all, c.says)
			}
		})
	}
}

// Peers are checked where their libraries are.
func TestPeersKeepToTheProtocol(t *testing.T) {
	if testing.Short() {
		t.Skip("their libraries take seconds to load")
	}
	if exec.Command("/usr/bin/python3", "-c", "import sklearn, mdp").Run() != nil {
		t.Skip("there is no scikit-learn or MDP (Debian: python3-sklearn, python3-mdp)")
	}
	for _, c := range []string{"pca pca_sklearn.py incremental", "pca pca_sklearn.py randomised", "pca pca_mdp.py", "svm svm_sklearn.py svc", "svm svm_sklearn.py nystrom", "svm svm_sklearn.py fourier"} {
		t.Run(c, func(t *testing.T) {
			words := strings.Fields(c)
			passes(t, words[0], append([]string{"/usr/bin/python3", helpers + "/peers/" + words[1]}, words[2:]...)...)
		})
	}
	t.Run("kernlab", func(t *testing.T) {
		if exec.Command(rscript(t), "-e", "library(kernlab)").Run() != nil {
			t.Skip("there is no kernlab (Debian: r-cran-kernlab)")
		}
		passes(t, "svm", rscript(t), "--vanilla", helpers+"/peers/svm_kernlab.R")
	})
}
