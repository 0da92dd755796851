package claims

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"stochopt/results/record"
)

// shapeRounding is what rounding is granted in the values of psi.
const shapeRounding = 1e-12

func psiAboveZeroOne(r *record.Run) (at []int, value, limit []float64, err error) {
	return psiWorst(r, func(z, psi float64) (float64, float64) {
		if z <= 0 {
			return 1, psi
		}
		return 0, psi
	})
}

func psiBelowHinge(r *record.Run) (at []int, value, limit []float64, err error) {
	return psiWorst(r, func(z, psi float64) (float64, float64) { return psi, max(0, 1-z) })
}

func psiBounded(r *record.Run) (at []int, value, limit []float64, err error) {
	return psiWorst(r, func(_, psi float64) (float64, float64) { return psi, 1.25 })
}

// psiWorst returns the two sides of an inequality where the left one exceeds the
// right one by most.
func psiWorst(r *record.Run, sides func(z, psi float64) (left, right float64)) (at []int, value, limit []float64, err error) {
	z, psi, err := psiOf(r)
	if err != nil {
		return nil, nil, nil, err
	}
	var left, right float64
	for i := range z {
		if l, u := sides(z[i], psi[i]); i == 0 || l-u > left-right {
			left, right = l, u
		}
	}
	return []int{0}, []float64{left}, []float64{right + shapeRounding}, nil
}

// psiSmooth returns the greatest second difference, divided by the square of the
// distance h. A differentiable function whose derivative is 4-Lipschitz has none
// above 4.
func psiSmooth(r *record.Run) (at []int, value, limit []float64, err error) {
	z, psi, err := psiOf(r)
	if err != nil {
		return nil, nil, nil, err
	}
	steepest, rounding, err := secondDifference(z, psi)
	if err != nil {
		return nil, nil, nil, err
	}
	return []int{0}, []float64{steepest}, []float64{4 + rounding}, nil
}

// secondDifference returns the greatest second difference of a function at equal
// distances, divided by their square, and what rounding makes of that.
func secondDifference(z, value []float64) (steepest, rounding float64, err error) {
	for i := 1; i+1 < len(z); i++ {
		h, g := z[i]-z[i-1], z[i+1]-z[i]
		if !(h > 0) || math.Abs(h-g) > 1e-9*h {
			return 0, 0, errors.New("the points are not at equal distances")
		}
		steepest = max(steepest, math.Abs(value[i+1]-2*value[i]+value[i-1])/(h*h))
		rounding = max(rounding, 8*shapeRounding/(h*h))
	}
	return steepest, rounding, nil
}

func psiOf(r *record.Run) (z, psi []float64, err error) {
	if r.Algorithm != "psi" {
		return nil, nil, fmt.Errorf("the bound is on psi, the run of %s", r.Algorithm)
	}
	z, psi = r.Curve.Vectors["z"], r.Curve.Vectors["value"]
	if len(z) < 3 || len(z) != len(psi) {
		return nil, nil, errors.New("no values of psi at three points or more")
	}
	return z, psi, nil
}

// basins returns the heights of the points of each class, b being 0 without a bias,
// the water level, and the volume of the water.
func basins(r *record.Run) (positive, negative []float64, level, volume float64, err error) {
	level, okLevel := r.Facts["water_gamma"]
	volume, okVolume := r.Facts["water_volume"]
	positive, negative = slices.Clone(r.Curve.Vectors["responses_positive"]), slices.Clone(r.Curve.Vectors["responses_negative"])
	if !okLevel || !okVolume || len(positive)+len(negative) == 0 {
		return nil, nil, 0, 0, errors.New("no responses, or no water level: set record: {vectors: true}")
	}
	b := r.Facts["water_bias"]
	for i := range positive {
		positive[i] += b
	}
	for i := range negative {
		negative[i] -= b
	}
	return positive, negative, level, volume, nil
}

func waterVolume(r *record.Run) (at []int, value, limit []float64, err error) {
	positive, negative, level, volume, err := basins(r)
	if err != nil {
		return nil, nil, nil, err
	}
	var poured float64
	for _, c := range slices.Concat(positive, negative) {
		poured += max(0, level-c)
	}
	return lastOf(r), []float64{math.Abs(poured - volume)}, []float64{1e-9 * volume}, nil
}

func waterEqualBasins(r *record.Run) (at []int, value, limit []float64, err error) {
	positive, negative, level, _, err := basins(r)
	if err != nil {
		return nil, nil, nil, err
	}
	if _, ok := r.Facts["water_bias"]; !ok {
		return nil, nil, nil, errors.New("the problem has no bias")
	}
	const surface = 1e-9
	below := func(c []float64, h float64) (n int) {
		for _, v := range c {
			if v < h {
				n++
			}
		}
		return n
	}
	under := max(below(positive, level-surface), below(negative, level-surface))
	upTo := min(below(positive, level+surface), below(negative, level+surface))
	return lastOf(r), []float64{float64(under)}, []float64{float64(upTo)}, nil
}

// lastOf is the index of the last point, which vectors belong to.
func lastOf(r *record.Run) []int { return []int{max(r.Curve.Len()-1, 0)} }
