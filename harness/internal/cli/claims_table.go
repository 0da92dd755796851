package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stochopt/harness/internal/claims"
	"stochopt/internal/observe"
	"stochopt/internal/words"
	"stochopt/plots/table"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// verdictTables prints verdicts.
type verdictTables struct {
	// whole: all parts and caveats of a verdict are printed, however many there are.
	whole bool
	// cut: there are more of some verdict.
	cut bool
}

// reason is what decided a verdict.
func (t *verdictTables) reason(v *claims.Verdict) string {
	whole := v.Whole()
	if t.whole {
		return whole
	}
	t.cut = t.cut || whole != v.Reason
	return v.Reason
}

// caveats are as many texts as there is room for.
func (t *verdictTables) caveats(texts []string) []string {
	some := someOf(texts, caveatsWidth)
	if t.whole {
		return texts
	}
	t.cut = t.cut || len(some) < len(texts)
	return some
}

// print prints a table of the verdicts shown for each experiment, and counts all that were
// judged, by kind, and by experiment and by chapters if there are several experiments. A table of
// readings follows.
func (t *verdictTables) print(w io.Writer, shown, judged []claims.Verdict) error {
	own := claims.OfClaims(judged)
	if len(own) > 0 || len(judged) == 0 {
		if err := t.printClaimed(w, claims.OfClaims(shown), own); err != nil {
			return err
		}
	}
	return t.printReadings(w, claims.OfReadings(shown))
}

// printReadings prints a table of the verdicts on readings of claims.
func (t *verdictTables) printReadings(w io.Writer, readings []claims.Verdict) error {
	rows := newTextTable([]string{"verdict", "claim: reading, and what decided"}, []int{16, 94})
	for i := range readings {
		v := &readings[i]
		rows.add(v.Outcome, fmt.Sprintf("%s: %s\n  %s", v.Of, v.Reading, t.reason(v)))
	}
	if err := rows.print(w); err != nil {
		return err
	}
	t.printMore(w)
	return nil
}

// printMore says how to see what the verdicts printed leave out, if they do.
func (t *verdictTables) printMore(w io.Writer) {
	if t.cut {
		fmt.Fprintln(w, `where a verdict says "and … more": claims -v prints all`)
	}
	t.cut = false
}

// printClaimed prints verdicts on claims that are no readings of others.
func (t *verdictTables) printClaimed(w io.Writer, shown, judged []claims.Verdict) error {
	for _, of := range byExperiment(shown) {
		if err := t.printExperiment(w, of); err != nil {
			return err
		}
	}
	t.printMore(w)
	if len(byExperiment(judged)) > 1 {
		tables := []*textTable{countTable(judged)}
		if slices.ContainsFunc(judged, func(v claims.Verdict) bool { return v.Subject() != "" }) {
			tables = append(tables, subjectTable(judged))
		}
		for _, t := range tables {
			if err := t.print(w); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
	}
	_, err := fmt.Fprintln(w, countOutcomes(judged))
	return err
}

// ofKind returns the verdicts on claims of a kind.
func ofKind(verdicts []claims.Verdict, kind string) []claims.Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v claims.Verdict) bool { return v.OfKind() != kind })
}

