package plots

import (
	"cmp"
	"fmt"
	"strings"

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
	standIns    []string
	// subsampled says, by data set, what part of its rows is used.
	subsampled []string
	// rule is how parameters were chosen at each support size, tuned names these; it is
	// empty if the figure shows no trade-off.
	rule  selection.Rule
	tuned []string
	// withoutBias names the trade-offs of methods without a bias, oneClass the data
	// sets whose test rows are of one class; both may be empty.
	withoutBias, oneClass string
	// seconds: an axis is in seconds, and conditions says how these were measured.
	seconds    bool
	conditions string
}

func factsOf(fig Figure, in Input, panes layout) facts {
	f := facts{title: cmp.Or(fig.Title, in.Title, fig.ID)}
	var shown, traded, timed []record.Run
	for c := range panes.all() {
		shown = append(shown, c.runs...)
		if c.tradesOff() {
			traded = append(traded, c.runs...)
		}
		if c.spec.X == xSeconds {
			timed = append(timed, c.runs...)
		}
		f.splits = unique(append(f.splits, c.splits...))
		f.addCurves(c)
	}
	switch {
	case fig.Draw == DrawFunction:
	case fig.Facet.Rows == varDataset || fig.Facet.Cols == varDataset || len(distinct(shown, varDataset)) == 1:
		f.data = textsOf(shown, varDataset)
	default:
		f.data = textsOf(shown, varGroup)
	}
	f.ks = textsOf(shown, "k")
	f.standIns = textsOf(filter(shown, func(r *record.Run) bool { return r.StandIn }), varDataset)
	f.subsampled, f.conditions = subsamples(shown), in.conditions(timed)
	if f.rule.BySize() {
		f.tuned = tunedIn(traded, f.rule.Tune)
		f.withoutBias, f.oneClass = in.biasNote(traded), oneClassNote(traded)
	}
	return f
}

// addCurves takes the curves of a panel into account.
func (f *facts) addCurves(c *pane) {
	if len(c.Curves) == 0 {
		return
	}
	if c.illustrates() || c.spec.Y == ySpectrum {
		f.single = f.single || !c.illustrates() || c.Static
		return
	}
	f.seconds = f.seconds || c.spec.X == xSeconds
	if c.tradesOff() {
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

// repeated says how many runs the curves are the mean of.
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

// spread says what the bands show.
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

// captionOf describes a figure in plain text, with what is above and the notes below its
// panels.
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
