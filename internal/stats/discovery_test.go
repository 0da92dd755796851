package stats

import (
	"slices"
	"testing"
)

// The example of Benjamini & Hochberg (1995), section 3.2: 15 tests, of which 4 are rejected.
func TestDiscoveryLimit(t *testing.T) {
	t.Parallel()
	p := []float64{
		0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1,
	}
	slices.Reverse(p)
	for _, tt := range []struct {
		p    []float64
		want float64
	}{
		{p, 0.0095}, {[]float64{0.04, 0.03}, 0.04}, {[]float64{0.06, 0.03}, 0}, {nil, 0},
	} {
		if got := DiscoveryLimit(tt.p, 0.05); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.p, got, tt.want)
		}
	}
}
