package disk

import (
	"errors"
	"io/fs"
	"os"
)

// Create writes a file that must not exist, and of several who do so for one path one
// succeeds: the error of the others is fs.ErrExist. The file is there whole or not at all,
// unless the file system has no hard links and the process is killed.
func Create(path string, data []byte) error {
	p, err := NewPending(path)
	if err != nil {
		return err
	}
	defer p.Cleanup()
	if err := write(p.File, data); err != nil {
		return err
	}
	err = os.Link(p.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) && !Same(p.File, path) {
		return err
	}
	if Same(p.File, path) {
		return nil // a network file system made the link, and its answer was lost
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = errors.Join(write(f, data), f.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func write(f *os.File, data []byte) error {
	_, err := f.Write(data)
	return errors.Join(err, f.Sync())
}

// Same reports whether the file at a path is the one that is open, and no other that has
// taken its place. A symbolic link is not.
func Same(f *os.File, path string) bool {
	there, err := os.Lstat(path)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && os.SameFile(info, there)
}
