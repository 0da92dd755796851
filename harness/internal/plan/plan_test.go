package plan

import (
	"context"
	"errors"
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

// data is a table of n rows in d dimensions under a hash.
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

// replace makes each replacement of an old by a new text, which must be there.
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

func TestKeysDoNotDependOnNamesOrProducts(t *testing.T) {
	t.Parallel()
	want := keys(build(t, base, data(t, "h", 40, 5)))
	for name, pairs := range map[string][]string{
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
		"in defaults":         {", step: {schedule: inverse-sqrt, c: 0.5}", "", "figures:", "defaults: {step: {c: 0.5}}\nfigures:"},
		"stand_in":            {"path: t.csv, format: csv", "source: adult, stand_in: allow"},
	} {
		if got := keys(build(t, replace(t, base, pairs...), data(t, "h", 40, 5))); !slices.Equal(got, want) {
			t.Errorf("%s: the keys changed", name)
		}
	}
	// More repeats and more step sizes keep the earlier keys.
	more := keys(build(t, replace(t, base, "repeats: 2", "repeats: 3", "c: 0.5", "c: [0.25, 0.5]"), data(t, "h", 40, 5)))
	if len(more) != 6 || !slices.Equal(more[3:5], want) {
		t.Errorf("a larger grid changed the keys: %v, want %v at 3", more, want)
	}
}

func TestKeysDependOnWhatTheBitsDependOn(t *testing.T) {
	t.Parallel()
	seen := make(map[string]string)
	add := func(name string, p *Plan) {
		for i, key := range keys(p) {
			what := fmt.Sprintf("%s, repeat %d", name, i)
			if before, ok := seen[key]; ok {
				t.Errorf("%s has the key of %s", what, before)
			}
			seen[key] = what
		}
	}
	add("base", build(t, base, data(t, "h", 40, 5)))
	add("data", build(t, base, data(t, "h2", 40, 5)))
	for name, pairs := range map[string][]string{
		"seed":       {"seed: 7", "seed: 8"},
		"split":      {"train: 0.5, validation: 0.25", "train: 0.25, validation: 0.5"},
		"no split":   {"split: {train: 0.5, validation: 0.25, test: 0.25}, ", ""},
		"sample":     {"id: t,", "id: t, sample: uniform,"},
		"k":          {"k: 2", "k: 3"},
		"step":       {"c: 0.5", "c: 0.25"},
		"schedule":   {"inverse-sqrt", "constant"},
		"parameter":  {"c: 0.5}", "c: 0.5}, with: {start: uniform}"},
		"algorithm":  {"id: msg", "id: capped-msg"},
		"algorithm2": {"id: msg", "id: power"},
	} {
		add(name, build(t, replace(t, base, pairs...), data(t, "h", 40, 5)))
	}
	p := build(t, base, data(t, "h", 40, 5))
	for _, it := range p.Items {
		raised := *it.Algorithm
		raised.Version++
		it.Algorithm = &raised
		it.ID.Key = it.keys()(it.Repeat)
	}
	add("version", p)
}

// The keys and extents are part of the record format: a change of these values
// means that no record of before is ever found again.
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
	// 0.5 * 41 rounds to 21 training rows; 2.5 passes over them to 53 steps.
	if got, want := p.Items[0].ID.Extent, "53/linear:20+spectrum"; got != want || p.Problems[0].TrainRows != 21 {
		t.Errorf("extent is %s with %d training rows, want %s with 21", got, p.Problems[0].TrainRows, want)
	}
}

