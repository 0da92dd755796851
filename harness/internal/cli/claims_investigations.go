package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/results/words"
)

// printInvestigations prints a table "holds under" for each claim that verdicts judged
// are readings of: its readings, each with its outcome and what decided. Readings that
// are not among those shown are left out of the rows, but count.
func (t *verdictTables) printInvestigations(w io.Writer, shown, judged []claims.Verdict) error {
	all := claims.Investigations(judged)
	for i := range all {
		in := &all[i]
		hidden := func(v claims.Verdict) bool { return !isAmong(shown, v) }
		rows := slices.DeleteFunc(slices.Clone(in.Readings), hidden)
		if len(rows) == 0 {
			continue
		}
		if err := t.printInvestigation(w, in, rows); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	t.printMore(w)
	counts := newTextTable(t.format, []string{"claim", "as its spec has it", "holds under", "of readings"}, []int{44, 18, 12, 12})
	for i := range all {
		in := &all[i]
		counts.add(in.Of, itself(in), fmt.Sprint(in.Count(claims.Reproduced)), fmt.Sprint(len(in.Readings)))
	}
	if err := counts.print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, words.Count(len(all), "claim")+" investigated")
	return err
}

func (t *verdictTables) printInvestigation(w io.Writer, in *claims.Investigation, rows []claims.Verdict) error {
	of := newTextTable(t.format, []string{"verdict", "reading, and what decided"}, []int{16, 94})
	// Where the readings are judged, once or with each.
	where := func(v *claims.Verdict) string { return " (" + experimentOf(v) + ")" }
	heading, says := in.Of, in.Says
	first := experimentOf(&in.Readings[0])
	if !slices.ContainsFunc(in.Readings, func(v claims.Verdict) bool { return experimentOf(&v) != first }) {
		heading += ", in " + first
		where = func(*claims.Verdict) string { return "" }
	}
	if in.Source != "" {
		says += " (" + in.Source + ")"
	}
	says += ". " + in.HoldsText()
	if of.markdown {
		heading = "### " + heading + "\n"
		says += "\n"
	} else {
		says = strings.Join(words.Wrap(says, of.width(), ""), "\n")
	}
	fmt.Fprintln(w, heading)
	fmt.Fprintln(w, says)
	if v := in.Itself; v != nil {
		of.add(v.Outcome, fmt.Sprintf("the claim itself, in %s\n  %s", experimentOf(v), t.reason(v)))
	}
	for i := range rows {
		v := &rows[i]
		of.add(v.Outcome, v.Reading+where(v)+"\n  "+t.reason(v))
	}
	if err := of.print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// itself says what became of the claim itself, "" where that is not known.
func itself(in *claims.Investigation) string {
	if in.Itself == nil {
		return ""
	}
	return in.Itself.Outcome
}

// experimentOf names the experiment of a verdict, its profile and what was changed.
func experimentOf(v *claims.Verdict) string {
	name := v.Experiment + ", profile " + cmp.Or(v.Profile, "paper")
	if changed := words.Changes(v.Set); changed != "" {
		name += ", " + changed
	}
	return name
}

// isAmong reports whether a verdict is among others, by its claim and how its experiment was run.
func isAmong(verdicts []claims.Verdict, v claims.Verdict) bool {
	return slices.ContainsFunc(verdicts, func(o claims.Verdict) bool {
		return o.ID == v.ID && o.Experiment == v.Experiment && o.Profile == v.Profile && slices.Equal(o.Set, v.Set)
	})
}
