package kernel

import (
	"math"
	"math/big"
	"testing"
)

// bigExp returns e^-z to about 200 bits by the power series of e^(-z/2^k),
// squared k times.
func bigExp(z float64) *big.Float {
	const precision, halvings = 300, 20
	x := new(big.Float).SetPrec(precision).SetFloat64(-z)
	x.SetMantExp(x, -halvings)
	sum := new(big.Float).SetPrec(precision).SetInt64(1)
	term := new(big.Float).SetPrec(precision).SetInt64(1)
	for j := int64(1); j < 60; j++ {
		term.Mul(term, x)
		term.Quo(term, new(big.Float).SetPrec(precision).SetInt64(j))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExpAgainstBigNumbers(t *testing.T) {
	rng := random(1)
	worst := 0.0
	for k := range 400 {
		z := rng.Float64() * math.Ldexp(1, k%12-2)
		if z > expLimit {
			continue
		}
		want := bigExp(z)
		got := new(big.Float).SetPrec(300).SetFloat64(expNeg(z))
		diff, _ := new(big.Float).Quo(got.Sub(got, want), want).Float64()
		worst = max(worst, math.Abs(diff))
	}
	if worst > 2e-14 {
		t.Errorf("worst relative error of expNeg is %g, want at most 2e-14", worst)
	}
}

func TestExpAgainstMath(t *testing.T) {
	rng := random(2)
	for k := range 200000 {
		z := rng.Float64() * math.Ldexp(1, k%14-4)
		got, want := expNeg(z), math.Exp(-z)
		if z > expLimit {
			want = 0
		}
		if math.Abs(got-want) > 2e-14*want {
			t.Fatalf("expNeg(%v) = %v, want %v", z, got, want)
		}
	}
	for _, c := range []struct{ z, want float64 }{{0, 1}, {math.Copysign(0, -1), 1}, {701, 0}, {math.Inf(1), 0}} {
		if got := expNeg(c.z); got != c.want {
			t.Errorf("expNeg(%v) = %v, want %v", c.z, got, c.want)
		}
	}
}

// A row rounds to single precision what is far more accurate than that, down
// to the denormal numbers and to zero.
func TestGaussRowRounds(t *testing.T) {
	const n = 4000
	dots, norms, dst := make([]float64, n), make([]float64, n), make([]float32, n)
	for j := range norms {
		norms[j] = float64(j) / n * 120
	}
	norms[n-1] = 1e6
	gaussRow(dst, dots, norms, 0, 1)
	apart := 0
	for j, got := range dst {
		want := float32(math.Exp(-norms[j]))
		if d := int(math.Float32bits(got)) - int(math.Float32bits(want)); d < -1 || d > 1 {
			t.Fatalf("exp(-%v) = %v, want %v", norms[j], got, want)
		} else if d != 0 {
			apart++
		}
	}
	if apart > 1 {
		t.Errorf("%d of %d values are rounded the other way", apart, n)
	}
	if dst[0] != 1 || dst[n-1] != 0 {
		t.Errorf("got %v and %v at the ends, want 1 and 0", dst[0], dst[n-1])
	}
}
