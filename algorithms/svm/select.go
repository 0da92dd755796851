package svm

// selectNth reorders x so that x[k] is the element that sorting would put
// there, none before it is larger and none after it is smaller. It takes O(n)
// expected operations; its pivots are a fixed function of the positions, so
// equal inputs give equal orders. There must be no NaN.
func selectNth(x []float64, k int) {
	for len(x) > 1 {
		less, greater := partition(x, pivot(x))
		switch {
		case k < less:
			x = x[:less]
		case k < greater:
			return
		default:
			x = x[greater:]
			k -= greater
		}
	}
}

// partition reorders x into what is less than p, equal to it and greater, and
// returns where the second and the third part begin.
func partition(x []float64, p float64) (less, greater int) {
	less, greater = 0, len(x)
	for i := 0; i < greater; {
		switch v := x[i]; {
		case v < p:
			x[i] = x[less]
			x[less] = v
			less++
			i++
		case v > p:
			greater--
			x[i] = x[greater]
			x[greater] = v
		default:
			i++
		}
	}
	return less, greater
}

// pivot returns the median of three elements of x, each of them the median of
// three if x is long.
func pivot(x []float64) float64 {
	n := len(x)
	if n < 40 {
		return median(x[0], x[n/2], x[n-1])
	}
	s := n / 8
	return median(
		median(x[0], x[s], x[2*s]),
		median(x[n/2-s], x[n/2], x[n/2+s]),
		median(x[n-1-2*s], x[n-1-s], x[n-1]))
}

func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
