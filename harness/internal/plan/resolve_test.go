package plan

import (
	"testing"

	"stochopt/datasets"
)

// What is spelled out and what is left to its default are the same run.
func TestDefaultsAreResolvedBeforeTheKey(t *testing.T) {
	t.Parallel()
	capped := func(with string) string {
		t.Helper()
		text := replace(t, base, "id: msg", "id: capped-msg, with: {"+with+"}")
		return build(t, text, data(t, "h", 40, 5)).Items[0].ID.Key
	}
	absent := capped("")
	for with, same := range map[string]bool{
		"cap: 3":                         true,
		"start: random-low-rank":         true,
		"cap: 3, start: random-low-rank": true,
		"cap: 4":                         false,
		"start: random-subspace":         false,
	} {
		if got := capped(with) == absent; got != same {
			t.Errorf("with {%s}: same key as without: %v, want %v", with, got, same)
		}
	}
	if capped("cap: 2") != capped("cap: 2, start: random-subspace") {
		t.Error("with cap = k the start is not resolved")
	}
}

// There is one way only to draw from a distribution.
func TestSampleOfADistributionIsNoPartOfTheKey(t *testing.T) {
	t.Parallel()
	spec := func(sample string) string {
		return `{version: 1, name: e, task: pca, budget: {iterations: 9}, datasets: [{id: a, source: simulated-gaussian, with: {dim: 4, gap: 1}` +
			sample + `, problem: {k: 1}}], algorithms: [{id: incremental}]}`
	}
	dist := datasets.NewGaussian([]float64{1, 2, 3, 4})
	d := &datasets.Data{Name: "t", Hash: "h", Dist: dist}
	if a, b := build(t, spec(""), d), build(t, spec(", sample: uniform"), d); a.Items[0].ID.Key != b.Items[0].ID.Key {
		t.Error("sample: uniform changes the key of a distribution's runs")
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
