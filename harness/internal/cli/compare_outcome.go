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

// bits says how many runs have the same key and other bits, and what to do about it. That
// is neither better nor worse. It is empty if there are none.
func (c *comparison) bits() string {
	n, of := c.changedBits()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("BITS CHANGED: %s of %s with the same key; raise the Version, or find out why",
		words.Count(n, "run"), words.List(of, mostAlgorithms))
}

// undecided counts the cells that have neither passed nor failed.
func (c *comparison) undecided() int {
	return c.Count(compare.Inconclusive) + c.Count(compare.Incomparable)
}

// code is the exit code: 0, exitRegression, exitUndecided, or exitError if nothing could be
// compared. Runs that the candidate lacks are no regression, as they may still come.
func (c *comparison) code() int {
	bits, _ := c.changedBits()
	switch {
	case bits+c.Count(compare.Worse) > 0:
		return exitRegression
	case c.Count(compare.Incomparable) == len(c.Cells):
		return exitError
	case c.strict && (c.undecided() > 0 || len(c.partial) > 0):
		return exitUndecided
	}
	return exitOK
}

// words says the outcome in words. PASS stands alone: it is said if every cell is
// identical, equivalent or better, and the candidate has all its runs.
func (c *comparison) words() string {
	var why, open []string
	if n := c.Count(compare.Worse); n > 0 {
		why = append(why, "REGRESSION: "+words.Count(n, "cell")+" worse")
	}
	if text := c.bits(); text != "" {
		why = append(why, text)
	}
	if n := c.undecided(); n > 0 {
		open = append(open, words.Count(n, "cell")+" undecided")
	}
	if len(c.partial) > 0 {
		open = append(open, "the candidate is PARTIAL: "+strings.Join(c.partial, ", "))
	}
	code := c.code()
	switch {
	case code == exitRegression && len(c.partial) > 0:
		return strings.Join(append(why, open[len(open)-1]), "; ")
	case code == exitRegression:
		return strings.Join(why, "; ")
	case code == exitError:
		return "NOTHING COMPARED: every cell is incomparable"
	case len(open) == 0:
		return "PASS"
	}
	head := "no regression shown; "
	if c.undecided() == len(c.Cells) {
		head = "NOTHING DECIDED: "
	} else if code == exitUndecided {
		head = "UNDECIDED: "
	}
	text := head + strings.Join(open, "; ")
	if code == exitUndecided {
		text += ", which --strict does not let pass"
	}
	return text
}

// outcome is the error that carries the exit code.
func (c *comparison) outcome() error {
	if code := c.code(); code != exitOK {
		return &codedError{code: code, err: errors.New(c.words()), verdict: true}
	}
	return nil
}
