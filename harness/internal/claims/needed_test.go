package claims

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/results/analysis"

	"gonum.org/v1/gonum/stat"
)

// With the number that is told an interval is on one side of the end in about four of five
// experiments, and with a quarter of it in far fewer.
func TestReplicatesToDecide(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	const shift = 0.4
	e := Estimate{Value: shift, N: 10, Level: confidence}
	half := analysis.Student(9).Quantile(0.975) / math.Sqrt(10)
	e.Lo, e.Hi = shift-half, shift+half
	n := replicatesToDecide(e, atLeast(0))
	decided := func(n int) (share float64) {
		const tries = 2000
		for range tries {
			v := make([]float64, n)
			for i := range v {
				v[i] = shift + rng.NormFloat64()
			}
			mean, sd := stat.MeanStdDev(v, nil)
			if mean-analysis.Student(float64(n-1)).Quantile(0.975)*sd/math.Sqrt(float64(n)) > 0 {
				share += 1.0 / tries
			}
		}
		return share
	}
	if at, before := decided(n), decided(n/4); math.Abs(at-analysis.WantedPower) > 0.04 || before > 0.4 {
		t.Errorf("%d repeats decide in %v, a quarter of them in %v", n, at, before)
	}
	for _, test := range []struct {
		value, lo, hi float64
		w             Between
		want          int
	}{
		{1, 0.5, 1.5, atMost(1), 0},       // no number would
		{1.00001, 0.5, 1.5, atMost(1), 0}, // nor one worth telling
		{1, 0.5, 1.5, atMost(0.4), 0},     // it is decided
		{1, 0.5, 1.5, atMost(1.49), 18},
		{1, 0.5, 1.5, between([]*float64{new(0.9), new(1.4)}), 0}, // below
	} {
		got := replicatesToDecide(Estimate{Value: test.value, Lo: test.lo, Hi: test.hi, N: 10}, test.w)
		if least, _ := test.w.Ends(); least == 0.9 {
			nearer := replicatesToDecide(Estimate{Value: test.value, Lo: test.lo, Hi: test.hi, N: 10}, atLeast(0.9))
			if got != nearer || nearer < 100 {
				t.Errorf("two ends: %d, the nearer one alone %d", got, nearer)
			}
		} else if got != test.want {
			t.Errorf("%+v: %d, want %d", test, got, test.want)
		}
	}
}
