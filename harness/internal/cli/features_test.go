package cli

import (
	"strings"
	"testing"
)

// Features that do not fit in the memory are reported before anything runs and skipped; more
// than there can be are an error.
func TestFeatureMemory(t *testing.T) {
	svmHome(t)
	spec := edit(t, svmSmall, "  - {id: sbp}\n  - {id: sdca}\n  - {id: perceptron, budget: {passes: 2}}\n", "  - {id: rff, with: {pairs: 256}}\n")
	write(t, "small.yaml", spec)
	o := stochopt(t, "run", "small.yaml", "--memory", "100kB")
	if o.code != exitFailed || !strings.HasPrefix(o.err, `warning: small.yaml:11:5: algorithm "rff" on dataset "b" (small.yaml:9:5): a run with `) {
		t.Errorf("exit %d, %s", o.code, o.err)
	}
	o = ok(t, "run", "small.yaml", "--memory", "190464", "-j", "2")
	wantText(t, "stdout", o.out, "small: 2 runs in ")
	wantText(t, "records", exported(t, "results/small"), `"reason":"exhausted: all 256 pairs of features are in use"`, `"status":"finished"`)

	write(t, "huge.yaml", edit(t, spec, "256", "1000000000"))
	wantOutcome(t, stochopt(t, "run", "huge.yaml"), exitUsage, `huge.yaml:11:29: algorithms.rff.with.pairs: must be at most 524288, got 1000000000`)
}
