package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
)

// svmSmall is a spec of six short runs on blobs.
const svmSmall = `version: 1
name: small
task: svm
seed: 7
repeats: 2
budget: {passes: 4}
record: {points: 4}
datasets:
  - {id: b, path: train.svm, test: test.svm, format: libsvm, problem: {sigma2: 2, C: 1}}
algorithms:
  - {id: sbp}
  - {id: sdca}
  - {id: perceptron, budget: {passes: 2}}
`

// blobs is a LIBSVM file of n points around (1, 0) and (-1, 0).
func blobs(n int, positive, negative string) string {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var b strings.Builder
	for i := range n {
		label, side := positive, 1.0
		if i%3 == 0 {
			label, side = negative, -1
		}
		fmt.Fprintf(&b, "%s 1:%.4f 2:%.4f\n", label, side+0.7*rng.NormFloat64(), 0.7*rng.NormFloat64())
	}
	return b.String()
}

func svmHome(t *testing.T) {
	t.Helper()
	home(t)
	svmFiles(t)
}

func svmFiles(t *testing.T) {
	t.Helper()
	write(t, "train.svm", blobs(60, "+1", "-1"))
	write(t, "test.svm", blobs(30, "+1", "-1"))
}

func TestSVMExperiment(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", svmSmall+"figures:\n  - {id: fig, x: kernel_evals, y: error, log: [x]}\n")
	rows := parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)
	if len(rows) != 3 || rows[0].KernelEvals != 2*4*60*60 || rows[2].KernelEvals != 2*2*60*60 || rows[2].Iterations != 2*2*60 {
		t.Errorf("the plan is %+v", rows)
	}
	wantText(t, "plan", ok(t, "plan", "small.yaml").out, "max kernel evals left", "2.88e+04")
	o := ok(t, "run", "small.yaml", "-j", "2")
	wantText(t, "stdout", o.out, "small: 6 runs in ")
	records := exported(t, "results/small")
	wantText(t, "records", records, `"kernel_evals"`, `"extent":"240/log:4+reference1"`, `"suboptimality"`)
	if _, err := os.Stat(at(t, "results", "small", "figures", "fig.png")); err != nil {
		t.Error(err)
	}
	wantText(t, "status", ok(t, "status", "results/small").out, "small: 6 of 6 runs on record: 6 finished, 0 diverged, 0 failed")
	wantText(t, "verify", ok(t, "verify", "results/small", "--all", "--memory", "100kB").out, "6 of 6 records re-run, 0 differ")
	wantText(t, "run again", ok(t, "run", "small.yaml").out, "6 runs, 6 of them from the record")

	// Neither the memory nor the workers are seen in the records.
	ok(t, "run", "small.yaml", "-j", "1", "--memory", "2kB", "--out", "other")
	if again := exported(t, "other/small"); again != records {
		t.Error("with little memory the records differ")
	}
}

