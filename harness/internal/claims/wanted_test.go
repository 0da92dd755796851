package claims

import (
	"testing"

	"stochopt/internal/observe"
)

func TestWantedText(t *testing.T) {
	t.Parallel()
	within := func(lo, hi float64) observe.Between { return observe.Between{Least: &lo, Most: &hi} }
	for want, w := range map[string]observe.Between{
		"at most 2":           observe.AtMost(2),
		"at least 0.5":        observe.AtLeast(0.5),
		"below 2":             {Most: new(2.0), Below: true},
		"from 0.8 to 1.25":    within(0.8, 1.25),
		"1 ± 1.00e-06":        within(1-1e-6, 1+1e-6),
		"from 3 to 3":         within(3, 3),
		"from 0.999 to 1.001": within(0.999, 1.001),
	} {
		if got := w.String(); got != want {
			t.Errorf("%+v: %q, want %q", w, got, want)
		}
	}
}
