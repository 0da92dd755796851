package loss

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestValues(t *testing.T) {
	for _, c := range []struct {
		z, zeroOne, hinge, psi float64
	}{
		{-3, 1, 4, 1.25},
		{-0.5, 1, 1.5, 1.25},
		{-0.25, 1, 1.25, 1.1875},
		{0, 1, 1, 1},
		{math.Copysign(0, -1), 1, 1, 1},
		{math.SmallestNonzeroFloat64, 0, 1, 1},
		{0.5, 0, 0.5, 0.375},
		{1, 0, 0, 0},
		{2, 0, 0, 0},
		{math.Inf(1), 0, 0, 0},
		{math.Inf(-1), 1, math.Inf(1), 1.25},
	} {
		for name, v := range map[string][2]float64{
			"zero-one": {ZeroOne(c.z), c.zeroOne}, "hinge": {Hinge(c.z), c.hinge}, "psi": {Psi(c.z), c.psi},
		} {
			if got, want := v[0], v[1]; got != want {
				t.Errorf("%s(%v) = %v, want %v", name, c.z, got, want)
			}
		}
	}
}

func TestNaNStaysNaN(t *testing.T) {
	for k, f := range []Func{ZeroOne, Hinge, Psi, Slant, Smooth, Ramp} {
		if v := f(math.NaN()); !math.IsNaN(v) {
			t.Errorf("loss %d of NaN = %v", k, v)
		}
	}
}

// TestPsiLiesBetweenZeroOneAndHinge checks the two claims of the proof that uses psi.
func TestPsiLiesBetweenZeroOneAndHinge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(z float64) {
		low, psi, high := ZeroOne(z), Psi(z), Hinge(z)
		// (1-z)^2 (1+z) has three roundings.
		if psi < low || psi > high*(1+4e-16) {
			t.Fatalf("at %v: 0/1 %v, psi %v, hinge %v", z, low, psi, high)
		}
		if psi > 1.25 || psi < 0 {
			t.Fatalf("psi(%v) = %v, want it in [0, 5/4]", z, psi)
		}
	}
	for z := -2.0; z <= 2; z += 1.0 / 4096 {
		check(z)
		check(math.Nextafter(z, -9))
		check(math.Nextafter(z, 9))
		check(4*rng.Float64() - 2)
	}
}

// TestPsiIsTheSmoothFunctionOfTheThesis compares psi with the polynomials of the thesis. It checks
// that psi and its slope are continuous, and that the slope is Lipschitz with constant 4.
func TestPsiIsTheSmoothFunctionOfTheThesis(t *testing.T) {
	slope := func(z float64) float64 {
		switch {
		case z < -0.5 || z >= 1:
			return 0
		case z < 0:
			return -2*z - 1
		}
		return 3*z*z - 2*z - 1
	}
	const h = 1.0 / 1024
	steepest := 0.0
	for z := -1.5; z < 1.5; z += h {
		want := 0.0
		switch {
		case z < -0.5:
			want = 1.25
		case z < 0:
			want = -z*z - z + 1
		case z < 1:
			want = z*z*z - z*z - z + 1
		}
		if got := Psi(z); math.Abs(got-want) > 1e-15 {
			t.Fatalf("psi(%v) = %v, want %v", z, got, want)
		}
		secant := (Psi(z+h) - Psi(z)) / h
		if math.Abs(secant-slope(z+h/2)) > 4*h {
			t.Fatalf("the slope at %v is %v, want %v", z+h/2, secant, slope(z+h/2))
		}
		steepest = max(steepest, math.Abs(slope(z+h)-slope(z))/h)
	}
	if steepest > 4 || steepest < 3.9 {
		t.Errorf("psi is %v-smooth, want 4", steepest)
	}
	for _, joint := range []float64{-0.5, 0, 1} {
		l, r := math.Nextafter(joint, -9), math.Nextafter(joint, 9)
		if math.Abs(Psi(l)-Psi(r)) > 1e-15 || math.Abs(slope(l)-slope(r)) > 1e-15 {
			t.Errorf("psi or its slope jumps at %v", joint)
		}
	}
}
