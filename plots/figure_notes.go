package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// notes are what a reader of the figure should know of its panels and of how they are
// drawn.
func (f facts) notes(panes layout) []string {
	var own, hidden, cut, below []string
	leaves, stops := false, false
	for c := range panes.all() {
		own, hidden = append(own, c.notes...), append(hidden, c.hidden...)
		own = append(own, tuningOf(c.spec.Tuned).note, declaredNote(c.runs, c.spec.X))
		leaves, stops = leaves || c.leaves, stops || c.stops
		if c.floored {
			below = append(below, power(int(math.Round(math.Log10(c.Y.Floor)))))
		}
		if len(c.cut) == 0 {
			continue
		}
		names := strings.Join(c.cut, ", ")
		if len(c.cut) > 1 && len(c.cut) == c.visible {
			names = "all"
		}
		if c.Title != "" {
			names += " (" + string(c.Title) + ")"
		}
		cut = append(cut, names)
	}
	var notes []string
	if len(below) > 0 {
		notes = append(notes, "values below "+strings.Join(unique(below), " or ")+
			", including zero and negative values, are drawn on the dotted line")
	}
	notes = slices.Concat(notes, own, f.subsampled)
	if leaves {
		const what = "curves leave the panel where they are beyond the end of an axis"
		notes = append(notes, joinParts(": ", what, strings.Join(cut, "; ")))
	}
	if stops {
		notes = append(notes, "a mark at the end of a curve: the method converged there")
	}
	notes = append(notes, hidden...)
	if f.rule.BySize() {
		notes = append(notes, f.withoutBias, f.oneClass, selected(f.rule, f.tuned))
	}
	if f.seconds {
		const clock = "seconds are wall time in the algorithm alone; the clock starts after the points are laid out and the reference optimum is solved"
		notes = append(notes, joinParts("; ", clock, f.conditions))
	}
	return unique(slices.DeleteFunc(notes, func(n string) bool { return n == "" }))
}

// selected says how the classifiers of trade-offs were chosen, and which parameters.
func selected(o selection.Rule, tuned []string) string {
	halvings := fmt.Sprintf("the mean over %d random halvings, the same for all curves", o.Halvings)
	validates := o.By == selection.ByValidation
	if !validates && len(tuned) == 0 && o.Over != selection.OverAny {
		return "at each support size the classifier of a run is its largest up to that size, and its error is measured on one half of the test rows: " + halvings
	}
	among := "among the largest classifier of each run up to that size"
	if o.Over == selection.OverAny {
		among = "among all classifiers of at most that size"
	}
	var names []string
	for _, name := range tuned {
		names = append(names, symbol(name))
	}
	what := strings.Join(names, ", ") + " are"
	switch len(names) {
	case 0:
		what = "the classifier is"
	case 1:
		what = names[0] + " is"
	}
	if validates {
		return "at each support size " + what + " chosen by validation rows, " + among +
			"; its error is that on all test rows, which take no part in the choice"
	}
	return "at each support size " + what + " chosen on one half of the test rows, " + among +
		", and the error is measured on the other half: " + halvings
}

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
	var notes, data []string
	var short notesByText
	for i := range runs {
		r := &runs[i]
		var parts, counts []string
		for _, s := range subsampleSplits {
			if n, of := r.Rows[s.name], r.Rows[s.name+"_of"]; n < of {
				count := fmt.Sprintf("%d of %d %s", n, of, s.rows)
				parts, counts = append(parts, count+" rows"), append(counts, count)
			}
		}
		note := "SUBSAMPLE of " + r.Dataset + ": " + strings.Join(parts, ", ")
		if len(parts) > 0 && !slices.Contains(notes, note) {
			notes, data = append(notes, note), words.AddOnce(data, r.Dataset)
			short.add(r.Dataset, strings.Join(counts, ", "))
		}
	}
	if len(data) <= mostSubsamples {
		return notes
	}
	var all []string
	for i, text := range short.texts {
		all = append(all, fmt.Sprintf("%s (%s)", text, strings.Join(short.of[i], ", ")))
	}
	return []string{"SUBSAMPLE of the rows: " + strings.Join(all, "; ")}
}

// declaredNote says of which series a cost is declared, "" if of none.
func declaredNote(runs []record.Run, cost string) string {
	if d, ok := observe.DeclaredIn(observe.EachRun(runs), cost); ok {
		return d.String()
	}
	return ""
}

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
		evals, _ := observe.Total(record.CostKernelEvals)(&runs[i])
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
	return joinParts("; ", append(parts, unique(others)...)...)
}