// byExperiment groups verdicts by experiment, in the order in which they come. Several
// on the same claim are of several folders, and in groups of their own.
func byExperiment(verdicts []claims.Verdict) [][]claims.Verdict {
	var groups [][]claims.Verdict
	for _, v := range verdicts {
		i := slices.IndexFunc(groups, func(of []claims.Verdict) bool {
			return of[0].Experiment == v.Experiment && of[0].Profile == v.Profile && slices.Equal(of[0].Set, v.Set) &&
				!slices.ContainsFunc(of, func(o claims.Verdict) bool { return o.ID == v.ID })
		})
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}

// printExperiment prints the verdicts on the claims of an experiment. In which ways it
// is below the scale of the thesis is said once; a star stands for it beside each
// verdict that this concerns.
func (t *verdictTables) printExperiment(w io.Writer, of []claims.Verdict) error {
	heading := of[0].Experiment
	if of[0].Profile != "" {
		heading += ", profile " + of[0].Profile
	}
	rows := newTextTable([]string{"verdict", "claim, and what decided"}, []int{16, 94})
	fmt.Fprintln(w, heading)
	var notes []string
	if len(of[0].Set) > 0 {
		notes = append(notes, words.Changes(of[0].Set))
	}
	if scale := scaleOf(of); len(scale) > 0 {
		notes = append(notes, "* below the scale of the thesis: "+strings.Join(scale, "; "))
	}
	for _, note := range notes {
		fmt.Fprintln(w, strings.Join(words.Wrap(note, rows.width(), ""), "\n"))
	}
	of = slices.Clone(of)
	slices.SortStableFunc(of, func(a, b claims.Verdict) int { return kindRank(a) - kindRank(b) })
	for i := range of {
		v := &of[i]
		of := v.ID
		if v.Source != "" {
			of += ", " + v.Source
		}
		if v.OfKind() != claims.Experiment {
			of += " (" + v.OfKind() + ")"
		}
		outcome, text := v.Outcome, fmt.Sprintf("%s: %s\n  %s", of, v.Says, t.reason(v))
		if v.Outcome != claims.NotRun {
			own := slices.DeleteFunc(slices.Clone(v.Caveats), ofScale)
			if len(own) < len(v.Caveats) {
				outcome += " *"
			}
			if len(own) > 0 {
				text += "\n  but " + strings.Join(t.caveats(claims.Texts(own)), "; ")
			}
		}
		rows.add(outcome, text)
	}
	if err := rows.print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// kindRank orders verdicts by the kind of their claims.
func kindRank(v claims.Verdict) int { return slices.Index(claims.Kinds(), v.OfKind()) }

// caveatsWidth is the room for the caveats of a verdict, about three lines.
const caveatsWidth = 270

// someOf returns the first texts, as many as there is room for, and how many more there
// are.
func someOf(texts []string, room int) []string {
	for i, text := range texts {
		if room -= utf8.RuneCountInString(text) + 2; room < 0 && i > 0 && i+1 < len(texts) {
			return append(slices.Clone(texts[:i]), fmt.Sprintf("… and %d more", len(texts)-i))
		}
	}
	return texts
}

// scaleOf says in which ways the runs behind the verdicts are below the scale of the
// thesis.
func scaleOf(of []claims.Verdict) []string {
	var scale []claims.Caveat
	for i := range of {
		for _, c := range of[i].Caveats {
			if of[i].Outcome != claims.NotRun && ofScale(c) {
				scale = claims.AddCaveat(scale, c.Remark, c.On...)
			}
		}
	}
	return claims.Texts(scale)
}

func ofScale(c claims.Caveat) bool { return c.Kind == observe.BelowScale }

// kindTitles call the kinds of claims, in their order, where they are counted.
var kindTitles = []string{"claims", "bounds", "identities"}

// countOutcomes returns "claims: 12 reproduced, 3 not reproduced; bounds: 4 reproduced",
// by kind, without kinds and outcomes that there are none of. "Claims" are those of what
// experiments show.
func countOutcomes(verdicts []claims.Verdict) string {
	var kinds []string
	for i, kind := range claims.Kinds() {
		if text := tallies(ofKind(verdicts, kind)); text != "" {
			kinds = append(kinds, kindTitles[i]+": "+text)
		}
	}
	if kinds == nil {
		return "claims: none"
	}
	return strings.Join(kinds, "; ")
}

// countTable counts verdicts by kind and by experiment.
func countTable(verdicts []claims.Verdict) *textTable {
	t := newTextTable(append([]string{"kind", "experiment"}, outcomes...), nil)
	t.numbers = 2
	for _, kind := range claims.Kinds() {
		for _, of := range byExperiment(verdicts) {
			if of = ofKind(of, kind); len(of) > 0 {
				t.addCounts(kind, of[0].Experiment, of)
			}
		}
	}
	return t
}

// subjectTable counts verdicts by kind and by chapters, or by experiment where a claim is of no
// chapter.
func subjectTable(verdicts []claims.Verdict) *textTable {
	subjects := claims.Subjects()
	for i := range verdicts {
		subjects = words.AddOnce(subjects, subjectOf(&verdicts[i]))
	}
	t := newTextTable(append([]string{"", ""}, outcomes...), nil)
	t.numbers = 2
	for i, kind := range claims.Kinds() {
		title := kindTitles[i]
		for _, subject := range subjects {
			of := slices.DeleteFunc(ofKind(verdicts, kind), func(v claims.Verdict) bool { return subjectOf(&v) != subject })
			if len(of) > 0 {
				t.addCounts(title, subject, of)
				title = ""
			}
		}
	}
	return t
}

// addCounts adds a row with the number of verdicts of each outcome.
func (t *textTable) addCounts(kind, of string, verdicts []claims.Verdict) {
	row := []string{kind, of}
	for _, o := range outcomes {
		row = append(row, strconv.Itoa(tally(verdicts, o)))
	}
	t.add(row...)
}

// subjectOf is what a verdict is counted under.
func subjectOf(v *claims.Verdict) string {
	if s := v.Subject(); s != "" {
		return s
	}
	return v.Experiment
}

// tallies returns "12 reproduced, 3 not reproduced".
func tallies(verdicts []claims.Verdict) string {
	var parts []string
	for _, o := range outcomes {
		if n := tally(verdicts, o); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}

// textTable is a table of running text, whose columns are folded to their widths, if
// they have any.
type textTable struct {
	// rules: there is one between rows.
	rules bool
	// numbers is the first column of those that hold numbers, 0 if none does.
	numbers int
	header  []string
	widths  []int
	rows    [][]string
}

func newTextTable(header []string, widths []int) *textTable {
	return &textTable{header: header, widths: widths}
}

func (t *textTable) add(cells ...string) {
	for i, width := range t.widths {
		var lines []string
		for line := range strings.SplitSeq(cells[i], "\n") {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			lines = append(lines, words.Wrap(line, width, indent)...)
		}
		cells[i] = strings.Join(lines, "\n")
	}
	t.rows = append(t.rows, cells)
}

// print writes the table, nothing if it has no rows.
func (t *textTable) print(w io.Writer) error {
	if len(t.rows) == 0 {
		return nil
	}
	between := tw.Off
	if t.rules {
		between = tw.On
	}
	style := tw.Rendition{Settings: tw.Settings{Separators: tw.Separators{BetweenRows: between}}}
	align := tw.MakeAlign(len(t.header), tw.AlignLeft)
	for j := t.numbers; j > 0 && j < len(align); j++ {
		align[j] = tw.AlignRight
	}
	rows := table.Verbatim(w, renderer.NewBlueprint(style), align, tablewriter.WithTrimSpace(tw.Off))
	rows.Header(t.header)
	for _, row := range t.rows {
		if err := rows.Append(row); err != nil {
			return err
		}
	}
	return rows.Render()
}

// width is that of the table, with its rules.
func (t *textTable) width() int {
	w := 1
	for _, n := range t.widths {
		w += n + 3
	}
	return w
}
