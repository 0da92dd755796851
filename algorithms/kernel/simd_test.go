package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// same fails unless two slices have the same bits.
func same[T float32 | float64 | uint64](t *testing.T, what string, got, want []T) {
	t.Helper()
	for j := range want {
		if math.Float64bits(float64(got[j])) != math.Float64bits(float64(want[j])) {
			t.Fatalf("%s: entry %d of %d is %v, want %v", what, j, len(want), got[j], want[j])
		}
	}
}

func checkGaussRow(t *testing.T, rng *rand.Rand, n int, xx, gamma float64) {
	dots, norms := make([]float64, n), make([]float64, n)
	for j := range dots {
		norms[j] = rng.ExpFloat64() * math.Ldexp(1, rng.IntN(20)-8)
		dots[j] = (rng.Float64() - 0.4) * math.Sqrt(norms[j]*xx)
		if rng.IntN(9) == 0 {
			dots[j], norms[j] = xx, xx
		}
	}
	got, want := make([]float32, n), make([]float32, n)
	gaussRow(got, dots, norms, xx, gamma)
	gaussRowPortable(want, dots, norms, xx, gamma)
	same(t, "gaussRow", got, want)
	k := Gaussian{gamma}
	for j := range want {
		if w := float32(k.Eval(dots[j], xx, norms[j])); w != want[j] {
			t.Fatalf("gaussRow entry %d is %v, Eval %v", j, want[j], w)
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
	y, x := make([]uint8, roundUp(points, byteGroup)*stride), make([]int16, byteGroup*stride)
	for i := range y {
		y[i] = uint8(top - rng.IntN(top+1)*rng.IntN(2))
	}
	for i := range x {
		x[i] = int16(top - rng.IntN(top+1)*rng.IntN(2))
	}
	scale := rng.Float64()
	got, want := make([]float64, byteGroup*block), make([]float64, byteGroup*block)
	byteDots(got, y, x, stride, points, scale)
	byteDotsPortable(want, y, x, stride, points, scale)
	same(t, "byteDots", got[:points], want[:points])
	byteDots4(got, y, x, stride, points, scale)
	byteDots4Portable(want, y, x, stride, points, scale)
	for r := range byteGroup {
		same(t, "byteDots4", got[r*block:r*block+points], want[r*block:r*block+points])
	}
}

func checkTileDots(t *testing.T, rng *rand.Rand, columns int) {
	tile := make([]float64, columns*tileWidth)
	for i := range tile {
		tile[i] = rng.NormFloat64() * math.Ldexp(1, rng.IntN(40)-20)
	}
	var offset []int
	var value []float64
	for c := range columns {
		if rng.IntN(3) > 0 {
			offset, value = append(offset, c*tileWidth), append(value, rng.NormFloat64())
		}
	}
	got, want := make([]float64, tileWidth), make([]float64, tileWidth)
	got[3] = math.NaN()
	tileDots(got, tile, offset, value)
	tileDotsPortable(want, tile, offset, value)
	same(t, "tileDots", got, want)
}

func TestVectorAndPortablePathsAgree(t *testing.T) {
	rng := random(5)
	for n := range 70 {
		checkGaussRow(t, rng, n, rng.ExpFloat64(), rng.ExpFloat64())
		checkGaussRow(t, rng, n, 0, 1000)
	}
	for words := 1; words < 40; words++ {
		checkHamming(t, rng, words, block*(1+rng.IntN(3)))
	}
	for stride := byteGrain; stride < 900; stride += byteGrain {
		checkByteDots(t, rng, stride, 1+rng.IntN(block), 255)
	}
	checkByteDots(t, rng, byteColumns, 3, 255)
	for columns := range 80 {
		checkTileDots(t, rng, columns)
	}
}

// The largest inner product of bytes that is allowed is exact.
func TestByteDotsDoNotOverflow(t *testing.T) {
	y, x := make([]uint8, byteGroup*byteColumns), make([]int16, byteGroup*byteColumns)
	for i := range y {
		y[i], x[i] = 255, 255
	}
	dst := make([]float64, byteGroup*block)
	byteDots(dst, y, x, byteColumns, byteGroup, 1)
	if want := 255.0 * 255 * byteColumns; dst[0] != want || dst[3] != want {
		t.Errorf("byteDots: %v, want %v", dst[:byteGroup], want)
	}
	byteDots4(dst, y, x, byteColumns, byteGroup, 1)
	if want := 255.0 * 255 * byteColumns; dst[0] != want || dst[3*block+3] != want {
		t.Errorf("byteDots4: %v and %v, want %v", dst[0], dst[3*block+3], want)
	}
}

func FuzzVectorAndPortablePaths(f *testing.F) {
	f.Add(uint64(1), uint16(3), 1.5, 0.1)
	f.Add(uint64(2), uint16(257), 0.0, 1e9)
	f.Fuzz(func(t *testing.T, seed uint64, size uint16, xx, gamma float64) {
		rng := random(seed)
		n := int(size) % 400
		if xx >= 0 && xx <= normLimit && gamma > 0 && !math.IsInf(gamma, 0) {
			checkGaussRow(t, rng, n, xx, gamma)
		}
		checkHamming(t, rng, 1+n%50, block*(1+n%2))
		checkByteDots(t, rng, byteGrain*(1+n%20), 1+n%block, 1+n%255)
		checkTileDots(t, rng, n)
	})
}
