//go:build !purego

package kernel

import (
	"slices"
	"testing"
)

// A CPU without the vector instructions computes the same matrix.
func TestRowsDoNotDependOnTheCPU(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this CPU has no AVX2")
	}
	defer func(has bool) { hasAVX2, hasPopcnt = true, has }(hasPopcnt)
	eachShape(t, 330, func(t *testing.T, m *data, rows []int, p *Points) {
		for _, k := range []Kernel{Gaussian{0.03}, Linear{}} {
			want := matrixOf(t, k, p)
			for _, avx2 := range []bool{true, false} {
				has := hasPopcnt
				hasAVX2, hasPopcnt = avx2, false
				got := matrixOf(t, k, p)
				hasAVX2, hasPopcnt = true, has
				for i := range want {
					if !slices.Equal(got[i], want[i]) {
						t.Fatalf("row %d of %s differs", i, k)
					}
				}
			}
		}
	})
}

// Points that differ in any number of features below the reach.
func TestBitRowLooksUpInRegisters(t *testing.T) {
	if !hasPopcnt {
		t.Skip("this CPU does not count sixteen set bits at a time")
	}
	rng := random(17)
	table := make([]float32, 256)
	for h := range table {
		table[h] = float32(h) + 0.5
	}
	got, want := make([]float32, block), make([]float32, block)
	differ := make([]uint64, block)
	for reach := 1; reach <= bitReach; reach++ {
		words, stride := 1+reach/64+rng.IntN(3), block*(1+rng.IntN(2))
		plane, word := make([]uint64, words*stride), make([]uint64, words)
		for w := range word {
			word[w] = rng.Uint64()
		}
		for i := range plane {
			plane[i] = word[i/stride]
		}
		for j := range block {
			for _, f := range rng.Perm(64 * words)[:rng.IntN(reach)] {
				plane[f/64*stride+j] ^= 1 << (f % 64)
			}
		}
		if !bitRow(got, plane, stride, word, table, reach) {
			t.Fatalf("reach %d: no row", reach)
		}
		hammingBlockPortable(differ, plane, stride, word)
		lookUp(want, table, differ)
		same(t, "bitRow", got, want)
	}
	if bitRow(got, nil, 0, nil, table, bitReach+1) {
		t.Error("a reach beyond the registers")
	}
}
