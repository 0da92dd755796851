package cli

import (
	"strings"
	"testing"
)

func TestReportOfSeveralFolders(t *testing.T) {
	home(t)
	write(t, "a.yaml", small)
	write(t, "b.yaml", edit(t, small, "name: small", "name: other"))
	ok(t, "run", "a.yaml", "b.yaml")
	o := ok(t, "report", "results", "-o", "report.html")
	if o.out != "report.html: 2 experiments\n" || o.err != "" {
		t.Errorf("stdout %q, stderr %q", o.out, o.err)
	}
	wantText(t, "the page", read(t, "report.html"), "<title>stochopt: results</title>", `id="x-small"`, `id="x-other"`,
		`href="results/small/results.db"`)
	wantOutcome(t, stochopt(t, "report", "results", "-o", "/dev/null"), exitUsage,
		"stochopt: cannot write /dev/null: it is not a regular file; choose another file with -o")
	o = ok(t, "report", "results/small", "-o", "-", "--title", "A <title>")
	wantText(t, "the page", o.out, "A &lt;title&gt;", `id="x-small"`)
	if first, _, _ := strings.Cut(o.out, "\n"); first != "<!doctype html>" || lastLine(o.out) != "</html>" || o.err != "" {
		t.Errorf("stdout %.60q..., stderr %q", o.out, o.err)
	}
}
