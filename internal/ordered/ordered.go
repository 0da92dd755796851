// Package ordered holds the sums of products over dense matrices that the harness spends its
// time in, for callers whose results depend on the order of the sums.
//
// The results are the same bits on each path, AVX-512 and AVX2 (amd64) and portable (every
// other CPU, and all with -tags purego): each element is summed by itself, in the order
// that its function gives, and no multiplication is fused with an addition.
//
// Slices whose lengths do not match panic.
package ordered

const badLength = "ordered: lengths do not match"

// AddRows adds multiples of the rows of a matrix to dst, the first row first:
// dst[j] += (alpha x[i]) a[i*stride+j] for i = 0, 1, ... A row has the length of dst, and
// begins stride elements after the one before it.
func AddRows(dst []float64, alpha float64, x, a []float64, stride int) {
	if len(x) == 0 || len(dst) == 0 {
		return
	}
	if stride < len(dst) || len(a) < (len(x)-1)*stride+len(dst) {
		panic(badLength)
	}
	if addRowsFast(dst, alpha, x, a, stride) {
		return
	}
	for i, xi := range x {
		s := float64(alpha * xi)
		for j, v := range a[i*stride : i*stride+len(dst)] {
			dst[j] += float64(s * v)
		}
	}
}

// Partial is the number of partial sums of a product in Dots.
const Partial = 8

// Dots sets dst[i] to the inner product of x with row i of a matrix. A row has the length
// of x, and begins stride elements after the one before it. Element j is added to partial
// sum j mod Partial, and the partial sums p are added as
// ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7)).
func Dots(dst, x, a []float64, stride int) {
	if len(dst) == 0 {
		return
	}
	if len(x) == 0 {
		clear(dst)
		return
	}
	if stride < len(x) || len(a) < (len(dst)-1)*stride+len(x) {
		panic(badLength)
	}
	if dotsFast(dst, x, a, stride) {
		return
	}
	for i := range dst {
		dst[i] = dot(x, a[i*stride:i*stride+len(x)])
	}
}

func dot(x, y []float64) float64 {
	var p [Partial]float64
	for ; len(x) >= Partial; x, y = x[Partial:], y[Partial:] {
		y := y[:Partial]
		for j, v := range x[:Partial] {
			p[j] += float64(v * y[j])
		}
	}
	for j, v := range x {
		p[j] += float64(v * y[j])
	}
	return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]))
}
