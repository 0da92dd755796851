package cli

import (
	"bytes"
	"compress/gzip"
	"testing"
)

const dataset = `  - {id: g, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}`

// Commands report the mistakes of all specs as file:line:col: message, before they run any.
func TestSpecErrors(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"several at once", "seed: 7\nrepeats: 2", "seeds: 7\nrepeats: -1",
			"bad.yaml:4:1: seeds: unknown key (did you mean \"seed\"?)\nbad.yaml:5:10: repeats: must be at least 1, got -1"},
		{"too few features", "k: 2", "k: 6",
			`bad.yaml:9:5: dataset "g": k = 6 must be less than the dimension d = 6 of the data`},
		{"unopened data", dataset, `  - {id: m, source: mnist, problem: {k: [1, 785]}}`,
			`bad.yaml:9:5: dataset "m": k = 785 must be less than the dimension d = 784 of the data`},
		{"missing external program", "{id: incremental}", "{id: mine, external: {command: [./x], version: 1}}",
			`bad.yaml:12:5: algorithm "mine": external: command: file ./x does not exist; a relative path starts at the working directory`},
		{"the same run twice", "{id: incremental}", "{id: msg, as: again, step: {c: 1}}",
			`bad.yaml:12:5: dataset "g", algorithm "again" and dataset "g", algorithm "msg" ask for the same run: ` +
				"iterate=last;k=2;start=random-low-rank;step.c=1;step.schedule=inverse-sqrt;unrelax=top-k; remove one of them"},
	} {
		t.Run(test.name, func(t *testing.T) {
			home(t)
			write(t, "bad.yaml", edit(t, small, test.old, test.new))
			write(t, "good.yaml", edit(t, small, "name: small", "name: good"))
			for _, verb := range []string{"validate", "plan", "run"} {
				wantOutcome(t, stochopt(t, verb, "good.yaml", "bad.yaml"), exitUsage, test.want)
			}
			wantNone(t, "results")
		})
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// withDataset returns the small spec with another data set, m.
func withDataset(t *testing.T, entry string) string {
	t.Helper()
	return edit(t, small, dataset, "  - {id: m, "+entry+", problem: {k: 2}}")
}

// The error on missing data suggests a stand-in, unless the user forbids stand-ins.
func TestMissingData(t *testing.T) {
	home(t)
	const missing = `bad.yaml:9:5: dataset "m": dataset adult: cannot find a1a.gz; downloads are disabled (offline) ` +
		"(set HARNESS_MIRROR to a folder or URL that contains adult/a1a.gz"
	write(t, "bad.yaml", withDataset(t, adult))
	for _, verb := range []string{"run", "plan"} {
		wantOutcome(t, stochopt(t, verb, "bad.yaml", "--offline"), exitUsage, missing+
			", run `stochopt datasets fetch adult` with network access, or put `stand_in: allow` in the spec)")
	}
	write(t, "bad.yaml", withDataset(t, adult+", stand_in: allow"))
	wantOutcome(t, stochopt(t, "run", "bad.yaml", "--offline", "--stand-in", "forbid"), exitUsage,
		missing+" or run `stochopt datasets fetch adult` with network access)")
	write(t, "bad.yaml", withDataset(t, "path: data/d.csv, format: csv"))
	wantOutcome(t, stochopt(t, "run", "bad.yaml"), exitUsage,
		`bad.yaml:9:5: dataset "m": open data/d.csv: no such file or directory; paths in a spec are relative to the working directory`)
	wantNone(t, "results")
}
