package exp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp returns e^-z to about 200 bits, by squaring the power series of e^(-z/2^k) k times.
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

func TestNeg(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for k := range 400 {
		z := rng.Float64() * math.Ldexp(1, k%12-2)
		if z > limit {
			continue
		}
		want := bigExp(z)
		got := new(big.Float).SetPrec(300).SetFloat64(Neg(z))
		off, _ := new(big.Float).Quo(got.Sub(got, want), want).Float64()
		if math.Abs(off) > 2e-14 {
			t.Errorf("Neg(%v) = %v has a relative error of %g", z, Neg(z), off)
		}
	}
	for _, c := range []struct{ z, want float64 }{{0, 1}, {math.Copysign(0, -1), 1}, {701, 0}, {math.Inf(1), 0}} {
		if got := Neg(c.z); got != c.want {
			t.Errorf("Neg(%v) = %v, want %v", c.z, got, c.want)
		}
	}
}

// TestNegToRounds checks that NegTo rounds Neg to single precision, including denormal numbers and
// zero.
func TestNegToRounds(t *testing.T) {
	const n = 4001
	z, dst := make([]float64, n), make([]float32, n)
	for j := range z {
		z[j] = float64(j) / n * 120
	}
	z[n-1], z[n-2] = 1e6, math.Inf(1)
	NegTo(dst, z)
	apart := 0
	for j, got := range dst {
		if want := float32(Neg(z[j])); got != want {
			t.Fatalf("NegTo: exp(-%v) = %v, want %v, as by Neg", z[j], got, want)
		}
		want := float32(math.Exp(-z[j]))
		if d := int(math.Float32bits(got)) - int(math.Float32bits(want)); d < -1 || d > 1 {
			t.Fatalf("exp(-%v) = %v, want %v", z[j], got, want)
		} else if d != 0 {
			apart++
		}
	}
	if apart > 1 {
		t.Errorf("%d of %d values are rounded differently", apart, n)
	}
	if dst[0] != 1 || dst[n-1] != 0 || dst[n-2] != 0 {
		t.Errorf("got %v, %v and %v at the ends, want 1, 0 and 0", dst[0], dst[n-2], dst[n-1])
	}
}

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
	rng := rand.New(rand.NewPCG(1, 1))
	xs := []float64{0, 1, -1, 1e-300, -1e-300, 1e-17, -1e-17, 0.34657359, -0.34657360, 709.7, 709.782712893384, -708, -708.4, -709, -740, -745.13}
	for range 500 {
		xs = append(xs, 1454*rng.Float64()-745, rng.NormFloat64(), 50*rng.NormFloat64())
	}
	for _, x := range xs {
		if e := ulps(Exp(x), bigExp(-x)); !(e <= 1) {
			t.Errorf("exp(%v) = %v is off by %.3g ulp", x, Exp(x), e)
		}
	}
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
