package kernel

import (
	"math"
	"slices"
)

// sparseEntry is the size of an entry of the sparse layout in bytes: a 32-bit point and a 64-bit value.
const sparseEntry = 12

// chooseLayout returns a layout of the points that suits their values:
//
//   - bits, if all nonzero values are equal and bit sets take no more memory than the
//     sparse layout;
//   - bytes, if all values are multiples by 0, …, 255 of one unit, there are at most
//     32768 features, and bytes take no more memory than the sparse layout;
//   - sparse otherwise.
//
// Features that are zero in all points are ignored.
func chooseLayout(r *rows) layout {
	c, values := newColumns(r), distinctValues(r)
	used, n, sparse := len(c.feature), float64(len(r.number)), 0.0
	for _, count := range c.count {
		sparse += sparseEntry * float64(count)
	}
	if len(values) == 1 && n*8*float64((used+63)/64) <= sparse {
		return newBitLayout(r, c, values[0])
	}
	unit := commonUnit(values)
	if unit > 0 && used <= byteColumns && n*float64(roundUp(used, byteAlign)) <= sparse {
		return newByteLayout(r, c, unit)
	}
	return newSparseLayout(r, c)
}

// GreyBytes returns a bound on the bytes per point that NewPoints needs for many points with values
// among levels. ok is false if there is no bound: if the levels are not multiples by 0, …, 255 of one
// unit, or if there are too many features.
func GreyBytes(levels []float64, features int) (bytes int, ok bool) {
	values := slices.DeleteFunc(slices.Clone(levels), func(v float64) bool { return v == 0 })
	slices.Sort(values)
	if commonUnit(slices.Compact(values)) == 0 || features > byteColumns {
		return 0, false
	}
	return roundUp(features, byteAlign), true
}

// distinctValues returns the distinct nonzero values of the points in ascending order, or nil if there
// are more than 255.
func distinctValues(r *rows) []float64 {
	var values []float64
	for i := range r.number {
		_, entries := r.entries(i)
		for _, x := range entries {
			if k, found := slices.BinarySearch(values, x); !found {
				if values = slices.Insert(values, k, x); len(values) > 255 {
					return nil
				}
			}
		}
	}
	return values
}

// commonUnit returns the largest u such that all values, which must be in ascending order, are k u for
// integers 1 <= k <= 255, up to a few roundings. It returns 0 if no u exists.
func commonUnit(values []float64) float64 {
	if len(values) == 0 || values[0] <= 0 {
		return 0
	}
	largest := values[len(values)-1]
	for k := 1; k <= 255; k++ {
		u := largest / float64(k)
		if u*u == 0 || math.IsInf(u*u, 0) || values[0] < u/2 {
			continue
		}
		if !slices.ContainsFunc(values, func(v float64) bool { return multiple(v, u) == 0 }) {
			return u
		}
	}
	return 0
}

// multiple returns the integer k >= 1 with v = k u up to a few roundings, or 0 if v is not a multiple.
func multiple(v, u float64) int {
	q := v / u
	k := math.Round(q)
	if !(math.Abs(q-k) <= 0x1p-50*k) { // or v is NaN
		return 0
	}
	return int(k)
}
