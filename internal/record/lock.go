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

// LockFile names the process that writes to a results folder.
const LockFile = "results.lock"

// Holder is a process that writes to a results folder.
type Holder struct {
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Started time.Time `json:"started,omitzero"`
}

// String names the process.
func (h Holder) String() string {
	text := fmt.Sprintf("process %d on %s", h.Process, h.Host)
	if !h.Started.IsZero() {
		text += ", since " + h.Started.Format(time.RFC3339)
	}
	return text
}

// LockedError says that another process writes to a results folder.
type LockedError struct {
	// Path is that of the lock.
	Path string
	// Holder is the zero value if the lock does not say.
	Holder Holder
}

// Error implements error.
func (e *LockedError) Error() string {
	dir, who := filepath.Dir(e.Path), "another process"
	if e.Holder.Process > 0 {
		who = e.Holder.String()
	}
	return fmt.Sprintf("%s is being written by %s: wait for it, or use another --out; if it no longer runs, remove %s", dir, who, e.Path)
}

// began is when this process began.
var began = time.Now()

func hostname() string {
	name, _ := os.Hostname() // "" where there is none
	return name
}

// dead reports whether the process is known to have ended.
func (h Holder) dead() bool {
	if h.Host != hostname() || h.Process <= 0 {
		return false
	}
	if h.Process == os.Getpid() {
		return h.Started.Before(began) // another process had the number of this one
	}
	return disk.Ended(h.Process)
}

// lock makes this process the writer of a folder. A lock of a process that has ended is taken over;
// that of any other is a *LockedError.
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
			return nil // the folder was moved or removed, or somebody has removed the lock
		}
		return os.Remove(path)
	}, nil
}

// takeOver removes the lock of a process that has ended. Of several processes one at a time does
// so, which a lock of the lock ensures: what it removes is what it has read.
func takeOver(path string) error {
	if ended, err := abandoned(path); !ended {
		return err
	}
	unlock, err := lockFile(path + ".takeover")
	if err != nil {
		return err
	}
	ended, err := abandoned(path)
	if ended {
		err = os.Remove(path)
	}
	return errors.Join(err, unlock())
}

// abandoned reports whether a lock is there and the process that it names has ended. It fails with
// a *LockedError if that process may be running.
func abandoned(path string) (bool, error) {
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

// Writers returns the processes that may be writing to a results folder: the holder of its lock and
// those that write parts on this host, without those that have ended.
func Writers(dir string) []Holder {
	var all []Holder
	var h Holder
	text, err := disk.ReadFile(filepath.Join(dir, LockFile), 1<<12)
	if err == nil && json.Unmarshal(text, &h) == nil {
		all = append(all, h)
	}
	parts, _ := os.ReadDir(filepath.Join(dir, PartsFolder)) // none if the folder is missing
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
