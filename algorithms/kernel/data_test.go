package kernel

import (
	"math"
	"math/rand/v2"
)

// data is a dense or sparse matrix.
type data struct {
	d       int
	dense   [][]float64
	indices [][]int32
	values  [][]float64
}

func (m *data) Dims() (n, d int) { return max(len(m.dense), len(m.indices)), m.d }
func (m *data) Sparse() bool     { return m.dense == nil }
func (m *data) Row(i int, _ []float64) []float64 {
	return m.dense[i]
}
func (m *data) RowNonZero(i int) ([]int32, []float64) { return m.indices[i], m.values[i] }

// row returns row i as a dense vector.
func (m *data) row(i int) []float64 {
	if m.dense != nil {
		return m.dense[i]
	}
	x := make([]float64, m.d)
	for k, f := range m.indices[i] {
		x[f] = m.values[i][k]
	}
	return x
}

// flip converts a dense matrix to a sparse one, and vice versa.
func (m *data) flip() *data {
	n, _ := m.Dims()
	out := &data{d: m.d}
	for i := range n {
		x := m.row(i)
		if m.dense == nil {
			out.dense = append(out.dense, x)
			continue
		}
		var indices []int32
		var values []float64
		for f, v := range x {
			if v != 0 {
				indices, values = append(indices, int32(f)), append(values, v)
			}
		}
		out.indices, out.values = append(out.indices, indices), append(out.values, values)
	}
	return out
}

func all(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// makeBinary returns n sparse points with about nonzeros features that have the given value. Every tenth
// point is empty.
func makeBinary(rng *rand.Rand, n, d, nonzeros int, value float64) *data {
	return makeSparse(rng, n, d, nonzeros, func() float64 { return value })
}

func makeSparse(rng *rand.Rand, n, d, nonzeros int, value func() float64) *data {
	m := &data{d: d}
	for i := range n {
		var indices []int32
		var values []float64
		if i%10 != 9 {
			for f := range d {
				if rng.Float64()*float64(d) < float64(nonzeros) {
					indices, values = append(indices, int32(f)), append(values, value())
				}
			}
		}
		m.indices, m.values = append(m.indices, indices), append(m.values, values)
	}
	return m
}

// makeZipf returns n sparse points of norm 1. Feature f is nonzero with probability proportional to
// 1/(f+10), like words in texts.
func makeZipf(rng *rand.Rand, n, d, nonzeros int) *data {
	sum := 0.0
	for f := range d {
		sum += 1 / float64(f+10)
	}
	m := &data{d: d}
	for range n {
		var indices []int32
		var values []float64
		norm := 0.0
		for f := range d {
			if rng.Float64()*sum*float64(f+10) < float64(nonzeros) {
				x := rng.ExpFloat64()
				indices, values = append(indices, int32(f)), append(values, x)
				norm += x * x
			}
		}
		for k := range values {
			values[k] /= math.Sqrt(norm)
		}
		m.indices, m.values = append(m.indices, indices), append(m.values, values)
	}
	return m
}

// makeGrey returns n dense points of grey levels times unit. A fifth of the values are nonzero, and some
// features are zero in all points.
func makeGrey(rng *rand.Rand, n, d int, unit float64) *data {
	m := &data{d: d}
	for i := range n {
		x := make([]float64, d)
		for f := range x {
			if i%10 != 9 && f%9 != 4 && rng.IntN(5) == 0 {
				x[f] = float64(1+rng.IntN(255)) * unit
			}
		}
		m.dense = append(m.dense, x)
	}
	m.dense[0][0], m.dense[0][1] = 255*unit, unit
	return m
}

// makeDense returns n dense Gaussian points. The last points have a few zero features.
func makeDense(rng *rand.Rand, n, d int) *data {
	m := &data{d: d}
	for i := range n {
		x := make([]float64, d)
		for f := range x {
			if i%10 != 9 && !(i > n/2 && rng.IntN(5) == 0) {
				x[f] = rng.NormFloat64()
			}
		}
		m.dense = append(m.dense, x)
	}
	return m
}

// makeForest returns n sparse points with 10 real and two one-hot features, 54 in total.
func makeForest(rng *rand.Rand, n int) *data {
	m := &data{d: 54}
	for range n {
		var indices []int32
		var values []float64
		for f := range 10 {
			indices, values = append(indices, int32(f)), append(values, rng.Float64())
		}
		indices = append(indices, int32(10+rng.IntN(4)), int32(14+rng.IntN(40)))
		values = append(values, 1, 1)
		m.indices, m.values = append(m.indices, indices), append(m.values, values)
	}
	return m
}

// shapes returns data for each layout.
func shapes(n int) map[string][]*data {
	rng := random(3)
	return map[string][]*data{
		"bits": {
			makeBinary(rng, n, 123, 14, 1),
			makeBinary(rng, n, 300, 40, 1),
			makeBinary(rng, n, 64, 20, -0.37),
			makeBinary(rng, n, 40, 6, 1/math.Sqrt(14)).flip(),
		},
		"bytes": {
			makeGrey(rng, n, 100, 1),
			makeGrey(rng, n, 77, 1.0/255),
			makeGrey(rng, n, 130, 17).flip(),
		},
		"sparse": {
			{d: 3, indices: make([][]int32, n), values: make([][]float64, n)},
			makeDense(rng, n, 5),
			makeDense(rng, n, 33),
			makeForest(rng, n),
			makeZipf(rng, n, 900, 20),
			makeZipf(rng, n, 500, 9).flip(),
			makeSparse(rng, n, 900, 5, func() float64 { return float64(2*rng.IntN(2) - 1) }),
		},
	}
}
