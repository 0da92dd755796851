package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
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

// notes are what a reader of the figure should know of its panels and of how they are
// drawn; more are those of the whole.
func (f facts) notes(panes layout, more ...string) []string {
	var own, hidden, cut []string
	leaves, stops := false, false
	for c := range panes.all() {
		own, hidden = append(own, c.notes...), append(hidden, c.hidden...)
		own = append(own, selection.TuningOf(c.panel.Tuned).Note, declaredNote(c.runs, c.panel.X))
		leaves, stops = leaves || c.leaves, stops || c.stops
		switch n := len(c.cut); {
		case n == 0:
		case n > 1 && n == c.seen:
			cut = append(cut, c.out.named("all"))
		default:
			cut = append(cut, c.out.named(strings.Join(c.cut, ", ")))
		}
	}
	notes := slices.Concat([]string{floorNote(panes)}, own, more, f.subsampled)
	if leaves {
		const what = "curves leave the panel where they are beyond the end of an axis"
		notes = append(notes, joinParts(": ", what, strings.Join(cut, "; ")))
	}
	if stops {
		notes = append(notes, "a mark at the end of a curve: the method converged there")
	}
	notes = append(notes, hidden...)
	if f.selection.BySize() {
		notes = append(notes, f.withoutBias, f.oneClass, selected(f.selection, f.tuned))
	}
	if f.seconds {
		notes = append(notes, joinParts("; ", "seconds are wall time in the algorithm alone; "+clockStarts, f.conditions))
	}
	return unique(slices.DeleteFunc(notes, func(n string) bool { return n == "" }))
}

// declaredNote says of which series a cost is declared, "" if of none.
func declaredNote(runs []record.Run, cost string) string {
	d, ok := observe.DeclaredIn(observe.EachRun(runs), cost)
	if !ok {
		return ""
	}
	return d.String()
}

// named returns what is said of curves with the panel that they are in.
func (p *ChartPanel) named(what string) string {
	if p.Title == "" {
		return what
	}
	return what + " (" + string(p.Title) + ")"
}

// floorNote explains the dotted lines of all panels; it is empty if there are
// none.
func floorNote(panes layout) string {
	var floors []float64
	for c := range panes.all() {
		if c.floored {
			floors = append(floors, c.y.Floor)
		}
	}
	slices.Sort(floors)
	var texts []string
	for _, v := range slices.Compact(floors) {
		texts = append(texts, power(v))
	}
	switch n := len(texts); {
	case n == 0:
		return ""
	case n > 3:
		return "values below a dotted line, including zero and negative values, are drawn on it"
	default:
		return "values below " + strings.Join(texts, " or ") + ", including zero and negative values, are drawn on the dotted line"
	}
}

// power writes a power of ten.
func power(v float64) string { return "10^{" + exponent(int(math.Round(math.Log10(v)))) + "}" }

// clockStarts says what seconds leave out.
const clockStarts = "the clock starts after the points are laid out and the reference optimum is solved"

// conditions says under which conditions the times of the finished runs were
// measured, "" if there is nothing to say.
func (in Input) conditions(runs []record.Run) string {
	jobs := 0
	timed, alone, kernels := false, true, false
	var others []string
	for i := range runs {
		t, ok := runs[i].Timing()
		if !ok || runs[i].Status != record.StatusFinished {
			continue
		}
		timed = true
		jobs = max(jobs, t.Jobs)
		alone = alone && runs[i].Alone()
		evals, _ := finalCost("kernel_evals")(&runs[i])
		kernels = kernels || evals > 0
		if a := in.algorithm(runs[i].Algorithm); a.Clock != "" {
			others = append(others, a.Name+": "+a.Clock)
		}
	}
	var parts []string
	switch {
	case !timed:
	case alone && kernels:
		parts = append(parts, "one run at a time, each with its own kernel rows")
	case alone:
		parts = append(parts, "one run at a time")
	case kernels:
		parts = append(parts, "kernel rows computed before the run or by another run are not timed")
	}
	if jobs > 1 {
		parts = append(parts, fmt.Sprintf("%d runs in parallel", jobs))
	}
	return strings.Join(append(parts, unique(others)...), "; ")
}
