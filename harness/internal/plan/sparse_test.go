package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

const sparseBase = `version: 1
name: exp
task: svm-sparse
seed: 7
repeats: 2
budget: {passes: 10}
record: {points: 10}
datasets:
  - {id: t, path: t.svm, format: libsvm, problem: {sigma2: 25, C: 1}}
algorithms:
  - {id: sparsify}
  - {id: rsvm}
`

func TestSparseKeysDoNotDependOnWhatIsRecorded(t *testing.T) {
	t.Parallel()
	want := keys(build(t, sparseBase, alternating(t, 90, 30)))
	if len(want) != 3 { // sparsify is deterministic
		t.Fatalf("%d runs", len(want))
	}
	for name, pairs := range map[string][]string{
		"budget":    {"passes: 10", "iterations: 5"},
		"limit":     {"{id: sparsify}", "{id: sparsify, limit: {seconds: 1, memory: 1GB}}"},
		"points":    {"points: 10", "points: 20"},
		"vectors":   {"points: 10", "points: 10, vectors: true"},
		"halvings":  {"algorithms:", "select: {by: halvings}\nalgorithms:"},
		"a default": {"{id: sparsify}", "{id: sparsify, with: {eta: 0.5}}"},
	} {
		if got := keys(build(t, replace(t, sparseBase, pairs...), alternating(t, 90, 30))); !slices.Equal(got, want) {
			t.Errorf("%s: the keys changed", name)
		}
	}
}

func TestSparseKeysDependOnTheProblem(t *testing.T) {
	t.Parallel()
	seen := make(map[string]string)
	for name, pairs := range map[string][]string{
		"base":    nil,
		"C":       {"C: 1", "C: 2"},
		"lambda":  {"C: 1", "lambda: 1"},
		"nu":      {"C: 1", "nu: 1"},
		"kernel":  {"sigma2: 25", "kernel: linear"},
		"bias":    {"sigma2: 25", "sigma2: 25, bias: true"},
		"subset":  {"format: libsvm,", "format: libsvm, subset: {train: 30},"},
		"eta":     {"{id: sparsify}", "{id: sparsify, with: {eta: 0.25}}"},
		"epsilon": {"{id: sparsify}", "{id: sparsify, with: {epsilon: 0.25}}"},
		"smooth":  {"{id: sparsify}", "{id: sparsify-smooth}"},
		"seed":    {"seed: 7", "seed: 8"},
	} {
		key := keys(build(t, replace(t, sparseBase, pairs...), alternating(t, 90, 30)))[0]
		if before, ok := seen[key]; ok {
			t.Errorf("%s has the key of %s", name, before)
		}
		seen[key] = name
	}
}

// What takes a trained classifier depends on how that is trained; what does not
// is spared.
func TestSparseKeysArePinned(t *testing.T) {
	t.Parallel()
	p := build(t, sparseBase, alternating(t, 90, 30))
	for i, want := range []string{"399a0eaf3415b9e40a734c76503b37e0", "7961226ec0792ffc210686229dd774f4"} {
		if got := p.Items[i].ID.Key; got != want {
			t.Errorf("%s has the key %s, want %s", p.Items[i].Series, got, want)
		}
	}
}

// Limits do not change what a run comes to: a record serves under any, unless it
// met one.
func TestSparseExtents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit string
		want  record.Limit
	}{
		{"", record.Limit{}},
		{", limit: {seconds: 600}", record.Limit{Seconds: 600}},
		{", limit: {memory: 2GB}", record.Limit{Memory: 2e9}},
		{", limit: {seconds: 0.5, memory: 1KiB}", record.Limit{Seconds: 0.5, Memory: 1024}},
	} {
		p := build(t, replace(t, sparseBase, "{id: rsvm}", "{id: rsvm"+test.limit+"}"), alternating(t, 90, 30))
		if got := p.Items[1]; got.ID.Extent != "600/log:10+recording2" || got.Limits() != test.want {
			t.Errorf("%q: the extent is %s, the limits are %+v", test.limit, got.ID.Extent, got.Limits())
		}
		if got := p.Items[0].Limits(); got != (record.Limit{}) {
			t.Errorf("another's limits are %+v", got)
		}
	}
	p := build(t, replace(t, sparseBase, "points: 10", "points: 10, alone: true", "{id: rsvm}", "{id: rsvm, limit: {seconds: 1}}"), alternating(t, 90, 30))
	if got := p.Items[1].ID.Extent; got != "600/log:10+recording2+alone" {
		t.Errorf("the extent is %s", got)
	}
}

