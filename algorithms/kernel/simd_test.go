package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// same checks that two slices have the same bits.
func same[T float32 | float64 | uint64](t *testing.T, what string, got, want []T) {
	t.Helper()
	for j := range want {
		if math.Float64bits(float64(got[j])) != math.Float64bits(float64(want[j])) {
			t.Fatalf("%s: entry %d of %d is %v, want %v", what, j, len(want), got[j], want[j])
		}
	}
}

func checkHamming(t *testing.T, rng *rand.Rand, words, stride int) {
	plane, word := make([]uint64, words*stride), make([]uint64, words)
	for i := range plane {
		plane[i] = rng.Uint64() >> rng.IntN(64)
	}
	for w := range word {
		word[w] = rng.Uint64()
	}
	if rng.IntN(4) == 0 {
		for i := range plane {
			plane[i] = ^word[i/stride]
		}
	}
	got, want := make([]uint64, block), make([]uint64, block)
	hammingBlock(got, plane, stride, word)
	hammingBlockPortable(want, plane, stride, word)
	same(t, "hammingBlock", got, want)
}

func checkByteDots(t *testing.T, rng *rand.Rand, stride, points, top int) {
	y, x := make([]uint8, roundUp(points, byteGroup)*stride), make([]int16, stride)
	for i := range y {
		y[i] = uint8(top - rng.IntN(top+1)*rng.IntN(2))
	}
	for i := range x {
		x[i] = int16(top - rng.IntN(top+1)*rng.IntN(2))
	}
	scale := rng.Float64()
	got, want := make([]float64, block), make([]float64, block)
	byteDots(got, y, x, points, scale)
	byteDotsPortable(want, y, x, points, scale)
	same(t, "byteDots", got[:points], want[:points])
}

func TestVectorAndPortablePathsAgree(t *testing.T) {
	rng := random(5)
	for words := 1; words < 40; words++ {
		checkHamming(t, rng, words, block*(1+rng.IntN(3)))
	}
	for stride := byteAlign; stride < 900; stride += byteAlign {
		checkByteDots(t, rng, stride, 1+rng.IntN(block), 255)
	}
	checkByteDots(t, rng, byteColumns, 3, 255)
}

// TestByteDotsDoNotOverflow checks that the largest possible inner product of bytes is exact.
func TestByteDotsDoNotOverflow(t *testing.T) {
	y, x := make([]uint8, byteGroup*byteColumns), make([]int16, byteColumns)
	for i := range y {
		y[i], x[i%byteColumns] = 255, 255
	}
	dst := make([]float64, block)
	byteDots(dst, y, x, byteGroup, 1)
	if want := 255.0 * 255 * byteColumns; dst[0] != want || dst[3] != want {
		t.Errorf("byteDots: %v, want %v", dst[:byteGroup], want)
	}
}
