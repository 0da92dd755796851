package exp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// ulps returns |got - want| in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	f, _ := want.Float64()
	ulp := math.Nextafter(f, math.Inf(1)) - f
	diff := new(big.Float).Sub(new(big.Float).SetPrec(256).SetFloat64(got), want)
	diff.Quo(diff, new(big.Float).SetFloat64(ulp))
	v, _ := diff.Float64()
	return math.Abs(v)
}

func TestExp(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	xs := []float64{0, 1, -1, 1e-300, -1e-300, 1e-17, -1e-17, 0.34657359, -0.34657360, 709.7, 709.782712893384, -708, -708.4, -709, -740, -745.13}
	for range 3000 {
		xs = append(xs, 1454*rng.Float64()-745, rng.NormFloat64(), 50*rng.NormFloat64())
	}
	var worst float64
	for _, x := range xs {
		e := ulps(Exp(x), bigExp(-x))
		// Subnormal results are rounded twice.
		if limit := 1.0; !(e <= limit) {
			t.Errorf("exp(%v) = %v is off by %.3g ulp", x, Exp(x), e)
		}
		worst = max(worst, e)
	}
	t.Logf("worst error: %.3f ulp", worst)
	for _, test := range []struct{ x, want float64 }{
		{0, 1}, {math.Inf(1), math.Inf(1)}, {math.Inf(-1), 0}, {710, math.Inf(1)}, {-746, 0}, {1e308, math.Inf(1)}, {-1e308, 0},
	} {
		if got := Exp(test.x); got != test.want {
			t.Errorf("exp(%v) = %v, want %v", test.x, got, test.want)
		}
	}
	if !math.IsNaN(Exp(math.NaN())) {
		t.Error("exp(NaN) is not NaN")
	}
}
