package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// facts are what the heading, the notes and the caption of a figure say of its data.
type facts struct {
	title            string
	data, ks, splits []string
	// least and most are the numbers of runs of a curve, 0 if there is no curve along
	// runs; single: something else of a single run is shown.
	least, most int
	single      bool
	bands       []string
	// shown are all runs, traded those of trade-offs, and timed those of panels along seconds.
	shown, traded, timed []record.Run
	// rule is how parameters were chosen at each support size; it is empty if the figure shows no trade-off.
	rule selection.Rule
	// seconds: a curve is along seconds.
	seconds bool
}

func factsOf(fig Figure, in Input, panes layout) facts {
	f := facts{title: cmp.Or(fig.Title, in.Title, fig.ID)}
	for c := range panes.all() {
		f.shown = append(f.shown, c.runs...)
		if c.tradesOff() {
			f.traded = append(f.traded, c.runs...)
		}
		if c.spec.X == xSeconds {
			f.timed = append(f.timed, c.runs...)
		}
		f.splits = unique(append(f.splits, c.splits...))
		f.addCurves(c)
	}
	switch {
	case fig.Draw == DrawFunction:
	case fig.Facet.Rows == varDataset || fig.Facet.Cols == varDataset || len(distinct(f.shown, varDataset)) == 1:
		f.data = textsOf(f.shown, varDataset)
	default:
		f.data = textsOf(f.shown, varGroup)
	}
	f.ks = textsOf(f.shown, "k")
	return f
}

func standIns(runs []record.Run) []string {
	return textsOf(filter(runs, func(r *record.Run) bool { return r.StandIn }), varDataset)
}

func (f *facts) addCurves(c *pane) {
	if len(c.Curves) == 0 {
		return
	}
	if c.illustrates() || c.spec.Y == ySpectrum {
		f.single = f.single || !c.illustrates() || c.Static
		return
	}
	f.seconds = f.seconds || c.spec.X == xSeconds
	if c.tradesOff() { // there are curves, so that there is a choice
		f.rule = c.in.Choice.Rule
	}
	for _, cv := range c.Curves {
		if cv.Thin {
			continue
		}
		f.least, f.most = min(cmp.Or(f.least, cv.N), cv.N), max(f.most, cv.N)
		if cv.N > 1 || c.spec.Band == BandHalvings {
			f.bands = words.AddOnce(f.bands, c.spec.Band)
		}
	}
}

// detail is the line below the title.
func (f facts) detail(in Input) string {
	labelled := func(label, text string) string {
		if text == "" {
			return ""
		}
		return label + text
	}
	parts := []string{namesOfData(f.data), labelled("k = ", strings.Join(f.ks, ", "))}
	for _, part := range []string{
		f.repeated(), f.spread(), labelled("measured on: ", strings.Join(f.splits, ", ")), labelled("profile: ", in.Profile),
	} {
		parts = append(parts, glue(part))
	}
	return joinParts(" · ", append(parts, words.Changes(in.Set))...)
}

func (f facts) repeated() string {
	switch {
	case f.most == 0 && f.single:
		return "a single run"
	case f.most == 0:
		return ""
	case f.most == 1:
		return "a single run each"
	case f.least == f.most:
		return fmt.Sprintf("mean of %d repeats", f.least)
	}
	return fmt.Sprintf("mean of %d to %d repeats", f.least, f.most)
}

func (f facts) spread() string {
	of := ""
	if f.rule.BySize() {
		of = " over repeats"
	}
	names := map[string]string{
		BandQuantiles: "band: 10 % to 90 % quantile" + of,
		BandMinMax:    "band: minimum to maximum" + of,
		BandRuns:      "thin lines: single repeats",
		BandHalvings:  "band: ± standard deviation over halvings",
	}
	var parts []string
	for _, b := range f.bands {
		parts = append(parts, names[b])
	}
	return joinParts(" · ", parts...)
}

// alarm is the mark of figures and tables made from made-up data.
func alarm(standIns []string) string {
	return "STAND-IN DATA: " + strings.Join(standIns, ", ") +
		". The real data were not available; these are made up, and this is not a result on the real data"
}

// captionOf describes a figure in plain text, with what is above and the notes below its panels.
func captionOf(title, caption, detail string, above, notes []Text) string {
	sentences := []string{title, caption, detail}
	for _, t := range above {
		sentences = append(sentences, string(t))
	}
	for _, n := range notes {
		sentences = append(sentences, "Note: "+string(n))
	}
	for i, s := range sentences {
		if s = strings.TrimSpace(s); s != "" {
			sentences[i] = strings.TrimRight(s, ".") + "."
		}
	}
	return plainText(strings.Join(strings.Fields(unglue(strings.Join(sentences, " "))), " "))
}

// notes are what a reader of the figure should know of its panels and of how they are drawn.
func (f facts) notes(in Input, panes layout) []string {
	var own, hidden, cut, below []string
	leaves, stops := false, false
	for c := range panes.all() {
		own = append(append(own, c.notes...), tuningOf(c.spec.Tuned).note, declaredNote(c.runs, c.spec.X))
		var names []string
		visible, floored := 0, false
		for _, cv := range c.Curves {
			beyond := cv.leaves(c.X, c.Y)
			floored, stops = floored || cv.floored(c.X, c.Y), stops || cv.Done
			leaves = leaves || beyond && !cv.Thin
			switch {
			case cv.Thin || !c.tradesOff():
			case !cv.inView(c.X, c.Y):
				hidden = append(hidden, fmt.Sprintf("%s lies outside its panel (%s): its least error is %s",
					in.Name(cv.series.series), cmp.Or(strings.TrimSuffix(string(c.Title), " · "+standInMark), c.where), words.Percent(slices.Min(cv.Y))))
			default:
				visible++
				if beyond {
					names = append([]string{cv.Key}, names...)
				}
			}
		}
		if floored {
			below = append(below, power(int(math.Round(math.Log10(c.Y.Floor)))))
		}
		if len(names) > 1 && len(names) == visible {
			names = []string{"all"}
		}
		if len(names) > 0 {
			title := ""
			if c.Title != "" {
				title = " (" + string(c.Title) + ")"
			}
			cut = append(cut, strings.Join(names, ", ")+title)
		}
	}
	var notes []string
	if len(below) > 0 {
		notes = append(notes, "values below "+strings.Join(unique(below), " or ")+
			", including zero and negative values, are drawn on the dotted line")
	}
	notes = slices.Concat(notes, own, subsamples(f.shown))
	if leaves {
		const what = "curves leave the panel where they are beyond the end of an axis"
		notes = append(notes, joinParts(": ", what, strings.Join(cut, "; ")))
	}
	if stops {
		notes = append(notes, "a mark at the end of a curve: the method converged there")
	}
	notes = append(notes, hidden...)
	if f.rule.BySize() {
		notes = append(notes, in.biasNote(f.traded), oneClassNote(f.traded), selected(f.rule, tunedIn(f.traded, f.rule.Tune)))
	}
	if f.seconds {
		const clock = "seconds are wall time in the algorithm alone; the clock starts after the points are laid out and the reference optimum is solved"
		notes = append(notes, joinParts("; ", clock, in.conditions(f.timed)))
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

// mostSubsamples is the number of data sets that have a note of their own on what part of their rows is used.
const mostSubsamples = 4

// subsamples says of each data set of which not all rows are used how many are, of many in one line.
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
	all := make([]*record.Run, len(runs))
	for i := range runs {
		all[i] = &runs[i]
	}
	return observe.DeclaredNote(all, cost)
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
