package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"stochopt/internal/disk"
)

// LockFile is the name of the file that contains the Holder of a results folder.
const LockFile = "results.lock"

// Holder is a process that writes to a results folder.
type Holder struct {
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Started time.Time `json:"started,omitzero"`
}

// String describes the process.
func (h Holder) String() string {
	text := fmt.Sprintf("process %d on %s", h.Process, h.Host)
	if !h.Started.IsZero() {
		text += ", since " + h.Started.Format(time.RFC3339)
	}
	return text
}

// LockedError reports that another process writes to a results folder.
type LockedError struct {
	// Path is the path of the lock file.
	Path string
	// Holder is the zero value if the lock file is unreadable.
	Holder Holder
}

// Error implements error.
func (e *LockedError) Error() string {
	dir, who := filepath.Dir(e.Path), "another process"
	if e.Holder.Process > 0 {
		who = e.Holder.String()
	}
	return fmt.Sprintf("%s is in use by %s: wait, or use another --out; if that process has ended, remove %s", dir, who, e.Path)
}

var processStart = time.Now()

func hostname() string {
	name, _ := os.Hostname() // "" if unknown
	return name
}

// dead reports whether the process is known to have ended.
func (h Holder) dead() bool {
	if h.Host != hostname() || h.Process <= 0 {
		return false
	}
	if h.Process == os.Getpid() {
		return h.Started.Before(processStart) // an earlier process with the same id
	}
	return disk.Ended(h.Process)
}

// lock makes this process the writer of a folder. It takes over the lock of a process that has ended.
// It returns a *LockedError if the holder may be running.
func lock(dir string) (unlock func() error, err error) { return lockFile(filepath.Join(dir, LockFile)) }

func lockFile(path string) (unlock func() error, err error) {
	mine, err := json.Marshal(Holder{hostname(), os.Getpid(), time.Now().UTC()})
	if err != nil {
		return nil, err
	}
	mine = append(mine, '\n')
	for {
		err := disk.Create(path, mine)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("results: cannot write %s: %w; use another --out", path, err)
		}
		if err := takeOver(path); err != nil {
			return nil, err
		}
	}
	return func() error {
		if now, err := disk.ReadFile(path, 1<<12); err != nil || string(now) != string(mine) {
			return nil // the folder was moved or the lock removed
		}
		return os.Remove(path)
	}, nil
}

// takeOver removes the lock of a process that has ended. A second lock ensures that only one process
// at a time does so: otherwise it could remove a new lock instead of the one that it has read.
func takeOver(path string) error {
	if ended, err := stale(path); !ended {
		return err
	}
	unlock, err := lockFile(path + ".takeover")
	if err != nil {
		return err
	}
	ended, err := stale(path)
	if ended {
		err = os.Remove(path)
	}
	return errors.Join(err, unlock())
}

// stale reports whether a lock exists and its holder has ended. It returns a *LockedError if the holder
// may be running.
func stale(path string) (bool, error) {
	text, err := disk.ReadFile(path, 1<<12)
	if errors.Is(err, fs.ErrNotExist) && !exists(path) {
		return false, nil
	}
	var h Holder
	if err != nil || json.Unmarshal(text, &h) != nil || !h.dead() {
		return false, &LockedError{path, h}
	}
	return true, nil
}

// Writers returns the processes that may be writing to a results folder: the holder of its lock and,
// on this host, the writers of its parts. It omits processes that have ended.
func Writers(dir string) []Holder {
	var all []Holder
	var h Holder
	text, err := disk.ReadFile(filepath.Join(dir, LockFile), 1<<12)
	if err == nil && json.Unmarshal(text, &h) == nil {
		all = append(all, h)
	}
	parts, _ := os.ReadDir(filepath.Join(dir, PartsFolder)) // the folder may be missing
	for _, f := range parts {
		// The name is PART-HOST-PID-NONCE.jsonl.
		name := f.Name()[:max(strings.LastIndex(f.Name(), "-"), 0)]
		i := max(strings.LastIndex(name, "-"), 0)
		process, err := strconv.Atoi(strings.TrimPrefix(name[i:], "-"))
		if err == nil && strings.HasSuffix(name[:i], "-"+hostname()) {
			all = append(all, Holder{Host: hostname(), Process: process})
		}
	}
	return slices.DeleteFunc(all, Holder.dead)
}