// With the theory's step size a run depends on its horizon.
func TestTheoryPutsTheHorizonIntoTheKey(t *testing.T) {
	t.Parallel()
	theory := replace(t, base, "schedule: inverse-sqrt, c: 0.5", "schedule: theory, c: 0.5")
	short := build(t, theory, data(t, "h", 40, 5))
	long := build(t, replace(t, theory, "iterations: 100", "iterations: 200"), data(t, "h", 40, 5))
	if short.Items[0].ID.Key == long.Items[0].ID.Key {
		t.Error("two horizons have the same key")
	}
	if got := short.Items[0].Params["step.horizon"]; got != int64(100) {
		t.Errorf("the horizon is %v, want 100", got)
	}
	// It is the number of steps that counts, not how it is asked for.
	passes := build(t, replace(t, theory, "iterations: 100", "passes: 5"), data(t, "h", 40, 5))
	if passes.Items[0].ID.Key != short.Items[0].ID.Key {
		t.Error("100 iterations and 5 passes over 20 rows differ")
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

func TestStandIns(t *testing.T) {
	t.Parallel()
	text := replace(t, base, "algorithms:", "  - {id: u, source: simulated-gaussian, with: {gap: 1}, problem: {k: 1}}\nalgorithms:")
	p, err := Build(context.Background(), load(t, text), func(_ context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
		d := data(t, e.ID, 40, 5)
		d.StandIn = e.ID == "u"
		return d, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.StandIns(); !slices.Equal(got, []string{"u"}) {
		t.Errorf("stand-ins are %v, want u", got)
	}
}

// Errors name the entry and its position. Those that the spec alone gives away
// are found by Check, all of them; the others by Build.
func TestErrors(t *testing.T) {
	t.Parallel()
	gaussian := []string{"path: t.csv, format: csv", "source: simulated-gaussian, with: {dim: 5, gap: 2}"}
	noSplit := []string{"split: {train: 0.5, validation: 0.25, test: 0.25}, ", ""}
	for _, test := range []struct {
		name         string
		rows         int
		pairs        []string
		check, build string
	}{
		{"nothing", 40, nil, "", ""},
		{"k = d", 40, []string{"k: 2", "k: 5"}, "", `s.yaml:10:5: dataset "t": k = 5 must be less than the dimension d = 5 of the data`},
		{"k > features", 40, []string{"k: 2", "k: 6", "format: csv", "format: csv, features: 5"},
			`s.yaml:10:5: dataset "t": k = 6 must be less than the dimension d = 5 of the data`, "same"},
		{"cap > d", 40, []string{"id: msg,", "id: capped-msg, with: {cap: [3, 6]},"}, "",
			`s.yaml:12:5: algorithm "capped-msg": cap = 6 is more than the dimension d = 5 of dataset "t"; lower it`},
		{"a split without rows", 2, nil, "",
			`s.yaml:10:5: dataset "t": split: test 0.25 of 2 rows is no row at all; use more rows or other fractions`},
		{"one dataset twice", 40, []string{"algorithms:", "  - {id: u, path: u.csv, format: csv, split: {train: 0.5, validation: 0.25, test: 0.25}, problem: {k: [1, 2]}}\nalgorithms:"}, "",
			"s.yaml:13:5: dataset \"u\", algorithm \"msg\" and dataset \"t\", algorithm \"msg\" ask for the same run: iterate=last;k=2;start=random-low-rank;step.c=0.5;step.schedule=inverse-sqrt;unrelax=top-k; remove one of them"},
		{"a split distribution", 0, gaussian,
			`s.yaml:10:5: dataset "t": a simulated distribution has no rows to split; remove split`, "same"},
		{"passes over a distribution", 0, slices.Concat(gaussian, noSplit, []string{"iterations: 100", "passes: 2"}),
			`s.yaml:10:5: dataset "t": a simulated distribution has no passes; give budget: {iterations: …}`, "same"},
		{"bad generator", 0, slices.Concat(gaussian, noSplit, []string{"gap: 2", "gap: 9"}),
			`s.yaml:10:5: dataset "t": dataset simulated-gaussian: parameter gap: 9 is out of range [1, 5]`, ""},
		{"several", 0, slices.Concat(gaussian, noSplit, []string{"k: 2", "k: [2, 5, 6]", "algorithms:", "  - {id: m, source: mnist, with: {part: non}, problem: {k: 1}}\nalgorithms:"}),
			`s.yaml:11:5: dataset "m": dataset mnist: unknown part "non" (known: all, test, train)
s.yaml:10:5: dataset "t": k = 5 must be less than the dimension d = 5 of the data
s.yaml:10:5: dataset "t": k = 6 must be less than the dimension d = 5 of the data`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := load(t, replace(t, base, test.pairs...))
			message := func(err error) string {
				if err == nil {
					return ""
				}
				var located *Error
				if !errors.As(err, &located) || located.Pos.File != "s.yaml" {
					t.Errorf("the error %v has no position", err)
				}
				return err.Error()
			}
			if got := message(Check(s)); got != test.check {
				t.Errorf("Check says\n%s\nwant\n%s", got, test.check)
			}
			want := test.build
			if want == "same" {
				want = test.check
			}
			if test.rows == 0 && want == "" {
				return // Open refuses what Check does
			}
			open := func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
				return registry.Open(ctx, e, datasets.Options{Offline: true})
			}
			if test.rows > 0 {
				open = always(data(t, "h", test.rows, 5))
			}
			_, err := Build(context.Background(), s, open)
			if got := message(err); got != want {
				t.Errorf("Build says\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestErrorsOfOpeningKeepTheirCause(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{context.Canceled, datasets.ErrMissing} {
		_, err := Build(context.Background(), load(t, base), func(context.Context, *spec.DatasetEntry) (*datasets.Data, error) {
			return nil, cause
		})
		if !errors.Is(err, cause) || err.Error() != `s.yaml:10:5: dataset "t": `+cause.Error() {
			t.Errorf("error is %v, want one of %v", err, cause)
		}
	}
}
