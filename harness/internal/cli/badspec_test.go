package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
)

const dataset = `  - {id: g, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}`

// Every verb that takes specs reports the mistakes in all of them, as file:line:col: message, before
// it runs any.
func TestMistakesInSpecs(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"several at once", "seed: 7\nrepeats: 2", "seeds: 7\nrepeats: -1",
			"bad.yaml:4:1: seeds: unknown key (did you mean \"seed\"?)\nbad.yaml:5:10: repeats: must be at least 1, got -1"},
		{"the data have too few features", "k: 2", "k: 6",
			`bad.yaml:9:5: dataset "g": k = 6 must be less than the dimension d = 6 of the data`},
		{"data that are not opened", dataset, `  - {id: m, source: mnist, problem: {k: [1, 785]}}`,
			`bad.yaml:9:5: dataset "m": k = 785 must be less than the dimension d = 784 of the data`},
		{"part of a source", dataset, `  - {id: m, source: mnist, with: {part: trian}, problem: {k: 2}}`,
			`bad.yaml:9:5: dataset "m": dataset mnist: unknown part "trian" (did you mean "train"? known: all, test, train)`},
		{"cap > d", "id: msg, step", "id: capped-msg, with: {cap: 7}, step",
			`bad.yaml:11:5: algorithm "capped-msg": cap = 7 is more than the dimension d = 6 of dataset "g"; lower it`},
		{"split of too few rows", dataset, `  - {id: a, source: adult, with: {variant: a1a}, split: {train: 0.9999, test: 0.0001}, problem: {k: 2}}`,
			`bad.yaml:9:5: dataset "a": split: test 0.0001 of 1605 rows is no row at all; use more rows or other fractions`},
		{"the same run twice", "{id: incremental}", "{id: msg, as: again, step: {c: 1}}",
			`bad.yaml:12:5: algorithms.again: series "msg" and "again" ask for the same run on dataset "g": ` +
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

func TestSpecsThatCannotBeTakenTogetherOrAtAll(t *testing.T) {
	home(t)
	write(t, "a.yaml", small)
	write(t, "b.yaml", small)
	write(t, "folder/x", "")
	for args, want := range map[string]string{
		"a.yaml b.yaml":           `stochopt: b.yaml: the name "small" is also that of a.yaml, and names the results folder; rename one of them`,
		"none.yaml":               `stochopt: cannot read the spec: open none.yaml: no such file or directory; name a YAML file`,
		"folder":                  `stochopt: cannot read the spec: read folder: is a directory; name a YAML file`,
		"a.yaml --profile smoke":  `a.yaml:1:1: there is no profile "smoke": this specification has no profiles`,
		"a.yaml --set repeats=-3": `--set repeats=-3: repeats: must be at least 1, got -3`,
	} {
		wantOutcome(t, stochopt(t, append([]string{"run"}, strings.Fields(args)...)...), exitUsage, want)
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

// withDataset is the small spec on another dataset, id m.
func withDataset(t *testing.T, entry string) string {
	t.Helper()
	return edit(t, small, dataset, "  - {id: m, "+entry+", problem: {k: 2}}")
}

// A file that cannot be read is reported with its place in the spec, and nothing runs.
func TestBadDataFiles(t *testing.T) {
	for _, test := range []struct{ file, format, content, want string }{
		{"d.csv.gz", "csv", gzipped(t, "1,2,3\n4,5,6\n")[:20], "d.csv.gz:2: the gzip data end early: the file is truncated, get it again"},
		{"d.svm", "libsvm", "1 1:2\n1 3:2 2:3\n", `d.svm:2: "2:3": index 2 after index 3: indices must increase`},
		{"d.svm", "libsvm", "1 1:2\n1 1:2 2:3\n", `k = 2 must be less than the dimension d = 2 of the data`},
		{"data/d.csv", "csv", "", "open data/d.csv: no such file or directory; paths in a spec are relative to the working directory"},
	} {
		t.Run(test.want, func(t *testing.T) {
			home(t)
			if test.content != "" {
				write(t, test.file, test.content)
			}
			write(t, "bad.yaml", withDataset(t, fmt.Sprintf("path: %s, format: %s", test.file, test.format)))
			wantOutcome(t, stochopt(t, "run", "bad.yaml"), exitUsage, `bad.yaml:9:5: dataset "m": `+test.want)
			wantNone(t, "results")
		})
	}
}

// Data that are not there are an error, which proposes a stand-in unless the user forbids it.
func TestMissingDataWithoutStandIn(t *testing.T) {
	home(t)
	const missing = `bad.yaml:9:5: dataset "m": dataset adult: cannot find a1a.gz; offline: no download was tried ` +
		"(set HARNESS_MIRROR to a folder or URL that holds adult/a1a.gz"
	write(t, "bad.yaml", withDataset(t, adult))
	for _, verb := range []string{"run", "plan"} {
		wantOutcome(t, stochopt(t, verb, "bad.yaml", "--offline"), exitUsage, missing+
			", run `stochopt datasets fetch adult` where there is a network, or put `stand_in: allow` in the spec)")
	}
	write(t, "bad.yaml", withDataset(t, adult+", stand_in: allow"))
	wantOutcome(t, stochopt(t, "run", "bad.yaml", "--offline", "--stand-in", "forbid"), exitUsage,
		missing+" or run `stochopt datasets fetch adult` where there is a network)")
}

func TestWrongChecksumIsNotReplacedByAStandIn(t *testing.T) {
	home(t)
	bad := write(t, "cache/adult/a1a", "1 1:1\n")
	write(t, "bad.yaml", withDataset(t, "source: adult, with: {variant: a1a}, stand_in: allow"))
	if o := stochopt(t, "run", "bad.yaml", "--offline", "--stand-in", "allow"); o.code != exitUsage {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
	wantNone(t, "results")
	if got := read(t, bad); got != "1 1:1\n" {
		t.Errorf("the user's file was changed to %q", got)
	}
}
