package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/words"
)

// Outcome is what a comparison as a whole shows.
type Outcome int

// The outcomes of a comparison.
const (
	// Passed: every cell that both sides have is identical, equivalent, better or undecided.
	Passed Outcome = iota
	// Regressed: a cell is worse, or runs of equal keys have other bits.
	Regressed
	// Incomplete: the candidate lacks some of the baseline's work, or of its own plan.
	Incomplete
	// Undecided: a cell has no verdict, though it must have one.
	Undecided
	// Nothing: all cells are incomparable.
	Nothing
)

// mostNamed algorithms, or texts on what is missing, are named in an outcome; the others are counted.
const mostNamed = 3

// Outcome returns the outcome, and says it in words. Work that the candidate lacks is no regression,
// as it may still come. Strict demands that all cells are decided, those of the candidate alone too.
func (r *Report) Outcome(strict bool) (Outcome, string) {
	var parts []string
	if n := r.Count(Worse); n > 0 {
		parts = append(parts, "REGRESSION: "+words.Count(n, "cell")+" worse")
	}
	if n, algorithms := r.ChangedBits(); n > 0 {
		parts = append(parts, fmt.Sprintf("BITS CHANGED: %s of %s with the same key; raise the Version, or find out why",
			words.Count(n, "run"), words.List(algorithms, mostNamed)))
	}
	regressed := len(parts) > 0
	if len(r.Missing) > 0 {
		parts = append(parts, "the candidate has less: "+words.List(r.Missing, mostNamed))
	}
	undecided := r.undecided(strict)
	if undecided > 0 && !regressed {
		parts = append(parts, words.Count(undecided, "cell")+" undecided")
	}
	text := strings.Join(parts, "; ")
	switch {
	case regressed:
		return Regressed, text
	case r.Count(Incomparable) == len(r.Cells):
		return Nothing, "NOTHING COMPARED: every cell is incomparable"
	case len(r.Missing) > 0:
		return Incomplete, "INCOMPLETE: " + text
	case undecided > 0 && strict:
		return Undecided, "UNDECIDED: " + text + ", which --strict does not let pass"
	case undecided > 0:
		return Passed, "no regression shown; " + text + r.openTimes()
	}
	return Passed, "PASS" + r.openTimes()
}

// ChangedBits counts the runs with the same key and other bits that nothing excuses, and names their
// algorithms.
func (r *Report) ChangedBits() (n int, algorithms []string) {
	for _, d := range r.Differences {
		if d.Excused == "" {
			n, algorithms = n+1, words.AddOnce(algorithms, d.Algorithm)
		}
	}
	return n, algorithms
}

// undecided counts the cells that have neither passed nor failed, without those that the candidate
// lacks and, unless strictly, those that the baseline lacks.
func (r *Report) undecided(strict bool) int {
	n := r.Count(Inconclusive)
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Verdict == Incomparable && (!c.OneSided() || strict && len(c.Missing) == 0) {
			n++
		}
	}
	return n
}

// Counts counts the cells by verdict, in words.
func (r *Report) Counts() string {
	var parts []string
	for _, v := range []string{Identical, Equivalent, Better, Worse, Inconclusive, Incomparable} {
		if n := r.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return words.Count(len(r.Cells), "cell") + ": " + strings.Join(parts, ", ")
}

// lacks collects what the cells say the candidate lacks.
func (r *Report) lacks() {
	for i := range r.Cells {
		for _, text := range r.Cells[i].Missing {
			if !slices.Contains(r.Missing, text) {
				r.Missing = append(r.Missing, text)
			}
		}
	}
}

// Weight orders the measures of a cell: those with its verdict come first, and of these the area, or of
// equivalent ones that whose ratio is furthest from 1.
func (c *Cell) Weight(m *Measure) float64 {
	switch {
	case m.Verdict != c.Verdict:
		return 0
	case m.Verdict == Inconclusive && m.Beyond:
		return 3
	case m.Verdict == Equivalent && m.Ratio != nil:
		return 1 + math.Abs(math.Log(m.Ratio.Value))
	case m.Kind == Area:
		return 2
	}
	return 1
}
