package compare

import (
	"fmt"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// atSelected returns the sides of an experiment, one of which is packed, with the runs of the
// other at what was selected on the packed side. Where it has none of these it keeps all of
// a cell.
func (w *work) atSelected(b, c Side) (base, cand Side) {
	switch {
	case b.Packed == c.Packed || len(b.Runs) == 0 || len(c.Runs) == 0:
		return b, c
	case b.Packed:
		w.warn("%s: the baseline is packed: what was selected in it is fixed, and the candidate is compared at the same parameters", b.Name)
		c.Runs = selectedIn(c, b.Runs)
	default:
		w.warn("%s: the candidate is packed: what was selected in it is fixed, and the baseline is compared at the same parameters", b.Name)
		b.Runs = selectedIn(b, c.Runs)
	}
	return b, c
}

// selectedIn returns the runs of a side with the parameters of those that were selected on
// the other.
func selectedIn(s Side, selected []record.Run) []record.Run {
	if !s.Rule.Chooses() {
		return s.Runs
	}
	type cell struct{ dataset, series, fixed string }
	parting := selection.NewParting(s.Rule.Tune)
	of := func(r *record.Run) (cell, string) {
		p := parting.Of(r.Params)
		return cell{r.Dataset, r.Series, p.FixedText}, p.TunedText
	}
	chosen, has := map[cell]string{}, map[cell]bool{}
	for i := range selected {
		at, tuned := of(&selected[i])
		chosen[at] = tuned
	}
	for i := range s.Runs {
		at, tuned := of(&s.Runs[i])
		has[at] = has[at] || chosen[at] == tuned
	}
	return slices.DeleteFunc(slices.Clone(s.Runs), func(r record.Run) bool {
		at, tuned := of(&r)
		return has[at] && chosen[at] != tuned
	})
}

// differsPacked is differs where one of the records is of a packed side.
func differsPacked(b, c *record.Run) string {
	if what := FieldDifference(b, c); what != "" {
		return what
	}
	x, y := b.Measured(), c.Measured()
	if what := lengthsDiffer("points of the curve", x.Len(), y.Len()); what != "" {
		return what
	}
	return prefixesDiffer(x, y)
}

// differsLeftOut is differs where a curve is left out of a packed side. That is not known where
// the checksum of the curve was not kept, the machine decided how far the run got, or the other
// side is packed, too, and may have left out columns.
func differsLeftOut(b *record.Run, basePacked bool, c *record.Run, candPacked bool) (what string, known bool) {
	part := func(r *record.Run, packed bool) bool { return packed && r.LeftOut == nil }
	if limited(b) || limited(c) || part(b, basePacked) || part(c, candPacked) {
		return "", false
	}
	base, cand := b.CurveChecksum(), c.CurveChecksum()
	if base == "" || cand == "" {
		return "", false
	}
	if what = FieldDifference(b, c); what == "" && base != cand {
		what = fmt.Sprintf("the checksum of the curve: %s / %s", base, cand)
	}
	return what, true
}

// leftOut settles a cell of which a packed side has left out curves, if they are not known to
// be those of the other side.
func (c *comparison) leftOut() bool {
	for r := range each(c.base.runs, c.cand.runs) {
		if r.LeftOut != nil {
			c.settle(Incomparable, "a packed folder leaves its curves out: compare the claims that are about it")
			return true
		}
	}
	return false
}
