package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"testing"
)

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
