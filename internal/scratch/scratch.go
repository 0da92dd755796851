// Package scratch creates temporary folders. Each call also removes folders that killed processes left.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// lockSuffix is the suffix of the lock file next to the folder. It is created before the folder and
// locked until the process ends.
const lockSuffix = ".lock"

// Folder creates a folder in parent for this user only. Its name begins with prefix; done removes it.
// Folder also removes folders of the same prefix that killed processes left in parent.
func Folder(parent, prefix string) (dir string, done func() error, err error) {
	removeAbandoned(parent, prefix)
	// Another process may remove the lock file before it is locked.
	for range 10 {
		f, err := os.CreateTemp(parent, prefix+"*"+lockSuffix)
		if err != nil {
			return "", nil, err
		}
		path := f.Name()
		dir = strings.TrimSuffix(path, lockSuffix)
		if err := f.Close(); err != nil {
			return "", nil, err
		}
		lock := flock.New(path)
		held, lockErr := lock.TryLock()
		_, gone := os.Stat(path)
		// If the file system has no locks, other processes cannot lock the file either.
		if gone != nil || !held && lockErr == nil {
			if err := lock.Close(); err != nil {
				return "", nil, err
			}
			continue
		}
		done = func() error {
			defer os.Remove(path) // on failure, a later call removes it
			return errors.Join(os.RemoveAll(dir), lock.Close())
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			return "", nil, errors.Join(err, done())
		}
		return dir, done, nil
	}
	return "", nil, fmt.Errorf("another process keeps removing the lock of the temporary folder %s", dir)
}

// removeAbandoned removes folders of a prefix that no running process has locked. It ignores errors: a
// folder may belong to another user.
func removeAbandoned(temp, prefix string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), lockSuffix)
		if !ok || !strings.HasPrefix(name, prefix) {
			continue
		}
		path := filepath.Join(temp, e.Name())
		lock := flock.New(path, flock.SetFlag(os.O_RDWR)) // does not create the file
		if held, err := lock.TryLock(); err == nil && held {
			if os.RemoveAll(filepath.Join(temp, name)) == nil {
				os.Remove(path)
			}
			lock.Close()
		}
	}
}
