package datasets

import (
	"math"
	"testing"
)

// TestSimulatedTextErratum: Sigma = diag(sigma/||sigma||_2) has a trace above
// one, and the probabilities sqrt(Sigma_ii) sum to more than one, whichever
// norm is meant (Cotter 2013, section 6.4.1).
func TestSimulatedTextErratum(t *testing.T) {
	t.Parallel()
	for _, gap := range []int{1, 2, 4} {
		v := simulatedSpectrum(32, gap)
		n := norm2(v)
		var trace, probTrace, probNorm float64
		for _, x := range v {
			trace += x / n
			probTrace += math.Sqrt(x)
			probNorm += math.Sqrt(x / n)
		}
		if trace < 1.5 {
			t.Errorf("k = %d: the 2-norm gives trace %v", gap, trace)
		}
		if probTrace < 3 || probNorm < 3 {
			t.Errorf("k = %d: the probabilities sum to %v or %v", gap, probTrace, probNorm)
		}
	}
}
