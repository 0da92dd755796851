package record

import (
	"bufio"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// paperRun has the size of a run of the spec that mirrors fig-real: 200 points
// and three splits.
func paperRun(rng *rand.Rand, i int) Run {
	const points = 200
	r := testRun(i)
	iterations, ranks := make([]int64, points), make([]int64, points)
	r.Curve = Curve{
		Cost:    map[string][]int64{"iterations": iterations, "sum_kt2": ranks},
		Metrics: map[string]map[string][]float64{"state": {"rank": make([]float64, points), "orthonormality": make([]float64, points)}},
	}
	for _, split := range []string{"train", "validation", "test"} {
		r.Curve.Metrics[split] = map[string][]float64{"objective": make([]float64, points), "suboptimality": make([]float64, points)}
	}
	for p := range points {
		iterations[p] = int64(p*p + 1)
		ranks[p] = iterations[p] * int64(16+i%3)
		for split, metrics := range r.Curve.Metrics {
			for name := range metrics {
				metrics[name][p] = rng.Float64() * math.Ldexp(1, -p/8)
				if split == "state" {
					metrics[name][p] = 4
				}
			}
		}
	}
	return r
}

func benchFolder(b *testing.B, n int) (dir string, plan []ID) {
	b.Helper()
	rng := rand.New(rand.NewPCG(9, 10))
	dir = b.TempDir()
	f, err := os.Create(filepath.Join(dir, RunsFile))
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	for i := range n {
		r := paperRun(rng, i)
		plan = append(plan, r.ID())
		w.Write(mustEncode(b, r))
		w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	f.Close()
	return dir, plan
}

func BenchmarkReadDir10k(b *testing.B) {
	dir, _ := benchFolder(b, 10000)
	b.ReportAllocs()
	for b.Loop() {
		e, err := ReadDir(dir)
		if err != nil || len(e.Runs) != 10000 {
			b.Fatal(len(e.Runs), err)
		}
	}
}

func BenchmarkOpenCompact10k(b *testing.B) {
	dir, plan := benchFolder(b, 10000)
	for b.Loop() {
		s, err := Open(dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Compact(plan); err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkAppend(b *testing.B) {
	s, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	j, err := s.Writer()
	if err != nil {
		b.Fatal(err)
	}
	r := paperRun(rand.New(rand.NewPCG(1, 1)), 0)
	r.Status, r.Reason = StatusFailed, "stored again and again"
	for b.Loop() {
		if err := j.Append(r, testTiming(0)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteCurves(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var runs []Run
	for i := range 100 {
		runs = append(runs, paperRun(rng, i))
	}
	for b.Loop() {
		if err := WriteCurves(io.Discard, "bench", runs); err != nil {
			b.Fatal(err)
		}
	}
}
