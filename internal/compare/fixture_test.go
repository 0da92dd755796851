package compare

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"stochopt/internal/record"
)

var fixture = flag.String("fixture", "", "folder with the results of testdata/pca.yaml and svm.yaml, to write the records of testdata")

// fixtures lists the experiments of testdata with the columns of their records.
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

// makeFixture writes the records of an experiment with only the compared columns.
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

// fixtureSides returns the records of testdata.
func fixtureSides(t testing.TB) []Side {
	t.Helper()
	sides, err := readFixtures()
	if err != nil {
		t.Fatal(err)
	}
	return sides
}

var readFixtures = sync.OnceValues(func() (sides []Side, err error) {
	for _, f := range fixtures {
		compressed, err := os.ReadFile(fixturePath(f.name))
		if err != nil {
			return nil, err
		}
		z, err := gzip.NewReader(bytes.NewReader(compressed))
		if err != nil {
			return nil, err
		}
		s := Side{Name: f.name}
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
			s.Runs = append(s.Runs, r)
		}
		if sides = append(sides, s); lines.Err() != nil {
			return nil, lines.Err()
		}
	}
	return sides, nil
})

func TestFixture(t *testing.T) {
	if *fixture != "" {
		for _, f := range fixtures {
			makeFixture(t, *fixture, f.name, f.split, f.metric, f.costs)
		}
	}
	for i, s := range fixtureSides(t) {
		if want := fixtures[i].cells * fixtureRepeats; len(s.Runs) != want {
			t.Errorf("%s has %d runs, want %d", s.Name, len(s.Runs), want)
		}
	}
}
