// Package vec implements the passes over all points that dominate the time of the kernel SVM optimisers.
// Each pass is fused, so that it reads and writes the responses once. Responses are float64 and kernel
// rows float32. Row elements are converted to float64 before use.
//
// The results have the same bits on every machine and on both paths: AVX2 (amd64) and portable (all
// other CPUs, and all CPUs with -tags purego). No multiplication is fused with an addition. Sums are
// accumulated in eight lanes, where lane l adds the elements j = l mod 8 in increasing j, and the lanes
// are added as
//
//	((l0+l4) + (l2+l6)) + ((l1+l5) + (l3+l7)).
//
// Every function costs O(n), does not allocate, and accepts slices of any alignment, including empty
// ones. Corresponding slices must have the same length, and a sign must be +1 or -1; otherwise the
// function panics. A destination must not overlap another argument unless documented otherwise.
//
// A comparison with a NaN is false, so a NaN is never below a level and never an extreme. A result
// computed from a NaN is a NaN with an unspecified payload.
//
// Masks hold -1 for the points to include and 0 for the others.
package vec

const (
	badLength = "vec: lengths differ"
	badSign   = "vec: sign is neither +1 nor -1"
	shortDst  = "vec: destination too short"
)

// lanes are the eight partial sums of a reduction.
type lanes [8]float64

// sum adds the lanes in the fixed order.
func (s *lanes) sum() float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

func checkSign(sign float64) {
	if sign != 1 && sign != -1 {
		panic(badSign)
	}
}
