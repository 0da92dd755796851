// Package closest finds the name that a misspelt one is closest to.
package closest

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Name returns the first of the names that the fewest changes of a letter make of what
// was written, whatever the case of the letters; "" if that takes more than most changes
// or leaves no letter as it was.
func Name(written string, names []string, most int) string {
	best := ""
	for _, name := range names {
		d := levenshtein.ComputeDistance(strings.ToLower(written), strings.ToLower(name))
		if d <= most && d < max(len(written), len(name)) {
			best, most = name, d-1
		}
	}
	return best
}
