package kernel

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// Synthetic data with the shapes of the datasets of Cotter 2013, with all points.
var benchShapes = []struct {
	name   string
	gamma  float64
	points func(rng *rand.Rand) *data
}{
	{"adult-48842x123-bits", 0.005, func(rng *rand.Rand) *data { return makeBinary(rng, 48842, 123, 14, 1) }},
	{"web-64700x300-bits", 0.05, func(rng *rand.Rand) *data { return makeBinary(rng, 64700, 300, 25, 1) }},
	{"mnist-70000x784-bytes", 0.02, makeDigits},
	{"reuters-11069x8315-sparse", 1, func(rng *rand.Rand) *data { return makeZipf(rng, 11069, 8315, 65) }},
}

// makeDigits returns 70000 images of 784 pixels/255. In each, a contiguous fifth of the pixels is
// nonzero.
func makeDigits(rng *rand.Rand) *data {
	m := &data{d: 784}
	for range 70000 {
		indices, values := make([]int32, 150), make([]float64, 150)
		first := int32(rng.IntN(717 - 150))
		for k := range indices {
			indices[k] = first + int32(k)
			values[k] = float64(1+rng.IntN(255)) / 255
		}
		m.indices, m.values = append(m.indices, indices), append(m.values, values)
	}
	return m
}

// BenchmarkRow measures a row that is not cached. It counts the bytes of the whole layout and of the
// row, even if only a part of the layout is read.
func BenchmarkRow(b *testing.B) {
	for _, shape := range benchShapes {
		b.Run(shape.name, func(b *testing.B) {
			m := shape.points(random(1))
			n, _ := m.Dims()
			p, err := NewPoints(m, all(n))
			if err != nil {
				b.Fatal(err)
			}
			c := newCache(b, Gaussian{shape.gamma}, p, n, NewPool(rowsOfMemory(2, n)))
			r := c.Reader()
			b.SetBytes(4 * int64(n))
			for i := 0; b.Loop(); i++ {
				r.Row(i * 7919 % n)
			}
		})
	}
}

// BenchmarkReadBytes reads the points of MNIST from memory once, a lower bound on the time of a row in the
// layout "bytes".
func BenchmarkReadBytes(b *testing.B) {
	p, err := NewPoints(makeDigits(random(1)), all(70000))
	if err != nil {
		b.Fatal(err)
	}
	values := p.layout.(*byteLayout).value
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&values[0])), len(values)/8)
	b.SetBytes(int64(len(values)))
	var sum [8]uint64
	for b.Loop() {
		for w := words; len(w) >= 8; w = w[8:] {
			for l := range sum {
				sum[l] ^= w[l]
			}
		}
	}
	if sum == [8]uint64{1} {
		b.Log(sum)
	}
}
