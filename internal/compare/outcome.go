package compare

import (
	"fmt"
	"math"
	"strings"

	"stochopt/internal/words"
)

// Outcome is the outcome of a comparison.
type Outcome int

// The outcomes of a comparison.
const (
	// Passed means that no other outcome applies.
	Passed Outcome = iota
	// Regressed means that a cell is worse, or that runs with equal keys have different bits.
	Regressed
	// Incomplete means that the candidate lacks some of the baseline's work or of its own plan.
	Incomplete
	// Undecided means that a cell is inconclusive or incomparable, and that strict is set.
	Undecided
	// NothingCompared means that all cells are incomparable.
	NothingCompared
)

// Outcome returns the outcome with a description. If strict is set, undecided cells do not pass, including cells
// that only the candidate has.
func (r *Report) Outcome(strict bool) (Outcome, string) {
	var parts []string
	if n := r.Count(Worse); n > 0 {
		parts = append(parts, "REGRESSION: "+words.Count(n, "cell")+" worse")
	}
	if n, algorithms := r.ChangedBits(); n > 0 {
		parts = append(parts, fmt.Sprintf("BITS CHANGED: %s of %s with the same key; raise the Version, or find out why",
			words.Count(n, "run"), words.List(algorithms, mostListed)))
	}
	regressed := len(parts) > 0
	if len(r.Missing) > 0 {
		parts = append(parts, "the candidate has less: "+words.List(r.Missing, mostListed))
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
		return NothingCompared, "NOTHING COMPARED: every cell is incomparable"
	case len(r.Missing) > 0:
		return Incomplete, "INCOMPLETE: " + text
	case undecided > 0 && strict:
		return Undecided, "UNDECIDED: " + text + ", which --strict does not let pass"
	case undecided > 0:
		return Passed, "no regression shown; " + text + r.undecidedCPUTimes()
	}
	return Passed, "PASS" + r.undecidedCPUTimes()
}

// ChangedBits returns the number of runs with the same key and different bits without an excuse, and their
// algorithms.
func (r *Report) ChangedBits() (n int, algorithms []string) {
	for _, d := range r.Differences {
		if d.Excused == "" {
			n, algorithms = n+1, words.AddOnce(algorithms, d.Algorithm)
		}
	}
	return n, algorithms
}

// undecided returns the number of inconclusive or incomparable cells. It omits cells that the candidate lacks, which
// Missing reports, and, unless strict is set, cells that the baseline lacks.
func (r *Report) undecided(strict bool) int {
	n := r.Count(Inconclusive)
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Verdict == Incomparable && (!c.OneSided || strict && len(c.Missing) == 0) {
			n++
		}
	}
	return n
}

// Counts describes the numbers of cells by verdict.
func (r *Report) Counts() string {
	var parts []string
	for _, v := range []string{Identical, Equivalent, Better, Worse, Inconclusive, Incomparable} {
		if n := r.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return words.Count(len(r.Cells), "cell") + ": " + strings.Join(parts, ", ")
}

// collectMissing sets the missing work from that of the cells.
func (r *Report) collectMissing() {
	for i := range r.Cells {
		for _, text := range r.Cells[i].Missing {
			r.Missing = words.AddOnce(r.Missing, text)
		}
	}
}

// Priority returns the priority of a measure of the cell in tables. Measures with the verdict of the cell come
// first: among equivalent measures the one with the largest change, among others the area.
func (c *Cell) Priority(m *Measure) float64 {
	switch {
	case m.Verdict != c.Verdict:
		return 0
	case m.Verdict == Inconclusive && m.BeyondTolerance:
		return 3
	case m.Verdict == Equivalent && m.Ratio != nil:
		return 1 + math.Abs(math.Log(m.Ratio.Value))
	case m.Kind == Area:
		return 2
	}
	return 1
}
