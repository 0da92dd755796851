package cli

import (
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
)

// Readings of a claim are shown with it, wherever they were judged, and are no claims
// that count. Those that are filtered out count among the readings tried.
func TestReadingsByClaim(t *testing.T) {
	reading := func(id, text, outcome string) claims.Verdict {
		v := verdict("readings", id, outcome)
		v.Of, v.Reading = "second", text
		return v
	}
	judged := []claims.Verdict{
		verdict("one", "first", claims.Reproduced),
		verdict("one", "second", claims.NotReproduced),
		reading("second-last", "the last iterate", claims.Inconclusive),
		reading("second-mean", "the mean", claims.NotReproduced),
	}
	show := func(shown []claims.Verdict, format string) string {
		var b strings.Builder
		if err := (&verdictTables{format: format}).print(&b, shown, judged); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(b.String()) {
			if line = strings.Join(strings.Fields(strings.Trim(line, "│┌┐└┘├┤┬┴┼─|\n")), " "); line != "" {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "\n")
	}
	want := `claims: 1 reproduced, 1 not reproduced
second, in readings, profile quick
It does. (section 1). The claim holds under none of the readings tried; 1 of 2 are inconclusive.
verdict │ reading, and what decided
not reproduced │ the claim itself, in one, profile quick
│ a / b: 0.5 (below 1)
inconclusive │ the last iterate
│ a / b: 0.5 (below 1)
not reproduced │ the mean
│ a / b: 0.5 (below 1)
claim │ as its spec has it │ holds under │ of readings
second │ not reproduced │ 0 │ 2
1 claim investigated`
	if got := show(judged, "table"); !strings.HasSuffix(got, want) {
		t.Errorf("the table is\n%s\nwant at its end\n%s", got, want)
	}
	got := show(judged[3:], "markdown")
	if !strings.Contains(got, "### second, in readings, profile quick\nIt does. (section 1). The claim holds under none of the readings tried; 1 of 2 are inconclusive.\n") ||
		!strings.Contains(got, "the mean") || strings.Contains(got, "the last iterate") {
		t.Errorf("the filtered table is\n%s", got)
	}
	// Where there is nothing but readings, claims are not counted.
	judged = judged[2:]
	if got := show(judged, "table"); strings.Contains(got, "claims:") || strings.Contains(got, "the claim itself") {
		t.Errorf("the table of readings alone is\n%s", got)
	}
}
