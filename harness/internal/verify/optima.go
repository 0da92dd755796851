package verify

import (
	"fmt"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/internal/record"
)

// optima reads the certified optima, whose numbers must agree with one another, and checks
// that each is there once and belongs to a data set of the experiment.
func (v *verification) optima() error {
	lines, sound, err := objective.ReadReferenceLines(filepath.Join(v.folder.Dir, record.ReferencesFile))
	if err != nil {
		return err
	}
	v.soundLines(sound)
	seen := make(map[string]int)
	others := 0
	for _, l := range lines {
		at := Finding{File: record.ReferencesFile, Line: l.Number}
		if first := seen[l.ID]; first > 0 {
			v.findf(checkOptima, Superfluous, at, "a second optimum of %s; the first is at line %d", l.Of, first)
			continue
		}
		seen[l.ID] = l.Number
		v.checked(checkOptima, 1)
		v.stored = append(v.stored, l)
		of := func(pr *plan.Problem) bool { return pr.Data.Hash == l.Solved().DatasetHash }
		if v.plan != nil && !slices.ContainsFunc(v.plan.Problems, of) {
			others++
		}
	}
	if others > 0 {
		v.remark(checkOptima, remarkOthers, "%d of the optima are of data that only an earlier spec asked for", others)
	}
	return nil
}

// identities checks, of all records, that their numbers agree with one another and with
// the optima that they were measured against.
func (v *verification) identities() {
	packed := v.folder.Packed()
	for _, it := range v.plan.Items {
		r, ok := v.onRecord[it]
		if !ok || r.Points() == 0 {
			continue
		}
		at := Finding{File: record.RunsFile, Run: r.Name(), Key: r.Key}
		v.checked(checkIdentities, 1)
		var kind, text string
		switch {
		case r.Task == record.TaskPCA && !packed:
			kind, text = v.suboptimal(it, r)
		case r.Facts["reference_primal"] != 0:
			kind, text = v.compared(r, packed)
		}
		if text != "" {
			at.Text = text
			v.find(checkIdentities, kind, at)
		}
	}
}

// suboptimal checks that the suboptimality of each iterate of PCA is the optimum minus the
// objective, to the bit.
func (v *verification) suboptimal(it *plan.Item, r record.Run) (kind, text string) {
	for split, metrics := range r.Measured().Metrics {
		captured, lacks := metrics[record.MetricObjective], metrics[record.MetricSuboptimality]
		if split == record.SplitState || len(captured) != len(lacks) || len(captured) == 0 {
			continue
		}
		ref := v.optimumOf(it, split)
		if ref == nil {
			text := "%s has no optimum on the %s split; the next run that needs it solves it again, and so does run --fresh"
			return Missing, fmt.Sprintf(text, record.ReferencesFile, split)
		}
		k := it.Params.Int("k")
		best, ok := ref.Value(k)
		if !ok {
			text := "the optimum on the %s split has %d eigenvalues, but k is %d"
			return Missing, fmt.Sprintf(text, split, len(ref.Eigenvalues), k)
		}
		for i, x := range captured {
			if want := best - x; lacks[i] != want {
				text := "at point %d the %s suboptimality is %v, but optimum minus objective is %v - %v = %v"
				return Differs, fmt.Sprintf(text, i+1, split, lacks[i], best, x, want)
			}
		}
	}
	return "", ""
}

// optimumOf finds the optimum that an item is measured against on a split, nil if it is
// not there.
func (v *verification) optimumOf(it *plan.Item, split string) *objective.Reference {
	repeat := -1
	if split != record.SplitPopulation {
		split, repeat = split+" of "+it.Problem.Split, it.Repeat
	}
	for _, l := range v.stored {
		s := l.Solved()
		same := s.DatasetHash == it.Problem.Data.Hash && s.Split == split && s.Repeat == repeat
		if l.PCA != nil && same && (repeat < 0 || s.Seed == v.spec.Seed) {
			return l.PCA
		}
	}
	return nil
}

// compared checks that the optimum that a record mentions is on record, and that the
// suboptimality is measured against its dual.
func (v *verification) compared(r record.Run, packed bool) (kind, text string) {
	f := r.Facts
	stored := slices.ContainsFunc(v.stored, func(l objective.ReferenceLine) bool {
		o := l.SVM
		return o != nil && o.DatasetHash == r.DatasetHash && o.Primal == f["reference_primal"] &&
			o.Dual == f["reference_dual"] && o.Gap == f["reference_gap"] &&
			o.Norm == f["reference_norm"] && o.Hinge == f["reference_hinge"]
	})
	if !stored && !packed {
		text := "%s has no optimum with the record's primal %v, dual %v, gap %v, norm %v and hinge loss %v"
		return Missing, fmt.Sprintf(text, record.ReferencesFile,
			f["reference_primal"], f["reference_dual"], f["reference_gap"], f["reference_norm"], f["reference_hinge"])
	}
	state := r.Measured().Metrics[record.SplitState]
	objectives, lacks := state[record.MetricObjective], state[record.MetricSuboptimality]
	if len(objectives) != len(lacks) {
		return "", ""
	}
	for i, x := range objectives {
		if want := max(x-f["reference_dual"], 0); lacks[i] != want {
			text := "at point %d the suboptimality is %v, but objective minus dual is %v - %v = %v"
			return Differs, fmt.Sprintf(text, i+1, lacks[i], x, f["reference_dual"], want)
		}
	}
	return "", ""
}
