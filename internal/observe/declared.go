package observe

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// DeclaredNote says of which series of runs a cost is what their programs say, and that nobody has
// counted it; "" if of none.
func DeclaredNote(runs []*record.Run, cost string) string {
	var series []string
	for _, r := range runs {
		if r.External != nil && slices.Contains(r.External.Declared, cost) {
			series = words.AddOnce(series, r.Series)
		}
	}
	if len(series) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: declared by the program of %s, not counted", strings.ToLower(Label(cost)), strings.Join(series, ", "))
}
