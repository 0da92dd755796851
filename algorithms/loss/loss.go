// Package loss implements the loss functions of Cotter 2013. Each is a function of the margin
// z = y g(x), the label times the score of the classifier. It is NaN if z is NaN.
package loss

import "math"

// Func is a loss as a function of the margin.
type Func func(z float64) float64

// Shifted returns f shifted to the right, with the value f(z - by) at z.
func Shifted(f Func, by float64) Func { return func(z float64) float64 { return f(z - by) } }

// ZeroOne is the classification error, 1 if z <= 0 and 0 otherwise. A score of 0 counts as an error
// (Cotter 2013, table 1.1).
func ZeroOne(z float64) float64 {
	switch {
	case z <= 0:
		return 1
	case z > 0:
		return 0
	}
	return z
}

// Hinge is max(0, 1 - z), the convex upper bound on the 0/1 loss that support vector machines minimise
// (Cotter 2013, table 1.1).
func Hinge(z float64) float64 { return max(0, 1-z) }

// Psi is a smooth and bounded function between the 0/1 and the hinge loss,
//
//	5/4               for z < -1/2,
//	1 - z - z^2       for -1/2 <= z < 0,
//	(1 - z)^2 (1 + z) for 0 <= z < 1,
//	0                 for z >= 1.
//
// It is at most 5/4, and its derivative is Lipschitz with constant 4, so that generalisation bounds for
// smooth losses apply to support vector machines.
//
// Source: Cotter 2013, chapter 1, the proof of the lemma on generalisation from the empirical loss, and
// its figure.
func Psi(z float64) float64 {
	switch {
	case z >= 1:
		return 0
	case z >= 0:
		return (1 - z) * (1 - z) * (1 + z)
	case z >= -0.5:
		return 1 - z*(1+z)
	case z < -0.5:
		return 1.25
	}
	return z
}

// Slant is min(1, max(0, 1/2 - z)), the expected 0/1 loss of a score with added noise that is uniform on
// [-1/2, 1/2]. Shifted to the right by 1/2 it is still at most the hinge loss.
//
// Source: Cotter 2013, section 3.3.1.
func Slant(z float64) float64 { return min(1, max(0, 0.5-z)) }

// Smooth is a bounded function between slant losses with a Lipschitz derivative,
//
//	1                                      for z < -1/2,
//	(1 + cos(pi/2 (1 + (12 z - 1)/7))) / 2 for -1/2 <= z <= 2/3,
//	0                                      for z > 2/3.
//
// It is at least the slant loss, at most the slant loss shifted to the right by 1/6, and at most the
// hinge loss shifted to the left by 1/3. The Lipschitz constant of its derivative is 18 pi^2/49 = 3.63,
// below 4, as the thesis requires.
//
// Source: Cotter 2013, chapter 3, the proof of the theorem on smoothness.
func Smooth(z float64) float64 {
	switch {
	case z < -0.5:
		return 1
	case z > 2.0/3:
		return 0
	}
	return (1 + math.Cos(math.Pi/2*(1+(12*z-1)/7))) / 2
}

// Ramp is min(1, max(0, (1 - z)/2)), the slant loss stretched from [-1/2, 1/2] to [-1, 1].
// 2 Ramp(z) = min(2, max(0, 1 - z)) is the ramp loss R_s of Collobert, Sinz, Weston and Bottou 2006,
// "Trading convexity for scalability", for s = -1.
//
// Source: Cotter 2013, section 3.4.3.
func Ramp(z float64) float64 { return min(1, max(0, (1-z)/2)) }
