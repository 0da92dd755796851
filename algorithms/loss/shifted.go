package loss

import "fmt"

// Shifted is a loss moved to the right: its value at z is that of Loss at z - By.
type Shifted struct {
	Loss Loss
	By   float64
}

// Value implements Loss.
func (s Shifted) Value(z float64) float64 { return s.Loss.Value(z - s.By) }

// String implements Loss. It is no name of a spec.
func (s Shifted) String() string { return fmt.Sprintf("%v(z - %g)", s.Loss, s.By) }
