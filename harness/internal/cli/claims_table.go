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

// printVerdictTable prints a table of verdicts. verbose adds all parts and caveats.
func printVerdictTable(w io.Writer, verdicts []claims.Verdict, verbose bool) {
	printTable(w, inTable, verdicts, []column[claims.Verdict]{
		{"verdict", func(v claims.Verdict) any { return v.Outcome }},
		{"claim and reason", func(v claims.Verdict) any {
			id := cmp.Or(v.Of, v.ID) // a reading has the ID of its claim
			return id + ", " + describeVerdict(&v, verbose)
		}},
	})
}

// describeVerdict returns the statement of a claim, the reason of its verdict, and the caveats.
func describeVerdict(v *claims.Verdict, verbose bool) string {
	const maxCaveats = 3
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
	if verbose {
		reason = v.FullReason()
	}
	lines := []string{statement, "  " + reason}
	if v.Outcome == claims.NotRun {
		return strings.Join(lines, "\n")
	}
	texts := claims.Texts(slices.DeleteFunc(slices.Clone(v.Caveats), isScale))
	if more := len(texts) - maxCaveats; more > 0 && !verbose {
		texts = append(texts[:maxCaveats], fmt.Sprintf("%d more with -v", more))
	}
	if len(texts) > 0 {
		lines = append(lines, "  but "+strings.Join(texts, "; "))
	}
	return strings.Join(lines, "\n")
}

// printVerdicts prints the selected verdicts by experiment, the counts of all judged ones (for several experiments
// also by chapters), and a table of readings.
func printVerdicts(w io.Writer, selected, judged []claims.Verdict, verbose bool) {
	counted := claims.WithoutReadings(judged)
	if len(counted) > 0 || len(judged) == 0 {
		for _, group := range byExperiment(claims.WithoutReadings(selected)) {
			printExperiment(w, group, verbose)
		}
		if len(byExperiment(counted)) > 1 {
			printCountTable(w, counted)
		}
		lines := append(words.Wrap(claims.ExpectedErrors(counted), table.Width, ""), describeCounts(counted))
		fmt.Fprintln(w, strings.TrimPrefix(strings.Join(lines, "\n"), "\n"))
	}
	printVerdictTable(w, claims.OnlyReadings(selected), verbose)
}

// printExperiment prints the verdicts of an experiment under a heading. The heading states how the experiment
// is smaller than in the thesis.
func printExperiment(w io.Writer, verdicts []claims.Verdict, verbose bool) {
	first := &verdicts[0]
	heading := first.Experiment
	if first.Profile != "" {
		heading += ", profile " + first.Profile
	}
	var scale []claims.Caveat
	for _, v := range verdicts {
		for _, c := range v.Caveats {
			if isScale(c) {
				scale = claims.AddCaveat(scale, c.Remark, c.On...)
			}
		}
	}
	lines := append([]string{heading}, words.Wrap(words.Changes(first.Set), table.Width, "")...)
	if len(scale) > 0 {
		text := "below the scale of the thesis: " + strings.Join(claims.Texts(scale), "; ")
		lines = append(lines, words.Wrap(text, table.Width, "")...)
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	fmt.Fprintln(w, strings.Join(lines, "\n"))
	var rows []claims.Verdict
	for _, kind := range claims.Kinds() {
		rows = append(rows, ofKind(verdicts, kind)...)
	}
	printVerdictTable(w, rows, verbose)
	fmt.Fprintln(w)
}

func isScale(c claims.Caveat) bool { return c.Kind == observe.BelowScale }

// byExperiment groups verdicts by experiment, in order. Verdicts of different folders on the same claim are in
// different groups.
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

// printCountTable prints a table of the numbers of verdicts by outcome. It has a row for each kind of claims
// and each subject of the thesis. Claims without a chapter of the thesis have their experiment as subject.
func printCountTable(w io.Writer, verdicts []claims.Verdict) {
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
	for _, o := range claims.Outcomes() {
		columns = append(columns, column[[]claims.Verdict]{o, func(of []claims.Verdict) any { return countOutcome(of, o) }})
	}
	printTable(w, inTable, rows, columns)
}

// ofKind returns the verdicts on claims of a kind.
func ofKind(verdicts []claims.Verdict, kind string) []claims.Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v claims.Verdict) bool { return v.KindOrDefault() != kind })
}

// describeCounts returns a text such as "claims: 12 reproduced, 3 not reproduced; bounds: 4 reproduced". It omits
// zeros.
func describeCounts(verdicts []claims.Verdict) string {
	plurals := [...]string{"claims", "rates", "bounds", "identities"} // of claims.Kinds()
	var parts []string
	for i, kind := range claims.Kinds() {
		if text := describeOutcomes(ofKind(verdicts, kind)); text != "" {
			parts = append(parts, plurals[i]+": "+text)
		}
	}
	if parts == nil {
		return "claims: none"
	}
	isCriterion := func(c claims.Caveat) bool { return c.Kind == observe.Criterion }
	n := count(verdicts, func(v claims.Verdict) bool { return slices.ContainsFunc(v.Caveats, isCriterion) })
	if n > 0 {
		parts = append(parts, fmt.Sprintf("in %d the parameters were chosen by the quantity judged", n))
	}
	return strings.Join(parts, "; ")
}

// describeOutcomes returns a text such as "12 reproduced, 3 not reproduced".
func describeOutcomes(verdicts []claims.Verdict) string {
	var parts []string
	for _, o := range claims.Outcomes() {
		if n := countOutcome(verdicts, o); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(parts, ", ")
}

func countOutcome(verdicts []claims.Verdict, outcome string) int {
	return count(verdicts, func(v claims.Verdict) bool { return v.Outcome == outcome })
}

// count returns the number of elements for which a predicate holds.
func count[T any](list []T, predicate func(T) bool) (n int) {
	for _, x := range list {
		if predicate(x) {
			n++
		}
	}
	return n
}
