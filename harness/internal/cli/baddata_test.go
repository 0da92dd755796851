package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
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

func TestBadDataFiles(t *testing.T) {
	const position = `bad.yaml:9:5: dataset "m": `
	for _, test := range []struct{ name, file, format, content, want string }{
		{"IDX cut in the header", "d.idx", "idx", "\x00\x00\x08\x03\x00\x00\x00\x02",
			"d.idx: truncated IDX file: the header ends early (unexpected EOF)"},
		{"IDX cut in the data", "d.idx", "idx", "\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x03abc",
			"d.idx: truncated file: the header promises an array of [2 3]; get the file again"},
		{"not IDX", "d.idx", "idx", "hello world",
			"d.idx: neither an IDX nor a NumPy file: it begins with bytes 68 65 6c 6c"},
		{"gzip cut", "d.csv.gz", "csv", gzipped(t, "1,2,3\n4,5,6\n")[:20],
			"d.csv.gz:2: the gzip data end early: the file is truncated, get it again"},
		{"NaN in CSV", "d.csv", "csv", "1,2,3\n4,NaN,6\n",
			"d.csv:2: column 2: the value is missing (\"NaN\"): fill it in, or leave such rows out by `with: {missing: skip}`"},
		{"text in CSV", "d.csv", "csv", "1,2,3\n4,x,6\n",
			`d.csv:2: column 2: "x" is not a number; only labels may be texts: write a number, leave it empty for a missing value, or take the column out of the file`},
		{"CSV with a hole", "d.csv", "csv", "1,2,3\n4,,6\n",
			"d.csv:2: column 2: the value is missing (\"\"): fill it in, or leave such rows out by `with: {missing: skip}`"},
		{"NaN in LIBSVM", "d.svm", "libsvm", "1 1:2\n1 1:2 2:nan\n",
			`d.svm:2: "2:nan": value: "nan" is not a finite number`},
		{"LIBSVM index 0", "d.svm", "libsvm", "1 1:2\n1 0:2 1:3\n",
			`d.svm:2: "0:2": index 0, but indices start at 1 (add one to every index of the file)`},
		{"LIBSVM unsorted", "d.svm", "libsvm", "1 1:2\n1 3:2 2:3\n",
			`d.svm:2: "2:3": index 2 after index 3: indices must increase`},
		{"empty", "d.svm", "libsvm", "",
			`d.svm: no rows`},
		{"too few features", "d.svm", "libsvm", "1 1:2\n1 1:2 2:3\n",
			`k = 2 must be less than the dimension d = 2 of the data`},
	} {
		t.Run(test.name, func(t *testing.T) {
			home(t)
			write(t, test.file, test.content)
			write(t, "bad.yaml", withDataset(t, fmt.Sprintf("path: %s, format: %s", test.file, test.format)))
			wantOutcome(t, stochopt(t, "run", "bad.yaml"), exitUsage, position+test.want)
			if _, err := os.Stat(at(t, "results")); !os.IsNotExist(err) {
				t.Errorf("there is a results folder: %v", err)
			}
		})
	}
	t.Run("not there", func(t *testing.T) {
		home(t)
		write(t, "bad.yaml", withDataset(t, "path: data/d.csv, format: csv"))
		wantOutcome(t, stochopt(t, "run", "bad.yaml"), exitUsage,
			position+"open data/d.csv: no such file or directory; paths in a spec are relative to the working directory")
	})
}

const noMNIST = `dataset mnist: cannot find train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz, t10k-labels-idx1-ubyte.gz; offline: no download was tried (set HARNESS_MIRROR to a folder or URL that holds mnist/train-images-idx3-ubyte.gz, run ` + "`stochopt datasets fetch mnist`" + ` where there is a network, or put ` + "`stand_in: allow`" + ` in the spec)`

func TestMissingDataWithoutStandIn(t *testing.T) {
	home(t)
	write(t, "bad.yaml", withDataset(t, "source: mnist"))
	want := `bad.yaml:9:5: dataset "m": ` + noMNIST
	wantOutcome(t, stochopt(t, "run", "bad.yaml", "--offline"), exitUsage, want)
	wantOutcome(t, stochopt(t, "plan", "bad.yaml", "--offline"), exitUsage, want)
	// What the spec allows, the command line may forbid.
	write(t, "bad.yaml", withDataset(t, "source: mnist, stand_in: allow"))
	wantOutcome(t, stochopt(t, "run", "bad.yaml", "--offline", "--stand-in", "forbid"), exitUsage,
		edit(t, edit(t, want, ", run ", " or run "), ", or put `stand_in: allow` in the spec", ""))
}

func TestWrongChecksumIsNotReplacedByAStandIn(t *testing.T) {
	home(t)
	bad := write(t, "cache/adult/a1a", "1 1:1\n")
	write(t, "bad.yaml", withDataset(t, "source: adult, with: {variant: a1a}, stand_in: allow"))
	o := stochopt(t, "run", "bad.yaml", "--offline", "--stand-in", "allow")
	if o.code != exitUsage {
		t.Errorf("exit %d, want %d", o.code, exitUsage)
	}
	wantText(t, "stderr", o.err, "cache/adult/a1a: wrong checksum: sha256 is ", ", want ")
	if got := read(t, bad); got != "1 1:1\n" {
		t.Errorf("the user's file was changed to %q", got)
	}
}
