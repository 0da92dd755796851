package kernel

import (
	"fmt"
	"math"
	"strconv"

	"stochopt/algorithms/internal/exp"
)

// Gaussian is the kernel exp(-Gamma |x - x'|^2), Gamma = 1/(2 sigma^2).
//
// The squared distance is computed as max(0, (<x, x> + <x', x'>) - 2 <x, x'>), so that K(x, x) is
// exactly 1.
type Gaussian struct {
	Gamma float64
}

// Eval returns the kernel value for the given inner products.
func (k Gaussian) Eval(dot, xx, yy float64) float64 {
	return exp.Neg(float64(k.Gamma * squaredDistance(dot, xx, yy)))
}

// String returns the name of the kernel with its parameter.
func (k Gaussian) String() string { return "gaussian(gamma=" + number(k.Gamma) + ")" }

// Check returns an error unless Gamma is positive and finite.
func (k Gaussian) Check() error {
	if !(k.Gamma > 0) || math.IsInf(k.Gamma, 0) {
		return fmt.Errorf("gaussian kernel: gamma is %v; it must be positive and finite (gamma = 1/(2 sigma^2))", k.Gamma)
	}
	return nil
}

func squaredDistance(dot, xx, yy float64) float64 {
	return max((xx+yy)-float64(2*dot), 0)
}

// Linear is the kernel <x, x'>.
type Linear struct{}

// Eval returns dot.
func (Linear) Eval(dot, xx, yy float64) float64 { return dot }

// String returns "linear".
func (Linear) String() string { return "linear" }

// Polynomial is the kernel (Gamma <x, x'> + Coef0)^Degree.
type Polynomial struct {
	Gamma, Coef0 float64
	Degree       int
}

// Eval returns the kernel value for the given inner products.
func (k Polynomial) Eval(dot, xx, yy float64) float64 {
	return power(float64(k.Gamma*dot)+k.Coef0, k.Degree)
}

// String returns the name of the kernel with its parameters.
func (k Polynomial) String() string {
	return "polynomial(degree=" + strconv.Itoa(k.Degree) + ", gamma=" + number(k.Gamma) + ", coef0=" + number(k.Coef0) + ")"
}

// Check returns an error unless the kernel is positive definite for all data: Degree must be at least 1,
// Gamma positive and Coef0 at least 0.
func (k Polynomial) Check() error {
	switch {
	case k.Degree < 1:
		return fmt.Errorf("polynomial kernel: the degree is %d; it must be at least 1", k.Degree)
	case !(k.Gamma > 0) || math.IsInf(k.Gamma, 0):
		return fmt.Errorf("polynomial kernel: gamma is %v; it must be positive and finite", k.Gamma)
	case !(k.Coef0 >= 0) || math.IsInf(k.Coef0, 0):
		return fmt.Errorf("polynomial kernel: coef0 is %v; it must be finite and at least 0, so that the kernel is "+
			"positive definite", k.Coef0)
	}
	return nil
}

// power returns x^n for n >= 0 by repeated squaring.
func power(x float64, n int) float64 {
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
