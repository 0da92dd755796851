package cli

import (
	"strings"
	"testing"
)

// Damaged optima are said by all who read the folder, and not only by a run that needs
// them; they are kept aside, and solved again to the same bits once one does.
func TestDamagedOptimaAreSaid(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	const file = "results/small/references.jsonl"
	sound := read(t, file)
	write(t, file, strings.Replace(sound, `"eigenvalues":[`, `"eigenvalues":[1`, 1))
	const says = file + ":1: damaged line: its checksum is"
	for _, args := range [][]string{
		{"status", "results/small"}, {"plan", "small.yaml"}, {"report", "results/small", "-o", "page.html"},
		{"claims", "results/small"},
	} {
		if o := stochopt(t, args...); strings.Count(o.err, says) != 1 || !strings.Contains(o.err, "run the spec again: that moves it to") {
			t.Errorf("%s says %s%s", args[0], o.out, o.err)
		}
	}
	o := ok(t, "status", "results/small", "--json")
	if r := parseJSON[[]progressReport](t, o.out)[0]; r.Damaged != 1 || r.Aside != 0 {
		t.Errorf("counted are %d damaged lines, %d kept aside", r.Damaged, r.Aside)
	}

	o = ok(t, "run", "small.yaml")
	if !strings.Contains(o.out, "6 runs, 6 of them from the record") || strings.Count(o.err, says) != 1 ||
		!strings.Contains(o.err, "moved to damaged.jsonl, and the optimum is solved again if a run needs it") {
		t.Errorf("a run of the complete folder says %s%s", o.out, o.err)
	}
	o = ok(t, "status", "results/small")
	if strings.Contains(o.err, "references.jsonl") || !strings.Contains(o.out, "1 damaged line is kept in damaged.jsonl") {
		t.Errorf("after it status says %s%s", o.out, o.err)
	}
	ok(t, "run", "small.yaml", "--set", "repeats=3")
	if got := read(t, file); got != sound {
		t.Errorf("solved again, the file is\n%s\nand was\n%s", got, sound)
	}
}
