// Package vec holds the passes over all points that the kernel SVM optimisers
// spend their time in, each fused so that the responses are read and written
// once. Responses are float64, kernel rows float32; a row's element is widened
// exactly before it is used.
//
// The results are the same bits on every machine and on either of two paths,
// AVX2 (amd64) and portable (every other CPU, and all with -tags purego). No
// multiplication is fused with an addition, and a sum is always accumulated in
// eight lanes, lane l holding the elements j = l mod 8 in increasing j, that
// are added at the end as
//
//	((l0+l4) + (l2+l6)) + ((l1+l5) + (l3+l7)).
//
// Every function costs O(n), allocates nothing, and takes slices of any
// alignment. Slices that belong together must have the same length, and a sign
// must be +1 or -1; anything else panics. Empty slices are legal. A
// destination must not overlap another argument unless the function says so.
//
// A comparison with a NaN is false, so a NaN is never below a level and never
// the least or the largest. What a function computes from a NaN is a NaN, of
// unspecified payload.
//
// Masks hold 0 for a point that is left out and -1 for one that takes part.
package vec

const (
	badLength = "vec: lengths differ"
	badSign   = "vec: sign is neither +1 nor -1"
	shortDst  = "vec: destination too short"
)

// lanes are the eight partial sums of a reduction.
type lanes [8]float64

// sum adds up the lanes in the fixed order.
func (s *lanes) sum() float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func checkSign(sign float64) {
	if sign != 1 && sign != -1 {
		panic(badSign)
	}
}
