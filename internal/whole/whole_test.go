package whole

import (
	"math"
	"testing"
	"time"
)

func TestOf(t *testing.T) {
	for _, test := range []struct {
		x    float64
		want int64
		ok   bool
	}{
		{0, 0, true}, {math.Copysign(0, -1), 0, true}, {-7, -7, true}, {1 << 31, 1 << 31, true},
		{Most, Most, true}, {-Most, -Most, true}, {Most + 1, 0, false}, {-Most - 1, 0, false},
		{1 << 63, 0, false}, {1e300, 0, false}, {-1e300, 0, false}, {5e-324, 0, false}, {0.5, 0, false},
		{math.Inf(1), 0, false}, {math.Inf(-1), 0, false}, {math.NaN(), 0, false},
	} {
		if n, ok := Of(test.x); n != test.want || ok != test.ok {
			t.Errorf("Of(%v) = %d, %t, want %d, %t", test.x, n, ok, test.want, test.ok)
		}
	}
}

func TestWithin(t *testing.T) {
	for x, want := range map[float64]int{5.9: 5, -0.5: 0, -5.9: -5, 1e300: 10, 10.5: 10, math.Inf(1): 10, math.Inf(-1): -10, math.NaN(): -10} {
		if n := Within(x, -10, 10); n != want {
			t.Errorf("Within(%v) = %d, want %d", x, n, want)
		}
	}
	for x, want := range map[float64]int{1e300: math.MaxInt64, -1e300: math.MinInt64, 1 << 63: math.MaxInt64, 1 << 62: 1 << 62} {
		if n := Within(x, math.MinInt64, math.MaxInt64); n != want {
			t.Errorf("Within(%v) = %d, want %d", x, n, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]time.Duration{1.5: 1500 * time.Millisecond, 1e300: math.MaxInt64, -1: 0, math.NaN(): 0} {
		if d := Seconds(s); d != want {
			t.Errorf("Seconds(%v) = %v, want %v", s, d, want)
		}
	}
}
