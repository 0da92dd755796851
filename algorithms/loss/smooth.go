package loss

import "math"

// Smooth is a bounded function with a Lipschitz derivative between slant losses,
//
//	1                                      for z < -1/2,
//	(1 + cos(pi/2 (1 + (12 z - 1)/7))) / 2 for -1/2 <= z <= 2/3,
//	0                                      for z > 2/3.
//
// It is at least the slant loss, at most the slant loss moved to the right by 1/6,
// and at most the hinge loss moved to the left by 1/3. The Lipschitz constant of its
// derivative is 18 pi^2/49 = 3.63, below the 4 that the thesis needs.
//
// Source: Cotter 2013, chapter 3, the proof of the theorem on smoothness.
type Smooth struct{}

// Value implements Loss.
func (Smooth) Value(z float64) float64 {
	switch {
	case z < -0.5:
		return 1
	case z > 2.0/3:
		return 0
	}
	return (1 + math.Cos(math.Pi/2*(1+(12*z-1)/7))) / 2
}

// String implements Loss.
func (Smooth) String() string { return "smooth" }
