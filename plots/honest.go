package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/results/record"
)

// subsampleSplits are the splits that a note names, in its order.
var subsampleSplits = []struct{ name, rows string }{
	{"train", "training"}, {"validation", "validation"}, {"test", "test"},
}

// mostSubsamples is the number of data sets that have a note of their own on what
// part of their rows is used.
const mostSubsamples = 4

// subsamples says of each data set of which not all rows are used how many are, of
// many in one line.
func subsamples(runs []record.Run) []string {
	var notes []string
	var short notesByText
	data := make(map[string]bool)
	for i := range runs {
		r := &runs[i]
		var parts []string
		for _, s := range subsampleSplits {
			if n, of := r.Rows[s.name], r.Rows[s.name+"_of"]; n < of {
				parts = append(parts, fmt.Sprintf("%d of %d %s rows", n, of, s.rows))
			}
		}
		if len(parts) == 0 {
			continue
		}
		n := "SUBSAMPLE of " + r.Dataset + ": " + strings.Join(parts, ", ")
		if !slices.Contains(notes, n) {
			notes = append(notes, n)
			short.add(r.Dataset, strings.ReplaceAll(strings.Join(parts, ", "), " rows", ""))
			data[r.Dataset] = true
		}
	}
	if len(data) > mostSubsamples {
		all := make([]string, len(short.texts))
		for i, text := range short.texts {
			all[i] = fmt.Sprintf("%s (%s)", text, strings.Join(short.of[i], ", "))
		}
		return []string{"SUBSAMPLE of the rows: " + strings.Join(all, "; ")}
	}
	return notes
}

// notes are what a reader of the figure should know of how it is drawn.
func (f facts) notes(frames [][]frame) []string {
	any := func(is func(frame) bool) bool {
		return slices.ContainsFunc(frames, func(row []frame) bool { return slices.ContainsFunc(row, is) })
	}
	notes := slices.Clone(f.subsampled)
	if any(func(f frame) bool { return f.leaves }) {
		notes = append(notes, joinParts(": ", "where a curve is beyond the end of an axis it leaves the panel", strings.Join(cuts(frames), "; ")))
	}
	if any(func(f frame) bool { return f.stops }) {
		notes = append(notes, "a mark at the end of a curve: the method had converged there")
	}
	for _, row := range frames {
		for _, f := range row {
			notes = append(notes, f.hidden...)
		}
	}
	if f.halvings > 0 {
		notes = append(notes, f.withoutBias, f.oneClass, f.selected())
		notes = slices.DeleteFunc(notes, func(n string) bool { return n == "" })
	}
	if f.seconds {
		notes = append(notes, joinParts("; ", "seconds are measured wall time in the algorithm alone, "+clockStarts, f.conditions))
	}
	return notes
}

// cuts names, by panel, the trade-offs that leave it.
func cuts(frames [][]frame) []string {
	var panels []string
	for _, row := range frames {
		for _, f := range row {
			switch n := len(f.cut); {
			case n == 0:
			case n > 1 && n == f.curves:
				panels = append(panels, joinParts(" ", "all", f.in()))
			default:
				panels = append(panels, joinParts(" ", strings.Join(f.cut, ", "), f.in()))
			}
		}
	}
	return panels
}

// in says which panel the frame is.
func (f frame) in() string {
	if f.title == "" {
		return ""
	}
	return "(" + f.title + ")"
}

// clockStarts says what seconds leave out.
const clockStarts = "whose clock starts when the problem is built (layout of the points, reference optimum)"

// timedRuns returns the runs of the panels whose x axis is in seconds.
func timedRuns(cells [][]cell) []record.Run {
	var runs []record.Run
	for _, row := range cells {
		for i := range row {
			if row[i].panel.X == xSeconds {
				runs = append(runs, row[i].runs...)
			}
		}
	}
	return runs
}

// conditions says under which conditions the times of the finished runs were
// measured, "" if there is nothing to say.
func conditions(runs []record.Run, timings record.Timings) string {
	jobs := 0
	timed, alone, kernels, external := false, true, false, false
	for i := range runs {
		t, ok := timings.Of(runs[i])
		if !ok || runs[i].Status != record.StatusFinished {
			continue
		}
		timed = true
		jobs = max(jobs, t.Jobs)
		alone = alone && runs[i].Alone()
		evals, _ := finalCost("kernel_evals")(&runs[i])
		kernels = kernels || evals > 0
		external = external || runs[i].Algorithm == defaultReference
	}
	var parts []string
	switch {
	case !timed:
	case alone && kernels:
		parts = append(parts, "one run at a time, each with kernel rows of its own")
	case alone:
		parts = append(parts, "one run at a time")
	case kernels:
		parts = append(parts, "kernel rows computed before the run, or by another run, were free")
	}
	if jobs > 1 {
		parts = append(parts, fmt.Sprintf("measured with %d runs side by side", jobs))
	}
	if external {
		parts = append(parts, "the time of "+DisplayName(defaultReference)+" is svm-train's own, from its start to its end")
	}
	return strings.Join(parts, "; ")
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
