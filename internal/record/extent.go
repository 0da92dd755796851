package record

import (
	"slices"
	"strings"
)

// ExtentAlone ends the extent of runs that were made one at a time, each with
// kernel rows of its own, so that their timings compare.
const ExtentAlone = "+" + alone

const alone = "alone"

// Extent is Run.Extent taken apart.
type Extent struct {
	// Budget is the number of iterations, Points says which of them are recorded, such
	// as "log:200".
	Budget, Points string
	// Also lists what else is on record or holds of the run, such as "spectrum".
	Also []string
}

// ParseExtent takes an extent such as "10000/log:200+spectrum" apart.
func ParseExtent(text string) Extent {
	parts := strings.Split(text, "+")
	budget, points, _ := strings.Cut(parts[0], "/")
	return Extent{Budget: budget, Points: points, Also: parts[1:]}
}

// Recorded says at which iterations runs of the extent are recorded.
func (e Extent) Recorded() string {
	if e.Points == "" {
		return e.Budget
	}
	return e.Budget + "/" + e.Points
}

// Alone reports whether r was run alone.
func (r Run) Alone() bool { return slices.Contains(ParseExtent(r.Extent).Also, alone) }
