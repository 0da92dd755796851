package loss

// ZeroOne is the classification error: 1 if z <= 0, 0 otherwise. A score of 0
// decides for neither class and counts as an error (Cotter 2013, table 1.1).
type ZeroOne struct{}

// Value implements Loss.
func (ZeroOne) Value(z float64) float64 {
	switch {
	case z <= 0:
		return 1
	case z > 0:
		return 0
	}
	return z
}

// String implements Loss.
func (ZeroOne) String() string { return "zero-one" }
