package cli

import (
	"strings"
	"testing"

	"stochopt/harness/internal/forecast"
)

// The check predicts what a folder has on record; the calibration measures a table by it.
func TestPlanCheckAndCalibrate(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	held := parseJSON[[]heldSpec](t, ok(t, "plan", "check", "results", "--json").out)
	if len(held) != 1 || held[0].Spec != "small" || held[0].Runs != 6 || held[0].Predicted <= 0 || held[0].Measured <= 0 {
		t.Errorf("%+v", held)
	}
	wantText(t, "plan check", ok(t, "plan", "check", "results/small").out, "PREDICTED CPU S", "│ small │", "of 1 spec within a factor of 2, or within 0.01 s\n")
	parts := ok(t, "plan", "check", "results", "--series").out
	wantText(t, "plan check --series", parts, "│ small │ g              │ incremental │", "│ shared by runs │")
	table := parseJSON[forecast.Table](t, ok(t, "plan", "calibrate", "results").out)
	if table.Recorded["pca.msg"] != 1 || len(table.Seconds) == 0 {
		t.Errorf("%+v", table)
	}
	for name := range table.Seconds {
		if !strings.HasPrefix(name, "pca.") {
			t.Errorf("%s was measured by runs of streaming PCA", name)
		}
	}
	if o := stochopt(t, "plan", "check", "nothing"); o.code != exitUsage {
		t.Errorf("a folder that is not there: exit %d", o.code)
	}
}
