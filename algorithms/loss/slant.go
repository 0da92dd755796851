package loss

// Slant is min(1, max(0, 1/2 - z)), the expected 0/1 loss of a score to which noise
// is added that is uniform on [-1/2, 1/2]. Moved to the right by 1/2 it is still at
// most the hinge loss.
//
// Source: Cotter 2013, section 3.3.1.
type Slant struct{}

// Value implements Loss.
func (Slant) Value(z float64) float64 { return min(1, max(0, 0.5-z)) }

// String implements Loss.
func (Slant) String() string { return "slant" }
