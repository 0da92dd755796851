// Package loss holds the loss functions of Cotter 2013. Each is a function of
// the margin z = y g(x), the label times the classifier's score.
package loss

// Loss is a function of the margin.
type Loss interface {
	// Value returns the loss at the margin z. It is NaN if z is.
	Value(z float64) float64
	// String returns the name by which specs call the loss.
	String() string
}
