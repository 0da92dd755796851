package cli

import (
	"os"
	"strings"
	"testing"
)

const dataset = `  - {id: g, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}`

// Every mistake in a spec is found before anything runs, by run as by
// validate, and is told as file:line:col: message.
func TestMistakesInSpecs(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"unknown key", "repeats: 2", "repeat: 2",
			`bad.yaml:5:1: repeat: unknown key (did you mean "repeats"?)`},
		{"wrong type", "repeats: 2", "repeats: two",
			`bad.yaml:5:10: repeats: want an integer, got the text "two"`},
		{"negative repeats", "repeats: 2", "repeats: -1",
			`bad.yaml:5:10: repeats: must be at least 1, got -1`},
		{"unknown algorithm", "id: msg", "id: mgs",
			`bad.yaml:11:10: algorithms.mgs.id: unknown algorithm "mgs" (did you mean "msg"?)`},
		{"unknown dataset", "simulated-gaussian", "simulated-gausian",
			`bad.yaml:9:21: datasets.g.source: unknown source "simulated-gausian" (did you mean "simulated-gaussian"?)`},
		{"unknown parameter", "step: {c: [0.25, 1]}", "with: {start: uniform, strat: 1}, step: {c: 1}",
			`bad.yaml:11:38: algorithms.msg.with.strat: algorithm "msg" has no parameter "strat" (did you mean "start"?)`},
		{"unknown reading", "gap: 2", "gap: 2, reading: sqr",
			`bad.yaml:9:73: datasets.g.with.reading: unknown value "sqr" (did you mean "sqrt"?)`},
		{"unknown part", dataset, `  - {id: m, source: mnist, with: {part: trian}, problem: {k: 2}}`,
			`bad.yaml:9:5: dataset "m": dataset mnist: unknown part "trian" (did you mean "train"? known: all, test, train)`},
		{"unknown preparation", dataset, `  - {id: m, source: mnist, prepare: [centre], problem: {k: 2}}`,
			`bad.yaml:9:38: datasets.m.prepare[0]: unknown preparation "centre" (did you mean "center"?)`},
		{"empty grid", "c: [0.25, 1]", "c: []",
			`bad.yaml:11:25: algorithms.msg.step.c: empty grid: give it at least one value`},
		{"empty range", "c: [0.25, 1]", "c: {pow2: [3, 1]}",
			`bad.yaml:11:25: algorithms.msg.step.c: empty grid: pow2 from 3 to 1`},
		{"no step size", "id: msg, step: {c: [0.25, 1]}", "id: msg",
			`bad.yaml:11:5: algorithms.msg: step.c is missing: give the constant of the inverse-sqrt schedule (dataset "g")`},
		{"step size of zero", "c: [0.25, 1]", "c: [0, 1]",
			`bad.yaml:11:5: algorithms.msg: step.c = 0: the step size must be positive (dataset "g")`},
		{"k = d", "k: 2", "k: 6",
			`bad.yaml:9:5: dataset "g": k = 6 must be less than the dimension d = 6 of the data`},
		{"k > d of a dataset not opened", dataset, `  - {id: m, source: mnist, problem: {k: [1, 785]}}`,
			`bad.yaml:9:5: dataset "m": k = 785 must be less than the dimension d = 784 of the data`},
		{"k = 0", "k: 2", "k: 0",
			`bad.yaml:9:78: datasets.g.problem.k: must be at least 1, got 0`},
		{"cap < k", "id: msg, step", "id: capped-msg, with: {cap: 1}, step",
			`bad.yaml:11:5: algorithms.capped-msg: cap = 1 is less than k = 2: the iterates need at least k directions (dataset "g")`},
		{"cap < k+1 at a start of k+1", "id: msg, step", "id: capped-msg, with: {cap: 2, start: random-low-rank}, step",
			`bad.yaml:11:5: algorithms.capped-msg: cap = 2 is less than the k+1 = 3 directions of start: random-low-rank; raise cap or use start: random-subspace (dataset "g")`},
		{"cap > d", "id: msg, step", "id: capped-msg, with: {cap: 7}, step",
			`bad.yaml:11:5: algorithm "capped-msg": cap = 7 is more than the dimension d = 6 of dataset "g"; lower it`},
		{"split not summing to 1", dataset, `  - {id: m, source: mnist, split: {train: 0.5, test: 0.4}, problem: {k: 2}}`,
			`bad.yaml:9:35: datasets.m.split: train + validation + test must sum to 1, got 0.9`},
		{"split of too few rows", dataset, `  - {id: a, source: adult, with: {variant: a1a}, split: {train: 0.9999, test: 0.0001}, problem: {k: 2}}`,
			`bad.yaml:9:5: dataset "a": split: test 0.0001 of 1605 rows is no row at all; use more rows or other fractions`},
		{"split of a distribution", "problem: {k: 2}", "problem: {k: 2}, split: {train: 0.5, test: 0.5}",
			`bad.yaml:9:5: dataset "g": a simulated distribution has no rows to split; remove split`},
		{"passes over a distribution", "iterations: 40", "passes: 1",
			`bad.yaml:9:5: dataset "g": a simulated distribution has no passes; give budget: {iterations: …}`},
		{"selection on a split that is not there", "by: oracle", "by: validation",
			`bad.yaml:13:14: select.by: dataset "g" (bad.yaml:9:5) has no validation split to select on`},
		{"no YAML", "version: 1", "version: [1",
			"bad.yaml:1:1: not valid YAML: look for a missing quote, bracket or colon, wrong indentation, or an alias without its anchor"},
		{"several at once", "seed: 7\nrepeats: 2", "seeds: 7\nrepeats: -1",
			"bad.yaml:4:1: seeds: unknown key (did you mean \"seed\"?)\nbad.yaml:5:10: repeats: must be at least 1, got -1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			home(t)
			write(t, "bad.yaml", edit(t, small, test.old, test.new))
			wantOutcome(t, stochopt(t, "validate", "bad.yaml"), exitUsage, test.want)
			// A good spec before it does not run.
			write(t, "good.yaml", edit(t, small, "name: small", "name: good"))
			wantOutcome(t, stochopt(t, "run", "good.yaml", "bad.yaml", "--offline"), exitUsage, test.want)
			wantOutcome(t, stochopt(t, "plan", "good.yaml", "bad.yaml", "--offline"), exitUsage, test.want)
			if _, err := os.Stat(at(t, "results")); !os.IsNotExist(err) {
				t.Errorf("there is a results folder: %v", err)
			}
		})
	}
}

