package cli

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
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
	if o.out != "report.html: 2 experiments\n" || o.err != "" {
		t.Errorf("stdout %q, stderr %q", o.out, o.err)
	}
	wantText(t, "the page", read(t, "report.html"), "<title>stochopt: results</title>", `id="x-small"`, `id="x-other"`,
		`href="results/small/results.db"`)
	// To standard output, with a title, and nothing else.
	o = ok(t, "report", "results/small", "-o", "-", "--title", "A <title>")
	wantText(t, "the page", o.out, "A &lt;title&gt;", `id="x-small"`)
	if first, _, _ := strings.Cut(o.out, "\n"); first != "<!doctype html>" || lastLine(o.out) != "</html>" || o.err != "" {
		t.Errorf("stdout %.60q..., stderr %q", o.out, o.err)
	}
}

func TestReportOfADamagedFolder(t *testing.T) {
	twoFolders(t)
	write(t, "results/other/manifest.json", "{")
	if o := ok(t, "report", "results", "-o", "report.html"); o.err == "" {
		t.Error("the damage is not reported")
	}
	before := read(t, "report.html")
	wantText(t, "the page", before, "Unreadable folder results/other", `id="x-small"`)
	write(t, "results/small/manifest.json", "{")
	o := stochopt(t, "report", "results", "-o", "report.html")
	if o.code != exitUsage || read(t, "report.html") != before {
		t.Errorf("exit %d, %q", o.code, o.err)
	}
}

// A pipe or a device that -o names stays what it is, and gets the text that a file would hold.
func TestExportIntoAPipe(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	ok(t, "export", "results/small", "--to", "jsonl", "-o", "runs.jsonl")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	path := filepath.Join("/dev/fd", strconv.Itoa(int(in.Fd())))
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		t.Skip("pipes have no paths here")
	}
	got := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(out)
		got <- string(text)
	}()
	ok(t, "export", "results/small", "--to", "jsonl", "-o", path)
	in.Close()
	if piped, want := <-got, read(t, "runs.jsonl"); piped != want {
		t.Errorf("the pipe got %d bytes, the file %d", len(piped), len(want))
	}
}
