package kernel_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/algorithms/kernel"
	"stochopt/datasets"
)

// realData are files of the mirror and the layout that suits them.
var realData = []struct {
	file, layout string
	gamma        float64
	scale        float64 // of images
}{
	{file: "adult/a9a.gz", layout: "bits", gamma: 0.005},
	{file: "web/w8a.gz", layout: "bits", gamma: 0.05},
	{file: "reuters/money-fx.trn.gz", layout: "sparse", gamma: 1},
	{file: "ijcnn1/ijcnn1.val.gz", layout: "sparse", gamma: 1},
	{file: "covtype/covtype.subset92962.scaled.csv.gz", layout: "sparse", gamma: 1},
	{file: "mnist/t10k-images-idx3-ubyte.gz", layout: "bytes", gamma: 3e-7, scale: 1},
	{file: "mnist/t10k-images-idx3-ubyte.gz", layout: "bytes", gamma: 0.02, scale: 1.0 / 255},
}

// load reads a file of the mirror, or skips the test.
func load(t testing.TB, file string, scale float64) *datasets.Table {
	t.Helper()
	mirror := os.Getenv("HARNESS_MIRROR")
	if mirror == "" {
		t.Skip("HARNESS_MIRROR is not set: no real data to test with")
	}
	if !filepath.IsAbs(mirror) {
		mirror = filepath.Join("..", "..", mirror)
	}
	path := filepath.Join(mirror, filepath.FromSlash(file))
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	ref := datasets.Ref{Path: path, Format: "libsvm"}
	switch {
	case scale != 0:
		ref.Format = "idx"
	case strings.HasSuffix(file, ".csv.gz"):
		ref.Format, ref.Label = "csv", "-1"
	}
	d, err := datasets.Open(t.Context(), ref, datasets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if scale == 0 || scale == 1 {
		return d.Table
	}
	var data []float64
	for i := range d.Table.N {
		for _, v := range d.Table.Row(i, nil) {
			data = append(data, scale*v)
		}
	}
	return datasets.NewDense(d.Table.N, d.Table.D, data, nil)
}

func full(m *datasets.Table, i int) []float64 {
	if !m.Sparse() {
		return m.Row(i, nil)
	}
	_, d := m.Dims()
	x := make([]float64, d)
	indices, values := m.RowNonZero(i)
	for k, f := range indices {
		x[f] = values[k]
	}
	return x
}

func TestRealData(t *testing.T) {
	if testing.Short() {
		t.Skip("reads large files")
	}
	for _, c := range realData {
		t.Run(c.file, func(t *testing.T) {
			m := load(t, c.file, c.scale)
			n, _ := m.Dims()
			rows := make([]int, n)
			for i := range rows {
				rows[i] = n - 1 - i
			}
			p, err := kernel.NewPoints(m, rows)
			if err != nil {
				t.Fatal(err)
			}
			if p.Layout() != c.layout {
				t.Fatalf("layout %q, want %q", p.Layout(), c.layout)
			}
			cache, err := kernel.NewCache(kernel.CacheConfig{Kernel: kernel.Gaussian{Gamma: c.gamma}, Points: p, Train: n, Pool: kernel.NewPool(1 << 24)})
			if err != nil {
				t.Fatal(err)
			}
			r := cache.Reader()
			for _, i := range []int{0, 17, n - 1} {
				row, x := r.Row(i), full(m, rows[i])
				for j := 0; j < n; j += 37 {
					sum := 0.0
					for f, y := range full(m, rows[j]) {
						sum += (x[f] - y) * (x[f] - y)
					}
					if want := math.Exp(-c.gamma * sum); math.Abs(float64(row[j])-want) > 1e-7 {
						t.Fatalf("K(%d, %d) = %v, want %v", i, j, row[j], want)
					}
				}
			}
		})
	}
}

// A row of real data that is not in the cache. Bytes are those of the layout
// and of the row.
func BenchmarkRealRow(b *testing.B) {
	for _, c := range realData {
		b.Run(c.file, func(b *testing.B) {
			m := load(b, c.file, c.scale)
			n, _ := m.Dims()
			rows := make([]int, n)
			for i := range rows {
				rows[i] = i
			}
			p, err := kernel.NewPoints(m, rows)
			if err != nil {
				b.Fatal(err)
			}
			cache, err := kernel.NewCache(kernel.CacheConfig{Kernel: kernel.Gaussian{Gamma: c.gamma}, Points: p, Train: n, Pool: kernel.NewPool(1 << 20)})
			if err != nil {
				b.Fatal(err)
			}
			r := cache.Reader()
			b.SetBytes(4 * int64(n))
			for i := 0; b.Loop(); i++ {
				r.Row(i * 7919 % n)
			}
		})
	}
}
