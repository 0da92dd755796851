package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Costs holds the costs of a method to reach targets, by problem, repeat and target: +Inf for a target
// that a repeat did not reach, nil for a repeat without a run. All problems, and all methods that are
// compared, have the same numbers of repeats and targets.
type Costs [][][]float64

// Profile is a step function: it is 0 below X[0], and Shares[i] from X[i] on. X increases.
type Profile struct {
	X      []float64
	Shares []Interval
}

const (
	// The level of the intervals of profiles, and the number of their resamples.
	profileLevel = 0.95
	profileDraws = 1000
	profileSeed  = 20020102
	// maxSteps bounds the steps of a profile.
	maxSteps = 256
)

// RuntimeProfile returns the share of problems, repeats and targets that were reached at a given cost or
// less: the distribution function of Hansen et al. 2016, without their simulated restarts. Its steps
// are at the costs, or at maxSteps of them. Intervals are percentiles over resampled repeats, each with
// all its problems and targets.
func (c Costs) RuntimeProfile() Profile {
	return resampleProfiles(len(c[0]), func(times []int) [][]float64 {
		var costs []float64
		for _, problem := range c {
			for k, n := range times {
				for range n {
					costs = append(costs, problem[k]...)
				}
			}
		}
		return [][]float64{costs}
	})[0]
}

// PerformanceProfiles returns, for each method, the share of problems and targets that it reaches at a
// given multiple of the least cost of any method, or less (Dolan & Moré 2002). The cost of a method is
// the median over repeats. Problems that no method solves count in the denominator. Intervals are as in
// RuntimeProfile, with the same resampled repeats for all methods.
func PerformanceProfiles(methods []Costs) []Profile {
	cells := make([][][]repeatCost, len(methods)) // by problem and target
	for m, c := range methods {
		for _, problem := range c {
			cells[m] = append(cells[m], sortedCosts(problem)...)
		}
	}
	return resampleProfiles(len(methods[0][0]), func(times []int) [][]float64 {
		ratios := make([][]float64, len(methods))
		for i := range cells[0] {
			least := math.Inf(1)
			for m := range cells {
				ratios[m] = append(ratios[m], medianOf(cells[m][i], times))
				least = min(least, ratios[m][i])
			}
			for m := range cells {
				if ratios[m][i] /= least; math.IsInf(least, 1) {
					ratios[m][i] = least
				}
			}
		}
		return ratios
	})
}

// resampleProfiles returns the profiles of several methods. values returns the values of each method, given
// how often each repeat is drawn. All profiles have the same steps, because a resample may have steps
// between those of a method.
func resampleProfiles(repeats int, values func(times []int) [][]float64) []Profile {
	observed := values(slices.Repeat([]int{1}, repeats))
	x := steps(slices.Concat(observed...))
	drawn := make([][][]float64, len(observed)) // by method, step and draw
	rng := rand.New(rand.NewPCG(profileSeed, 0))
	for range profileDraws {
		times := make([]int, repeats)
		for range repeats {
			times[rng.IntN(repeats)]++
		}
		for m, v := range values(times) {
			if drawn[m] == nil {
				drawn[m] = make([][]float64, len(x))
			}
			for i, s := range sharesOf(v, x) {
				drawn[m][i] = append(drawn[m][i], s)
			}
		}
	}
	profiles := make([]Profile, len(observed))
	for m := range profiles {
		profiles[m].X = x
		for i, s := range sharesOf(observed[m], x) {
			lo, hi := percentiles(drawn[m][i], 1-profileLevel)
			profiles[m].Shares = append(profiles[m].Shares, Interval{s, lo, hi})
		}
	}
	return profiles
}

// steps returns the distinct finite values, or maxSteps of them, evenly by rank with the first and the last.
func steps(values []float64) (x []float64) {
	values = slices.DeleteFunc(values, func(v float64) bool { return math.IsInf(v, 1) })
	slices.Sort(values)
	values = slices.Compact(values)
	n := min(len(values), maxSteps)
	for i := range n {
		x = append(x, values[i*(len(values)-1)/max(n-1, 1)])
	}
	return x
}

// sharesOf returns the share of values that are at most each of x.
func sharesOf(values, x []float64) []float64 {
	shares := make([]float64, len(x)+1)
	for _, v := range values {
		i, _ := slices.BinarySearch(x, v)
		shares[i]++
	}
	for i := range x {
		shares[i+1] += shares[i]
		shares[i] /= float64(max(len(values), 1))
	}
	return shares[:len(x)]
}

// repeatCost is the cost of a repeat.
type repeatCost struct {
	cost   float64
	repeat int
}

// sortedCosts returns the costs of each target in increasing order.
func sortedCosts(problem [][]float64) (cells [][]repeatCost) {
	for k, costs := range problem {
		for i, v := range costs {
			if i == len(cells) {
				cells = append(cells, nil)
			}
			cells[i] = append(cells[i], repeatCost{v, k})
		}
	}
	for _, c := range cells {
		slices.SortStableFunc(c, func(a, b repeatCost) int { return cmp.Compare(a.cost, b.cost) })
	}
	return cells
}

// medianOf returns the median of sorted costs, each counted as often as its repeat is drawn; +Inf without any.
func medianOf(costs []repeatCost, times []int) float64 {
	all := 0
	for _, c := range costs {
		all += times[c.repeat]
	}
	at := func(rank int) float64 {
		for _, c := range costs {
			if rank -= times[c.repeat]; rank < 0 {
				return c.cost
			}
		}
		return math.Inf(1)
	}
	return Median([]float64{at((all - 1) / 2), at(all / 2)})
}
