// Package closest suggests names for misspelt ones.
package closest

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Name returns the first of the names with the least Levenshtein distance from written. It ignores case
// and counts a transposition of two letters as one change. It returns "" if the distance exceeds most
// or no letter would stay.
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

// letters returns the sorted letters of a name.
func letters(name string) string {
	runes := []rune(name)
	slices.Sort(runes)
	return string(runes)
}
