package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadFileFollowsLinksToFiles(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("text"), 0o644), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(link, 4); string(data) != "text" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestSHA256(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, appendix B.1
	if got, err := SHA256(path); got != want || err != nil {
		t.Errorf("of a file: %s, %v", got, err)
	}
	if got := SHA256Of([]byte("abc")); got != want {
		t.Errorf("of bytes: %s", got)
	}
}

func TestReadFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("0123456789"), 0o644); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(path, 10); string(data) != "0123456789" || err != nil {
		t.Errorf("at the bound: %q, %v", data, err)
	}
	want := "read " + path + ": it is longer than 9 B, the most that it may be"
	if data, err := ReadFile(path, 9); string(data) != "0123456789" || !errors.Is(err, ErrTooLong) || err.Error() != want {
		t.Errorf("beyond: %q, %v", data, err)
	}
}

func TestWriteStaysInTheFolder(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	victim := filepath.Join(outside, "fig.svg")
	if err := errors.Join(
		os.WriteFile(victim, []byte("mine"), 0o644),
		os.Symlink(outside, filepath.Join(dir, "figures")),
		os.Symlink("real", filepath.Join(dir, "tables")),
		os.Mkdir(filepath.Join(dir, "real"), 0o755),
		os.Symlink(victim, filepath.Join(dir, "claims.json")),
		os.Symlink("nowhere", filepath.Join(dir, "dangling")),
	); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"plain.csv": true, "new/deep/a.txt": true, "tables/t.md": true, "claims.json": true,
		"figures/fig.svg": false, "figures/new/fig.svg": false, "../fig.svg": false, "dangling/m.json": false,
	} {
		err := Write(dir, name, []byte("ours"))
		got, _ := os.ReadFile(filepath.Join(dir, name))
		switch {
		case (err == nil) != ok:
			t.Errorf("%s: %v", name, err)
		case ok && string(got) != "ours":
			t.Errorf("%s holds %q", name, got)
		}
	}
	if err := Write(dir, "figures/fig.svg", nil); err == nil || !strings.Contains(err.Error(), "by a symbolic link: remove the link") {
		t.Errorf("figures: %v", err)
	}
	if err := Remove(dir, "figures/fig.svg"); err == nil {
		t.Error("a file outside of the folder can be removed")
	}
	if data, err := os.ReadFile(victim); string(data) != "mine" || err != nil {
		t.Errorf("the file outside of the folder holds %q, %v", data, err)
	}
	if err := errors.Join(Remove(dir, "tables/t.md"), Remove(dir, "tables/t.md"), Remove(dir, "none/t.md")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "real", "t.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}

// A write removes what killed writes of the same file have left, and nothing that a running process writes.
func TestWritesRemoveWhatKillsLeave(t *testing.T) {
	dir := t.TempDir()
	killed := exec.Command("true")
	if err := killed.Run(); err != nil {
		t.Skip(err)
	}
	temp := func(name string, process int) string { return fmt.Sprintf("%s%d-1", temporaries(name), process) }
	left := []string{temp("a.html", os.Getpid()), temp("b.html", killed.Process.Pid), ".a.html.tmp-elsewhere-1-1"}
	for _, name := range append(left, temp("a.html", killed.Process.Pid)) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(dir, "a.html", []byte("whole")); err != nil {
		t.Fatal(err)
	}
	want := append(left, "a.html")
	got, err := os.ReadDir(dir)
	if err != nil || len(got) != len(want) || slices.ContainsFunc(got, func(f os.DirEntry) bool { return !slices.Contains(want, f.Name()) }) {
		t.Errorf("the folder holds %v (%v), want %q", got, err, want)
	}
}

func TestSweepRemovesWhatKillsLeave(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "figures"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "figures", ".fig.svg.tmp985200309101067022"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	kept := []string{".lock", ".fig.svg", "fig.svg985200309101067022", ".notes.txt2026"}
	for _, name := range kept {
		if err := os.WriteFile(filepath.Join(dir, "figures", name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Sweep(dir, ".", "figures", "tables"); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "figures"))
	if err != nil || len(left) != len(kept) {
		t.Errorf("%v are left (%v), want %q", left, err, kept)
	}
}
