package compare

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stochopt/internal/record"
)

var fixture = flag.String("fixture", "", "folder with the results of testdata/pca.yaml and svm.yaml, to make the records of testdata anew from")

// fixtures lists the experiments of testdata with what they keep of a record.
var fixtures = []struct {
	name, split, metric string
	costs               []string
	cells               int
}{
	{"pca", "population", "suboptimality", []string{"iterations", "sum_kt2"}, 6},
	{"svm", "test", "error", []string{"iterations"}, 2},
}

const fixtureRepeats = 100

func fixturePath(name string) string { return filepath.Join("testdata", name+".jsonl.gz") }

// makeFixture writes the records of an experiment, less what is not compared.
func makeFixture(t *testing.T, dir, name, split, metric string, costs []string) {
	t.Helper()
	e, err := record.ReadDir(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range e.Runs {
		kept := record.Curve{
			Cost:    map[string][]int64{},
			Metrics: map[string]map[string][]float64{split: {metric: r.Curve.Metrics[split][metric]}},
		}
		for _, c := range costs {
			kept.Cost[c] = r.Curve.Cost[c]
		}
		e.Runs[i].Curve = kept
	}
	if err := errors.Join(record.WriteRuns(z, e.Runs), z.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fixturePath(name), buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFixture(name string) ([]record.Run, error) {
	f, err := os.Open(fixturePath(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var runs []record.Run
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		object, err := record.Unseal(lines.Bytes())
		if err != nil {
			return nil, err
		}
		var r record.Run
		if err := record.DecodeLine(object, &r); err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, lines.Err()
}

func TestFixture(t *testing.T) {
	for _, f := range fixtures {
		if *fixture != "" {
			makeFixture(t, *fixture, f.name, f.split, f.metric, f.costs)
		}
		runs, err := readFixture(f.name)
		if err != nil {
			t.Fatal(err)
		}
		cells := map[string][]int{}
		for _, r := range runs {
			id := r.Dataset + " " + r.Series
			cells[id] = append(cells[id], r.Repeat)
		}
		if len(cells) != f.cells {
			t.Errorf("%s has %d cells, want %d", f.name, len(cells), f.cells)
		}
		for id, repeats := range cells {
			slices.Sort(repeats)
			if n := len(slices.Compact(repeats)); n != fixtureRepeats {
				t.Errorf("%s %s has %d repeats, want %d", f.name, id, n, fixtureRepeats)
			}
		}
	}
}