// A deterministic algorithm runs once where the split is the same in every repeat,
// and everything counts so.
func TestDeterministicSeries(t *testing.T) {
	svmHome(t)
	text := edit(t, svmSmall, "  - {id: sdca}\n  - {id: perceptron, budget: {passes: 2}}\n", "  - {id: smo}\n") +
		"select: {by: oracle, metric: error, over: final, tune: [C]}\n" +
		"figures:\n  - {id: fig, x: kernel_evals, y: error, log: [x]}\n" +
		"tables:\n  - {id: tab, columns: [final_error, kernel_evals]}\n"
	text = edit(t, edit(t, text, "sigma2: 2, C: 1", "sigma2: 2"), "repeats: 2", "repeats: 3")
	text = edit(t, edit(t, text, "{id: sbp}", "{id: sbp, with: {C: [0.1, 1]}}"), "{id: smo}", "{id: smo, with: {C: [0.1, 1]}}")
	write(t, "small.yaml", text)
	validated := ok(t, "validate", "small.yaml")
	wantText(t, "validate", validated.out, "small.yaml: ok, 8 runs")
	wantText(t, "warning", validated.err, "warning: small.yaml:", `dataset "b": select.by is oracle, so the test errors that are reported`)
	rows := parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)
	if len(rows) != 2 || rows[0].Runs != 6 || rows[0].Deterministic || rows[1].Runs != 2 || !rows[1].Deterministic {
		t.Errorf("the plan is %+v", rows)
	}
	wantText(t, "plan", ok(t, "plan", "small.yaml").out, "b, smo: deterministic: one run stands for all repeats\n")
	o := ok(t, "run", "small.yaml")
	wantText(t, "stdout", o.out, "small: 8 runs in ")
	if strings.Contains(o.err, "repeats") {
		t.Errorf("stderr is\n%s", o.err)
	}
	selection := read(t, "results", "small", "selection.csv")
	if got := strings.Count(selection, ",true,"); got != 2 {
		t.Errorf("%d selected candidates, want one of each series:\n%s", got, selection)
	}
	wantText(t, "status", ok(t, "status", "results/small").out, "small: 8 of 8 runs on record: 8 finished, 0 diverged, 0 failed")
	wantText(t, "verify", ok(t, "verify", "results/small", "--all").out, "8 of 8 records re-run, 0 differ")
	if _, err := os.Stat(at(t, "results", "small", "figures", "fig.png")); err != nil {
		t.Error(err)
	}
	wantText(t, "show", ok(t, "algorithms", "show", "smo").out, "deterministic: one run")

	// Splits that differ are different runs.
	write(t, "split.yaml", edit(t, edit(t, text, "name: small", "name: split"), "format: libsvm,", "format: libsvm, split: {train: 0.5, validation: 0.5},"))
	wantText(t, "validate", ok(t, "validate", "split.yaml").out, "split.yaml: ok, 12 runs")
	plan := ok(t, "plan", "split.yaml").out
	if strings.Contains(plan, "deterministic") {
		t.Errorf("the plan is\n%s", plan)
	}
}

// A run whose solver is not there is skipped, said to be, tried anew, and does
// not make the experiment fail.
func TestSkippedRuns(t *testing.T) {
	homeAlone(t)
	svmFiles(t)
	t.Setenv("PATH", t.TempDir())
	write(t, "small.yaml", edit(t, edit(t, svmSmall, "sigma2: 2,", "sigma2: 2, bias: true,"),
		"  - {id: sdca}\n  - {id: perceptron, budget: {passes: 2}}\n", "  - {id: libsvm}\n"))
	for range 2 {
		o := ok(t, "run", "small.yaml")
		wantText(t, "stdout", o.out, "1 skipped", "\nruns without a result: 1 skipped; why: stochopt status results/small\n")
		wantText(t, "stderr of table", ok(t, "table", "results/small").err, "skipped: ", "svm-train is not installed")
	}
	o := ok(t, "status", "results/small")
	wantText(t, "status", o.out, "3 of 3 runs on record: 2 finished, 0 diverged, 0 failed, 1 skipped", "skipped", "svm-train is not installed")
	wantText(t, "verify", ok(t, "verify", "results/small", "--all").out, "2 of 2 records re-run, 0 differ")

	write(t, "other.yaml", edit(t, edit(t, read(t, "small.yaml"), "name: small", "name: other"), "  - {id: sbp}\n", ""))
	ok(t, "run", "other.yaml")
	wantText(t, "verify", ok(t, "verify", "results/other").out, "not re-run: 1 run, skipped or of external programs", "0 of 0 records re-run")
}

