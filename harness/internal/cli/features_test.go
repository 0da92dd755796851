package cli

import "testing"

// Features that do not fit in the memory, or are more than there can be, are
// found out before anything runs.
func TestFeatureMemory(t *testing.T) {
	svmHome(t)
	spec := edit(t, svmSmall, "  - {id: sbp}\n  - {id: sdca}\n  - {id: perceptron, budget: {passes: 2}}\n", "  - {id: rff, with: {pairs: 256}}\n")
	write(t, "small.yaml", spec)
	const little = `small.yaml:11:5: algorithm "rff" on dataset "b" (small.yaml:9:5): pairs = 256: the features of its 90 points take 186 KiB (190464 B), more than --memory 98 KiB has room for; lower pairs to 134 or less, or give --memory 190464 or more`
	wantOutcome(t, stochopt(t, "run", "small.yaml", "--memory", "100kB"), exitUsage, little)
	o := ok(t, "run", "small.yaml", "--memory", "190464", "-j", "2")
	wantText(t, "stdout", o.out, "small: 2 runs in ")
	wantText(t, "records", exported(t, "results/small"), `"reason":"exhausted: all 256 pairs of features are in use"`, `"status":"finished"`)

	write(t, "huge.yaml", edit(t, spec, "256", "1000000000"))
	wantOutcome(t, stochopt(t, "run", "huge.yaml"), exitUsage, `huge.yaml:11:29: algorithms.rff.with.pairs: must be at most 524288, got 1000000000`)
}
