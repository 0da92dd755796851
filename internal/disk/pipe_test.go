//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Open rejects pipes and devices without blocking.
func TestOpenNotAFile(t *testing.T) {
	dir := t.TempDir()
	pipe, sock, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "sock"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o644), os.Symlink(pipe, link)); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, path := range []string{pipe, link, sock, os.DevNull, dir} {
		_, err := ReadFile(path, 10)
		if of, ok := errors.AsType[*fs.PathError](err); !ok || of.Path != path || errors.Is(err, syscall.EISDIR) != (path == dir) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
