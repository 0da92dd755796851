package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// bandTexts describes the bands around curves.
var bandTexts = map[string]string{
	BandQuantiles: "band: 10 % to 90 % quantile",
	BandMinMax:    "band: minimum to maximum",
	BandRuns:      "thin lines: single repeats",
	BandHalvings:  "band: ± standard deviation over halvings",
	bandResampled: "band: pointwise 95 % intervals from resampled repeats",
}

// detail returns the line below the title: data, repeats, band, splits, profile and changes.
func (l layout) detail(fig Figure, in Input) string {
	var splits, bands []string
	fewest, most := 0, 0 // numbers of runs per curve
	repeats, mean := "", "mean of "
	for _, c := range slices.Concat(l...) {
		splits = unique(append(splits, c.splits...))
		if c.spec.Profiles() {
			mean = ""
		}
		for _, cv := range c.Curves {
			switch {
			case c.Static || c.spec.Y == observe.Spectrum:
				repeats = "a single run"
			case c.illustrates() || cv.Thin || cv.Points && len(cv.X) > 1:
			default:
				fewest, most = min(cmp.Or(fewest, cv.N), cv.N), max(most, cv.N)
				if name := bandTexts[c.spec.Band]; name != "" && (cv.N > 1 || c.spec.Band == BandHalvings) {
					bands = words.AddOnce(bands, name)
				}
			}
		}
	}
	switch {
	case most == 1:
		repeats = "a single run each"
	case most > fewest:
		repeats = fmt.Sprintf("%s%d to %d repeats", mean, fewest, most)
	case most > 0:
		repeats = fmt.Sprintf("%s%d repeats", mean, most)
	}
	shown := l.runs()
	var data []string
	switch {
	case fig.Draw == DrawFunction:
	case fig.Facet.Rows == record.VarDataset, fig.Facet.Cols == record.VarDataset,
		len(distinct(shown, record.VarDataset)) == 1:
		data = in.titlesOf(textsOf(shown, record.VarDataset))
	default:
		data = textsOf(shown, record.VarGroup)
	}
	labelled := func(label string, texts ...string) string {
		text := joinParts(", ", texts...)
		if text != "" {
			text = label + text
		}
		return text
	}
	return joinParts(" · ",
		dataText(data), labelled("k = ", textsOf(shown, "k")...), repeats, joinParts(" · ", bands...),
		labelled("measured on: ", splits...), labelled("profile: ", in.Profile), words.Changes(in.Set))
}

// standIns returns the stand-in datasets of runs.
func standIns(runs []record.Run) []string {
	return textsOf(filter(runs, func(r *record.Run) bool { return r.StandIn }), record.VarDataset)
}

// StandInData is the beginning of the alarm of figures and tables from stand-in data.
const StandInData = "STAND-IN DATA"

// standInAlarm returns the alarm of figures and tables from the named stand-ins.
func standInAlarm(standIns []string) string {
	return StandInData + ": " + strings.Join(standIns, ", ") +
		". The real data were not available; these are made up, and this is not a result on the real data"
}

