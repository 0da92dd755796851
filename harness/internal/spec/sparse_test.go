package spec

import (
	"fmt"
	"strings"
	"testing"

	"stochopt/internal/selection"
)

const sparse = `version: 1
name: base
task: svm-sparse
budget: {passes: 10}
datasets:
  - {id: mnist, source: mnist, positive: 0, problem: {C: 1}}
  - {id: own, path: a.svm, test: b.svm, format: libsvm, problem: {C: 1}}
algorithms:
  - {id: sparsify, with: {eta: [0.25, 0.5]}}
  - {id: rsvm, with: {ratio: 0.5}, datasets: [mnist], limit: {seconds: 600, memory: 2GB}}
select: {by: halvings, tune: [eta]}
`

func TestSparseDefaults(t *testing.T) {
	t.Parallel()
	s, err := parseLabelled(sparse)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%+v", s.Select), "{By:halvings Halvings:100 Metric:error Over:largest Tune:[eta] Seed:0 Sizes:[]}"; got != want {
		t.Errorf("select is %s, want %s", got, want)
	}
	if got, want := *s.Algorithms[1].Limit, (Limit{Seconds: 600, Memory: 2e9}); got != want || s.Algorithms[0].Limit != nil {
		t.Errorf("the limit is %+v, want %+v", got, want)
	}
	if s.Record.Reference != nil {
		t.Error("runs are compared with a certified optimum")
	}
	// Without select there are no defaults of it.
	s, err = parseLabelled(strings.Replace(sparse, "select: {by: halvings, tune: [eta]}\n", "", 1))
	if err != nil || s.Select.By != selection.ByNone || s.Select.Halvings != 0 {
		t.Errorf("select is %+v (%v)", s.Select, err)
	}
	// If no parameter has several values, tune may be absent.
	s, err = parseLabelled(strings.NewReplacer("[0.25, 0.5]", "0.5", ", tune: [eta]", "").Replace(sparse))
	if err != nil || len(s.Select.Tune) != 0 {
		t.Errorf("tune is %v (%v)", s.Select.Tune, err)
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	const size = "algorithms.rsvm.limit.memory: want a size of at most 1 PiB, "
	for _, test := range []struct {
		text string
		want Size
		err  string
	}{
		{"2GB", 2e9, ""},
		{"512MiB", 512 << 20, ""},
		{"1000", 1000, ""},
		{"1e9", 1e9, ""},
		{`"1.5 GB"`, 15e8, ""},
		{"much", 0, size},
		{"0", 0, size},
		{"100EB", 0, size},
		{"1e30", 0, size},
	} {
		s, err := parseLabelled(change(t, sparse, "2GB", test.text))
		if test.err == "" {
			if err != nil || s.Algorithms[1].Limit.Memory != test.want {
				t.Errorf("%s is %v (%v), want %d", test.text, s, err, test.want)
			}
			continue
		}
		if want := "s.yaml:10:85: " + test.err; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got\n%v\nwant\n%s", test.text, err, want)
		}
	}
}

func TestSparseBadInput(t *testing.T) {
	t.Parallel()
	const halved = "select: {by: halvings, tune: [eta]}"
	for _, test := range []struct{ name, old, new, want string }{
		{"no halvings", "halvings, ", "halvings, halvings: 0, ", `s.yaml:11:34: select.halvings: must be at least 1, got 0`},
		{"halvings otherwise", halved, "select: {by: oracle, halvings: 9, tune: [eta]}", `s.yaml:11:22: select.halvings: selection is by oracle: set by: halvings, or remove it`},
		{"metric", "halvings, ", "halvings, metric: slant, ", `s.yaml:11:32: select.metric: selection at each support size needs the metric error`},
		{"over", "halvings, ", "halvings, over: final, ", `s.yaml:11:30: select.over: halvings select over the largest or any classifier up to a support size, not over final`},
		{"over otherwise", halved, "select: {by: oracle, over: any, tune: [eta]}", `s.yaml:11:28: select.over: over: any needs the task svm-sparse, and by: halvings or by: validation`},
		{"not tuned", ", tune: [eta]", "", `s.yaml:11:9: select: tune is missing: list the parameters to select`},
		{"tuned otherwise", "tune: [eta]", "tune: [etta]", `s.yaml:11:31: select.tune[0]: no algorithm here has a parameter "etta" (did you mean "eta"?)`},
		{"nothing to tune by", "by: halvings, ", "", `s.yaml:11:16: select.tune: tune has no effect without by: add by, or remove tune`},
		{"no test part", "test: b.svm, format: libsvm,", "format: libsvm, split: {train: 0.5, validation: 0.5},", `s.yaml:11:14: select.by: dataset "own" (s.yaml:7:5) has no test split, which selection at each support size needs`},
		{"empty limit", "{seconds: 600, memory: 2GB}", "{}", `s.yaml:10:62: algorithms.rsvm.limit: limit is empty: give seconds or memory, or remove it`},
		{"reference", "budget:", "record: {reference: true}\nbudget:", `s.yaml:4:10: record.reference: applies only to the task svm; the task is svm-sparse`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseLabelled(change(t, sparse, test.old, test.new))
			checkMessage(t, err, test.want)
		})
	}
}

// Selection by validation is at each support size, unless over is a value for whole runs.
func TestSparseByValidation(t *testing.T) {
	t.Parallel()
	text := change(t, sparse, "test: b.svm, format: libsvm,", "format: libsvm, split: {train: 0.5, validation: 0.3, test: 0.2},")
	text = change(t, text, "source: mnist, positive: 0,", "source: mnist, positive: 0, split: {train: 0.5, validation: 0.3, test: 0.2},")
	text = change(t, text, "by: halvings", "by: validation") + "figures:\n  - {id: f, draw: tradeoff}\n"
	s, err := parseLabelled(text)
	if err != nil || !s.Select.BySize() || s.Select.Over != "any" || s.Select.Halvings != 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err = parseLabelled(sparse); err != nil || s.Select.Over != "largest" {
		t.Errorf("%+v, %v", s, err)
	}
	whole := change(t, text[:strings.Index(text, "figures:")], "by: validation", "by: validation, over: final")
	if s, err = parseLabelled(whole); err != nil || s.Select.BySize() {
		t.Errorf("%+v, %v", s, err)
	}
}

// Other tasks have no halvings, limits and support sizes.
func TestSparseSettingsOfOtherTasks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ old, new, want string }{
		{"algorithms:", "select: {by: halvings, tune: [C]}\nalgorithms:", `s.yaml:8:14: select.by: selection by halvings needs the task svm-sparse; the task is svm`},
		{"{id: sbp}", "{id: sbp, limit: {seconds: 9}}", `s.yaml:9:15: algorithms.sbp.limit: needs the task svm-sparse; the task is svm`},
		{"algorithms:", "select: {by: validation, over: any, metric: error, tune: [C]}\nalgorithms:", `s.yaml:8:14: select.by: dataset "mnist" (s.yaml:6:5) has no validation split to select on` + "\n" +
			`s.yaml:8:14: select.by: dataset "own" (s.yaml:7:5) has no validation split to select on` + "\n" +
			`s.yaml:8:32: select.over: over: any needs the task svm-sparse, and by: halvings or by: validation`},
	} {
		text := strings.ReplaceAll(change(t, labelled, test.old, test.new), ", problem: {C: 1}", "")
		_, err := parseLabelled(text)
		checkMessage(t, err, test.want)
	}
}
