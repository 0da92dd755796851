package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

const base = `version: 1
name: exp
title: A title
task: pca
seed: 7
repeats: 2
budget: {iterations: 100}
record: {points: 10}
datasets:
  - {id: t, group: G, path: t.csv, format: csv, split: {train: 0.5, validation: 0.25, test: 0.25}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {schedule: inverse-sqrt, c: 0.5}}
figures:
  - {id: fig, x: iterations, y: suboptimality}
`

func load(t *testing.T, text string) *spec.Spec {
	t.Helper()
	s, err := spec.Parse("s.yaml", []byte(text), spec.LoadOptions{Catalog: registry.Catalog()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// data returns a table of n rows in d dimensions with the given hash.
func data(t *testing.T, hash string, n, d int) *datasets.Data {
	t.Helper()
	table := datasets.NewDense(n, d, make([]float64, n*d), nil)
	return &datasets.Data{Name: "t", Hash: hash, Table: table}
}

func always(d *datasets.Data) Opener {
	return func(context.Context, *spec.DatasetEntry) (*datasets.Data, error) { return d, nil }
}

func build(t *testing.T, text string, d *datasets.Data) *Plan {
	t.Helper()
	p, err := Build(context.Background(), load(t, text), always(d))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func keys(p *Plan) []string {
	var out []string
	for _, it := range p.Items {
		out = append(out, it.ID.Key)
	}
	return out
}

// replace replaces pairs of an old and a new text. It fails the test if an old text is missing.
func replace(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("there is no %q in\n%s", pairs[i], text)
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// distributionSpec is a spec on a distribution.
const distributionSpec = `{version: 1, name: e, task: pca, budget: {iterations: 9}, datasets: [
  {id: a, source: simulated-gaussian, with: {dim: 4, gap: 1}, problem: {k: 1}}], algorithms: [{id: incremental}]}`

func TestKeysDoNotDependOnNamesOrProducts(t *testing.T) {
	t.Parallel()
	rows, labelled := data(t, "h", 40, 5), alternating(t, 90, 30)
	theory := replace(t, base, "schedule: inverse-sqrt, c: 0.5", "schedule: theory")
	distribution := &datasets.Data{Name: "t", Hash: "h", Dist: datasets.NewGaussian([]float64{1, 2, 3, 4})}
	for _, group := range []struct {
		text    string
		data    *datasets.Data
		changes map[string][]string
	}{
		{base, rows, map[string][]string{
			"name and title":      {"name: exp", "name: other", "title: A title", "title: Another   # comment"},
			"dataset's names":     {"id: t,", "id: u,", "group: G", "group: H"},
			"series":              {"id: msg,", "id: msg, as: gradient,"},
			"path":                {"path: t.csv", "path: elsewhere/u.csv"},
			"figures":             {"y: suboptimality", "y: objective, log: [x]"},
			"budget":              {"iterations: 100", "iterations: 200"},
			"passes":              {"iterations: 100", "passes: 5"},
			"record":              {"points: 10", "points: 20, spacing: linear, spectrum: true"},
			"selection":           {"figures:", "select: {by: validation}\nfigures:"},
			"order of keys":       {"schedule: inverse-sqrt, c: 0.5", "c: 0.5, schedule: inverse-sqrt"},
			"a default said":      {"c: 0.5}", "c: 0.5}, with: {start: random-low-rank}"},
			"form of a number":    {"c: 0.5", "c: 5.0e-1"},
			"a grid of one value": {"c: 0.5", "c: {pow2: [-1, -1]}"},
			"where k stands":      {", problem: {k: 2}", "", "id: msg,", "id: msg, with: {k: 2},"},
			"in defaults": {", step: {schedule: inverse-sqrt, c: 0.5}", "",
				"figures:", "defaults: {step: {c: 0.5}}\nfigures:"},
			"stand_in": {"path: t.csv, format: csv", "source: adult, stand_in: allow"},
		}},
		{replace(t, base, "id: msg,", "id: capped-msg, with: {},"), rows, map[string][]string{
			"the default that depends on k": {"with: {}", "with: {cap: 3, start: random-low-rank}"},
		}},
		{theory, rows, map[string][]string{
			"the steps that passes make": {"iterations: 100", "passes: 5"},
		}},
		{distributionSpec, distribution, map[string][]string{
			"the only way to draw": {"gap: 1}", "gap: 1}, sample: uniform"},
		}},
		{svmBase, labelled, map[string][]string{
			"reference":      {"points: 10", "points: 10, reference: false"},
			"vectors":        {"points: 10", "points: 20, vectors: true"},
			"an entry's own": {"{id: sbp}", "{id: sbp, budget: {iterations: 5}}"},
			"a default said": {"sigma2: 25", "kernel: gaussian, bias: false, sigma2: 25"},
			"where C stands": {"sigma2: 25, C: 1", "sigma2: 25", "{id: sbp}", "{id: sbp, with: {C: 1.0}}"},
			"selection":      {"algorithms:", "select: {by: oracle, tune: [nu]}\nalgorithms:"},
		}},
		{sparseBase, labelled, map[string][]string{
			"limit":          {"{id: sparsify}", "{id: sparsify, limit: {seconds: 1, memory: 1GB}}"},
			"vectors":        {"points: 10", "points: 10, vectors: true"},
			"selection":      {"algorithms:", "select: {by: halvings}\nalgorithms:"},
			"a default said": {"{id: sparsify}", "{id: sparsify, with: {eta: 0.5}}"},
		}},
	} {
		want := keys(build(t, group.text, group.data))
		for name, pairs := range group.changes {
			if got := keys(build(t, replace(t, group.text, pairs...), group.data)); !slices.Equal(got, want) {
				t.Errorf("%s: the keys changed", name)
			}
		}
	}
	// More repeats and more step sizes keep the earlier keys.
	want := keys(build(t, base, rows))
	more := keys(build(t, replace(t, base, "repeats: 2", "repeats: 3", "c: 0.5", "c: [0.25, 0.5]"), rows))
	if len(more) != 6 || !slices.Equal(more[3:5], want) {
		t.Errorf("a larger grid changed the keys: %v, want %v at 3", more, want)
	}
}

func TestKeysDependOnWhatTheBitsDependOn(t *testing.T) {
	t.Parallel()
	rows, labelled := data(t, "h", 40, 5), alternating(t, 90, 30)
	theory := replace(t, base, "schedule: inverse-sqrt, c: 0.5", "schedule: theory")
	seen := make(map[string]string)
	add := func(name string, keys ...string) {
		for i, key := range keys {
			what := fmt.Sprintf("%s, run %d", name, i)
			if before, ok := seen[key]; ok {
				t.Errorf("%s has the key of %s", what, before)
			}
			seen[key] = what
		}
	}
	for _, group := range []struct {
		text    string
		data    *datasets.Data
		changes map[string][]string
	}{
		{base, rows, map[string][]string{
			"base":      nil,
			"seed":      {"seed: 7", "seed: 8"},
			"split":     {"train: 0.5, validation: 0.25", "train: 0.25, validation: 0.5"},
			"no split":  {"split: {train: 0.5, validation: 0.25, test: 0.25}, ", ""},
			"sample":    {"id: t,", "id: t, sample: uniform,"},
			"k":         {"k: 2", "k: 3"},
			"step":      {"c: 0.5", "c: 0.25"},
			"schedule":  {"inverse-sqrt", "constant"},
			"parameter": {"c: 0.5}", "c: 0.5}, with: {start: uniform}"},
			"algorithm": {"id: msg", "id: capped-msg"},
			"cap":       {"id: msg", "id: capped-msg, with: {cap: 4}"},
			"power":     {"id: msg", "id: power"},
		}},
		{theory, rows, map[string][]string{
			"theory":  nil,
			"horizon": {"iterations: 100", "iterations: 200"},
		}},
		{svmBase, labelled, map[string][]string{
			"svm":           nil,
			"C":             {"C: 1", "C: 2"},
			"lambda":        {"C: 1", "lambda: 1"},
			"nu":            {"C: 1", "nu: 1"},
			"sigma2":        {"sigma2: 25", "sigma2: 24"},
			"gamma":         {"sigma2: 25", "gamma: 0.02"},
			"kernel":        {"sigma2: 25", "kernel: linear"},
			"bias":          {"sigma2: 25", "sigma2: 25, bias: true"},
			"split":         {"format: libsvm,", "format: libsvm, split: {train: 0.5, validation: 0.5},"},
			"test split":    {"format: libsvm,", "format: libsvm, split: {train: 0.5, test: 0.5},"},
			"subset":        {"format: libsvm,", "format: libsvm, subset: {train: 30},"},
			"test subset":   {"format: libsvm,", "format: libsvm, subset: {test: 20},"},
			"split subset":  {"format: libsvm,", "format: libsvm, subset: {train: 20}, split: {train: 0.5, validation: 0.5},"},
			"order":         {"id: sbp", "id: sgd, with: {order: pass}"},
			"external":      {"id: sbp", "id: libsvm, with: {bias: true}"},
			"external size": {"id: sbp", "id: libsvm, with: {bias: true, cache-mb: 200}"},
		}},
		{replace(t, sparseBase, "  - {id: rsvm}\n", ""), labelled, map[string][]string{
			"sparse":  nil,
			"trained": {"C: 1", "C: 2"},
			"eta":     {"{id: sparsify}", "{id: sparsify, with: {eta: 0.25}}"},
			"epsilon": {"{id: sparsify}", "{id: sparsify, with: {epsilon: 0.25}}"},
			"smooth":  {"{id: sparsify}", "{id: sparsify-smooth}"},
		}},
	} {
		for name, pairs := range group.changes {
			add(name, keys(build(t, replace(t, group.text, pairs...), group.data))...)
		}
	}
	add("data", keys(build(t, base, data(t, "h2", 40, 5)))...)
	for _, it := range build(t, base, rows).Items {
		raised := *it.Algorithm
		raised.Version++
		it.Algorithm = &raised
		add(fmt.Sprintf("version, repeat %d", it.Repeat), it.keys()(it.Repeat))
	}
}

// Keys and extents are part of the record format: if these values change, all existing records are lost.
func TestKeysArePinned(t *testing.T) {
	t.Parallel()
	p := build(t, base, data(t, "h", 40, 5))
	if got, want := p.Items[1].ID.Key, "88aea00f042528cfcf17edc9336b75d5"; got != want {
		t.Errorf("key is %s, want %s", got, want)
	}
	if got, want := p.Items[1].ID.Extent, "100/log:10"; got != want {
		t.Errorf("extent is %s, want %s", got, want)
	}
	p = build(t, replace(t, base, "points: 10", "points: 20, spacing: linear, spectrum: true", "iterations: 100", "passes: 2.5"), data(t, "h", 41, 5))
	// 0.5 * 41 rounds to 21 training rows, and 2.5 passes over them to 53 steps.
	if got, want := p.Items[0].ID.Extent, "53/linear:20+spectrum"; got != want || p.Problems[0].TrainRows != 21 {
		t.Errorf("extent is %s with %d training rows, want %s with 21", got, p.Problems[0].TrainRows, want)
	}
}

func TestPlanOrderAndIndices(t *testing.T) {
	t.Parallel()
	text := replace(t, base, "c: 0.5}}", "c: [1, 2]}}\n  - {id: incremental}", "k: 2", "k: [2, 1]")
	p := build(t, text, data(t, "h", 40, 5))
	var got []string
	for i, it := range p.Items {
		if it.Index != i || it.ID != p.IDs()[i] {
			t.Errorf("item %d has index %d and id %v", i, it.Index, it.ID)
		}
		got = append(got, fmt.Sprintf("%s k=%d c=%g r=%d", it.Series, it.Params.Int("k"), it.Params.Float("step.c"), it.Repeat))
	}
	want := []string{
		"msg k=2 c=1 r=0", "msg k=2 c=1 r=1", "msg k=2 c=2 r=0", "msg k=2 c=2 r=1", "incremental k=2 c=0 r=0", "incremental k=2 c=0 r=1",
		"msg k=1 c=1 r=0", "msg k=1 c=1 r=1", "msg k=1 c=2 r=0", "msg k=1 c=2 r=1", "incremental k=1 c=0 r=0", "incremental k=1 c=0 r=1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("plan order is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestPassesDoNotRoundUp(t *testing.T) {
	t.Parallel()
	for passes, want := range map[string]int64{"1.1": 22, "2.2": 44, "0.55": 11, "0.551": 12, "1": 20} {
		p := build(t, replace(t, base, "iterations: 100", "passes: "+passes), data(t, "h", 40, 5))
		if got := p.Items[0].Budget; got != want {
			t.Errorf("%s passes over 20 rows: %d iterations, want %d", passes, got, want)
		}
	}
}

// Data that several entries use count once. Small data do not count.
func TestDataOfPlans(t *testing.T) {
	t.Parallel()
	large, little := data(t, "h", 1000, 1000), data(t, "i", 10, 10)
	standIn := &Problem{Data: &datasets.Data{StandIn: true}, Entry: &spec.DatasetEntry{ID: "u"}}
	p := &Plan{Problems: []*Problem{{Data: large}, {Data: large}, {Data: little}, standIn}}
	if got := p.DataBytes(); got != 8*1000*1000 {
		t.Errorf("the data take %d bytes", got)
	}
	if got := p.StandIns(); !slices.Equal(got, []string{"u"}) {
		t.Errorf("stand-ins are %v, want u", got)
	}
}