// sentences joins texts, each with a full stop.
func sentences(texts ...string) string {
	var parts []string
	for _, t := range texts {
		if s := strings.TrimRight(strings.TrimSpace(t), "."); s != "" {
			parts = append(parts, s+".")
		}
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// notes returns the notes of the panels and the notes that explain the drawing.
func (l layout) notes(in Input) []string {
	var notes, outside []string
	var tradeoffs, timed []record.Run
	var rule selection.Rule
	leaving, faint, converged := "", "", ""
	for _, c := range slices.Concat(l...) {
		notes = append(append(notes, c.notes...), declaredNote(c.runs, c.spec.X))
		if c.spec.Tuned != "" {
			notes = append(notes, gridCostNote)
		}
		for _, cv := range c.Curves {
			switch {
			case cv.Thin:
			case !cv.inView(c.X, c.Y):
				note := cv.Key + " lies outside its panel"
				if place := cmp.Or(c.Title, c.where); place != "" {
					note += " (" + place + ")"
				}
				outside = append(outside, note)
			case cv.exceeds(c.X, c.Y):
				leaving = "curves leave the panel where they are beyond the end of an axis"
			}
			if cv.StaysFrom(c.Y) > 0 {
				faint = "thin and pale: a curve before it stays within its panel"
			}
			if cv.Converged {
				converged = "a mark at the end of a curve: the method converged there"
			}
		}
		if floor := c.Y.Floor; floor > 0 {
			notes = append(notes,
				"values below "+scientific(floor)+", including zero and negative values, are drawn on the dotted line")
		}
		if c.spec.X == record.CostSeconds && len(c.Curves) > 0 {
			timed = append(timed, c.runs...)
		}
		if c.isTradeoff() && len(c.Curves) > 0 {
			tradeoffs, rule = append(tradeoffs, c.runs...), c.in.Choice.Rule
		}
	}
	notes = append(slices.Concat(notes, subsampleNotes(l.runs()), []string{leaving, faint, converged}), outside...)
	if rule.BySize() {
		notes = append(notes, in.biasNote(tradeoffs), oneClassNote(tradeoffs),
			selectionNote(rule, varyingParams(tradeoffs, rule.Tune)))
	}
	if len(timed) > 0 {
		const clock = "seconds are wall time in the algorithm alone; " +
			"the clock starts after the points are laid out and the reference optimum is solved"
		notes = append(notes, joinParts("; ", clock, in.timingConditions(timed)))
	}
	return unique(slices.DeleteFunc(notes, func(n string) bool { return n == "" }))
}

// selectionNote describes the selection of classifiers by a rule and the tuned parameters.
func selectionNote(rule selection.Rule, tuned []string) string {
	among := "the largest of each run up to that size"
	if rule.Over == selection.OverAny {
		among = "all of at most that size"
	}
	by := "one half of the test rows, and its error is that on the other half: the mean over " +
		words.Count(rule.Halvings, "random halving") + ", the same for all curves"
	if rule.By == selection.ByValidation {
		by = "the validation rows, and its error is that on all test rows, which take no part in the choice"
	}
	var names []string
	for _, name := range tuned {
		names = append(names, symbol(name))
	}
	classifier := "classifier"
	if len(names) > 0 {
		classifier += " (" + strings.Join(names, ", ") + ")"
	}
	return fmt.Sprintf("at each support size the best %s among %s is chosen on %s", classifier, among, by)
}

// subsampleSplits lists the splits of subsampleNotes in order.
var subsampleSplits = []struct{ name, rows string }{
	{"train", "training"}, {"validation", "validation"}, {"test", "test"},
}

// subsampleNotes returns a note on the datasets of which only some rows are used, or nothing.
func subsampleNotes(runs []record.Run) []string {
	var notes notesByText
	for i := range runs {
		var parts []string
		for _, s := range subsampleSplits {
			if n, total := runs[i].Rows[s.name], runs[i].Rows[s.name+"_of"]; n < total {
				parts = append(parts, fmt.Sprintf("%d of %d %s rows", n, total, s.rows))
			}
		}
		if len(parts) > 0 {
			notes.add(runs[i].Dataset, strings.Join(parts, ", "))
		}
	}
	if len(notes.texts) == 0 {
		return nil
	}
	return []string{"SUBSAMPLE of " + strings.Join(notes.lines(), "; ")}
}

// declaredNote names the series whose cost is only declared by external programs. It is "" without such series.
func declaredNote(runs []record.Run, cost string) string {
	all := make([]*record.Run, len(runs))
	for i := range runs {
		all[i] = &runs[i]
	}
	return observe.DeclaredNote(all, cost)
}

// timingConditions describes how the times of finished runs were measured, "" without times.
func (in Input) timingConditions(runs []record.Run) string {
	jobs := 0
	timed, alone, kernels := false, true, false
	var clocks []string
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
			clocks = append(clocks, a.Name+": "+a.Clock)
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
	return joinParts("; ", append(parts, unique(clocks)...)...)
}
