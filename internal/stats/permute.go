package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// exactUpTo is the number of values up to which all sign flips, or all ways to
	// deal out the labels, are counted.
	exactUpTo = 30
	// flips is the number of random ones beyond that.
	flips = 20000
)

// signFlip returns the two-sided p-value of the hypothesis that the differences d
// are symmetric about 0: the share of all assignments of signs with which the sum
// is at least as far from 0. It is exact up to 30 differences; beyond, that of
// 20,000 random assignments and the one observed, (b+1)/(m+1) (Phipson & Smyth
// 2010).
func signFlip(d []float64, rng *rand.Rand) float64 {
	var sum, size float64
	for _, v := range d {
		sum += v
		size += math.Abs(v)
	}
	limit := math.Abs(sum) - slack(size, len(d))
	if limit <= 0 {
		return 1
	}
	if len(d) <= exactUpTo {
		half := len(d) / 2
		n := pairsAtLeast(signedSums(d[:half]), signedSums(d[half:]), limit)
		return min(2*n/math.Exp2(float64(len(d))), 1)
	}
	b := 0
	for range flips {
		var s float64
		var bits uint64
		for i, v := range d {
			if i%64 == 0 {
				bits = rng.Uint64()
			}
			if bits&1 != 0 {
				v = -v
			}
			bits >>= 1
			s += v
		}
		if math.Abs(s) >= limit {
			b++
		}
	}
	return float64(b+1) / float64(flips+1)
}

// permuteLabels returns the two-sided p-value of the hypothesis that a and b are
// drawn alike: the share of all ways to deal out the labels with which the
// difference of means is at least as far from 0. It is exact up to 30 values in
// all, and as signFlip beyond.
func permuteLabels(a, b []float64, rng *rand.Rand) float64 {
	pool := slices.Concat(a, b)
	var mean, sum, size float64
	for _, v := range pool {
		mean += v / float64(len(pool))
	}
	for i := range pool {
		pool[i] -= mean
		size += math.Abs(pool[i])
	}
	for _, v := range pool[:len(a)] {
		sum += v
	}
	limit := math.Abs(sum) - slack(size, len(pool))
	if limit <= 0 {
		return 1
	}
	if len(pool) <= exactUpTo {
		return dealt(pool, len(a), limit)
	}
	hits := 0
	for range flips {
		var s float64
		for i := range a {
			j := i + rng.IntN(len(pool)-i)
			pool[i], pool[j] = pool[j], pool[i]
			s += pool[i]
		}
		if math.Abs(s) >= limit {
			hits++
		}
	}
	return float64(hits+1) / float64(flips+1)
}

// dealt is the share of the subsets of k values whose sum is at least limit away from 0.
func dealt(pool []float64, k int, limit float64) float64 {
	half := len(pool) / 2
	left, right := subsetSums(pool[:half]), subsetSums(pool[half:])
	var hits, all float64
	for i, l := range left {
		j := k - i
		if j < 0 || j >= len(right) {
			continue
		}
		all += float64(len(l)) * float64(len(right[j]))
		hits += pairsAtLeast(l, right[j], limit)
		hits += pairsAtLeast(negated(l), negated(right[j]), limit)
	}
	return min(hits/all, 1)
}

// slack is what rounding may make of a tie.
func slack(size float64, n int) float64 { return 1e-11*size + 1e-13*float64(n) }

// signedSums returns the sums with all assignments of signs, sorted.
func signedSums(d []float64) []float64 {
	sums := []float64{0}
	for _, v := range d {
		v = math.Abs(v)
		sums = merged(sums, -v, sums, v)
	}
	return sums
}

// subsetSums returns the sums of all subsets, by size, each sorted.
func subsetSums(v []float64) [][]float64 {
	sums := make([][]float64, len(v)+1)
	sums[0] = []float64{0}
	for n, x := range v {
		for size := n + 1; size > 0; size-- {
			sums[size] = merged(sums[size], 0, sums[size-1], x)
		}
	}
	return sums
}

// merged returns the elements of a, plus x, and of b, plus y, sorted, as a and b are.
func merged(a []float64, x float64, b []float64, y float64) []float64 {
	out := make([]float64, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0]+x <= b[0]+y {
			out = append(out, a[0]+x)
			a = a[1:]
		} else {
			out = append(out, b[0]+y)
			b = b[1:]
		}
	}
	return out
}

// negated returns -v, which is sorted if v is.
func negated(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[len(v)-1-i] = -x
	}
	return out
}

// pairsAtLeast counts the pairs of an element of a and one of b, both sorted, with a sum of at least limit.
func pairsAtLeast(a, b []float64, limit float64) float64 {
	n, j := 0, len(b)
	for _, x := range a {
		for j > 0 && x+b[j-1] >= limit {
			j--
		}
		n += len(b) - j
	}
	return float64(n)
}

// signedRanks returns the ranks of the absolute differences, ties sharing theirs,
// with the signs of the differences; 0 for those that are 0, which have no rank
// (Wilcoxon 1945). Infinite differences are the largest.
func signedRanks(d []float64) []float64 {
	var size []float64
	for _, v := range d {
		if v != 0 {
			size = append(size, math.Abs(v))
		}
	}
	ranks := midRanks(size)
	out := make([]float64, len(d))
	for i, n := 0, 0; i < len(d); i++ {
		if d[i] != 0 {
			out[i] = math.Copysign(ranks[n], d[i])
			n++
		}
	}
	return out
}

// midRanks returns the ranks of values, from 1; ties, to rounding, share theirs.
func midRanks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	out := make([]float64, len(v))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && (v[order[hi]] == v[order[lo]] || v[order[hi]]-v[order[lo]] < rounding) {
			hi++
		}
		for _, i := range order[lo:hi] {
			out[i] = float64(lo+1+hi) / 2
		}
		lo = hi
	}
	return out
}

// rounding is the difference of logarithms that counts as none.
const rounding = 1e-12
