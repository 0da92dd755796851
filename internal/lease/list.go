package lease

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"stochopt/internal/disk"
)

// State is what is known of a lease.
type State struct {
	Holder
	// Name and N are those of the lease, Stem is both: "NAME-N".
	Name, Stem string
	N          int
	// Ended says that the holder is done, having written Files.
	Ended bool
	Files []Sum
	// Living says that the holder is alive, as far as can be told. Here is set if its
	// process is one that this machine sees.
	Living, Here bool
	// Renewed is when the file was last written, by the file system's clock, and Age how long
	// ago that was, which is not known of those that have ended or are Here.
	Renewed time.Time
	Age     time.Duration

	path string
}

// Describe says who holds the lease, and what is to be seen of it.
func (s State) Describe() string {
	text := s.Holder.String()
	if !s.Ended && !s.Here {
		text += fmt.Sprintf(", which was last heard of %v ago and is taken for dead after %v", s.Age.Round(time.Second), Expiry)
	}
	return text
}

// most bounds the size of a lease file.
const most = 1 << 20

// List returns the leases of a name in a folder, in the order of their numbers.
func List(dir, name string) ([]State, error) {
	return list(dir, func(s *State) bool { return s.Name == name })
}

// ListAll returns the leases of a folder whose names begin with prefix, in order of name and
// number.
func ListAll(dir, prefix string) ([]State, error) {
	return list(dir, func(s *State) bool { return strings.HasPrefix(s.Name, prefix) })
}

func list(dir string, wanted func(*State) bool) (states []State, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	clock := &fileClock{dir: dir}
	for _, e := range entries {
		s := State{path: filepath.Join(dir, e.Name())}
		var ok bool
		if s.Name, s.N, ok = parse(e.Name()); !ok || !wanted(&s) {
			continue
		}
		s.Stem = stemOf(s.path)
		err := s.read(clock)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESTALE):
			continue // gone since
		case err != nil:
			return nil, err
		}
		states = append(states, s)
	}
	slices.SortStableFunc(states, func(a, b State) int {
		if a.Name != b.Name {
			return strings.Compare(a.Name, b.Name)
		}
		return a.N - b.N
	})
	return states, nil
}

func stemOf(path string) string { return strings.TrimSuffix(filepath.Base(path), suffix) }

// parse takes the name of a lease file apart.
func parse(file string) (name string, n int, ok bool) {
	stem, ok := strings.CutSuffix(file, suffix)
	at := strings.LastIndexByte(stem, '-')
	if !ok || at < 1 {
		return "", 0, false
	}
	n, err := strconv.Atoi(stem[at+1:])
	return stem[:at], n, err == nil && n > 0 && stem[0] != '.'
}

// read reads the lease file and judges whether its holder is alive.
func (s *State) read(clock *fileClock) error {
	f, err := disk.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	// Opened, a network file system tells the file as it is now.
	info, err := f.Stat()
	if err != nil {
		return err
	}
	s.Renewed = info.ModTime()
	text := make([]byte, min(info.Size(), most))
	n, err := f.ReadAt(text, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var c content
	// A lease that is not whole yet, or never will be, is that of somebody.
	if json.Unmarshal(text[:n], &c) == nil {
		s.Holder, s.Ended, s.Files = c.Holder, c.Ended, c.Files
	}
	if s.Ended {
		return nil
	}
	if s.Boot != "" && s.Boot == boot(hostname()) {
		s.Here, s.Living = true, alive(s.PID, s.Started)
		if !s.Living || s.Started != "" {
			return nil
		}
		// Another process may have been given the number since.
	}
	now, err := clock.time()
	if err != nil {
		return err
	}
	s.Age = now.Sub(s.Renewed)
	// A living one is never far from now on either side.
	s.Living = s.Age.Abs() <= Expiry
	return nil
}

// Break removes a lease whose holder is dead or has ended. If the holder lives after all, it
// will find that it has lost the lease.
func (s State) Break() error {
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// fileClock tells the time that the file system of a folder gives to files.
type fileClock struct {
	dir string
	now time.Time
}

func (c *fileClock) time() (time.Time, error) {
	if !c.now.IsZero() {
		return c.now, nil
	}
	f, err := disk.NewPending(filepath.Join(c.dir, "lease.clock"))
	if err != nil {
		return c.now, err
	}
	defer f.Cleanup()
	if err := write(f.File, []byte{'\n'}); err != nil {
		return c.now, err
	}
	info, err := f.Stat()
	if err == nil {
		c.now = info.ModTime()
	}
	return c.now, err
}

func hostname() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}
