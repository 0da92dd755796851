package finite

import (
	"math"
	"testing"
)

func TestIs(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -math.MaxFloat64, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		if !Is(x) {
			t.Errorf("%v is finite", x)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if Is(x) {
			t.Errorf("%v is not finite", x)
		}
	}
	if x := 1 + 0x1p-10; !Is(x * math.Pi) { // a rounded product, which could be fused
		t.Errorf("%v times pi is finite", x)
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	for n := range 10 {
		x := make([]float64, n)
		for i := range x {
			x[i] = -math.MaxFloat64
		}
		if got := Index(x); got != -1 {
			t.Errorf("%v: got %d", x, got)
		}
		for i := range x {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				y := append(append([]float64{}, x[:i]...), bad)
				y = append(y, x[i+1:]...)
				if n > 0 {
					y[n-1] = bad
				}
				if got := Index(y); got != i {
					t.Errorf("%v: got %d, want %d", y, got, i)
				}
			}
		}
	}
}
