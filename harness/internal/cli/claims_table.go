package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/internal/observe"
	"stochopt/internal/words"
	"stochopt/plots/table"
)

var outcomes = []string{claims.Reproduced, claims.NotReproduced, claims.Inconclusive, claims.NotRun}

// claimID is the id of the claim that a verdict is on, or that it is a reading of.
func claimID(v *claims.Verdict) string { return cmp.Or(v.Of, v.ID) }

// verdictColumns are the columns of a table of verdicts; whole asks for every part and caveat.
func verdictColumns(whole bool) []column[claims.Verdict] {
	return []column[claims.Verdict]{
		{"experiment", func(v claims.Verdict) any { return v.Experiment }},
		{"claim", func(v claims.Verdict) any { return claimID(&v) }},
		{"verdict", func(v claims.Verdict) any { return v.Outcome }},
		{"what it says, and what decided", func(v claims.Verdict) any { return decided(&v, whole) }},
	}
}

// printRows prints verdicts for a terminal. Ids of claims are long, and stand before what decided.
func printRows(w io.Writer, verdicts []claims.Verdict, whole bool) error {
	return printTable(w, inTable, verdicts, []column[claims.Verdict]{
		{"verdict", func(v claims.Verdict) any { return v.Outcome }},
		{"claim, and what decided", func(v claims.Verdict) any { return claimID(&v) + ", " + decided(&v, whole) }},
	})
}

// decided says what a claim states, what decided its verdict, and the caveats.
func decided(v *claims.Verdict, whole bool) string {
	const mostCaveats = 3
	statement, reason := v.Says, v.Reason
	if v.Reading != "" {
		statement = v.Reading
	}
	if v.Source != "" {
		statement = v.Source + ": " + statement
	}
	if v.KindOrDefault() != claims.Experiment {
		statement += " (" + v.KindOrDefault() + ")"
	}
	if whole {
		reason = v.FullReason()
	}
	lines := []string{statement, "  " + reason}
	if v.Outcome == claims.NotRun {
		return strings.Join(lines, "\n")
	}
	texts := claims.Texts(slices.DeleteFunc(slices.Clone(v.Caveats), ofScale))
	if more := len(texts) - mostCaveats; more > 0 && !whole {
		texts = append(texts[:mostCaveats], fmt.Sprintf("%d more with -v", more))
	}
	if len(texts) > 0 {
		lines = append(lines, "  but "+strings.Join(texts, "; "))
	}
	return strings.Join(lines, "\n")
}

// printVerdicts prints a table of the verdicts shown for each experiment, the counts of all that were
// judged, and a table of readings.
func printVerdicts(w io.Writer, shown, judged []claims.Verdict, whole bool) error {
	own := claims.WithoutReadings(judged)
	if len(own) > 0 || len(judged) == 0 {
		for _, of := range byExperiment(claims.WithoutReadings(shown)) {
			if err := printExperiment(w, of, whole); err != nil {
				return err
			}
		}
		if err := printCounts(w, own); err != nil {
			return err
		}
	}
	return printRows(w, claims.OnlyReadings(shown), whole)
}

// printExperiment prints the verdicts on the claims of an experiment, and how it is below the scale of
// the thesis.
func printExperiment(w io.Writer, of []claims.Verdict, whole bool) error {
	heading := of[0].Experiment
	if of[0].Profile != "" {
		heading += ", profile " + of[0].Profile
	}
	var scale []claims.Caveat
	for _, v := range of {
		for _, c := range v.Caveats {
			if ofScale(c) {
				scale = claims.AddCaveat(scale, c.Remark, c.On...)
			}
		}
	}
	lines := append([]string{heading}, words.Wrap(words.Changes(of[0].Set), table.Width, "")...)
	if len(scale) > 0 {
		text := "below the scale of the thesis: " + strings.Join(claims.Texts(scale), "; ")
		lines = append(lines, words.Wrap(text, table.Width, "")...)
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	fmt.Fprintln(w, strings.Join(lines, "\n"))
	var rows []claims.Verdict
	for _, kind := range claims.Kinds() {
		rows = append(rows, ofKind(of, kind)...)
	}
	if err := printRows(w, rows, whole); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

func ofScale(c claims.Caveat) bool { return c.Kind == observe.BelowScale }

// byExperiment groups verdicts by experiment, in the order in which they come. Several on the same
// claim are of several folders, and in groups of their own.
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

// printCounts counts the verdicts on claims, by chapters if there are several experiments.
func printCounts(w io.Writer, verdicts []claims.Verdict) error {
	if len(byExperiment(verdicts)) > 1 {
		if err := printTallies(w, verdicts); err != nil {
			return err
		}
	}
	lines := append(words.Wrap(claims.ExpectedErrors(verdicts), table.Width, ""), countOutcomes(verdicts))
	_, err := fmt.Fprintln(w, strings.TrimPrefix(strings.Join(lines, "\n"), "\n"))
	return err
}

// printTallies counts verdicts by outcome: a row for each kind of claims in some chapters, or in an
// experiment where a claim is of no chapter.
func printTallies(w io.Writer, verdicts []claims.Verdict) error {
	subject := func(v *claims.Verdict) string { return cmp.Or(v.Subject(), v.Experiment) }
	subjects := claims.Subjects()
	for i := range verdicts {
		subjects = words.AddOnce(subjects, subject(&verdicts[i]))
	}
	var rows [][]claims.Verdict
	for _, kind := range claims.Kinds() {
		for _, s := range subjects {
			others := func(v claims.Verdict) bool { return subject(&v) != s }
			if of := slices.DeleteFunc(ofKind(verdicts, kind), others); len(of) > 0 {
				rows = append(rows, of)
			}
		}
	}
	columns := []column[[]claims.Verdict]{
		{"kind", func(of []claims.Verdict) any { return of[0].KindOrDefault() }},
		{"claims of", func(of []claims.Verdict) any { return subject(&of[0]) }},
	}
	for _, o := range outcomes {
		columns = append(columns, column[[]claims.Verdict]{o, func(of []claims.Verdict) any { return tally(of, o) }})
	}
	return printTable(w, inTable, rows, columns)
}

// ofKind returns the verdicts on claims of a kind.
func ofKind(verdicts []claims.Verdict, kind string) []claims.Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v claims.Verdict) bool { return v.KindOrDefault() != kind })
}

// countOutcomes returns "claims: 12 reproduced, 3 not reproduced; bounds: 4 reproduced", without kinds
// and outcomes that do not occur.
func countOutcomes(verdicts []claims.Verdict) string {
	var kinds []string
	for i, kind := range claims.Kinds() {
		if text := tallies(ofKind(verdicts, kind)); text != "" {
			kinds = append(kinds, []string{"claims", "rates", "bounds", "identities"}[i]+": "+text)
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

func tally(verdicts []claims.Verdict, outcome string) int {
	return count(verdicts, func(v claims.Verdict) bool { return v.Outcome == outcome })
}

// count returns how many elements of a list a function holds for.
func count[T any](list []T, is func(T) bool) (n int) {
	for _, x := range list {
		if is(x) {
			n++
		}
	}
	return n
}