func TestDuplicateRunsAreRefused(t *testing.T) {
	home(t)
	write(t, "bad.yaml", edit(t, small, "{id: incremental}", "{id: msg, as: again, step: {c: 1}}"))
	for _, verb := range []string{"validate", "run"} {
		wantOutcome(t, stochopt(t, verb, "bad.yaml"), exitUsage,
			`bad.yaml:12:5: algorithms.again: series "msg" and "again" ask for the same run on dataset "g": iterate=last;k=2;start=random-low-rank;step.c=1;step.schedule=inverse-sqrt;unrelax=top-k; remove one of them`)
	}
}

func TestSpecsThatCannotBeTakenTogetherOrAtAll(t *testing.T) {
	home(t)
	write(t, "a.yaml", small)
	write(t, "b.yaml", small)
	write(t, "folder/x", "")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "a.yaml", "b.yaml"},
			`stochopt: b.yaml: the name "small" is also that of a.yaml, and names the results folder; rename one of them`},
		{[]string{"run", "a.yaml", "a.yaml"},
			`stochopt: a.yaml: the name "small" is also that of a.yaml, and names the results folder; rename one of them`},
		{[]string{"run", "none.yaml"},
			`stochopt: cannot read the spec: open none.yaml: no such file or directory; name a YAML file`},
		{[]string{"validate", "folder"},
			`stochopt: cannot read the spec: read folder: is a directory; name a YAML file`},
		{[]string{"run", "a.yaml", "--profile", "smoke"},
			`a.yaml:1:1: there is no profile "smoke": this specification has none`},
		{[]string{"run", "a.yaml", "--set", "repeats=-3"},
			`--set repeats=-3: repeats: must be at least 1, got -3`},
		{[]string{"run", "a.yaml", "--set", "algorithms.mgs.step.c=1"},
			`--set algorithms.mgs.step.c=1: there is no "mgs" in algorithms (did you mean "msg"?)`},
		{[]string{"run", "a.yaml", "--set", "repeats"},
			`--set repeats: want dotted.path=value, as in repeats=3`},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			wantOutcome(t, stochopt(t, test.args...), exitUsage, test.want)
		})
	}
	write(t, "p.yaml", small+"profiles: {smoke: {repeats: 1}, quick: {}}\n")
	wantOutcome(t, stochopt(t, "run", "p.yaml", "--profile", "smoek"), exitUsage,
		`p.yaml:14:11: there is no profile "smoek" (did you mean "smoke"?)`)
}