func TestMistakesInSVMSpecs(t *testing.T) {
	const position = "bad.yaml:9:5: "
	for _, test := range []struct{ name, old, new, want string }{
		{"sigma2 of zero", "sigma2: 2", "sigma2: 0", `bad.yaml:9:80: datasets.b.problem.sigma2: must be more than 0, got 0`},
		{"negative lambda", "C: 1", "lambda: -1", `bad.yaml:9:91: datasets.b.problem.lambda: must be more than 0, got -1`},
		{"C of zero", "C: 1", "C: [1, 0]", `bad.yaml:9:86: datasets.b.problem.C: must be more than 0, got 0`},
		{"negative nu", "C: 1", "nu: -0.5", `bad.yaml:9:87: datasets.b.problem.nu: must be at least 0, got -0.5`},
		{"no width", "sigma2: 2, ", "", `bad.yaml:11:5: algorithms.sbp: the gaussian kernel exp(-gamma |x-x'|^2) has no width: give sigma2, or gamma = 1/(2 sigma2) (dataset "b")` +
			"\n" + `bad.yaml:12:5: algorithms.sdca: the gaussian kernel exp(-gamma |x-x'|^2) has no width: give sigma2, or gamma = 1/(2 sigma2) (dataset "b")` +
			"\n" + `bad.yaml:13:5: algorithms.perceptron: the gaussian kernel exp(-gamma |x-x'|^2) has no width: give sigma2, or gamma = 1/(2 sigma2) (dataset "b")`},
		{"no regularisation", ", C: 1", "", `bad.yaml:11:5: algorithms.sbp: no regularisation is given: give one of C, lambda, nu, R (dataset "b")` +
			"\n" + `bad.yaml:12:5: algorithms.sdca: no regularisation is given: give one of C, lambda, nu, R (dataset "b")`},
		{"a bias for a method without", "{id: sbp}", "{id: sbp, with: {bias: true}}\n  - {id: pegasos, with: {bias: true}}",
			`bad.yaml:12:5: algorithms.pegasos: bias: true, but pegasos has no unregularised bias; those that do are sbp, smo, decomposition, libsvm (dataset "b")`},
		{"no bias for libsvm", "{id: sbp}", "{id: libsvm}",
			`bad.yaml:11:5: algorithms.libsvm: bias: false, but libsvm always trains with an unregularised bias; set bias: true (dataset "b")`},
		{"hard margin", "C: 1", "nu: 0",
			`bad.yaml:12:5: algorithms.sdca: nu = 0 is a hard margin, which no C, lambda or R gives; sdca needs nu > 0 (dataset "b")`},
		{"unknown kernel", "sigma2: 2", "kernel: gausian, sigma2: 2", `bad.yaml:9:80: datasets.b.problem.kernel: unknown value "gausian" (did you mean "gaussian"?)`},
		{"step size", "{id: sbp}", "{id: sbp, step: {c: 1}}", `bad.yaml:11:22: algorithms.sbp.step.c: algorithm "sbp" has no step size parameter "c"`},
		{"k", "C: 1", "k: 1", `bad.yaml:9:83: datasets.b.problem.k: no algorithm here has a parameter "k"`},
		{"test of a source", "path: train.svm, test: test.svm, format: libsvm", "source: adult, test: test.svm",
			`bad.yaml:9:28: datasets.b.test: needs a dataset with path, not source`},
		{"distribution", "path: train.svm, test: test.svm, format: libsvm", "source: simulated-gaussian, with: {gap: 1}",
			position + `dataset "b": the task svm needs labels, but this is a distribution without labels; use another source`},
		{"selection without validation", "algorithms:", "select: {by: validation, tune: [nu]}\nalgorithms:",
			`bad.yaml:10:14: select.by: dataset "b" (bad.yaml:9:5) has no validation split to select on` + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			svmHome(t)
			write(t, "bad.yaml", edit(t, svmSmall, test.old, test.new))
			for _, verb := range []string{"validate", "plan", "run"} {
				o := stochopt(t, verb, "bad.yaml")
				if test.name == "k" || strings.HasSuffix(test.want, "\n") {
					// The rest lists what is known.
					if o.code != exitUsage || !strings.HasPrefix(o.err, strings.TrimSuffix(test.want, "\n")) {
						t.Errorf("exit %d: %s", o.code, o.err)
					}
					continue
				}
				wantOutcome(t, o, exitUsage, test.want)
			}
		})
	}
}

