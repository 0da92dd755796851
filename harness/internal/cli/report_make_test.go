package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twoFolders runs a small spec under two names.
func twoFolders(t *testing.T) {
	t.Helper()
	home(t)
	write(t, "a.yaml", small)
	write(t, "b.yaml", edit(t, small, "name: small", "name: other"))
	ok(t, "run", "a.yaml", "b.yaml")
}

func TestReportOfSeveralFolders(t *testing.T) {
	twoFolders(t)
	o := ok(t, "report", "results", "-o", "report.html")
	if !strings.HasPrefix(o.out, "report.html: 2 experiments, ") || o.err != "" {
		t.Errorf("stdout %q, stderr %q", o.out, o.err)
	}
	wantText(t, "the page", read(t, "report.html"), "<title>stochopt: results</title>", `id="x-small"`, `id="x-other"`,
		"6 of 6 runs finished", `href="results/small/results.db"`)
	// To standard output, with a title, and nothing else.
	o = ok(t, "report", filepath.Join("results", "small"), "-o", "-", "--title", "Mine")
	wantText(t, "the page", o.out, "<title>Mine</title>", `id="x-small"`)
	if !strings.HasPrefix(o.out, "<!doctype html>") || !strings.HasSuffix(o.out, "</html>\n") || strings.Contains(o.out, "href=\"results") || o.err != "" {
		t.Errorf("stdout %.60q..., stderr %q", o.out, o.err)
	}
}

func TestReportIsAnHTMLFile(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+products)
	ok(t, "run", "small.yaml")
	o := ok(t, "report", filepath.Join("results", "small"), "-o", filepath.Join("results", "report.html"), "--title", "A <title>")
	wantText(t, "stdout", o.out, filepath.Join("results", "report.html")+": 1 experiment, ")
	html := read(t, "results", "report.html")
	wantText(t, "the page", html, "<!doctype html>", "A &lt;title&gt;", "<img src='data:image/svg+xml,", "small/curves.csv")
	if strings.Contains(html, "A <title>") {
		t.Error("the title is not escaped")
	}
}

func TestReportUsage(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	write(t, "words.txt", "words")
	if err := os.Mkdir(at(t, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		says string
	}{
		{nil, "no results folder is given"},
		{[]string{"results"}, "name the file to write with -o"},
		{[]string{"nowhere", "-o", "r.html"}, "cannot read nowhere"},
		{[]string{"words.txt", "-o", "r.html"}, "cannot read words.txt"},
		{[]string{"empty", "-o", "r.html"}, "empty is not a results folder"},
		{[]string{"results", "-o", "empty"}, "cannot write empty: it is a folder; name a file with -o"},
		{[]string{"results", "-o", "not/there/r.html"}, "there is no folder not/there"},
	} {
		o := stochopt(t, append([]string{"report"}, test.args...)...)
		if o.code != exitUsage || !strings.Contains(o.err, test.says) || o.out != "" {
			t.Errorf("%q: exit %d, %q, %q; want %q", test.args, o.code, o.out, o.err, test.says)
		}
	}
	if _, err := os.Stat(at(t, "r.html")); err == nil {
		t.Error("a page was written all the same")
	}
}

func TestReportOfADamagedFolder(t *testing.T) {
	twoFolders(t)
	write(t, filepath.Join("results", "other", "manifest.json"), "{")
	o := ok(t, "report", "results", "-o", "report.html")
	if !strings.HasPrefix(o.err, "warning: results/other is left out: ") {
		t.Errorf("stderr %q", o.err)
	}
	before := read(t, "report.html")
	wantText(t, "the page", before, "Unreadable folder results/other", `id="x-small"`)
	if strings.Contains(before, `id="x-other"`) {
		t.Error("the page shows the damaged folder")
	}
	write(t, filepath.Join("results", "small", "manifest.json"), "{")
	o = stochopt(t, "report", "results", "-o", "report.html")
	if o.code != exitUsage || !strings.Contains(o.err, "no results can be read") || read(t, "report.html") != before {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
}
