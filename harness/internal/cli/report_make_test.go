package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	reports "stochopt/harness/internal/report"
)

// tellTale renders what tests look at.
func tellTale(w io.Writer, p *reports.Page) error {
	_, err := fmt.Fprintf(w, "%s made=%s:", p.Title, p.Made.UTC().Format(time.RFC3339))
	for _, e := range p.Experiments {
		fmt.Fprintf(w, " %s %d/%d", e.Name, e.Runs, e.Planned)
		for _, l := range e.Links {
			if l.Name == "runs.jsonl" {
				fmt.Fprintf(w, " %s", l.Href)
			}
		}
	}
	return err
}

var noon = time.Date(2013, time.July, 19, 12, 0, 0, 0, time.UTC)

func fixed() time.Time { return noon }

// reportWith makes a report with a renderer of the test's.
func reportWith(t *testing.T, o *reportOptions, dirs ...string) outcome {
	t.Helper()
	var out, stderr bytes.Buffer
	a := &app{out: &out, err: &stderr}
	if o.render == nil {
		o.render = tellTale
	}
	if o.now == nil {
		o.now = fixed
	}
	err := o.run(a, dirs)
	report(&stderr, err)
	return outcome{exitCode(nil, err), out.String(), stderr.String()}
}

// twoFolders runs a small spec under two names.
func twoFolders(t *testing.T) {
	t.Helper()
	home(t)
	write(t, "a.yaml", small)
	write(t, "b.yaml", edit(t, small, "name: small", "name: other"))
	ok(t, "run", "a.yaml", "b.yaml")
}

func TestReportMakesAPage(t *testing.T) {
	twoFolders(t)
	o := reportWith(t, &reportOptions{out: "report.html"}, "results")
	if o.code != exitOK || o.err != "" {
		t.Fatalf("exit %d: %s", o.code, o.err)
	}
	const want = "stochopt: results made=2013-07-19T12:00:00Z: other 6/6 results/other/runs.jsonl small 6/6 results/small/runs.jsonl"
	if got := read(t, "report.html"); got != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
	if want := fmt.Sprintf("report.html: 2 experiments, %d B\n", len(want)); o.out != want {
		t.Errorf("stdout %q, want %q", o.out, want)
	}
	// To standard output, with a title, and nothing else.
	o = reportWith(t, &reportOptions{out: "-", title: "Mine"}, filepath.Join("results", "small"))
	if want := "Mine made=2013-07-19T12:00:00Z: small 6/6 "; o.code != exitOK || o.out != want || o.err != "" {
		t.Errorf("exit %d, %q, %q; want %q", o.code, o.out, o.err, want)
	}
}

// The page as it is: complete, and the same again.
func TestReportIsAnHTMLFile(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+products)
	ok(t, "run", "small.yaml")
	o := ok(t, "report", filepath.Join("results", "small"), "-o", filepath.Join("results", "report.html"), "--title", "A <title>")
	wantText(t, "stdout", o.out, filepath.Join("results", "report.html")+": 1 experiment, ")
	html := read(t, "results", "report.html")
	wantText(t, "the page", html, "<!doctype html>", "A &lt;title&gt;", "<svg", "small/curves.csv")
	if strings.Contains(html, "A <title>") {
		t.Error("the title is not escaped")
	}
}

func TestReportUsage(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	write(t, "words.txt", "words")
	if err := os.Mkdir("empty", 0o755); err != nil {
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
	if _, err := os.Stat("r.html"); err == nil {
		t.Error("a page was written all the same")
	}
}

func TestReportOfADamagedFolder(t *testing.T) {
	twoFolders(t)
	write(t, filepath.Join("results", "other", "manifest.json"), "{")
	o := reportWith(t, &reportOptions{out: "report.html"}, "results")
	if o.code != exitOK || !strings.HasPrefix(o.err, "warning: results/other is left out: ") || strings.Contains(read(t, "report.html"), "other") {
		t.Errorf("exit %d, %q, page %s", o.code, o.err, read(t, "report.html"))
	}
	write(t, filepath.Join("results", "small", "manifest.json"), "{")
	before := read(t, "report.html")
	o = reportWith(t, &reportOptions{out: "report.html"}, "results")
	if o.code != exitUsage || !strings.Contains(o.err, "no results can be read") || read(t, "report.html") != before {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
}

func TestReportThatCannotBeRendered(t *testing.T) {
	twoFolders(t)
	broken := func(io.Writer, *reports.Page) error { return errors.New("out of ink") }
	o := reportWith(t, &reportOptions{out: "report.html", render: broken}, "results")
	wantOutcome(t, o, exitFailed, "stochopt: cannot make the page: out of ink")
	if _, err := os.Stat("report.html"); err == nil {
		t.Error("a page was written")
	}
}
