package vec

// tau is the least curvature along a pair of coordinates, as in LIBSVM. The curvature of a kernel that
// is not positive definite may be 0 or negative.
const tau = 1e-12

// SecondOrder returns the partner of coordinate i in a pair of SMO by second-order information (Fan,
// Chen and Lin 2005, WSS 2). Among the j with mask[j] != 0 and d = x[j]-t > 0, it returns the largest
// gain
//
//	d*d / q,  q = max((kii + diag[j]) - 2*k[j], 1e-12),
//
// and the smallest j that attains it, or (-1, -Inf) without such a j. k is row i of the kernel, kii its
// diagonal element and diag the diagonal. If q is NaN, it is replaced by 1e-12.
func SecondOrder(x []float64, mask []int8, k []float32, diag []float64, t, kii float64) (j int, gain float64) {
	if len(x) != len(mask) || len(x) != len(k) || len(x) != len(diag) {
		panic(badLength)
	}
	i, j, gain := secondOrderBlocks(x, mask, k, diag, t, kii)
	for ; i < len(x); i++ {
		d := x[i] - t
		q := (kii + diag[i]) - 2*float64(k[i])
		if !(q > tau) {
			q = tau
		}
		// d*d/q > gain only if d*d >= q*gain, also after rounding. Only the few elements that satisfy
		// this need a division.
		if p := float64(d * d); p >= q*gain && d > 0 && mask[i] != 0 {
			if g := p / q; g > gain {
				j, gain = i, g
			}
		}
	}
	return j, gain
}
