package svm

import (
	"math"
	"slices"
)

// WaterLevel returns the level gamma to which a volume of water rises in a
// basin with a floor of heights c, one unit wide each,
//
//	sum_i max(0, gamma - c_i) = volume,
//
// the largest minimum of c + xi over xi >= 0 with 1'xi <= volume. Without water
// it is the least of the c_i. The result under is the number of points that
// the minimax distribution p* is uniform on: those with c_i < gamma, or, if
// there is no such point, those with c_i equal to the least.
//
// It takes O(n) expected operations and does not change c. It panics if c is
// empty or the volume negative or NaN; a NaN in c makes gamma NaN.
//
// Source: Cotter 2013, section 2.3.2 and Alg. "water", which never puts the
// highest point under water and need not end: see TestErratumWater.
func WaterLevel(c []float64, volume float64) (gamma float64, under int) {
	checkWater(len(c), volume)
	gamma = waterLevel(slices.Clone(c), volume)
	low, _ := least(c)
	return gamma, max(countBelow(c, gamma), countEqual(c, low, gamma))
}

// waterLevel is WaterLevel without the count, in place.
func waterLevel(c []float64, volume float64) float64 {
	low, ok := least(c)
	if !ok {
		return math.NaN()
	}
	for i := range c {
		c[i] -= low
	}
	return low + fill(c, volume)
}

const badWater = "svm: no floor, or a volume of water that is not a number >= 0"

func checkWater(n int, volume float64) {
	if n == 0 || !(volume >= 0) {
		panic(badWater)
	}
}

// fill returns the water level above the least element of x, which must be 0.
// It reorders x.
func fill(x []float64, volume float64) float64 {
	var count int
	var sum float64
	for len(x) > 0 {
		p := pivot(x)
		less, greater := partition(x, p)
		var s float64
		for _, v := range x[:less] {
			s += v
		}
		if float64(p*float64(count+less))-(sum+s) >= volume {
			x = x[:less]
			continue
		}
		count += greater
		sum += s + float64(p*float64(greater-less))
		x = x[greater:]
	}
	if count == 0 {
		return 0
	}
	return (volume + sum) / float64(count)
}

// least returns the least element of c, and whether no element is NaN.
func least(c []float64) (low float64, ok bool) {
	low, ok = math.Inf(1), true
	for _, v := range c {
		if math.IsNaN(v) {
			ok = false
		}
		low = min(low, v)
	}
	return low, ok
}

func countBelow(c []float64, t float64) (count int) {
	for _, v := range c {
		if v < t {
			count++
		}
	}
	return count
}

// countEqual returns the number of elements equal to low if the level is not
// above it.
func countEqual(c []float64, low, level float64) (count int) {
	if level > low {
		return 0
	}
	for _, v := range c {
		if v == low {
			count++
		}
	}
	return count
}
