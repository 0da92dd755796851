package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/results"
)

// subsampleSplits are the splits that a note names, in its order.
var subsampleSplits = []struct{ name, rows string }{
	{"train", "training"}, {"validation", "validation"}, {"test", "test"},
}

// subsamples says of each data set of which not all rows are used how many are.
func subsamples(runs []results.Run) []string {
	var notes []string
	for i := range runs {
		r := &runs[i]
		var parts []string
		for _, s := range subsampleSplits {
			if n, of := r.Rows[s.name], r.Rows[s.name+"_of"]; n < of {
				parts = append(parts, fmt.Sprintf("%d of %d %s rows", n, of, s.rows))
			}
		}
		if len(parts) > 0 {
			notes = append(notes, "SUBSAMPLE of "+r.Dataset+": "+strings.Join(parts, ", "))
		}
	}
	return unique(notes)
}

// notes are what a reader of the figure should know of how it is drawn.
func (f facts) notes(frames [][]frame) []string {
	any := func(is func(frame) bool) bool {
		return slices.ContainsFunc(frames, func(row []frame) bool { return slices.ContainsFunc(row, is) })
	}
	notes := slices.Clone(f.subsampled)
	if any(func(f frame) bool { return f.leaves }) {
		notes = append(notes, "where a curve is beyond the end of an axis it leaves the panel")
	}
	if any(func(f frame) bool { return f.stops }) {
		notes = append(notes, "a mark at the end of a curve: the method stopped there by itself")
	}
	if f.seconds {
		notes = append(notes, "seconds are measured wall time in the algorithm alone; kernel rows that another run had computed before were free")
	}
	return notes
}

// withLater adds to a legend what the dashes after the first epoch mean.
func withLater(l legend, looks looks, curves []curve) legend {
	var out legend
	for _, e := range l {
		dashed := slices.ContainsFunc(curves, func(cv curve) bool { return looks.label(cv) == e.label && len(cv.pieces(e.style)) > 1 })
		if !dashed {
			out = append(out, e)
			continue
		}
		first := e
		first.style.Dashes = nil
		out = append(out, first, legendEntry{label: e.label + ", after the first epoch", style: e.style.later()})
	}
	return out
}
