package loss

// Psi is a smooth and bounded function between the 0/1 and the hinge loss,
//
//	5/4               for z < -1/2,
//	1 - z - z^2       for -1/2 <= z < 0,
//	(1 - z)^2 (1 + z) for 0 <= z < 1,
//	0                 for z >= 1.
//
// It is at most 5/4 and its derivative is Lipschitz with constant 4, which lets
// generalisation bounds for smooth losses apply to support vector machines.
//
// Source: Cotter 2013, chapter 1, the proof of the lemma on generalisation from
// the empirical loss, and the figure beside it.
type Psi struct{}

// Value implements Loss.
func (Psi) Value(z float64) float64 {
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

// String implements Loss.
func (Psi) String() string { return "psi" }
