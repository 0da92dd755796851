package cli

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// rows draws a table of bytes, so that every format holds it exactly.
func rows(n, d int) [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([][]byte, n)
	for i := range out {
		out[i] = make([]byte, d)
		for j := range out[i] {
			out[i][j] = byte(rng.IntN(200/(j+1)) + 1)
		}
	}
	return out
}

func asLIBSVM(x [][]byte) string {
	var b strings.Builder
	for i, row := range x {
		fmt.Fprint(&b, i%2)
		for j, v := range row {
			fmt.Fprintf(&b, " %d:%d", j+1, v)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// asCSV puts a label into the second column.
func asCSV(x [][]byte) string {
	var b strings.Builder
	fmt.Fprintln(&b, "a;class;b;c;d;e")
	for i, row := range x {
		fmt.Fprintf(&b, "%d;%d", row[0], i%2)
		for _, v := range row[1:] {
			fmt.Fprintf(&b, ";%d", v)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func asIDX(x [][]byte) string {
	b := []byte{0, 0, 8, 2}
	b = binary.BigEndian.AppendUint32(b, uint32(len(x)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(x[0])))
	for _, row := range x {
		b = append(b, row...)
	}
	return string(b)
}

// objectives returns the final objective on the test split of each run.
func objectives(t *testing.T, dir string) map[string]float64 {
	t.Helper()
	e, err := record.ReadDir(at(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]float64)
	for _, r := range e.Runs {
		y := r.Measured().Metrics["test"]["objective"]
		if r.Status != record.StatusFinished || len(y) == 0 || !(y[len(y)-1] > 0) {
			t.Fatalf("%s: %s (%s), objective %v", r.Name(), r.Status, r.Reason, y)
		}
		out[fmt.Sprintf("%s %s %d", r.Series, r.Params, r.Repeat)] = y[len(y)-1]
		if n := r.Measured().Cost["iterations"]; n[len(n)-1] != 48 {
			t.Errorf("%s: %d iterations, want two passes over 24 rows", r.Name(), n[len(n)-1])
		}
	}
	if len(out) != 6 {
		t.Fatalf("%d runs, want 6", len(out))
	}
	return out
}

// A user's own file runs end to end in every format, and the format does not
// matter: the same rows have the same optimum, and about the same objective
// after the same number of passes. (Not the same runs: the bytes of the file
// are the name of the random stream.)
func TestOwnFiles(t *testing.T) {
	x := rows(40, 5)
	for _, test := range []struct{ file, content, entry string }{
		{"data/named.svm.gz", gzipped(t, asLIBSVM(x)), "features: 5"},
		{"data/d.csv", asCSV(x), `format: csv, label: class, with: {delimiter: ";"}`},
		{"data/d.idx", asIDX(x), "format: idx"},
	} {
		t.Run(test.file, func(t *testing.T) {
			home(t)
			write(t, test.file, test.content)
			text := withDataset(t, "path: "+test.file+", "+test.entry+", prepare: [unit-expected-norm], split: {train: 0.6, validation: 0.2, test: 0.2}")
			text = edit(t, edit(t, text, "iterations: 40", "passes: 2"), "by: oracle", "by: validation")
			write(t, "own.yaml", text)
			ok(t, "run", "own.yaml")
			for name, v := range objectives(t, "results/small") {
				// The rows have norm 1 on average and nearly all of it in two
				// directions.
				if v < 0.6 || v > 1.6 {
					t.Errorf("%s: captures %v", name, v)
				}
			}
			onRecord := func(file, text string) int {
				t.Helper()
				return sumOnRecord(parseJSON[[]planned](t, ok(t, "plan", write(t, file, text), "--json").out))
			}
			// The path is relative to the working directory, wherever the spec is; an absolute path
			// is the same data, and another content is not.
			if n := onRecord(filepath.Join(t.TempDir(), "elsewhere.yaml"), text); n != 6 {
				t.Errorf("of a spec elsewhere %d runs are on record", n)
			}
			if n := onRecord("own.yaml", edit(t, text, "path: ", "path: "+root(t)+"/")); n != 6 {
				t.Errorf("with an absolute path %d runs are on record", n)
			}
			write(t, "other.idx", asIDX(x[:39]))
			if n := onRecord("own.yaml", edit(t, edit(t, text, test.entry, "format: idx"), test.file, "other.idx")); n != 0 {
				t.Errorf("of other data %d runs are on record", n)
			}
		})
	}
}

// Runs that fail are records, are an error, and are performed again, they alone.
func TestRunsThatFail(t *testing.T) {
	home(t)
	write(t, "huge.csv", strings.Repeat("1e200,2e200,-1e200\n", 8))
	write(t, "good.csv", "1,2,3\n3,2,1\n1,1,0\n")
	write(t, "small.yaml", edit(t, small, dataset, `  - {id: huge, path: huge.csv, format: csv, problem: {k: 2}}
  - {id: good, path: good.csv, format: csv, problem: {k: 2}}`))
	counts := func() (c record.Counts) {
		return parseJSON[[]progressReport](t, ok(t, "status", "results/small", "--json").out)[0].Counts
	}
	for range 2 {
		o := stochopt(t, "run", "small.yaml")
		if o.code != exitFailed || lastLine(o.err) != "stochopt: 6 runs failed; status names them, and the same command tries them again" {
			t.Errorf("exit %d: %s", o.code, o.err)
		}
		if c := counts(); c.Finished != 6 || c.Failed != 6 {
			t.Errorf("status counts %+v", c)
		}
		if n := sumOnRecord(parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out)); n != 6 {
			t.Errorf("plan counts failed runs as done: %d", n)
		}
	}
	if o := stochopt(t, "run", "small.yaml", "--out", "parts", "--shard", "1/2"); o.code != exitFailed {
		t.Errorf("shard: exit %d, want %d", o.code, exitFailed)
	}
	write(t, "huge.csv", strings.Repeat("1,2,-1\n3,1,0\n", 8))
	ok(t, "run", "small.yaml")
	if c := counts(); c.Finished != 12 {
		t.Errorf("of mended data status counts %+v", c)
	}
	e, err := record.ReadDir(at(t, "results/small"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Runs {
		for _, y := range r.Measured().Metrics["population"]["suboptimality"] {
			if math.Abs(y) > 100 {
				t.Errorf("%s: suboptimality %v", r.Name(), y)
			}
		}
	}
}
