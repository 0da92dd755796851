package plots

import (
	"fmt"
	"strings"
)

// warning says what is missing from a panel, or was left out of it.
type warning struct {
	// where names the panel; it may be empty.
	where, text string
}

// mostAlike is the number of panels that may be warned of in the same words.
const mostAlike = 2

// collapse returns the texts of warnings, each once; what many panels have in
// common is said once of all.
func collapse(warnings []warning) []string {
	panels := make(map[string][]string)
	for _, w := range warnings {
		panels[w.text] = unique(append(panels[w.text], w.where))
	}
	var texts []string
	for _, w := range warnings {
		where := w.where
		if n := len(panels[w.text]); n > mostAlike {
			where = fmt.Sprintf("%d panels, the first being %s", n, panels[w.text][0])
		}
		texts = append(texts, strings.TrimPrefix(where+": "+w.text, ": "))
	}
	return unique(texts)
}
