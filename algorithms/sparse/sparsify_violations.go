package sparse

import "stochopt/algorithms/internal/vec"

// violations tells by how much w~ violates the constraints of some points,
// y_j (<w~, Phi(x_j)> + b~) >= h_j, given their residuals
//
//	r_j = <w~, Phi(x_j)> + b - y_j h_j:
//
// a positive point by -r_j, a negative one by r_j where the bias b is kept. Where it
// is learned, b is 0, b~ is such that the greatest violations of the classes are
// equal, and steps are on pairs.
type violations struct {
	pairs    bool
	b        float64
	residual []float64
	up, low  []int8 // masks, -1 for the positive and the negative points that count
	// i is the positive point with the least residual, j the negative one with the
	// most: -1 with +Inf, and -1 with -Inf, if no point of the class counts.
	i, j        int
	least, most float64
}

// append adds a point with its residual and its label, which counts or does not.
func (v *violations) append(residual, y float64, counts bool) {
	var up, low int8
	switch {
	case counts && y > 0:
		up = -1
	case counts:
		low = -1
	}
	v.residual, v.up, v.low = append(v.residual, residual), append(v.up, up), append(v.low, low)
}

// add adds a k + b l to the residuals, for kernel rows k and l.
func (v *violations) add(a float64, k []float32, b float64, l []float32) {
	v.i, v.least, v.j, v.most = vec.AddScaledPairExtremes(v.residual, a, k, b, l, v.up, v.low)
}

// search finds the most violating points.
func (v *violations) search() {
	v.i, v.least = vec.ArgMinIf(v.residual, v.up)
	v.j, v.most = vec.ArgMaxIf(v.residual, v.low)
}

// value returns the greatest violation.
func (v *violations) value() float64 {
	if v.pairs {
		return (v.most - v.least) / 2
	}
	return max(-v.least, v.most)
}

// worst returns the most violating pair of points or, without pairs, the most
// violating point twice.
func (v *violations) worst() (i, j int) {
	switch {
	case v.pairs:
		return v.i, v.j
	case -v.least >= v.most:
		return v.i, v.i
	}
	return v.j, v.j
}

// bias returns b~.
func (v *violations) bias() float64 {
	if v.pairs {
		return -(v.least + v.most) / 2
	}
	return v.b
}
