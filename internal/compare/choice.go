package compare

import (
	"fmt"
	"strings"
)

// Choice is what was chosen in a cell whose sides choose among several candidates.
type Choice struct {
	// Baseline and Candidate are the tuned parameters chosen, as "step.c=1".
	Baseline  string `json:"baseline"`
	Candidate string `json:"candidate"`
	// Approximate says that the sides choose among other candidates, or in other ways, so
	// that there is no exact test of the whole procedure: the measures have no p-values, and
	// intervals of the level 1 - alpha/tests decide.
	Approximate bool `json:"approximate,omitempty"`
	// Standing is how what the candidate chose compares with what the baseline
	// chose in what is selected by, over the repeats of both sides: Level, Better or Worse, at
	// the level alpha; empty if both chose the same, or not all repeats have both.
	Standing string `json:"standing,omitempty"`
}

// Level is the standing of two choices that are not told apart.
const Level = "level"

// Text says how a difference of choice shows: in what is selected by, and at the measures of
// the cell. It is empty if both sides chose the same.
func (ch *Choice) Text(measures []Measure) string {
	if ch == nil || ch.Baseline == ch.Candidate {
		return ""
	}
	var parts []string
	if ch.Standing != "" {
		parts = append(parts, ch.Standing+" in what is selected by")
	}
	for _, m := range measures {
		at := map[string]string{AtCost: "at " + costText(m.At), ToTarget: "to " + costText(m.At), Area: "in the area"}[m.Kind]
		switch m.Verdict {
		case Better, Worse, Equivalent:
			parts = append(parts, m.Verdict+" "+at)
		case Inconclusive:
			parts = append(parts, "undecided "+at)
		}
	}
	return fmt.Sprintf("chosen %s -> %s: %s", ch.Baseline, ch.Candidate, strings.Join(parts, ", "))
}
