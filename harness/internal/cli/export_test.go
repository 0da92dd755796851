package cli

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

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
