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
		{"data/d.svm", asLIBSVM(x), "format: libsvm"},
		{"data/named.svm.gz", gzipped(t, asLIBSVM(x)), "features: 5"},
		{"data/d.svm.gz", gzipped(t, asLIBSVM(x)), "format: libsvm, features: 5"},
		{"data/d.csv", asCSV(x), `format: csv, label: class, with: {delimiter: ";"}`},
		{"data/d.csv.gz", gzipped(t, asCSV(x)), `format: csv, label: 2, with: {delimiter: ";", header: true}`},
		{"data/d.idx", asIDX(x), "format: idx"},
		{"data/d.idx.gz", gzipped(t, asIDX(x)), "format: idx, sample: uniform"},
	} {
		t.Run(test.file, func(t *testing.T) {
			home(t)
			write(t, test.file, test.content)
			text := withDataset(t, "path: "+test.file+", "+test.entry+", prepare: [unit-expected-norm], split: {train: 0.6, validation: 0.2, test: 0.2}")
			text = edit(t, edit(t, text, "iterations: 40", "passes: 2"), "by: oracle", "by: validation")
			write(t, "own.yaml", text+tables)
			o := ok(t, "run", "own.yaml")
			wantText(t, "stdout", o.out, "small: 6 runs in ", "│ Incremental │ 2 │")
			for name, v := range objectives(t, "results/small") {
				// The rows have norm 1 on average and nearly all of it in two
				// directions.
				if v < 0.6 || v > 1.6 {
					t.Errorf("%s: captures %v", name, v)
				}
			}
			wantText(t, "selection.csv", read(t, "results/small/selection.csv"), "validation,validation,suboptimality")
			if strings.Contains(strings.ToLower(read(t, "results/small/tables/tab.md")), "stand-in") {
				t.Error("the table calls the user's data a stand-in")
			}
			wantText(t, "verify", ok(t, "verify", "results/small", "--all").out, "6 of 6 records re-run, 0 differ")

			// The path is relative to the working directory, wherever the spec
			// is; an absolute path is the same data.
			specs := write(t, filepath.Join(t.TempDir(), "elsewhere.yaml"), text)
			wantText(t, "run of a spec elsewhere", ok(t, "run", specs).out, "6 of them from the record")
			write(t, "own.yaml", edit(t, text, "path: ", "path: "+root(t)+"/"))
			wantText(t, "run with an absolute path", ok(t, "run", "own.yaml").out, "6 of them from the record")

			// Another content is another computation.
			write(t, "own.yaml", text)
			write(t, test.file, map[bool]string{true: gzipped(t, asIDX(x[:39])), false: asIDX(x[:39])}[strings.HasSuffix(test.file, ".gz")])
			other := edit(t, text, test.entry, "format: idx")
			write(t, "other.yaml", other)
			if o := ok(t, "plan", "other.yaml", "--json"); parseJSON[[]planned](t, o.out)[0].OnRecord != 0 {
				t.Errorf("records of other data count: %s", o.out)
			}
		})
	}
}

func TestRunsThatFail(t *testing.T) {
	home(t)
	write(t, "huge.csv", strings.Repeat("1e200,2e200,-1e200\n", 8))
	write(t, "good.csv", "1,2,3\n3,2,1\n1,1,0\n")
	text := edit(t, small, dataset, `  - {id: huge, path: huge.csv, format: csv, problem: {k: 2}}
  - {id: good, path: good.csv, format: csv, problem: {k: 2}}`)
	write(t, "small.yaml", text+tables)
	const reason = "the optimum on the population split: objective: entry (1, 1) of the second-moment matrix is +Inf: scale the data down"
	for _, summary := range []string{"small: 12 runs, 6 FAILED in ", "small: 12 runs, 6 of them from the record, 6 FAILED in "} {
		o := stochopt(t, "run", "small.yaml")
		if o.code != exitFailed || !strings.HasSuffix(o.err, "\nstochopt: 6 runs failed; status names them, and the same command tries them again\n") {
			t.Errorf("exit %d: %s", o.code, o.err)
		}
		wantText(t, "stdout", o.out, summary, "\nruns without a result: 6 failed; why: stochopt status results/small\n")
		wantText(t, "status", ok(t, "status", "results/small").out, "12 of 12 runs on record: 6 finished, 0 diverged, 6 failed", "failed: huge incremental[k=2] repeat 1: "+reason)
		if rows := parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json").out); rows[0].OnRecord != 0 || rows[2].OnRecord != 4 {
			t.Errorf("plan counts failed runs as done: %+v", rows)
		}
	}
	// The failed part alone is an error with its shard, too.
	o := stochopt(t, "run", "small.yaml", "--out", "parts", "--shard", "1/2")
	if o.code != exitFailed {
		t.Errorf("shard: exit %d, want %d", o.code, exitFailed)
	}
	// Once mended, it is run: only what failed.
	write(t, "huge.csv", strings.Repeat("1,2,-1\n3,1,0\n", 8))
	wantText(t, "run of mended data", ok(t, "run", "small.yaml").out, "small: 12 runs, 6 of them from the record in ")
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
