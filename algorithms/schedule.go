package algorithms

import (
	"fmt"
	"math"
)

// Schedule gives the step size eta_t of iteration t = 1, 2, ….
type Schedule interface {
	// At returns eta_t, finite and non-negative.
	At(t int64) float64
	// String returns a formula of the schedule, e.g. "0.5/sqrt(t)".
	String() string
}

// Constant is eta_t = C.
type Constant struct{ C float64 }

// At implements Schedule.
func (s Constant) At(int64) float64 { return s.C }

func (s Constant) String() string { return fmt.Sprintf("%g", s.C) }

// InverseSqrt is eta_t = C/sqrt(t).
type InverseSqrt struct{ C float64 }

// At implements Schedule.
func (s InverseSqrt) At(t int64) float64 { return s.C / math.Sqrt(float64(t)) }

func (s InverseSqrt) String() string { return fmt.Sprintf("%g/sqrt(t)", s.C) }

// Inverse is eta_t = C/t.
type Inverse struct{ C float64 }

// At implements Schedule.
func (s Inverse) At(t int64) float64 { return s.C / float64(t) }

func (s Inverse) String() string { return fmt.Sprintf("%g/t", s.C) }

var (
	_ Schedule = Constant{}
	_ Schedule = InverseSqrt{}
	_ Schedule = Inverse{}
)
