package cli

import (
	"strings"
	"testing"
)

// A run that may end long before its budget is predicted to take what others of its
// series took, not its budget times what their iterations took.
func TestPlanPredictsRunsThatEndBeforeTheirBudget(t *testing.T) {
	svmHome(t)
	endless := strings.Replace(sparseSmall, "iterations: 60", "iterations: 1000000000000000", 1)
	write(t, "small.yaml", strings.Replace(endless, "  - {id: perceptron}\n", "", 1))
	ok(t, "run", "small.yaml")
	rows := parseJSON[[]planned](t, ok(t, "plan", "small.yaml", "--json", "--set", "algorithms.rsvm.with.ratio=[0.1,0.2,0.3]").out)
	for _, r := range rows {
		switch {
		case r.OnRecord == r.Runs && r.Seconds != 0:
			t.Errorf("%s: %g s are left of nothing", r.Series, r.Seconds)
		case r.OnRecord < r.Runs && (r.Seconds <= 0 || r.Seconds > 3600):
			t.Errorf("%s: %g s for one run, which takes a moment", r.Series, r.Seconds)
		}
	}
}
