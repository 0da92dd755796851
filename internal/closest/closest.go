// Package closest finds the name that a misspelt one is closest to.
package closest

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Name returns the first of the names that the fewest changes of a letter make of what
// was written, whatever the case of the letters; "" if that takes more than most changes
// or leaves no letter as it was. Two letters in the wrong order are one change.
func Name(written string, names []string, most int) string {
	best := ""
	for _, name := range names {
		a, b := strings.ToLower(written), strings.ToLower(name)
		d := levenshtein.ComputeDistance(a, b)
		if d == 2 && letters(a) == letters(b) {
			d = 1
		}
		if d <= most && d < max(len(written), len(name)) {
			best, most = name, d-1
		}
	}
	return best
}

// letters returns the letters of a name in order.
func letters(name string) string {
	runes := []rune(name)
	slices.Sort(runes)
	return string(runes)
}
