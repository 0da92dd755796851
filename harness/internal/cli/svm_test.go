package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// svmSmall is a spec of six short runs on the files of svmFiles.
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

// blobs returns a LIBSVM file of n points around (1, 0) and (-1, 0).
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
	write(t, "small.yaml", svmSmall)
	rows := parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)
	if len(rows) != 3 || rows[0].KernelEvals != 2*4*60*60 || rows[2].KernelEvals != 2*2*60*60 || rows[2].Iterations != 2*2*60 {
		t.Errorf("the plan is %+v", rows)
	}
	rows = parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--set", "algorithms=[{id: smo}]", "--json").out)
	if len(rows) != 1 || !rows[0].Deterministic || rows[0].Runs != 1 {
		t.Errorf("the plan of smo is %+v", rows)
	}
	ok(t, "run", "small.yaml", "-j", "2")
	records := exported(t, "results/small")
	wantText(t, "records", records, `"kernel_evals"`, `"extent":"240/log:4+reference1"`, `"suboptimality"`)
	if r := verified(t, "results/small", func(string) {}); !r.OK || r.Count("records re-run").Checked != 6 {
		t.Errorf("verify: %+v", r)
	}
	// The records do not depend on the memory or the workers.
	ok(t, "run", "small.yaml", "-j", "1", "--memory", "2kB", "--out", "other")
	if again := exported(t, "other/small"); again != records {
		t.Error("with little memory, the records differ")
	}
}

// A run whose solver is not installed is skipped and repeated by the next command. The experiment does not fail.
func TestSkippedRuns(t *testing.T) {
	home(t)
	svmFiles(t)
	t.Setenv("PATH", t.TempDir())
	write(t, "small.yaml", edit(t, edit(t, svmSmall, "sigma2: 2,", "sigma2: 2, bias: true,"),
		"  - {id: sdca}\n  - {id: perceptron, budget: {passes: 2}}\n", "  - {id: libsvm}\n"))
	for range 2 {
		ok(t, "run", "small.yaml")
		r := parseJSON[[]statusReport](t, ok(t, "status", "results/small", "--json").out)[0]
		if r.Finished != 2 || r.Skipped != 1 || len(r.Problems) != 1 || r.Problems[0].Status != record.StatusSkipped {
			t.Errorf("status: %+v", r)
		}
	}
	wantText(t, "status", ok(t, "status", "results/small").out, "skipped", "svm-train is not installed")
	if r := verified(t, "results/small", func(string) {}); !r.OK || r.Count("records re-run").Checked != 2 {
		t.Errorf("verify: %+v", r)
	}
}

func TestMemory(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", svmSmall)
	if o := stochopt(t, "run", "small.yaml", "--memory", "lots"); o.code != exitUsage {
		t.Errorf("exit %d, %s", o.code, o.err)
	}
	// Kernel rows have 90 points, padded to blocks of 16.
	for _, test := range []struct {
		args string
		code int
	}{
		{"plan small.yaml --memory 700", exitOK}, {"run small.yaml --memory 700", exitFailed},
		{"run small.yaml --memory 768", exitOK}, {"verify results/small --all --memory 768", exitOK}, {"verify results/small --memory 700", exitUsage},
	} {
		o := stochopt(t, strings.Fields(test.args)...)
		if o.code != test.code {
			t.Errorf("%s: exit %d, %s%s", test.args, o.code, o.out, o.err)
		}
	}
	wantText(t, "plan", ok(t, "plan", "small.yaml", "--memory", "700").err, `warning: small.yaml:11:5: algorithm "sbp" on dataset "b" (small.yaml:9:5): `,
		" needs 768 B, most of it for kernel rows, and --memory is 700 B; ")

	for text, want := range map[string]int64{
		"8GiB": 8 << 30, "512MB": 512e6, "1.5 KiB": 1536, "77": 77,
		"lots": 0, "8 GiBs": 0, "-1GB": 0, "0": 0, "0GB": 0, "20EB": 0, "99999999999999999999999": 0,
	} {
		var o memoryOptions
		if err := o.parse(text); (err == nil) != (want > 0) || want > 0 && o.bytes() != want {
			t.Errorf("%s is %d, %v; want %d", text, o.bytes(), err, want)
		}
	}
	if got := new(memoryOptions).bytes(); got < 64<<20 || runtime.GOOS == "linux" && got > math.MaxInt64/4 {
		t.Errorf("the default is %d bytes", got)
	}
}

// sparseSmall is a spec of five short runs on the files of svmFiles.
const sparseSmall = `version: 1
name: small
task: svm-sparse
seed: 7
budget: {iterations: 60}
record: {points: 10}
datasets:
  - {id: b, path: train.svm, test: test.svm, format: libsvm, problem: {sigma2: 2, C: 1, bias: true}}
algorithms:
  - {id: sparsify, with: {eta: [0.25, 0.5]}}
  - {id: rsvm, with: {ratio: [0.1, 0.3]}}
  - {id: perceptron}
select: {by: halvings, halvings: 20, tune: [eta, ratio]}
`