func TestSparseCosts(t *testing.T) {
	t.Parallel()
	text := replace(t, sparseBase, "  - {id: rsvm}\n", `  - {id: rsvm}
  - {id: sparsify, as: pairs, with: {bias: true}}
  - {id: spsvm, with: {candidates: 5}, budget: {iterations: 7}}
`)
	p := build(t, text, alternating(t, 90, 30))
	var got []string
	for _, it := range p.Items {
		if it.Repeat == 0 {
			got = append(got, fmt.Sprintf("%s %d %d", it.Series, it.Budget, it.KernelEvals()))
		}
		if !it.ReadsKernel() {
			t.Errorf("%s reads no kernel matrix", it.Series)
		}
	}
	// 60 training rows: a pass is 3600 kernel evaluations.
	if want := []string{"sparsify 600 36000", "rsvm 600 36000", "pairs 300 36000", "spsvm 7 2100"}; !slices.Equal(got, want) {
		t.Errorf("budgets are %v, want %v", got, want)
	}
	// Two rows over 60 points and two over 30, in blocks of 16.
	if bytes := p.Items[0].Need().Kernel; bytes != 2*4*(64+32) {
		t.Errorf("the rows take %d bytes", bytes)
	}
}

func TestSparseMemory(t *testing.T) {
	t.Parallel()
	const rows = 2 * 4 * (64 + 32)
	p := build(t, sparseBase, alternating(t, 90, 30))
	need := p.Items[1].Memory()
	if want := p.Items[1].Algorithm.Memory(p.Items[1].Params, registry.Shape{Train: 60, Points: 90, Features: 3}); need != want || need == 0 {
		t.Fatalf("rsvm takes %d bytes, want %d", need, want)
	}
	if err := p.Items[1].Fits(rows+need, 0); err != nil {
		t.Error(err)
	}
	var located *Error
	if err := p.Items[1].Fits(rows+need-1, 0); !errors.As(err, &located) || located.Pos.Line != 12 {
		t.Errorf("error %v", err)
	}
	// One that exceeds its own limit is not performed.
	p = build(t, replace(t, sparseBase, "{id: rsvm}", fmt.Sprintf("{id: rsvm, limit: {memory: %d}}", need-1)), alternating(t, 90, 30))
	if err := p.Items[1].Fits(rows, 0); err != nil || p.Items[1].CheckLimit() == nil || p.Items[0].CheckLimit() != nil {
		t.Errorf("error %v, limit %v", err, p.Items[1].CheckLimit())
	}
}

func TestSparseErrors(t *testing.T) {
	t.Parallel()
	const halved = "select: {by: halvings}\nalgorithms:"
	for _, test := range []struct {
		name  string
		pairs []string
		test  int
		want  string
	}{
		{"support", []string{"{id: sparsify}", "{id: spsvm, with: {support: 61}}"}, 30,
			`s.yaml:11:5: algorithm "spsvm" on dataset "t" (s.yaml:9:5): support = 61 is more than the 60 training points; lower it`},
		{"support in a grid", []string{"{id: rsvm}", "{id: forgetron, with: {support: [8, 64]}}"}, 30,
			`s.yaml:12:5: algorithm "forgetron" on dataset "t" (s.yaml:9:5): support = 64 is more than the 60 training points; lower it`},
		{"of a subset", []string{"{id: sparsify}", "{id: spsvm, with: {support: 60}}", "format: libsvm,", "format: libsvm, subset: {train: 59},"}, 30,
			`s.yaml:11:5: algorithm "spsvm" on dataset "t" (s.yaml:9:5): support = 60 is more than the 59 training points; lower it`},
		{"nothing to halve", []string{"algorithms:", halved}, 0,
			`s.yaml:9:5: dataset "t": selection by halvings needs at least 2 test rows, and there are 0; give the dataset a split, such as split: {train: 0.8, test: 0.2}, or its file a second one with test`},
		{"half a row", []string{"algorithms:", halved}, 1,
			`s.yaml:9:5: dataset "t": selection by halvings needs at least 2 test rows, and there are 1; give the dataset a split, such as split: {train: 0.8, test: 0.2}, or its file a second one with test`},
	} {
		s := load(t, replace(t, sparseBase, test.pairs...))
		_, err := Build(t.Context(), s, always(alternating(t, 90, test.test)))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: Build says\n%v\nwant\n%s", test.name, err, test.want)
		}
	}
	s := load(t, replace(t, sparseBase, "path: t.svm, format: libsvm", "source: simulated-gaussian, with: {gap: 2}"))
	want := `s.yaml:9:5: dataset "t": the task svm-sparse needs labels, but this is a distribution without labels; use another source`
	if err := Check(s); err == nil || err.Error() != want {
		t.Errorf("Check says\n%v\nwant\n%s", err, want)
	}
	// A subset tells before any data are opened.
	s = load(t, replace(t, sparseBase, "format: libsvm,", "format: libsvm, subset: {train: 20},", "{id: sparsify}", "{id: spsvm, with: {support: 20}}", "{id: rsvm}", "{id: forgetron, with: {support: 22}}"))
	want = `s.yaml:12:5: algorithm "forgetron" on dataset "t" (s.yaml:9:5): support = 22 is more than the 20 training points; lower it`
	if err := Check(s); err == nil || err.Error() != want {
		t.Errorf("Check says\n%v\nwant\n%s", err, want)
	}
	if _, err := Build(t.Context(), load(t, sparseBase), always(data(t, "h", 40, 5))); err == nil || !strings.Contains(err.Error(), "the rows have no labels") {
		t.Errorf("error %v", err)
	}
}
