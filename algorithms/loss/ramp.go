package loss

// Ramp is min(1, max(0, (1 - z)/2)): the slant loss stretched from [-1/2, 1/2] to
// [-1, 1]. Twice it is min(2, max(0, 1 - z)), the ramp loss R_s of Collobert, Sinz,
// Weston and Bottou 2006, "Trading convexity for scalability", for s = -1.
//
// Source: Cotter 2013, section 3.4.3.
type Ramp struct{}

// Value implements Loss.
func (Ramp) Value(z float64) float64 { return min(1, max(0, (1-z)/2)) }

// String implements Loss.
func (Ramp) String() string { return "ramp" }
