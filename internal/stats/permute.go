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
	// A sum with signs is twice that of the positive ones, less that of all.
	limit := (math.Abs(sum) - slack(size, len(d))) / 2
	return farSubsets(d, -1, sum/2, limit, func() (s float64) {
		var bits uint64
		for i, v := range d {
			if i%64 == 0 {
				bits = rng.Uint64()
			}
			if bits&1 == 0 {
				s += v
			}
			bits >>= 1
		}
		return s
	})
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
	return farSubsets(pool, len(a), 0, math.Abs(sum)-slack(size, len(pool)), func() (s float64) {
		for i := range a {
			j := i + rng.IntN(len(pool)-i)
			pool[i], pool[j] = pool[j], pool[i]
			s += pool[i]
		}
		return s
	})
}

// farSubsets is the share of the subsets of values whose sum is at least limit away from a centre:
// of those of k values, or of all if k is negative. Where there are too many, random draws the sums.
func farSubsets(v []float64, k int, centre, limit float64, random func() float64) float64 {
	switch {
	case limit <= 0:
		return 1
	case len(v) <= exactUpTo:
		return countSubsets(v, k, centre, limit)
	}
	hits := 0
	for range flips {
		if math.Abs(random()-centre) >= limit {
			hits++
		}
	}
	return float64(hits+1) / float64(flips+1)
}

func countSubsets(v []float64, k int, centre, limit float64) float64 {
	half := len(v) / 2
	left, right := subsetSums(v[:half]), subsetSums(v[half:])
	below := math.Nextafter(centre-limit, math.Inf(1))
	var hits, all float64
	for i, l := range left {
		for j, r := range right {
			if k < 0 || i+j == k {
				pairs := float64(len(l)) * float64(len(r))
				all += pairs
				hits += pairsAtLeast(l, r, centre+limit) + pairs - pairsAtLeast(l, r, below)
			}
		}
	}
	return min(hits/all, 1)
}

// slack is what rounding may make of a tie.
func slack(size float64, n int) float64 { return 1e-11*size + 1e-13*float64(n) }

// subsetSums returns the sums of all subsets, by size, each sorted.
func subsetSums(v []float64) [][]float64 {
	sums := make([][]float64, len(v)+1)
	sums[0] = []float64{0}
	for n, x := range v {
		for size := n + 1; size > 0; size-- {
			for _, s := range sums[size-1] {
				sums[size] = append(sums[size], s+x)
			}
		}
	}
	for _, s := range sums {
		slices.Sort(s)
	}
	return sums
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
