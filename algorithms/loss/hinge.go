package loss

// Hinge is max(0, 1 - z), the convex upper bound of the 0/1 loss that support
// vector machines minimise (Cotter 2013, table 1.1).
type Hinge struct{}

// Value implements Loss.
func (Hinge) Value(z float64) float64 { return max(0, 1-z) }

// String implements Loss.
func (Hinge) String() string { return "hinge" }
