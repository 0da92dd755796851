package cli

import (
	"os"
	"strings"
	"testing"

	"stochopt/results/words"
)

// Where each row is prepared by itself, predict does it.
func TestPredictPreparesRows(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", edit(t, sparseSmall, "format: libsvm,", "format: libsvm, prepare: [unit-norm],"))
	ok(t, "run", "small.yaml")
	info := parseJSON[modelReport](t, ok(t, "model", "info", modelFile("few"), "--json").out)
	wantText(t, "stderr", ok(t, "model", "predict", modelFile("few"), "test.svm").err, "error "+words.Percent(*info.Provenance.TestError)+" (")
	if ok(t, "model", "predict", modelFile("few"), "test.svm", "--prepared").out == ok(t, "model", "predict", modelFile("few"), "test.svm").out {
		t.Error("--prepared changes nothing")
	}
}

// Known datasets are prepared as in training, and if none is named their variant is
// that of the model. It needs the real data.
func TestPredictPreparesKnownDatasets(t *testing.T) {
	mirror := os.Getenv("HARNESS_MIRROR")
	if mirror == "" || testing.Short() {
		t.Skip("HARNESS_MIRROR, a folder with adult/a8a.gz and adult/a8a.t.gz, is not set")
	}
	home(t)
	env := map[string]string{"HARNESS_MIRROR": mirror}
	const base = `version: 1
name: known
task: svm-sparse
budget: {iterations: 60}
record: {points: 5}
datasets:
  - {id: a, source: adult, with: {variant: a8a}, prepare: [unit-max-norm], subset: {train: 150}, problem: {sigma2: 0.5, C: 1}}
algorithms:
  - {id: sparsify}
models:
  - {id: m, dataset: a, series: sparsify, support: 10}
`
	const file = "results/known/models/m.model.json"
	for _, positive := range []string{"", "positive: -1, ", "positive: 1, "} {
		write(t, "known.yaml", edit(t, base, "prepare:", positive+"prepare:"))
		if o := stochoptWith(t, t.Context(), env, "run", "known.yaml", "--fresh", "--offline"); o.code != exitOK {
			t.Fatalf("%s%s", o.out, o.err)
		}
		info := parseJSON[modelReport](t, ok(t, "model", "info", file, "--json").out)
		if p := info.Provenance; p.Source != "adult" || p.Variant != "a8a" || p.Part != "all" || info.Labels.Negative == nil || *info.Labels.Negative != -info.Labels.Positive {
			t.Errorf("the model is %+v", info)
		}
		o := stochoptWith(t, t.Context(), env, "model", "predict", file, "adult", "--offline")
		wantText(t, "stderr", o.err, "adult: the variant a8a, which the model was trained on; --variant names another\n",
			"adult: prepared by unit-max-norm, as in training\n", "error "+words.Percent(*info.Provenance.TestError)+" (")
		if n := strings.Count(o.out, "\n"); n != 9865 {
			t.Errorf("%d decisions", n)
		}
		o = stochoptWith(t, t.Context(), env, "model", "predict", file, "adult", "--offline", "--variant", "a9a")
		if o.code != exitOK || !strings.HasPrefix(o.err, "adult: prepared by unit-max-norm, as in training\nerror ") {
			t.Errorf("exit %d: %s", o.code, o.err)
		}
	}
	// Raw ones are not prepared.
	write(t, "known.yaml", edit(t, edit(t, base, "prepare: [unit-max-norm], ", ""), "sigma2: 0.5", "sigma2: 5"))
	stochoptWith(t, t.Context(), env, "run", "known.yaml", "--fresh", "--offline")
	info := parseJSON[modelReport](t, ok(t, "model", "info", file, "--json").out)
	o := stochoptWith(t, t.Context(), env, "model", "predict", file, "adult", "--offline")
	wantText(t, "stderr", o.err, "error "+words.Percent(*info.Provenance.TestError)+" (")
	if strings.Contains(o.err, "prepared") {
		t.Errorf("prepared:\n%s", o.err)
	}
}

// An exported model calls the classes by their labels where it can, and warns where
// it cannot.
func TestExportedLabels(t *testing.T) {
	for _, test := range []struct {
		name, positive, negative, labels, warning string
	}{
		{"both known", "7", "3", "\nlabel 7 3\n", ""},
		{"plain", "+1", "-1", "\nlabel 1 -1\n", ""},
		{"no integer", "7", "2.5", "\nlabel 1 -1\n", "warning: the classes are called 1 and -1, as LIBSVM takes integers: the accuracy that svm-predict tells means nothing for data with the labels 7 and 2.5\n"},
		{"several others", "7", "3", "\nlabel 1 -1\n", "warning: the classes are called 1 and -1, for the label 7 and all others: the accuracy that svm-predict tells means nothing unless the data's labels are 1 and -1\n"},
	} {
		svmHome(t)
		train := blobs(60, test.positive, test.negative)
		if test.name == "several others" {
			train += "4 1:0 2:0\n"
		}
		write(t, "train.svm", train)
		write(t, "test.svm", blobs(30, test.positive, test.negative))
		text := sparseSmall
		if test.positive == "7" {
			text = edit(t, text, "format: libsvm,", "format: libsvm, positive: 7,")
		}
		write(t, "small.yaml", text)
		ok(t, "run", "small.yaml")
		o := ok(t, "model", "export", modelFile("few"), "-o", "model.txt")
		wantText(t, test.name, read(t, "model.txt"), test.labels)
		if has := strings.Contains(o.err, "warning: "); has != (test.warning != "") || !strings.Contains(o.err, test.warning) {
			t.Errorf("%s: stderr is %q", test.name, o.err)
		}
	}
}
