package compare

import (
	"fmt"
	"strings"
)

// enumerate lists up to four texts.
func enumerate(names []string) string {
	const most = 4
	switch {
	case len(names) == 0:
		return "none"
	case len(names) <= most:
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// plural returns "1 run" or "3 runs".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
