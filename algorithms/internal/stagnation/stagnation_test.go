package stagnation

import "testing"

func TestStagnation(t *testing.T) {
	const n, objective = 10, 100.0
	for _, test := range []struct {
		gain float64 // of each step
		want bool
	}{
		{0, true}, {1e-19, true}, {1e-16, false}, {1, false},
	} {
		s := New(n)
		var asked int64
		for step := range int64(3 * (2*n + 1000)) {
			if s.Stuck {
				break
			}
			if asked != step/(2*n+1000) {
				t.Fatalf("gain %g: %d calls of objective in %d steps", test.gain, asked, step)
			}
			s.Add(test.gain, func() float64 { asked++; return objective })
		}
		if s.Stuck != test.want {
			t.Errorf("gain %g of %g: stuck %t, want %t", test.gain, objective, s.Stuck, test.want)
		}
	}
}
