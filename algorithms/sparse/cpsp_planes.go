package sparse

import "math/bits"

// plane is a cutting plane, the linear lower bound
//
//	(1/n) sum_i c_i (1 - y_i g(x_i)) = delta - <w, Psi>,  Psi = (1/n) sum_i c_i y_i Phi(x_i),
//
// of the mean hinge loss, with c_i in {0, 1}.
type plane struct {
	active []uint64  // the i with c_i = 1
	p      []float64 // the constant feature's part, and Psi in the orthonormal basis of the span of the vectors
	idle   int       // iterations since it had weight
}

// sumOver returns sum_i c_i y_i row[i] over the points of a bit set, the first of
// which are positive.
func sumOver(active []uint64, row []float32, positive int) float64 {
	var sums [2]float64
	for w, word := range active {
		base := 64 * w
		if base < positive && base+64 > positive {
			first := word & (1<<(positive-base) - 1)
			sums[0] = addBits(sums[0], first, row[base:])
			sums[1] = addBits(sums[1], word&^first, row[base:])
			continue
		}
		class := 0
		if base >= positive {
			class = 1
		}
		sums[class] = addBits(sums[class], word, row[base:])
	}
	return sums[0] - sums[1]
}

func addBits(sum float64, word uint64, row []float32) float64 {
	for ; word != 0; word &= word - 1 {
		sum += float64(row[bits.TrailingZeros64(word)])
	}
	return sum
}

// addTo adds weight c_i y_i to dst[i]; the first points are positive.
func (p *plane) addTo(dst []float64, weight float64, positive int) {
	for w, word := range p.active {
		for ; word != 0; word &= word - 1 {
			if i := 64*w + bits.TrailingZeros64(word); i < positive {
				dst[i] += weight
			} else {
				dst[i] -= weight
			}
		}
	}
}
