package disk

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// ReadFile follows a link to a file, ReadCompressed decompresses, and both return an error for content
// beyond the limit.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	file, link, packed := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "file.gz")
	err := WriteBy(dir, "file.gz", func(w io.Writer) error {
		z := gzip.NewWriter(w)
		_, err := z.Write([]byte("abc"))
		return errors.Join(err, z.Close())
	})
	if err := errors.Join(err, os.WriteFile(file, []byte("abc"), 0o644), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	for path, read := range map[string]func(string, int) ([]byte, error){file: ReadFile, link: ReadFile, packed: ReadCompressed} {
		if data, err := read(path, 3); string(data) != "abc" || err != nil {
			t.Errorf("%s at the bound: %q, %v", path, data, err)
		}
		if data, err := read(path, 2); string(data) != "abc" || !errors.Is(err, ErrTooLong) {
			t.Errorf("%s beyond: %q, %v", path, data, err)
		}
		if _, err := read(path+"x", 2); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if data, err := ReadCompressed(file, 3); !errors.Is(err, gzip.ErrHeader) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("not compressed: %q, %v", data, err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, appendix B.1
	if got, err := SHA256(file); got != want || err != nil || SHA256Of([]byte("abc")) != want {
		t.Errorf("SHA-256: %s, %v", got, err)
	}
}

// One of several concurrent calls of Create succeeds. The others do not change the file, and there are
// no leftover files.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = Create(path, []byte{byte(i)}) })
	}
	wg.Wait()
	first := slices.Index(errs, nil)
	data, err := os.ReadFile(path)
	if err != nil || first < 0 || !slices.Equal(data, []byte{byte(first)}) {
		t.Errorf("%v, %v, %v", data, err, errs)
	}
	for i, err := range errs {
		if i != first && !errors.Is(err, fs.ErrExist) {
			t.Errorf("%d: %v", i, err)
		}
	}
	// A failed write does not change the file.
	failed := errors.New("failed")
	if err := WriteBy(dir, "file", func(w io.Writer) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	if err := Replace(path, data); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the folder contains %v, %v", files, err)
	}
	if err := Create(filepath.Join(dir, "none", "file"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if !Ended(1<<30) || Ended(os.Getpid()) {
		t.Error("running processes are not distinguished from others")
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
			t.Errorf("%s contains %q", name, got)
		}
	}
	if err := Remove(dir, "figures/fig.svg"); err == nil {
		t.Error("a file outside of the folder can be removed")
	}
	if data, err := os.ReadFile(victim); string(data) != "mine" || err != nil {
		t.Errorf("the file outside of the folder contains %q, %v", data, err)
	}
	if err := errors.Join(Remove(dir, "tables/t.md"), Remove(dir, "tables/t.md"), Remove(dir, "none/t.md")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "real", "t.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file was not removed: %v", err)
	}
}

// A write removes temporary files that killed processes left for the same file, but not those of a
// running process.
func TestWriteRemovesAbandonedFiles(t *testing.T) {
	dir := t.TempDir()
	killed := exec.Command("true")
	if err := killed.Run(); err != nil {
		t.Skip(err)
	}
	temp := func(name string, process int) string { return fmt.Sprintf("%s%d-1", temporaryPrefix(name), process) }
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
		t.Errorf("the folder contains %v (%v), want %q", got, err, want)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	figures := filepath.Join(dir, "figures")
	kept := []string{".lock", ".fig.svg", "fig.svg985200309101067022", ".notes.txt2026"}
	if err := os.Mkdir(figures, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(kept, ".fig.svg.tmp985200309101067022") {
		if err := os.WriteFile(filepath.Join(figures, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Sweep(dir, ".", "figures", "tables"); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(figures); err != nil || len(left) != len(kept) {
		t.Errorf("the folder contains %v (%v), want %q", left, err, kept)
	}
}
