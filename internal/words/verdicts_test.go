package words

import "testing"

// The numbers of verdicts: estimates, costs, and what they are compared with.
func TestNumbersOfVerdicts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		v                    float64
		rounded, cost, whole string
	}{
		{0, "0", "0", "0"},
		{1, "1.00", "1", "1"},
		{0.99961, "1.00", "1.00", "0.9996"},
		{0.12345, "0.123", "0.123", "0.1235"},
		{0.0123456, "0.0123", "0.0123", "0.01235"},
		{-2.5, "-2.50", "-2.50", "-2.5"},
		{46.41588, "46.4", "46", "46.42"},
		{10.0000000001, "10.0", "10", "10"},
		{9999, "10000", "9999", "9999"},
		{123456, "1.23e+05", "123456", "123456"},
		{3977540, "3.98e+06", "3.98e+06", "3.978e+06"},
		{1e-12, "1.00e-12", "1.00e-12", "1e-12"},
	} {
		if r, c, w := Rounded(tt.v), Cost(tt.v), Whole(tt.v, 1e6); r != tt.rounded || c != tt.cost || w != tt.whole {
			t.Errorf("%v: %q, %q, %q; want %q, %q, %q", tt.v, r, c, w, tt.rounded, tt.cost, tt.whole)
		}
	}
}
