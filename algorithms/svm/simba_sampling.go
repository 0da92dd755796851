package svm

import "math/rand/v2"

// columns holds the training points, multiplied by their labels, as sparse columns.
type columns struct {
	start  []int
	index  []int32
	values []float64
}

// newColumns returns the nonzero y_i x_ij / r of the training points.
func newColumns(p LinearProblem, r float64) columns {
	n, d := p.Features.Train(), p.Features.Dim()
	x := make([]float64, d)
	c := columns{start: make([]int, d+1)}
	visit := func(visit func(i, j int, v float64)) {
		for i := range n {
			p.Features.AddTo(x, p.Label(i)/r, i)
			for j, v := range x {
				if v != 0 {
					visit(i, j, v)
					x[j] = 0
				}
			}
		}
	}
	visit(func(_, j int, _ float64) { c.start[j+1]++ })
	for j := range d {
		c.start[j+1] += c.start[j]
	}
	c.index = make([]int32, c.start[d])
	c.values = make([]float64, c.start[d])
	next := append([]int(nil), c.start[:d]...)
	visit(func(i, j int, v float64) {
		c.index[next[j]], c.values[next[j]] = int32(i), v
		next[j]++
	})
	return c
}

// addTo adds a times feature j of every point to dst.
func (c columns) addTo(dst []float64, a float64, j int) {
	for k := c.start[j]; k < c.start[j+1]; k++ {
		dst[c.index[k]] += float64(a * c.values[k])
	}
}

// drawWeighted draws i with probability proportional to weight[i] > 0.
func drawWeighted(rng *rand.Rand, weight []float64) int {
	total := 0.0
	for _, q := range weight {
		total += q
	}
	left := rng.Float64() * total
	for i, q := range weight {
		if left -= q; left < 0 {
			return i
		}
	}
	return len(weight) - 1
}

// drawSquared draws j with probability w_j^2/normSq, for normSq = |w|^2 > 0. It never returns a j with
// w_j = 0.
func drawSquared(rng *rand.Rand, w []float64, normSq float64) int {
	left := rng.Float64() * normSq
	last := 0
	for j, v := range w {
		if v == 0 {
			continue
		}
		last = j
		if left -= v * v; left < 0 {
			break
		}
	}
	return last
}

// mostProbable distributes the budget over the entries of slack with the greatest weights, at most 2 for
// each. Ties go to the lower index. slack must be zero, and scratch as long as weight.
func mostProbable(slack, weight, scratch []float64, budget float64) {
	full := int(min(budget/2, float64(len(weight))))
	rest := budget - 2*float64(full)
	if full == len(weight) {
		for i := range slack {
			slack[i] = 2
		}
		return
	}
	copy(scratch, weight)
	at := len(scratch) - 1 - full
	selectNth(scratch, at)
	threshold := scratch[at]
	above := 0
	for _, q := range weight {
		if q > threshold {
			above++
		}
	}
	ties := full - above
	for i, q := range weight {
		switch {
		case q > threshold:
			slack[i] = 2
		case q < threshold:
		case ties > 0:
			slack[i] = 2
			ties--
		case ties == 0:
			slack[i] = rest
			ties--
		}
	}
}

// selectNth reorders x, which must not contain NaN, by Hoare's quickselect. Afterwards x[k] is as in
// sorted order, no element before it is larger, and no element after it is smaller.
func selectNth(x []float64, k int) {
	for low, high := 0, len(x)-1; low < high; {
		pivot := x[(low+high)/2]
		i, j := low, high
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		if k <= j {
			high = j
		} else if k >= i {
			low = i
		} else {
			return
		}
	}
}
