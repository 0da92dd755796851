// Package ordered computes sums of products over dense matrices in a specified order of summation.
//
// There are implementations in AVX-512 and AVX2 assembly on amd64, and a portable one for other CPUs and
// -tags purego. All give the same bits: each element is summed separately in the documented order, and
// multiplications are not fused with additions.
//
// The functions panic if the lengths of slices do not match.
package ordered

const badLength = "ordered: lengths do not match"

// AddRows adds multiples of the rows of a matrix to dst, in order:
//
//	dst[j] += (alpha x[i]) a[i*stride+j] for i = 0, 1, ...
//
// Rows have the length of dst and start stride elements apart.
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

// partialSums is the number of partial sums of an inner product in Dots.
const partialSums = 8

// Dots sets dst[i] to the inner product of x and row i of a matrix. Rows have the length of x and start
// stride elements apart. Element j is added to partial sum j mod partialSums. The result is
//
//	((p0 + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7)).
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
	var p [partialSums]float64
	for ; len(x) >= partialSums; x, y = x[partialSums:], y[partialSums:] {
		y := y[:partialSums]
		for j, v := range x[:partialSums] {
			p[j] += float64(v * y[j])
		}
	}
	for j, v := range x {
		p[j] += float64(v * y[j])
	}
	return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]))
}
