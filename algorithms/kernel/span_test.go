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

func FuzzRowsOfASpan(f *testing.F) {
	f.Add(uint64(1), uint16(700), uint16(10), uint16(520))
	f.Add(uint64(2), uint16(256), uint16(0), uint16(256))
	f.Add(uint64(3), uint16(513), uint16(512), uint16(513))
	f.Fuzz(func(t *testing.T, seed uint64, size, a, b uint16) {
		n := 1 + int(size)%800
		from, to := int(a)%n, 1+int(b)%n
		if from >= to {
			from, to = to-1, from+1
		}
		rng := random(seed)
		for _, m := range []*data{makeBinary(rng, n, 70, 12, 1), makeGrey(rng, n, 40, 1), makeDense(rng, n, 5), makeZipf(rng, n, 600, 8)} {
			p, err := NewPoints(m, rng.Perm(n))
			if err != nil {
				t.Fatal(err)
			}
			checkSpan(t, Gaussian{0.01}, p, 1+rng.IntN(min(n, 9)), from, to)
		}
	})
}
