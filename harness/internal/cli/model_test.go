package cli

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stochopt/harness/internal/model"
	"stochopt/results/words"
)

// sparseSmall is a spec of runs on blobs with models.
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
models:
  - {id: few, dataset: b, series: sparsify, support: 6}
  - {id: basis, dataset: b, series: rsvm, support: 10}
  - {id: dense, dataset: b, series: reference}
`

func modelFile(name string) string { return "results/small/models/" + name + ".model.json" }

// numbers returns the numbers of an output, one a line.
func numbers(t *testing.T, text string) []float64 {
	t.Helper()
	var out []float64
	for _, line := range strings.Fields(text) {
		x, err := strconv.ParseFloat(line, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}

func TestModelsOfAnExperiment(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", sparseSmall)
	o := ok(t, "run", "-v", "small.yaml")
	wantText(t, "stdout", o.out, "small: model few: ", "small: model basis: ", "small: model dense: ", ", saved -> "+filepath.FromSlash(modelFile("few")))
	wantText(t, "status", ok(t, "status", "results/small").out, "5 of 5 runs on record: 5 finished")

	// What is recorded of the classifier is what the file's classifier does.
	info := parseJSON[modelReport](t, ok(t, "model", "info", modelFile("few"), "--json").out)
	p := info.Provenance
	if info.Support > 6 || info.Support < 1 || info.Features != 2 || p.Algorithm != "sparsify" || p.Spec != "small" || p.Model != "few" ||
		p.Seed != 7 || len(p.Key) != 32 || p.Iterations < 1 || p.Train != 60 || p.TestError == nil || p.StandIn {
		t.Fatalf("the model is %+v", info)
	}
	for _, name := range []string{"few", "basis", "dense"} {
		info := parseJSON[modelReport](t, ok(t, "model", "info", modelFile(name), "--json").out)
		o := ok(t, "model", "predict", modelFile(name), "test.svm")
		g := numbers(t, o.out)
		if len(g) != 30 {
			t.Fatalf("%s decides %d rows", name, len(g))
		}
		wantText(t, name, o.err, fmt.Sprintf("error %s (%d of 30 rows)", words.Percent(*info.Provenance.TestError), int(math.Round(30**info.Provenance.TestError))))
		labels := numbers(t, ok(t, "model", "predict", modelFile(name), "test.svm", "--labels").out)
		for i, y := range labels {
			if (g[i] > 0) != (y == 1) || y != 1 && y != -1 {
				t.Errorf("%s: row %d has the decision %v and the label %v", name, i, g[i], y)
			}
		}
	}
	wantText(t, "info", ok(t, "model", "info", modelFile("few")).out,
		"kernel     gaussian(gamma=0.25)", "features   2\n", "labels     1 where g(x) > 0, else -1", "experiment small, model few, seed 7, repeat 0", "test error ")

	// Nothing is made again, not even after edits that change nothing.
	before := read(t, modelFile("few"))
	write(t, "small.yaml", edit(t, sparseSmall, "name: small", "name: small\ntitle: Small"))
	o = ok(t, "run", "-v", "small.yaml")
	if n := strings.Count(o.out, ", unchanged -> "); n != 3 || strings.Contains(o.err, "performing its run again") {
		t.Errorf("%d models are unchanged:\n%s%s", n, o.out, o.err)
	}
	// A damaged one is, and it comes out the same.
	write(t, modelFile("few"), edit(t, before, `"seed":7`, `"seed":8`))
	o = ok(t, "run", "-v", "small.yaml")
	if strings.Count(o.out, ", unchanged -> ") != 2 || read(t, modelFile("few")) != before {
		t.Errorf("the model is not made again, or otherwise:\n%s", o.out)
	}
	// One that is no longer asked for stays; --no-models makes none, nor does it
	// remove any.
	write(t, "small.yaml", sparseSmall[:strings.Index(sparseSmall, "  - {id: basis,")]+"  - {id: other, dataset: b, series: rsvm, support: 20}\n")
	o = ok(t, "run", "small.yaml", "--no-models")
	if strings.Contains(o.out, "model") {
		t.Errorf("models are made:\n%s", o.out)
	}
	for name, want := range map[string]bool{"few": true, "basis": true, "dense": true, "other": false} {
		if _, err := os.Stat(modelFile(name)); (err == nil) != want {
			t.Errorf("model %s: %v", name, err)
		}
	}
}

// The classifier is the largest that may be, not the largest on record; what was
// asked for is said.
func TestModelsAreAsLargeAsTheyMayBe(t *testing.T) {
	svmHome(t)
	text := edit(t, sparseSmall, "record: {points: 10}", "record: {points: 2}")
	text = edit(t, text, "eta: [0.25, 0.5]", "eta: 0.25, epsilon: 0.01")
	text = edit(t, text, "budget: {iterations: 60}", "budget: {iterations: 400}")
	write(t, "small.yaml", edit(t, text, "support: 6}", "support: 8}"))
	o := ok(t, "run", "small.yaml")
	info := parseJSON[modelReport](t, ok(t, "model", "info", modelFile("few"), "--json").out)
	// On record are classifiers of 5 and 10 vectors; it adds one at a time.
	if info.Support != 8 || info.Provenance.Asked != 8 {
		t.Errorf("it has %d vectors\n%s", info.Support, o.out)
	}
	o = ok(t, "model", "predict", modelFile("few"), "test.svm")
	wantText(t, "stderr", o.err, fmt.Sprintf("error %s (", words.Percent(*info.Provenance.TestError)))
	wantText(t, "stdout", ok(t, "run", "-v", "small.yaml").out, "small: model few: 8 expansion vectors, test error "+words.Percent(*info.Provenance.TestError)+" (too low if these rows chose it), unchanged -> ")
	write(t, "small.yaml", edit(t, text, "support: 6}", "support: 55}"))
	o = ok(t, "run", "-v", "small.yaml")
	info = parseJSON[modelReport](t, ok(t, "model", "info", modelFile("few"), "--json").out)
	wantText(t, "stdout", o.out, fmt.Sprintf("small: model few: asked for at most 55, got %d expansion vectors, test error ", info.Support))
	if info.Support <= 8 || info.Support >= 55 {
		t.Errorf("it has %d vectors", info.Support)
	}
}

// Where there is nothing to choose, a model takes neither halvings nor test rows.
func TestModelsWithoutHalvings(t *testing.T) {
	svmHome(t)
	text := edit(t, sparseSmall, "select: {by: halvings, halvings: 20, tune: [eta, ratio]}\n", "")
	text = edit(t, edit(t, edit(t, text, "[0.25, 0.5]", "0.5"), "[0.1, 0.3]", "0.3"), "support: 10}", "support: 20}")
	write(t, "small.yaml", edit(t, text, "test: test.svm, ", ""))
	o := ok(t, "run", "-v", "small.yaml")
	wantText(t, "stdout", o.out, "small: model few: ", "small: model basis: ", ", test error unknown (no test rows), saved -> ")
	info := parseJSON[modelReport](t, ok(t, "model", "info", modelFile("few"), "--json").out)
	if info.Support < 1 || info.Support > 6 || info.Provenance.TestError != nil || info.Provenance.Asked != 6 {
		t.Errorf("the model is %+v", info)
	}
	ok(t, "model", "predict", modelFile("few"), "test.svm")
	wantText(t, "stdout", ok(t, "run", "-v", "small.yaml").out, "small: model few: ", ", unchanged -> ")
	// The setting that validation selects, and its first repeat.
	write(t, "small.yaml", edit(t, edit(t, sparseSmall, "by: halvings, halvings: 20,", "by: validation,"), "test: test.svm, format: libsvm,", "split: {train: 0.5, validation: 0.3, test: 0.2}, format: libsvm,")+"repeats: 2\n")
	wantText(t, "stdout", ok(t, "run", "-v", "small.yaml", "--fresh").out, "small: model few: ", "small: model basis: ")
	info = parseJSON[modelReport](t, ok(t, "model", "info", modelFile("few"), "--json").out)
	if info.Support < 1 || info.Provenance.TestError == nil || info.Provenance.Repeat != 0 {
		t.Errorf("the model is %+v", info)
	}
}

// Of what there is no classifier it is said why.
func TestModelsOfVoidRuns(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", edit(t, sparseSmall, "{eta: [0.25, 0.5]}", "{eta: [0.25, 0.5], epsilon: 1, relearn: true}"))
	o := stochopt(t, "run", "small.yaml")
	wantText(t, "stderr", o.err, "small: model few: NOT SAVED: no run of sparsify on b has a classifier with expansion vectors (finished: converged: ")
	wantText(t, "status", ok(t, "status", "results/small").out, "finished: b sparsify[", "no classifier with expansion vectors: converged: ")
}

// A model that cannot be had costs neither the records nor the other models.
func TestModelsThatCannotBeHad(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", edit(t, sparseSmall, "series: sparsify, support: 6", "series: rsvm, support: 1"))
	o := stochopt(t, "run", "-v", "small.yaml")
	if o.code != exitFailed {
		t.Errorf("exit %d", o.code)
	}
	wantText(t, "stderr", o.err, "small: model few: NOT SAVED: results: rsvm on b has no classifier of at most 1 support vectors; its smallest has ",
		"stochopt: 1 model could not be saved; the records are there, and the same command tries again")
	wantText(t, "stdout", o.out, "small: model basis: ", "small: 5 runs in ")
}

func TestPredict(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", sparseSmall)
	ok(t, "run", "small.yaml")
	few := modelFile("few")
	want := ok(t, "model", "predict", few, "test.svm")

	// To a file.
	o := ok(t, "model", "predict", few, "test.svm", "-o", "out.txt")
	if o.out != "" || read(t, "out.txt") != want.out {
		t.Errorf("the file has\n%s\nwant\n%s", read(t, "out.txt"), want.out)
	}
	// Of another form, by its name and by --format.
	var csv strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(blobs(30, "+1", "-1")), "\n") {
		f := strings.Fields(line)
		fmt.Fprintf(&csv, "%s,%s,%s\n", strings.TrimPrefix(f[1], "1:"), strings.TrimPrefix(f[2], "2:"), f[0])
	}
	write(t, "test.csv", csv.String())
	write(t, "test.data", csv.String())
	for _, args := range [][]string{{"test.csv"}, {"test.data", "--format", "csv"}} {
		o := ok(t, append(append([]string{"model", "predict", few}, args...), "--label", "3")...)
		if o.out != want.out || o.err != want.err {
			t.Errorf("%v gives\n%s%s", args, o.out, o.err)
		}
	}
	// Without labels, and with labels of another kind.
	write(t, "bare.csv", strings.NewReplacer(",+1\n", "\n", ",-1\n", "\n").Replace(csv.String()))
	o = ok(t, "model", "predict", few, "bare.csv")
	if wantOutcome(t, o, exitOK, "30 rows; they have no labels to tell the error by"); o.out != want.out {
		t.Error("without labels the decisions differ")
	}
	write(t, "other.svm", blobs(30, "2", "-1"))
	o = ok(t, "model", "predict", few, "other.svm")
	if wantOutcome(t, o, exitOK, "30 rows; no error is known: row 2 has the label 2, but the model knows only 1 and -1"); o.out != want.out {
		t.Error("with other labels the decisions differ")
	}
	// The randomised rule.
	g := numbers(t, want.out)
	one := ok(t, "model", "predict", few, "test.svm", "--randomised", "--seed", "1")
	again := ok(t, "model", "predict", few, "test.svm", "--randomised", "--seed", "1")
	two := ok(t, "model", "predict", few, "test.svm", "--randomised", "--seed", "2")
	if one != again || one.out == two.out {
		t.Error("the seed does not tell the random numbers")
	}
	slant := 0.0
	for i, r := range numbers(t, one.out) {
		if d := r - g[i]; d < -0.5 || d > 0.5 {
			t.Errorf("row %d moves by %v", i, d)
		}
		y := 1.0
		if i%3 == 0 {
			y = -1
		}
		slant += min(1, max(0, 0.5-y*g[i])) / 30
	}
	wantText(t, "stderr", one.err, fmt.Sprintf("expected error of the randomised rule: %s\n", words.Percent(slant)))
}

func TestPredictBadInput(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", edit(t, sparseSmall, "format: libsvm,", "format: libsvm, prepare: [unit-max-norm],"))
	ok(t, "run", "small.yaml")
	prepared := modelFile("few")
	older := "older.model.json"
	if m, err := model.Read(prepared); err != nil {
		t.Fatal(err)
	} else if m.Input = nil; model.Write(".", older, m) != nil {
		t.Fatal("cannot write", older)
	}
	write(t, "small.yaml", edit(t, sparseSmall, "name: small", "name: raw"))
	ok(t, "run", "small.yaml")
	raw := "results/raw/models/few.model.json"
	text := read(t, raw)
	write(t, "wide.svm", "+1 1:1 5:2\n-1 2:1\n")
	write(t, "cut.json", text[:len(text)/2])
	write(t, "edited.json", edit(t, text, `"seed":7`, `"seed":8`))
	write(t, "newer.json", edit(t, text, `"version": 1`, `"version": 3`))
	write(t, "kernel.json", edit(t, text, `"gaussian"`, `"laplace"`))
	write(t, "test.data", "+1 1:1\n")
	write(t, "three.csv", "1,2,1\n3,4,-1\n")
	write(t, "one.csv", "1\n3\n")
	write(t, "bare.svm", "1:1 2:3\n")
	write(t, "text.json", "svm_type c_svc\n")
	const again = "restore it from a backup, or make it again with run"
	for _, test := range []struct{ args, want string }{
		{raw + " wide.svm", "stochopt: wide.svm: the data have 5 features, but the model 2; name data that the model is for"},
		{prepared + " wide.svm", "stochopt: dataset wide.svm: another number of features: the data have 5, the training data had 2\n"},
		{prepared + " three.csv", "stochopt: dataset three.csv: another number of features: the data have 3, the training data had 2; if a column is the label, name it with --label\n"},
		{prepared + " three.csv --label x", `stochopt: three.csv:1: label column "x": the file has no header; give the number of the column, 1 for the first, -1 for the last` + "\n"},
		{older + " test.svm", "stochopt: " + older + ": the model was trained on data prepared by unit-max-norm, with numbers that come from all rows of what it was trained on (train.svm) and that it does not hold, as an older stochopt saved it; raw data would be misjudged. Save it again with run, or prepare the data with the same numbers and give --prepared, which trusts you that they are\n"},
		{"cut.json test.svm", fmt.Sprintf("stochopt: cut.json: the file is truncated: it ends after %d bytes; copy it again, or make it again with run", len(text)/2)},
		{"newer.json test.svm", "stochopt: newer.json: the model was written by a newer stochopt: its format is version 3, this program reads version 2; upgrade"},
		{"kernel.json test.svm", `stochopt: kernel.json: unknown kernel "laplace" (known: gaussian, linear, polynomial); either a newer stochopt wrote it, or the file is damaged: then ` + again},
		{"none.json test.svm", "stochopt: cannot read the model: open none.json: no such file or directory"},
		{raw + " three.csv", "stochopt: three.csv: the data have 3 features, but the model 2; name data that the model is for; if a column is the label, name it with --label\n"},
		{raw + " one.csv", "stochopt: one.csv: the data have 1 features, but the model 2; a column is missing\n"},
		{raw + " bare.svm", `stochopt: bare.svm:1: label: "1:1" is not a number; in rows without a label put 0 first` + "\n"},
		{raw + " test.svm -o none/x", "stochopt: cannot write none/x: there is no folder none; name a file in a folder that is there with -o\n"},
		{raw + " test.data", "stochopt: the name of test.data does not tell its format: give --format libsvm, csv or idx"},
		{raw + " none.svm", "stochopt: there is no file none.svm, and no known dataset of that name"},
		{raw + " adlt", `stochopt: there is no file adlt, and no known dataset of that name (did you mean "adult"?)`},
		{raw + " simulated-margin", "stochopt: simulated-margin generates data, and predict takes rows that there are; name a file or one of "},
		{raw + " test.svm --part test", "stochopt: --part is for a known dataset, and test.svm is a file"},
		{raw + " adult --format csv", "stochopt: --format is for a file, and adult is a known dataset"},
		{raw + " adult --variant a99a --offline", `stochopt: dataset adult: `},
		{raw + " adult --offline", "stochopt: dataset adult: cannot find "},
		{raw + " test.svm --seed 3", "stochopt: --seed is for --randomised; decision values are not random"},
		{raw, "stochopt: want a model file and data, got 1 arguments; see stochopt model predict --help"},
		{raw + " test.svm -o none/out", "stochopt: cannot write none/out: "},
	} {
		o := stochopt(t, append([]string{"model", "predict"}, strings.Fields(test.args)...)...)
		if o.code != exitUsage || !strings.HasPrefix(o.err, test.want) || o.out != "" {
			t.Errorf("%s: exit %d\n%s%s\nwant\n%s", test.args, o.code, o.out, o.err, test.want)
		}
	}
	// Advice for specs is none for predict, nor for fetch.
	for _, args := range [][]string{{"model", "predict", raw, "adult", "--offline"}, {"datasets", "fetch", "timit", "--offline"}} {
		if o := stochopt(t, args...); o.code == exitOK || strings.Contains(o.err, "stand_in") || strings.Count(o.err, "timit: ") > 1 {
			t.Errorf("%v: %s", args, o.err)
		}
	}
	for verb, args := range map[string][]string{"info": nil, "predict": {"test.svm"}, "export": {"-o", "x"}} {
		o := stochopt(t, append([]string{"model", verb, "edited.json"}, args...)...)
		if o.code != exitUsage || !strings.Contains(o.err, "it was edited or damaged; "+again) {
			t.Errorf("%s: exit %d\n%s", verb, o.code, o.err)
		}
		o = stochopt(t, append([]string{"model", verb, "text.json"}, args...)...)
		if o.code != exitUsage || !strings.HasPrefix(o.err, "stochopt: text.json: this is not a model, ") {
			t.Errorf("%s: exit %d\n%s", verb, o.code, o.err)
		}
	}
	// Who has prepared the data says so.
	wantText(t, "stderr", ok(t, "model", "predict", prepared, "test.svm", "--prepared").err, "of 30 rows)")
	wantOutcome(t, stochopt(t, "model", "export", raw), exitUsage, "stochopt: no file to write is given; name it with -o FILE")
	wantOutcome(t, stochopt(t, "model", "inf"), exitUsage, `stochopt: unknown verb "inf" (did you mean "info"?); see stochopt model --help`)
}

// The real svm-predict says of an exported model's labels what predict says.
func TestExportedModels(t *testing.T) {
	predict, err := exec.LookPath("svm-predict")
	if err != nil {
		t.Skip("svm-predict is not installed; it comes with LIBSVM (libsvm-tools)")
	}
	svmHome(t)
	write(t, "train.svm", blobs(60, "2", "1"))
	write(t, "test.svm", blobs(30, "2", "1"))
	for _, test := range []struct{ name, old, new string }{
		{"gaussian", "sigma2: 2", "sigma2: 2"},
		{"polynomial", "sigma2: 2", "kernel: polynomial, degree: 3"},
		{"linear", "sigma2: 2", "kernel: linear"},
	} {
		write(t, "small.yaml", edit(t, edit(t, sparseSmall, test.old, test.new), "format: libsvm,", "format: libsvm, positive: 2,"))
		ok(t, "run", "small.yaml")
		for _, name := range []string{"few", "basis", "dense"} {
			ok(t, "model", "export", modelFile(name), "-o", "model.txt")
			if said, err := exec.Command(predict, "test.svm", "model.txt", "out.txt").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			want := numbers(t, ok(t, "model", "predict", modelFile(name), "test.svm", "--labels").out)
			if got := numbers(t, read(t, "out.txt")); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s %s: svm-predict says\n%v, and we\n%v", test.name, name, got, want)
			}
		}
	}
}

// Vectors that a method has constructed are saved as they are.
func TestModelsOfConstructedVectors(t *testing.T) {
	svmHome(t)
	text := edit(t, sparseSmall, "  - {id: perceptron}\n", "  - {id: reduced-set, with: {support: 8}}\n")
	write(t, "small.yaml", edit(t, text, "series: sparsify, support: 6", "series: reduced-set, support: 5"))
	ok(t, "run", "small.yaml")
	info := parseJSON[modelReport](t, ok(t, "model", "info", modelFile("few"), "--json").out)
	o := ok(t, "model", "predict", modelFile("few"), "test.svm")
	wantText(t, "stderr", o.err, fmt.Sprintf("error %s (", words.Percent(*info.Provenance.TestError)))
	if info.Support < 1 || info.Support > 5 {
		t.Errorf("the model has %d vectors", info.Support)
	}
	train := read(t, "train.svm")
	m, err := model.Read(modelFile("few"))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range m.Vectors {
		if len(v.Values) == 2 && strings.Contains(train, fmt.Sprintf(" 1:%.4f 2:%.4f\n", v.Values[0], v.Values[1])) {
			t.Errorf("vector %d is a training point", k+1)
		}
	}
}

// What is wrong with a search is found before anything runs, and what only a run
// can find is its record.
func TestSparseBadInput(t *testing.T) {
	svmHome(t)
	for _, test := range []struct{ old, new, want string }{
		{"[0.25, 0.5]", "[0.25, 0]", `bad.yaml:10:32: algorithms.sparsify.with.eta: must be more than 0, got 0`},
		{"[0.25, 0.5]", "[0.25, 0.5], epsilon: -0.5", `bad.yaml:10:54: algorithms.sparsify.with.epsilon: must be more than 0, got -0.5`},
		{"[0.25, 0.5]", "[0.25, 0.5], support: 61", `bad.yaml:10:5: algorithm "sparsify" on dataset "b" (bad.yaml:8:5): support = 61 is more than the 60 training points; lower it`},
		{"support: 6}", "support: 61}", `bad.yaml:15:5: model "few": support = 61 is more than the 60 training points of dataset "b"; lower it`},
		{", C: 1", "", `bad.yaml:10:5: algorithms.sparsify: no regularisation is given: give one of C, lambda, nu, R (dataset "b")` + "\n" +
			`bad.yaml:11:5: algorithms.rsvm: no regularisation is given: give one of C, lambda, nu, R (dataset "b")`},
	} {
		write(t, "bad.yaml", edit(t, sparseSmall, test.old, test.new))
		wantOutcome(t, stochopt(t, "plan", "bad.yaml"), exitUsage, test.want)
	}
	// Points that cannot be told apart: w = 0, and no point is on the right side.
	write(t, "train.svm", strings.Repeat("+1 1:1\n-1 1:1\n", 10))
	write(t, "test.svm", "+1 1:1\n-1 1:1\n")
	write(t, "bad.yaml", edit(t, sparseSmall[:strings.Index(sparseSmall, "  - {id: rsvm")]+"select: {by: halvings, tune: [eta]}\n", "bias: true", "bias: false"))
	o := stochopt(t, "run", "bad.yaml")
	if o.code != exitFailed {
		t.Errorf("exit %d\n%s%s", o.code, o.out, o.err)
	}
	wantText(t, "status", ok(t, "status", "results/small").out, "2 failed", "sparse: sparsify: the reference classifies none of the n = 20 training points correctly; ")
}

// The list fits a terminal, and may be that of one task.
func TestAlgorithmsList(t *testing.T) {
	all, sparse := ok(t, "algorithms", "list").out, ok(t, "algorithms", "list", "--task", "svm-sparse").out
	for line := range strings.Lines(all) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 100 {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
	if !strings.Contains(sparse, "sparsify-aggressive") || strings.Contains(sparse, "capped-msg") || !strings.Contains(all, "capped-msg") {
		t.Errorf("the list of a task is\n%s", sparse)
	}
	if list := parseJSON[[]map[string]any](t, ok(t, "algorithms", "list", "--task", "svm-sparse", "--json").out); list[0]["id"] != "sparsify" {
		t.Errorf("the list begins with %v", list[0])
	}
	wantOutcome(t, stochopt(t, "algorithms", "list", "--task", "svn"), exitUsage, `stochopt: unknown task "svn" (did you mean "svm"?)`)
}

// An id that two tasks have is shown for both, and asked for one at a time.
func TestAlgorithmsOfSeveralTasks(t *testing.T) {
	both := ok(t, "algorithms", "show", "perceptron").out
	wantText(t, "show", both, "task svm, version", "task svm-sparse, version")
	one := ok(t, "algorithms", "show", "perceptron", "--task", "svm-sparse").out
	wantText(t, "show --task", one, "task svm-sparse, version", "the classifier of this method has none, even if its reference has one")
	if strings.Contains(one, "task svm, ") {
		t.Error("both are shown")
	}
	wantOutcome(t, stochopt(t, "algorithms", "show", "perceptron", "--json"), exitUsage, "stochopt: perceptron is an algorithm of the tasks svm and svm-sparse; choose one with --task")
	wantText(t, "JSON", ok(t, "algorithms", "show", "perceptron", "--json", "--task", "svm").out, `"task": "svm"`)
	wantOutcome(t, stochopt(t, "algorithms", "show", "sparsify", "--task", "svm"), exitUsage, `stochopt: the task svm has no algorithm "sparsify" (known: sbp, sgd, pegasos, sdca, smo, decomposition, perceptron, rff, linear-sdca, linear-pegasos, simba, libsvm)`)
	wantOutcome(t, stochopt(t, "algorithms", "show", "sparsify", "--task", "svn"), exitUsage, `stochopt: unknown task "svn" (did you mean "svm"?)`)
}
