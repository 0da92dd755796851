package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/harness/internal/claims"
	"stochopt/internal/observe"
	"stochopt/internal/words"
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
	if t.whole {
		return v.Whole()
	}
	t.cut = t.cut || v.Whole() != v.Reason
	return v.Reason
}

// caveats are as many texts as there is room for.
func (t *verdictTables) caveats(texts []string) []string {
	if t.whole {
		return texts
	}
	room := caveatsWidth
	for i, text := range texts {
		if room -= utf8.RuneCountInString(text) + 2; room < 0 && i > 0 && i+1 < len(texts) {
			t.cut = true
			return append(slices.Clone(texts[:i]), fmt.Sprintf("… and %d more", len(texts)-i))
		}
	}
	return texts
}

// verdictWidth is the width of a table of verdicts for a terminal.
const verdictWidth = 1 + 19 + 97

// verdictRow is a row of a table of verdicts.
type verdictRow struct{ outcome, text string }

// verdictColumns are the columns of a table of verdicts.
func verdictColumns(title string) []column[verdictRow] {
	return []column[verdictRow]{
		{"verdict", func(r verdictRow) any { return r.outcome }},
		{title, func(r verdictRow) any { return r.text }},
	}
}

// print prints a table of the verdicts shown for each experiment, and counts all that were
// judged, by kind, and by experiment and by chapters if there are several experiments. A table of
// readings follows.
func (t *verdictTables) print(w io.Writer, shown, judged []claims.Verdict) error {
	own := claims.OfClaims(judged)
	if len(own) > 0 || len(judged) == 0 {
		for _, of := range byExperiment(claims.OfClaims(shown)) {
			if err := t.printExperiment(w, of); err != nil {
				return err
			}
		}
		t.printMore(w)
		if err := printCounts(w, own); err != nil {
			return err
		}
	}
	var readings []verdictRow
	for _, v := range claims.OfReadings(shown) {
		readings = append(readings, verdictRow{v.Outcome, fmt.Sprintf("%s: %s\n  %s", v.Of, v.Reading, t.reason(&v))})
	}
	if err := printTable(w, inTable, readings, verdictColumns("claim: reading, and what decided")); err != nil {
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

// printCounts counts the verdicts on claims.
func printCounts(w io.Writer, verdicts []claims.Verdict) error {
	if all := byExperiment(verdicts); len(all) > 1 {
		experiment := func(v *claims.Verdict) string { return v.Experiment }
		if slices.ContainsFunc(verdicts, func(v claims.Verdict) bool { return v.Subject() != "" }) {
			all, experiment = bySubject(verdicts)
		}
		if err := printTallies(w, all, experiment); err != nil {
			return err
		}
	}
	lines := []string{countOutcomes(verdicts)}
	if text := claims.Chance(verdicts); text != "" {
		lines = append(words.Wrap(text, verdictWidth, ""), lines...)
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// printTallies counts verdicts by outcome: a row for each kind of claims in each group that has some.
func printTallies(w io.Writer, groups [][]claims.Verdict, name func(*claims.Verdict) string) error {
	var rows [][]claims.Verdict
	for _, k := range claims.Kinds() {
		for _, of := range groups {
			if of = ofKind(of, k); len(of) > 0 {
				rows = append(rows, of)
			}
		}
	}
	columns := []column[[]claims.Verdict]{
		{"claims", func(of []claims.Verdict) any { return of[0].OfKind() }},
		{"of", func(of []claims.Verdict) any { return name(&of[0]) }},
	}
	for _, o := range outcomes {
		columns = append(columns, column[[]claims.Verdict]{o, func(of []claims.Verdict) any { return tally(of, o) }})
	}
	return printTable(w, inTable, rows, columns)
}

// bySubject groups verdicts by chapters, or by experiment where a claim is of no chapter.
func bySubject(verdicts []claims.Verdict) (groups [][]claims.Verdict, name func(*claims.Verdict) string) {
	subject := func(v *claims.Verdict) string { return cmp.Or(v.Subject(), v.Experiment) }
	subjects := claims.Subjects()
	for i := range verdicts {
		subjects = words.AddOnce(subjects, subject(&verdicts[i]))
	}
	for _, s := range subjects {
		others := func(v claims.Verdict) bool { return subject(&v) != s }
		groups = append(groups, slices.DeleteFunc(slices.Clone(verdicts), others))
	}
	return groups, subject
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

// printExperiment prints the verdicts on the claims of an experiment. It says once
// how the experiment is below the scale of the thesis, and marks each verdict that this
// concerns with a star.
func (t *verdictTables) printExperiment(w io.Writer, of []claims.Verdict) error {
	heading := of[0].Experiment
	if of[0].Profile != "" {
		heading += ", profile " + of[0].Profile
	}
	fmt.Fprintln(w, heading)
	notes := []string{words.Changes(of[0].Set)}
	if scale := scaleOf(of); len(scale) > 0 {
		notes = append(notes, "* below the scale of the thesis: "+strings.Join(scale, "; "))
	}
	for _, note := range notes {
		if note != "" {
			fmt.Fprintln(w, strings.Join(words.Wrap(note, verdictWidth, ""), "\n"))
		}
	}
	var rows []verdictRow
	for _, kind := range claims.Kinds() {
		for _, v := range ofKind(of, kind) {
			rows = append(rows, t.row(&v))
		}
	}
	if err := printTable(w, inTable, rows, verdictColumns("claim, and what decided")); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// row is the row of a verdict.
func (t *verdictTables) row(v *claims.Verdict) verdictRow {
	id := v.ID
	if v.Source != "" {
		id += ", " + v.Source
	}
	if v.OfKind() != claims.Experiment {
		id += " (" + v.OfKind() + ")"
	}
	outcome, text := v.Outcome, fmt.Sprintf("%s: %s\n  %s", id, v.Says, t.reason(v))
	if v.Outcome != claims.NotRun {
		own := slices.DeleteFunc(slices.Clone(v.Caveats), ofScale)
		if len(own) < len(v.Caveats) {
			outcome += " *"
		}
		if len(own) > 0 {
			text += "\n  but " + strings.Join(t.caveats(claims.Texts(own)), "; ")
		}
	}
	return verdictRow{outcome, text}
}

// caveatsWidth is the room for the caveats of a verdict, about three lines.
const caveatsWidth = 270

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
	criterion := func(c claims.Caveat) bool { return c.Kind == observe.Criterion }
	if n := count(verdicts, func(v claims.Verdict) bool { return slices.ContainsFunc(v.Caveats, criterion) }); n > 0 {
		kinds = append(kinds, fmt.Sprintf("in %d the parameters were chosen by the quantity judged", n))
	}
	return strings.Join(kinds, "; ")
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
