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

// mostAlgorithms are named in the last line; the others are counted.
const mostAlgorithms = 3

// mostMissing are named there of what the candidate lacks.
const mostMissing = 6

// undecided counts the cells that have neither passed nor failed, although the candidate has them.
func (c *comparison) undecided() (n int) {
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.Verdict == compare.Inconclusive || cell.Verdict == compare.Incomparable && len(cell.Missing) == 0 {
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

// code is the exit code: 0, exitRegression, exitUndecided, or exitError if nothing could be
// compared. Work that the candidate lacks is no regression, as it may still come.
func (c *comparison) code() int {
	bits, _ := c.changedBits()
	switch {
	case bits+c.Count(compare.Worse) > 0:
		return exitRegression
	case c.Count(compare.Incomparable) == len(c.Cells):
		return exitError
	case !c.allowLess && len(c.missing()) > 0, c.strict && c.undecided() > 0:
		return exitUndecided
	}
	return exitOK
}

// words says the outcome in words. PASS stands alone: it is said if every cell is identical,
// equivalent or better, and the candidate has all of the baseline's work.
func (c *comparison) words() string {
	var why, open []string
	if n := c.Count(compare.Worse); n > 0 {
		why = append(why, "REGRESSION: "+words.Count(n, "cell")+" worse")
	}
	if n, of := c.changedBits(); n > 0 { // neither better nor worse
		why = append(why, fmt.Sprintf("BITS CHANGED: %s of %s with the same key; raise the Version, or find out why",
			words.Count(n, "run"), words.List(of, mostAlgorithms)))
	}
	missing := c.missing()
	if len(missing) > 0 {
		text := "the candidate has less: " + words.List(missing, mostMissing)
		why, open = append(why, text), append(open, text)
	}
	undecided := c.undecided()
	if undecided > 0 {
		open = append(open, words.Count(undecided, "cell")+" undecided")
	}
	head, tail := "no regression shown; ", ""
	if c.strict && undecided > 0 {
		tail = ", which --strict does not let pass"
	}
	switch code := c.code(); {
	case code == exitRegression:
		return strings.Join(why, "; ")
	case code == exitError:
		return "NOTHING COMPARED: every cell is incomparable"
	case len(open) == 0:
		return "PASS"
	case len(missing) > 0 && !c.allowLess:
		head, tail = "INCOMPLETE: ", ""
	case undecided == len(c.Cells):
		head = "NOTHING DECIDED: "
	case code == exitUndecided:
		head = "UNDECIDED: "
	case undecided == 0:
		head = "PASS; "
	}
	return head + strings.Join(open, "; ") + tail
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
