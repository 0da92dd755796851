package cli

import (
	"errors"
	"fmt"
	"strings"

	"stochopt/internal/compare"
	"stochopt/internal/words"
)

// changedBits counts the runs with the same key and other bits that nothing excuses, and
// names their algorithms.
func (c *comparison) changedBits() (n int, algorithms []string) {
	for _, d := range c.Differences {
		if d.Excused == "" {
			n, algorithms = n+1, words.AddOnce(algorithms, d.Algorithm)
		}
	}
	return n, algorithms
}

// mostNamed algorithms, or texts on what is missing, are in the last line; the others are counted.
const mostNamed = 3

// undecided counts the cells that have neither passed nor failed, without those that the candidate
// lacks and, unless strictly, those that the baseline lacks.
func (c *comparison) undecided() int {
	n := c.Count(compare.Inconclusive)
	for i := range c.Cells {
		cell := &c.Cells[i]
		counts := len(cell.Missing) == 0 && (c.strict || c.unchanged) || !cell.OneSided()
		if cell.Verdict == compare.Incomparable && counts {
			n++
		}
	}
	return n
}

// missing lists what of the baseline's work, and of its own plan, the candidate lacks.
func (c *comparison) missing() (texts []string) {
	for i := range c.Cells {
		for _, text := range c.Cells[i].Missing {
			texts = words.AddOnce(texts, text)
		}
	}
	for _, s := range c.cand {
		if s.partial != "" {
			texts = append(texts, s.Name+" is PARTIAL, "+s.partial)
		}
	}
	return texts
}

// changed counts the cells that are not equal to the bit, if that is what is asked.
func (c *comparison) changed() (n int) {
	for i := range c.Cells {
		if cell := &c.Cells[i]; c.unchanged && !cell.Unchanged && cell.Verdict != compare.Incomparable {
			n++
		}
	}
	return n
}

// code is the exit code: 0, exitRegression, exitUndecided, or exitError if nothing could be
// compared. Work that the candidate lacks is no regression, as it may still come.
func (c *comparison) code() int {
	bits, _ := c.changedBits()
	switch {
	case bits+c.Count(compare.Worse)+c.changed() > 0:
		return exitRegression
	case c.Count(compare.Incomparable) == len(c.Cells):
		return exitError
	case !c.allowLess && len(c.missing()) > 0, (c.strict || c.unchanged) && c.undecided() > 0:
		return exitUndecided
	}
	return exitOK
}

// words returns the outcome in words. PASS stands alone, if every cell that both sides have is
// identical, equivalent or better, and the candidate has all of the baseline's work.
func (c *comparison) words() string {
	var parts []string
	if n := c.Count(compare.Worse); n > 0 {
		parts = append(parts, "REGRESSION: "+words.Count(n, "cell")+" worse")
	}
	if n, of := c.changedBits(); n > 0 { // neither better nor worse
		parts = append(parts, fmt.Sprintf("BITS CHANGED: %s of %s with the same key; raise the Version, or find out why",
			words.Count(n, "run"), words.List(of, mostNamed)))
	}
	if n := c.changed(); n > 0 {
		parts = append(parts, "CHANGED: "+words.Count(n, "cell")+" not equal to the bit")
	}
	code, missing, undecided := c.code(), c.missing(), c.undecided()
	if len(missing) > 0 {
		parts = append(parts, "the candidate has less: "+words.List(missing, mostNamed))
	}
	if undecided > 0 && code != exitRegression {
		parts = append(parts, words.Count(undecided, "cell")+" undecided")
	}
	text := strings.Join(parts, "; ")
	switch {
	case code == exitRegression:
		return text
	case code == exitError:
		return "NOTHING COMPARED: every cell is incomparable"
	case len(parts) == 0:
		return "PASS"
	case len(missing) > 0 && !c.allowLess:
		return "INCOMPLETE: " + text
	case code == exitUndecided:
		flag := map[bool]string{true: "--strict", false: "--unchanged"}[c.strict]
		return "UNDECIDED: " + text + ", which " + flag + " does not let pass"
	case undecided == len(c.Cells):
		return "NOTHING DECIDED: " + text
	case undecided == 0:
		return "PASS; " + text
	}
	return "no regression shown; " + text
}

// counts counts the cells by verdict.
func (c *comparison) counts() string {
	var parts []string
	for _, v := range []string{compare.Identical, compare.Equivalent, compare.Better, compare.Worse, compare.Inconclusive, compare.Incomparable} {
		if n := c.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return words.Count(len(c.Cells), "cell") + ": " + strings.Join(parts, ", ")
}

// outcome is the error that carries the exit code.
func (c *comparison) outcome() error {
	if code := c.code(); code != exitOK {
		return &codedError{code: code, err: errors.New(c.words()), verdict: true}
	}
	return nil
}
