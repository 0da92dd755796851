package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"stochopt/plots/table"
)

func TestDatasetsListFitsATerminal(t *testing.T) {
	home(t)
	out := ok(t, "datasets", "list").out
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > table.Width {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	// What is broken into lines is all there.
	joined := strings.Join(strings.Fields(out), " ")
	wantText(t, "stdout", joined, "divide each row by its norm; rows of zeros stay", "so that every such feature has variance 1/d'")
}
