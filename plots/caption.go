package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// facts are what the heading and the caption of a figure say of its data.
type facts struct {
	data     []string
	ks       []string
	splits   []string
	repeats  [2]int // least and most runs of a curve
	bands    []string
	curves   bool
	spectrum bool
	standIns []string
	// subsampled says, by data set, what part of its rows is used.
	subsampled []string
	// selection is how parameters were selected at each support size, tuned names these; it is
	// empty if the figure shows no trade-off.
	selection selection.Rule
	tuned     []string
	// withoutBias names the trade-offs of methods without a bias, oneClass the data
	// sets whose test rows are of one class; both may be empty.
	withoutBias, oneClass string
	// seconds is set if an axis is in seconds, and conditions says how these
	// were measured.
	seconds    bool
	conditions string
}

func factsOf(fig Figure, in Input, panes layout) facts {
	var f facts
	var shown, traded, timed []record.Run
	for c := range panes.all() {
		shown = append(shown, c.runs...)
		if c.tradesOff() {
			traded = append(traded, c.runs...)
		}
		if c.panel.X == xSeconds {
			timed = append(timed, c.runs...)
		}
		f.splits = unique(append(f.splits, c.splits...))
		f.addCurves(c)
	}
	f.data = textsOf(shown, varGroup)
	if fig.Facet.Rows == varDataset || fig.Facet.Cols == varDataset || len(distinct(shown, varDataset)) == 1 {
		f.data = textsOf(shown, varDataset)
	}
	if fig.Draw == DrawFunction {
		f.data = nil
	}
	f.ks = textsOf(shown, "k")
	f.standIns = textsOf(filter(shown, func(r *record.Run) bool { return r.StandIn }), varDataset)
	f.subsampled, f.conditions = subsamples(shown), in.conditions(timed)
	if f.selection.BySize() {
		f.tuned = tunedIn(traded, f.selection.Tune)
		f.withoutBias, f.oneClass = in.biasNote(traded), oneClassNote(traded)
	}
	return f
}

// addCurves takes the curves of a panel into account.
func (f *facts) addCurves(c *pane) {
	if len(c.curves) == 0 {
		return
	}
	if c.illustrates() || c.panel.Y == ySpectrum {
		f.spectrum = f.spectrum || !c.illustrates() || c.kind().static
		return
	}
	f.seconds = f.seconds || c.panel.X == xSeconds
	if c.tradesOff() {
		f.selection = c.in.Choice.Rule
	}
	for _, cv := range c.curves {
		n := cv.mean.N
		if !f.curves || n < f.repeats[0] {
			f.repeats[0] = n
		}
		f.repeats[1] = max(f.repeats[1], n)
		f.curves = true
		if n > 1 || c.panel.Band == BandHalvings {
			f.bands = unique(append(f.bands, c.panel.Band))
		}
	}
}

// title is the figure's own title, else the experiment's, else its id.
func (f facts) title(fig Figure, in Input) string {
	switch {
	case fig.Title != "":
		return fig.Title
	case in.Title != "":
		return in.Title
	}
	return fig.ID
}

// detail is the line below the title.
func (f facts) detail(in Input) string {
	var splits string
	if len(f.splits) > 0 {
		splits = "measured on: " + strings.Join(f.splits, ", ")
	}
	var profile string
	if in.Profile != "" {
		profile = "profile: " + in.Profile
	}
	return joinParts(" · ", namesOfData(f.data), f.k(), glue(f.repeated()), glue(f.spread()), glue(splits), glue(profile), words.Changes(in.Set))
}

// k names the subspace dimensions.
func (f facts) k() string {
	if len(f.ks) == 0 {
		return ""
	}
	return "k = " + strings.Join(f.ks, ", ")
}

// repeated says how many runs the curves are the mean of.
func (f facts) repeated() string {
	switch {
	case !f.curves && f.spectrum:
		return "a single run"
	case !f.curves:
		return ""
	case f.repeats[1] == 1:
		return "a single run each"
	case f.repeats[0] == f.repeats[1]:
		return fmt.Sprintf("mean of %d repeats", f.repeats[0])
	}
	return fmt.Sprintf("mean of %d to %d repeats", f.repeats[0], f.repeats[1])
}

// spread says what the bands show.
func (f facts) spread() string {
	of := ""
	if f.selection.BySize() {
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
	return "STAND-IN DATA: " + strings.Join(standIns, ", ") + ". The real data were not available; these are made up, and this is not a result on the real data"
}

// caption describes the figure in plain text, with alarms and the notes under it if
// there are any.
func (f facts) caption(fig Figure, in Input, alarms, notes []string) string {
	var parts []string
	sentence := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			parts = append(parts, strings.TrimRight(s, ".")+".")
		}
	}
	for _, s := range slices.Concat([]string{f.title(fig, in), fig.Caption, f.detail(in)}, alarms, unique(in.Notes)) {
		sentence(s)
	}
	for _, n := range notes {
		sentence("Note: " + n)
	}
	return plainText(strings.Join(strings.Fields(unglue(strings.Join(parts, " "))), " "))
}

// selected says how the classifiers of trade-offs were chosen, and which parameters.
func selected(o selection.Rule, tuned []string) string {
	if o.By == selection.ByValidation {
		return chosenByValidation(o, tuned)
	}
	how := "at each support size the classifier of a run is its largest up to that size, and its error is measured on one half of the test rows"
	among := "among the largest classifier of each run up to that size"
	what := ""
	if o.Over == selection.OverAny {
		among = "among all classifiers of at most that size"
		what = "the classifier is"
	}
	if len(tuned) > 0 {
		names := make([]string, len(tuned))
		for i, name := range tuned {
			names[i] = symbol(name)
		}
		what = strings.Join(names, ", ") + " " + are(len(names))
	}
	if what != "" {
		how = "at each support size " + what + " chosen on one half of the test rows, " + among + ", and the error is measured on the other half"
	}
	halvings := "a random halving"
	if o.Halvings > 1 {
		halvings = fmt.Sprintf("the mean over %d random halvings, the same for all curves", o.Halvings)
	}
	return how + ": " + halvings
}

// chosenByValidation says how classifiers are chosen where no test row is.
func chosenByValidation(o selection.Rule, tuned []string) string {
	among := "the largest classifier of each run up to that size"
	if o.Over == selection.OverAny {
		among = "all classifiers of at most that size"
	}
	text := "at each support size the classifier is chosen by validation rows, among " + among
	if len(tuned) > 0 {
		var names []string
		for _, name := range tuned {
			names = append(names, symbol(name))
		}
		text += " and value of " + strings.Join(names, ", ")
	}
	return text + "; its error is that on all test rows, which take no part in the choice"
}

// are is the verb of so many things.
func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
