package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Rows that missing: skip leaves out are reported wherever the data are opened, in the
// manifest, and on every figure and table. What run rejects in a file, validate rejects.
func TestSkippedRowsAreReported(t *testing.T) {
	home(t)
	var b strings.Builder
	b.WriteString("a,b,class\n")
	for i := range 600 {
		missing := ""
		if i%10 == 0 {
			missing = fmt.Sprint(i % 7)
		}
		fmt.Fprintf(&b, "%d,%s,%d\n", i%13, missing, i/10%2)
	}
	write(t, "mine.csv", b.String())
	const rows = "60 of 600 rows (the others have missing values)"
	wantText(t, "new", ok(t, "new", "mine", "--data", "mine.csv").out, rows)
	for _, verb := range []string{"validate", "plan", "run"} {
		o := ok(t, verb, "mine.yaml")
		if said := strings.Count(o.err, `warning: dataset "mine": `+rows); said != 1 {
			t.Errorf("%s says it %d times: %s", verb, said, o.err)
		}
	}
	wantText(t, "manifest", read(t, "results", "mine", "manifest.json"), `"rows": "`+rows+`"`)
	for _, folder := range []string{"figures", "tables"} {
		entries, err := os.ReadDir(at(t, "results/mine", folder))
		if err != nil || len(entries) == 0 {
			t.Fatalf("%s: %v, %v", folder, entries, err)
		}
		for _, entry := range entries {
			name := entry.Name()
			if strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".svg") {
				wantText(t, name, strings.Join(strings.Fields(read(t, "results", "mine", folder, name)), " "), "mine: 60 of 600 rows")
			}
		}
	}
	write(t, "none.yaml", edit(t, edit(t, read(t, "mine.yaml"), "path: mine.csv", "path: none.csv"), "name: mine", "name: none"))
	write(t, "few.yaml", edit(t, edit(t, read(t, "mine.yaml"), "name: mine", "name: few"), "path: mine.csv", "path: mine.csv\n    subset: {train: 5000}"))
	for name, want := range map[string]string{"none.yaml": `dataset "mine": open none.csv`, "few.yaml": "subset: train: 5000 is more than"} {
		for _, verb := range []string{"validate", "run"} {
			o := stochopt(t, verb, name)
			if o.code != exitUsage {
				t.Errorf("%s %s exits with %d", verb, name, o.code)
			}
			wantText(t, verb, o.err, want)
		}
	}
}