func TestSVMDataThatCannotBeLearned(t *testing.T) {
	const position = `bad.yaml:9:5: dataset "b": `
	for _, test := range []struct{ name, train, old, new, want string }{
		{"digits", blobs(60, "8", "3") + "7 1:1\n", ", test: test.svm", "", "such as `positive: 8`"},
		{"one class", blobs(60, "+1", "+1"), ", test: test.svm", "", `only one class occurs`},
		{"no such digit", blobs(60, "8", "3"), "test: test.svm,", "positive: 9,", `positive: no row has the label 9`},
		{"duplicate index", "1 1:2\n-1 2:1 2:3\n", ", test: test.svm", "", `train.svm:2: "2:3": index 2`},
		{"subset", blobs(60, "+1", "-1"), "test: test.svm,", "test: test.svm, subset: {train: 61},", `subset: train: 61 is more than the 60 rows that exist; lower it or remove it`},
	} {
		t.Run(test.name, func(t *testing.T) {
			svmHome(t)
			write(t, "train.svm", test.train)
			write(t, "bad.yaml", edit(t, svmSmall, test.old, test.new))
			o := stochopt(t, "run", "bad.yaml")
			if o.code != exitUsage || !strings.HasPrefix(o.err, position) {
				t.Errorf("exit %d: %s", o.code, o.err)
			}
			wantText(t, "stderr", o.err, test.want)
			if _, err := os.Stat(at(t, "results")); !os.IsNotExist(err) {
				t.Errorf("there is a results folder: %v", err)
			}
		})
	}
}

func TestMemory(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", svmSmall)
	sizes := []string{"lots", "8 GiBs", "-lots", "0", "0GB", "-1GB", "-0", "20EB", "12EB", "999999999TB", "99999999999999999999999"}
	for _, size := range sizes {
		o := stochopt(t, "run", "small.yaml", "--memory", size)
		if o.code != exitUsage {
			t.Errorf("--memory %s: exit %d, %s", size, o.code, o.err)
		}
	}
	// Rows over 90 points, in blocks of 16.
	const little = `algorithm "sbp" on dataset "b" (small.yaml:9:5): a run with C=1;bias=false;draw=one;kernel=gaussian;sigma2=2 needs 768 B, most of it for kernel rows, and --memory is 700 B; `
	for verb, code := range map[string]int{"run": exitFailed, "plan": 0} {
		o := stochopt(t, verb, "small.yaml", "--memory", "700")
		if o.code != code || !strings.HasPrefix(o.err, "warning: small.yaml:11:5: "+little) {
			t.Errorf("%s: exit %d, %s", verb, o.code, o.err)
		}
	}
	ok(t, "run", "small.yaml", "--memory", "768")
	if o := stochopt(t, "verify", "results/small", "--memory", "700"); o.code != exitUsage || !strings.Contains(o.err, "most of it for kernel rows") {
		t.Errorf("verify: exit %d, %s", o.code, o.err)
	}
	wantText(t, "verify", ok(t, "verify", "results/small", "--memory", "0.1MB").out, "0 differ")

	for text, want := range map[string]int64{"8GiB": 8 << 30, "512MB": 512e6, "1.5 KiB": 1536, "77": 77} {
		var o memoryOptions
		if err := o.Set(text); err != nil || o.bytes() != want {
			t.Errorf("%s is %d, %v; want %d", text, o.bytes(), err, want)
		}
	}
	got := (&memoryOptions{}).bytes()
	if got < 64<<20 {
		t.Errorf("by default there are %d bytes", got)
	}
	if runtime.GOOS == "linux" && got > math.MaxInt64/4 {
		t.Errorf("by default there are %d bytes: the size of the machine is not known", got)
	}
}
