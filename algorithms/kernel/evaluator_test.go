package kernel

import (
	"math/rand/v2"
	"testing"
)

func TestLookUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{byteTable, 321} {
		table := make([]float32, size)
		for i := range table {
			table[i] = rng.Float32()
		}
		for n := range 19 {
			h, out := make([]uint64, n+3), make([]float32, n)
			for j := range h {
				h[j] = rng.Uint64N(uint64(size))
			}
			lookUp(out, table, h)
			for j, got := range out {
				if want := table[h[j]]; got != want {
					t.Errorf("table of %d, %d entries: entry %d is %v, want %v", size, n, j, got, want)
				}
			}
		}
	}
}
