package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/run"
	"stochopt/internal/shell"
	"stochopt/results/words"
)

// screenOfAll is the summary of several specs.
func (o *summaryOptions) screenOfAll(out, last string) []string {
	var lines []string
	verdicts := o.verdicts()
	if own := claims.OfClaims(verdicts); len(own) > 0 && o.claims != "none" {
		lines = append(countsBySubject(own), "why: stochopt claims "+shell.Word(out))
	}
	if n := len(claims.Investigations(verdicts)); n > 0 && o.claims != "none" {
		lines = append(lines, fmt.Sprintf("%s investigated: stochopt claims %s", words.Count(n, "claim"), shell.Word(out)))
	}
	made := words.Count(len(o.ended), "experiment")
	if profile := o.ended[0].profile; profile != "" {
		made += ", profile " + profile
	}
	made += fmt.Sprintf(": %s in %s", describe(o.total()), time.Since(o.started).Round(100*time.Millisecond))
	tail := append([]string{made}, o.minded(out)...)
	tail = append(tail, last)
	// The line before the screen is empty.
	lines = append(lines, o.failures(screenLines-1-height(lines)-height(tail), out)...)
	return append(lines, tail...)
}

// total counts the runs of all specs.
func (o *summaryOptions) total() (sum run.Summary) {
	for i := range o.ended {
		s := &o.ended[i].sum
		sum.Planned += s.Planned
		sum.Reused += s.Reused
		sum.Counts = sum.Plus(s.Counts)
	}
	return sum
}

// mostRows is the number of rows of the counts beyond which experiments that are not of
// the thesis are counted in one.
const mostRows = 10

// subjectWidth is the most room for a subject: with it the counts fit in screenWidth.
const subjectWidth = 40

// countsBySubject are the lines of a table of counts by kind and by chapters.
func countsBySubject(verdicts []claims.Verdict) []string {
	t := subjectTable("table", verdicts)
	t.plain = true
	var b strings.Builder
	if err := t.print(&b); err != nil {
		return nil
	}
	var lines []string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

// subjectTable counts verdicts by kind and by chapters, or by experiment where a claim is of no
// chapter.
func subjectTable(format string, verdicts []claims.Verdict) *textTable {
	subjects := claims.Subjects()
	for i := range verdicts {
		if s := subjectOf(&verdicts[i]); !slices.Contains(subjects, s) {
			subjects = append(subjects, s)
		}
	}
	named := func(v *claims.Verdict) string { return subjectOf(v) }
	if len(subjects) > mostRows {
		subjects = append(claims.Subjects(), otherClaims)
		named = func(v *claims.Verdict) string {
			if s := v.Subject(); s != "" {
				return s
			}
			return otherClaims
		}
	}
	t := newTextTable(format, append([]string{"", ""}, outcomes...), nil)
	t.numbers = 2
	for i, kind := range claims.Kinds() {
		title := kindTitles[i]
		for _, subject := range subjects {
			of := slices.DeleteFunc(ofKind(verdicts, kind), func(v claims.Verdict) bool { return named(&v) != subject })
			if len(of) == 0 {
				continue
			}
			row := []string{title, words.Fit(subject, subjectWidth)}
			for _, outcome := range outcomes {
				row = append(row, strconv.Itoa(tally(of, outcome)))
			}
			t.add(row...)
			title = ""
		}
	}
	return t
}

const otherClaims = "other claims"

// subjectOf is what a verdict is counted under.
func subjectOf(v *claims.Verdict) string {
	if s := v.Subject(); s != "" {
		return s
	}
	return v.Experiment
}
