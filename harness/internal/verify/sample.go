package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/internal/compare"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// drawSample returns a random sample of the items in their order. It draws items of each series on each data set in
// turn. If runs is 0, the sample is a tenth of the items, but at least 30 and at least one of each series on each data
// set. Equal seeds give equal samples.
func drawSample(items []*plan.Item, runs int, seed uint64) []*plan.Item {
	rng := rand.New(rand.NewPCG(seed, uint64(len(items))))
	drawn := slices.Clone(items)
	rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	count, turn := make(map[record.Labels]int), make(map[*plan.Item]int)
	for _, it := range drawn {
		count[it.ID.Labels]++
		turn[it] = count[it.ID.Labels]
	}
	slices.SortStableFunc(drawn, func(a, b *plan.Item) int { return cmp.Compare(turn[a], turn[b]) })
	if runs == 0 {
		runs = max(30, (len(items)+9)/10, len(count))
	}
	drawn = drawn[:min(runs, len(drawn))]
	slices.SortFunc(drawn, func(a, b *plan.Item) int { return cmp.Compare(a.Index, b.Index) })
	return drawn
}

// rerun repeats a sample of the runs, and the optima that they depend on, in a temporary folder. It compares
// both with the records.
func (v *verification) rerun(ctx context.Context) error {
	var items []*plan.Item
	omitted := 0
	for _, it := range v.plan.Items {
		switch r := v.recorded[it]; {
		case r == nil:
		case r.Status == record.StatusSkipped, r.External != nil && !r.External.Deterministic,
			it.Algorithm.Program != nil && !v.opt.Run.External,
			v.checksums != nil && r.Status == record.StatusOutOfTime: // it depends on the time
			omitted++
		default:
			items = append(items, it)
		}
	}
	if omitted > 0 {
		v.note("not repeated: %s that were skipped, depend on a limit of time or are of external programs "+
			"(--external allow repeats deterministic ones)", words.Count(omitted, "run"))
	}
	drawn := drawSample(items, v.opt.Runs, v.opt.Seed)
	c := v.Count("records re-run")
	c.Checked, c.Of = len(drawn), len(items)
	if len(drawn) == 0 {
		return nil
	}
	second, err := v.repeat(ctx, drawn)
	if err != nil {
		return err
	}
	defer second.Close()
	for i, it := range drawn {
		if text := v.difference(it, &second.Runs[i]); text != "" {
			v.find("records re-run", Differs, runText(v.recorded[it]), "recorded / re-run: %s", text)
		}
	}
	if err := second.Err(); err != nil {
		return err
	}
	return v.compareOptima(second)
}

// difference describes how the result of a second run differs from the record. It returns "" if they agree.
func (v *verification) difference(it *plan.Item, second *record.Run) string {
	if listed, ok := v.checksums[it]; ok {
		if again := experiment.ChecksumOf(second); again != listed {
			return fmt.Sprintf("%s, checksum %s / %s, checksum %s", listed.Status, listed.Curve, again.Status, again.Curve)
		}
		return ""
	}
	r := v.recorded[it]
	late := r.Status == record.StatusOutOfTime || second.Status == record.StatusOutOfTime
	if r.Status != second.Status && !(late && r.Completed() && second.Completed()) {
		return fmt.Sprintf("status: %s / %s", r.Status, second.Status)
	}
	what, _ := compare.RunDifference(r, second)
	return what
}

// repeat performs the runs of items in a temporary folder and returns the records in the same order.
func (v *verification) repeat(ctx context.Context, items []*plan.Item) (second *record.Experiment, err error) {
	p := &plan.Plan{Spec: v.spec, Problems: v.plan.Problems}
	for _, it := range items {
		// Use the limit of the recorded run, because the spec may have changed.
		p.Items = append(p.Items, it.Within(*cmp.Or(v.recorded[it].Limit, &record.Limit{})))
	}
	opt := v.opt.Run
	opt.Data = p.DataBytes()
	if err := errors.Join(p.Shortages(opt.Memory)...); err != nil {
		return nil, err
	}
	dir := filepath.Join(v.scratch, "runs")
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		return nil, err
	}
	if err = store.SetPlan(p.IDs()); err == nil {
		_, err = run.Execute(ctx, p, store, opt)
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return nil, err
	}
	if second, err = record.ReadDir(dir); err == nil && len(second.Runs) != len(items) {
		err = fmt.Errorf("repeating %d runs gave %d records", len(items), len(second.Runs))
	}
	return second, err
}

// compareOptima compares the optima on record with the optima of the repeated runs.
func (v *verification) compareOptima(second *record.Experiment) error {
	for _, id := range slices.Sorted(maps.Keys(second.Optima)) {
		old, ok := v.optima[id]
		if !ok {
			continue // for example after an import
		}
		v.Count("optima solved again").Checked++
		o, err := objective.ParseOptimum(id, second.Optima[id])
		if err != nil {
			return err
		}
		if !old.Same(o) {
			v.find("optima solved again", Differs, o.Problem().Description(),
				"solving it again gives numbers that differ from the record")
		}
	}
	return nil
}
