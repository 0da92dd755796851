// Package scratch makes temporary folders that do not outlive their process for long: what a
// process leaves that was killed is removed by the next that asks for one.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// lockSuffix ends the name of a file next to the folder. The process makes it before the folder, and
// holds a lock on it, which ends with the process.
const lockSuffix = ".lock"

// Folder makes a folder in parent whose name begins with prefix, for this user alone. done
// removes it. Those of the same prefix that killed processes have left there are removed.
func Folder(parent, prefix string) (dir string, done func() error, err error) {
	removeAbandoned(parent, prefix)
	// Another process may take a file for abandoned before it is locked.
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
		// Where there are no locks nobody else can get one.
		if gone != nil || !held && lockErr == nil {
			if err := lock.Close(); err != nil {
				return "", nil, err
			}
			continue
		}
		done = func() error {
			defer os.Remove(path) // or whoever tidies up next does it
			return errors.Join(os.RemoveAll(dir), lock.Close())
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			return "", nil, errors.Join(err, done())
		}
		return dir, done, nil
	}
	return "", nil, fmt.Errorf("another process removes the lock of the temporary folder %s each time", dir)
}

// removeAbandoned removes folders of a prefix that no running process holds.
// What cannot be removed stays: it may be another user's.
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
		lock := flock.New(path, flock.SetFlag(os.O_RDWR)) // and do not create it
		if held, err := lock.TryLock(); err == nil && held {
			if os.RemoveAll(filepath.Join(temp, name)) == nil {
				os.Remove(path)
			}
			lock.Close()
		}
	}
}
