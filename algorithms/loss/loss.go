// Package loss holds the loss functions of Cotter 2013. Each is a function of
// the margin z = y g(x), the label times the classifier's score.
package loss

import (
	"fmt"
	"strings"
)

// Loss is a function of the margin.
type Loss interface {
	// Value returns the loss at the margin z. It is NaN if z is.
	Value(z float64) float64
	// String returns the name by which ByName finds the loss.
	String() string
}

// losses lists every loss, in the order in which names are shown.
var losses = [...]Loss{ZeroOne{}, Hinge{}, Psi{}, Slant{}, Smooth{}, Ramp{}}

// Names returns the names that ByName knows.
func Names() []string {
	names := make([]string, len(losses))
	for i, l := range losses {
		names[i] = l.String()
	}
	return names
}

// ByName returns the loss of that name, or an error that lists the names.
func ByName(name string) (Loss, error) {
	for _, l := range losses {
		if l.String() == name {
			return l, nil
		}
	}
	return nil, fmt.Errorf("loss: no loss is called %q; there are %s", name, strings.Join(Names(), ", "))
}
