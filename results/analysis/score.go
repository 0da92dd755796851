package analysis

import (
	"math"

	"stochopt/results/record"
)

// view is all that scoring gets to see of a run: one metric on one split. The
// other splits cannot be reached from it.
type view struct {
	iterations []int64
	values     []float64
}

// look returns the view of a run on a split; ok is false if it is not recorded.
func look(r record.Run, split, metric string) (v view, ok bool) {
	values, ok := r.Curve.Metrics[split][metric]
	if !ok || len(values) == 0 || len(values) != r.Curve.Len() {
		return view{}, false
	}
	return view{r.Curve.Cost["iterations"], values}, true
}

// final is the last recorded value.
func (v view) final() float64 { return v.values[len(v.values)-1] }

// meanOverCurve is the mean over the iterations 1, 2, …, T of the curve that is
// linear between recorded points; that over the recorded points would give the
// early iterations of a logarithmic recording most of the weight. The starting
// point, iteration 0, takes part in the interpolation only. Iterations before
// the first point are not known and are left out.
//
// On a segment of n iterations from a, exclusive, to b, inclusive, the sum is
// n y_a + (y_b - y_a) (n+1) / 2.
func (v view) meanOverCurve() float64 {
	var sum float64
	var count int64
	if v.iterations[0] > 0 || len(v.iterations) == 1 {
		sum, count = v.values[0], 1
	}
	for i := 1; i < len(v.values); i++ {
		n := v.iterations[i] - v.iterations[i-1]
		a, b := v.values[i-1], v.values[i]
		sum += float64(n)*a + (b-a)*float64(n+1)/2
		count += n
	}
	return sum / float64(count)
}

// meanAndError returns the mean and its standard error, which is 0 for fewer
// than two values.
func meanAndError(v []float64) (m, se float64) {
	m = mean(v)
	if len(v) < 2 {
		return m, 0
	}
	var ss float64
	for _, e := range v {
		ss += (e - m) * (e - m)
	}
	n := float64(len(v))
	return m, math.Sqrt(ss / (n - 1) / n)
}
