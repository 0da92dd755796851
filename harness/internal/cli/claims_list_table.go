package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"stochopt/harness/internal/claims"
	"stochopt/internal/words"
	"stochopt/plots/table"
)

// printClaims prints claims that have not been judged, a line each below the name of their
// spec.
func printClaims(w io.Writer, list []listedClaim, format string) error {
	markdown := newTextTable(format, []string{"spec", "claim", "section", "what it says"}, nil)
	specs, ids, places := 0, 0, 0
	for i := range list {
		l := &list[i]
		ids, places = max(ids, utf8.RuneCountInString(l.ID)), max(places, utf8.RuneCountInString(placeOf(&l.Claim)))
	}
	for i := range list {
		l := &list[i]
		first := i == 0 || list[i-1].Spec != l.Spec
		if first {
			specs++
		}
		if markdown.markdown {
			markdown.add(l.Spec, l.ID, placeOf(&l.Claim), l.Says)
			continue
		}
		if first {
			fmt.Fprintln(w, l.Spec)
		}
		line := fmt.Sprintf("  %-*s  %-*s  %s", ids, l.ID, places, placeOf(&l.Claim), l.Says)
		fmt.Fprintln(w, words.Fit(line, table.Width))
	}
	if err := markdown.print(w); err != nil {
		return err
	}
	text := countClaims(list)
	if len(list) > 0 {
		text += "; -v shows each in full, and how it is checked"
	}
	if specs > 1 {
		text += "; --section, --about or the name of a spec narrow the list down"
	}
	_, err := fmt.Fprintln(w, strings.Join(words.Wrap(text, table.Width, ""), "\n"))
	return err
}

// placeOf names the sections of a claim, else where its source begins.
func placeOf(c *claims.Claim) string {
	first, _, _ := strings.Cut(c.Source, ",")
	return cmp.Or(strings.Join(c.Sections(), ", "), first)
}

// countClaims counts the claims of a list, and those that the specs by themselves lack.
func countClaims(list []listedClaim) string {
	text, only := words.Count(len(list), "claim"), 0
	for i := range list {
		if list[i].Only != nil {
			only++
		}
	}
	if only > 0 {
		text += fmt.Sprintf(", %d of them only at some profiles", only)
	}
	return text
}

// printWholeClaims prints all of claims that have not been judged.
func printWholeClaims(w io.Writer, list []listedClaim, format string) error {
	t := newTextTable(format, []string{"spec, claim", "what it says", "what is checked", "from"}, []int{22, 38, 41, 6})
	t.rules = true
	for _, l := range list {
		says := l.Says
		if l.Source != "" {
			says += "\n(" + l.Source + ")"
		}
		checked := l.Checked
		if l.Only != nil {
			checked += "\nonly with --profile " + strings.Join(l.Only, ", ")
		}
		id := l.Spec + "\n" + l.ID
		if l.OfKind() != claims.Experiment {
			id += "\n(" + l.OfKind() + ")"
		}
		t.add(id, says, checked, l.LeastProfile())
	}
	if err := t.print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, countClaims(list))
	return err
}
