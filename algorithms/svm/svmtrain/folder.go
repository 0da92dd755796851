package svmtrain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// A temporary folder is named folderPrefix and a number. Beside it is a file of
// the same name and lockSuffix, which is there before the folder is and on which
// its process holds a lock, so that it is known when the process has died.
const (
	folderPrefix = "stochopt-svm-train-"
	lockSuffix   = ".lock"
)

// tempFolder makes a temporary folder, which done removes, and removes those
// that processes which were killed left behind.
func tempFolder() (dir string, done func() error, err error) {
	removeAbandoned(os.TempDir())
	// Another process may take a file for abandoned before it is locked.
	for range 10 {
		f, err := os.CreateTemp("", folderPrefix+"*"+lockSuffix)
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
	return "", nil, fmt.Errorf("the lock of the temporary folder %s is removed as soon as it is there", dir)
}

// removeAbandoned removes our folders in temp that no running process holds.
// What cannot be removed stays: it may be another user's.
func removeAbandoned(temp string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), lockSuffix)
		if !ok || !strings.HasPrefix(name, folderPrefix) {
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
