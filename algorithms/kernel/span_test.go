package kernel

import (
	"slices"
	"testing"
)

// TestRowsOfASpan checks that a row over a part of the points has the bits of that part of a full row.
func TestRowsOfASpan(t *testing.T) {
	t.Parallel()
	for _, k := range []Kernel{Gaussian{0.05}, cubic{1}} {
		eachShape(t, 700, func(t *testing.T, _ *data, _ []int, p *Points) {
			n := p.Len()
			for _, span := range [][2]int{{0, n}, {0, 300}, {255, 257}, {256, 512}, {n - 1, n}} {
				checkSpan(t, k, p, 12, span[0], span[1])
			}
		})
	}
}

// checkSpan compares the first train rows over the points from <= j < to with full rows.
func checkSpan(t *testing.T, k Kernel, p *Points, train, from, to int) {
	t.Helper()
	config := CacheConfig{Kernel: k, Points: p, Train: train, Pool: NewPool(1 << 30)}
	whole, err := NewCache(config)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	all := whole.Reader()
	defer all.Close()
	config.From, config.To = from, to
	config.Pool = NewPool(rowsOfMemory(max(train, RowsPerReader), to-from))
	part, err := NewCache(config)
	if err != nil {
		t.Fatal(err)
	}
	r := part.Reader()
	if r.Len() != to-from || r.Train() != train || !slices.Equal(r.Diag(), all.Diag()[from:to]) {
		t.Errorf("points %d to %d: Len %d, Train %d, Diag of %d", from, to, r.Len(), r.Train(), len(r.Diag()))
	}
	for i := range train {
		if got, want := r.Row(i), all.Row(i)[from:to]; !slices.Equal(got, want) {
			t.Fatalf("points %d to %d: row %d is %v, want %v", from, to, i, got, want)
		}
	}
	if r.Computed() != int64(train)*int64(to-from) {
		t.Errorf("points %d to %d: %d values computed, want %d", from, to, r.Computed(), train*(to-from))
	}
	if used := part.Pool.used; used > rowsOfMemory(max(train, RowsPerReader), to-from) {
		t.Errorf("points %d to %d: %d bytes used", from, to, used)
	}
	r.Close()
	part.Close()
}
