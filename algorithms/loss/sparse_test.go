package loss

import (
	"math"
	"testing"
)

func TestValuesOfChapter3(t *testing.T) {
	for _, c := range []struct {
		z, slant, smooth, ramp float64
	}{
		{math.Inf(-1), 1, 1, 1},
		{-1, 1, 1, 1},
		{-0.75, 1, 1, 0.875},
		{-0.5, 1, 1, 0.75},
		{0, 0.5, 0.6112604669781572, 0.5},
		{1.0 / 12, 5.0 / 12, 0.5, 11.0 / 24},
		{0.5, 0, 0.04951556604879043, 0.25},
		{2.0 / 3, 0, 0, 1.0 / 6},
		{1, 0, 0, 0},
		{math.Inf(1), 0, 0, 0},
	} {
		for name, v := range map[string][2]float64{
			"slant": {Slant(c.z), c.slant}, "smooth": {Smooth(c.z), c.smooth}, "ramp": {Ramp(c.z), c.ramp},
		} {
			if got, want := v[0], v[1]; math.Abs(got-want) > 1e-15 {
				t.Errorf("%s(%v) = %v, want %v", name, c.z, got, want)
			}
		}
	}
}

// onGrid calls f with a grid on [-3, 3] that includes the corners of the losses.
func onGrid(f func(z float64)) {
	for k := -3 * 3072; k <= 3*3072; k++ {
		z := float64(k) / 3072
		f(z)
		f(math.Nextafter(z, -9))
		f(math.Nextafter(z, 9))
	}
}

// TestOrderOfTheLosses checks the claims of the lemma on the slant loss, of the theorem on smoothness and of the
// captions of their figures.
func TestOrderOfTheLosses(t *testing.T) {
	for k, c := range []struct {
		low, high Func
	}{
		{Slant, Smooth},
		{Smooth, Shifted(Slant, 1.0/6)},
		{Shifted(Slant, 0.5), Hinge},
		{Smooth, Shifted(Hinge, -1.0/3)},
		{Shifted(Smooth, 1.0/3), Hinge},
		{Slant, Shifted(Hinge, -0.5)},
		{Shifted(ZeroOne, -0.5), Shifted(Ramp, 0.5)},
	} {
		onGrid(func(z float64) {
			// Allow for rounding of the shift.
			if low, high := c.low(z), c.high(z); !(low <= high+1e-15) {
				t.Fatalf("pair %d at %v: %v exceeds %v", k, z, low, high)
			}
		})
	}
	// A greater shift violates the order.
	for k, c := range []struct {
		low, high Func
	}{
		{Shifted(Slant, 0.51), Hinge},
		{Shifted(Smooth, 0.34), Hinge},
		{Smooth, Shifted(Slant, 0.16)},
	} {
		holds := true
		onGrid(func(z float64) { holds = holds && c.low(z) <= c.high(z) })
		if holds {
			t.Errorf("pair %d: the shift is not the greatest", k)
		}
	}
}

// TestSmoothIsSmooth checks that the smooth loss has no corner, and that the Lipschitz constant of its
// slope is below 4.
func TestSmoothIsSmooth(t *testing.T) {
	const h = 1.0 / 1024
	steepest, last := 0.0, 0.0
	for z := -1.0; z < 1; z += h {
		slope := (Smooth(z+h) - Smooth(z)) / h
		steepest = max(steepest, math.Abs(slope-last)/h)
		last = slope
	}
	if want := 18 * math.Pi * math.Pi / 49; steepest > want || steepest < want-0.01 {
		t.Errorf("the smooth loss is %v-smooth, want %v", steepest, want)
	}
}

// TestSlantIsTheExpectedZeroOneLoss compares the slant loss with the integral of the 0/1 loss over noise uniform on
// [-1/2, 1/2].
func TestSlantIsTheExpectedZeroOneLoss(t *testing.T) {
	const cells = 4096
	onGrid(func(z float64) {
		if z != math.Round(z*64)/64 {
			return
		}
		var sum float64
		for k := range cells {
			sum += ZeroOne(z + (float64(k)+0.5)/cells - 0.5)
		}
		if got := sum / cells; math.Abs(got-Slant(z)) > 1.0/cells {
			t.Fatalf("at %v: %v, the slant loss is %v", z, got, Slant(z))
		}
	})
}
