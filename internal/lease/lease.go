// Package lease says which process uses what of a folder, on file systems without locks too,
// such as those that the nodes of a cluster share. There flock may be missing, refused, or
// kept to one node; what all of them have is that of several who create a file one succeeds.
//
// A lease NAME is held by whoever has created the file NAME-N.lease exclusively, for the
// largest N. It says who that is: host, process, boot, job. The holder writes it again now
// and then, the same bytes, so that the file system gives it a new time. A lease is free if
// its holder has ended it or is dead. On the same boot of the same machine, and among the
// processes that see each other there, these tell at once; where the system does not say when
// processes began (all but Linux), one of that number has to have renewed the lease as well.
// Of others it is so once the file has not been written for Expiry, by the file system's own
// clock and no machine's. Who takes over creates N+1, which only one can, and never removes
// what another may have created meanwhile.
//
// A process that stood still for longer than Expiry may have lost its lease when it wakes:
// Held tells it, and is to be asked before anything is done that rests on the lease, and
// again afterwards where it must not be in vain.
package lease

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"stochopt/internal/disk"
)

const (
	// Expiry is how long a lease of another machine may go without being renewed. Network
	// file systems may show a time that is a minute old.
	Expiry = 3 * time.Minute
	// renewEvery is the interval of renewals.
	renewEvery = 20 * time.Second
	// lookEvery is the interval at which Wait looks whether a lease is free.
	lookEvery = 100 * time.Millisecond
	// trusted is how long after a renewal a holder may rely on it if the file is to be seen.
	trusted = Expiry / 2

	suffix = ".lease"
)

// Holder says who holds a lease.
type Holder struct {
	Host string `json:"host"`
	PID  int    `json:"pid"`
	// Boot names the boot of the machine and the processes that are seen there; Started tells
	// the process from another of the same number. They are "" where that is not known.
	Boot    string `json:"boot,omitempty"`
	Started string `json:"started,omitempty"`
	// Job is that of a batch system, and Restart says how often that has started it again.
	Job     string `json:"job,omitempty"`
	Restart int    `json:"restart,omitempty"`
	// What says for people what the process does.
	What string `json:"what,omitempty"`
	// Nonce tells leases of one process apart.
	Nonce string `json:"nonce"`
}

// Me describes this process.
func Me(what string) Holder {
	host := hostname()
	return Holder{
		Host: host, PID: os.Getpid(), Boot: boot(host), Started: started(os.Getpid()), What: what, Nonce: rand.Text(),
	}
}

// String names the process, such as "process 17 on node3 (job 12_4)".
func (h Holder) String() string {
	if h.PID == 0 {
		return "a process that does not say which"
	}
	text := fmt.Sprintf("process %d on %s", h.PID, h.Host)
	if h.Job != "" {
		text += " (job " + h.Job + ")"
	}
	return text
}

// succeeds reports whether h is the same job, which its batch system has started again: it
// has ended the other before, as far as it can tell.
func (h Holder) succeeds(other Holder) bool {
	return h.Job != "" && h.Job == other.Job && h.Restart > other.Restart
}

// Sum is what there was to a file when a lease was ended: its first bytes and their CRC-32C.
type Sum struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	CRC32C uint32 `json:"crc32c"`
}

// content is what a lease file holds.
type content struct {
	Holder
	// Ended says that the holder is done, Files what it has written.
	Ended bool  `json:"ended,omitempty"`
	Files []Sum `json:"files,omitempty"`
}

// HeldError says that a lease is held by a living process.
type HeldError struct{ State }

// Error implements error.
func (e *HeldError) Error() string { return "in use by " + e.Describe() }

// ErrLost is wrapped by the error of a lease that another process has taken for free.
var ErrLost = errors.New("another process has taken it for dead and gone on without it; it must have stood still for long")

// Lease is a lease that this process holds. Its methods may be called from several
// goroutines.
type Lease struct {
	path string
	text []byte

	stop, idle chan struct{}

	mu      sync.Mutex
	file    *os.File
	renewed time.Time
	lost    error
	given   bool
}

// Acquire takes the lease of a name in a folder. It fails with a *HeldError if a living
// process holds it, unless that is a former self of the holder's job.
func Acquire(dir, name string, who Holder) (*Lease, error) {
	const tries = 100 // half a minute
	for attempt := 1; ; attempt++ {
		states, err := List(dir, name)
		if err != nil {
			return nil, err
		}
		next := 1
		for _, s := range states {
			if s.Living && !who.succeeds(s.Holder) {
				return nil, &HeldError{s}
			}
			next = max(next, s.N+1)
		}
		l, err := create(dir, fmt.Sprintf("%s-%d", name, next), who)
		switch {
		case err == nil:
			// Where all leases of the name have been removed meanwhile, another may have begun
			// from 1 again. Both see each other, and try again.
			rival, err := rivalOf(dir, name, l, who)
			if err == nil && rival == nil {
				return l, nil
			}
			if err = errors.Join(err, l.Release()); err != nil {
				return nil, err
			}
			if attempt == tries {
				return nil, &HeldError{*rival}
			}
		case !errors.Is(err, fs.ErrExist) || attempt == tries:
			return nil, err
		}
		// Another was faster. Who that is may take a moment to be seen.
		time.Sleep(mathrand.N(time.Duration(attempt) * 12 * time.Millisecond))
	}
}

// Wait is Acquire that waits until the lease is free, and removes what dead holders have left.
// If it has to wait, told, if it is not nil, is called once with who holds it.
func Wait(ctx context.Context, dir, name string, who Holder, told func(State)) (*Lease, error) {
	for {
		l, err := Acquire(dir, name, who)
		var held *HeldError
		switch {
		case err == nil:
			if err := sweep(dir, name, l); err != nil {
				return nil, errors.Join(err, l.Release())
			}
			return l, nil
		case !errors.As(err, &held):
			return nil, err
		}
		if told != nil {
			told(held.State)
			told = nil
		}
		if err := Pause(ctx, lookEvery); err != nil {
			return nil, err
		}
	}
}

// Pause waits for so long. It returns the error of the context if that ends before.
func Pause(ctx context.Context, length time.Duration) error {
	select {
	case <-time.After(length):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sweep removes the leases of a name that nobody holds, while l holds it.
func sweep(dir, name string, l *Lease) error {
	states, err := List(dir, name)
	for _, s := range states {
		if !s.Living && s.path != l.path {
			err = errors.Join(err, s.Break())
		}
	}
	return err
}

// rivalOf returns a living holder of a name beside a lease, nil if there is none.
func rivalOf(dir, name string, l *Lease, who Holder) (*State, error) {
	states, err := List(dir, name)
	i := slices.IndexFunc(states, func(s State) bool { return s.Living && s.path != l.path && !who.succeeds(s.Holder) })
	if err != nil || i < 0 {
		return nil, err
	}
	return &states[i], nil
}

// create creates the lease file of a stem, which must not exist.
func create(dir, stem string, who Holder) (*Lease, error) {
	text, err := json.Marshal(content{Holder: who})
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	l := &Lease{path: filepath.Join(dir, stem+suffix), text: text, stop: make(chan struct{}), idle: make(chan struct{})}
	if err := disk.Create(l.path, text); err != nil {
		return nil, err
	}
	if l.file, err = os.OpenFile(l.path, os.O_RDWR, 0); err != nil {
		return nil, errors.Join(err, os.Remove(l.path))
	}
	if !disk.Same(l.file, l.path) {
		l.file.Close()
		return nil, fmt.Errorf("the lease %s has been replaced by a link", l.path)
	}
	l.renewed = wall()
	go l.keep()
	return l, nil
}

// write writes a file from its beginning, and to disk.
func write(f *os.File, text []byte) error {
	if _, err := f.WriteAt(text, 0); err != nil {
		return err
	}
	return f.Sync()
}

// wall is the time by the clock on the wall, which goes on while the machine sleeps.
func wall() time.Time { return time.Now().Round(0) }

// Stem is the name of the lease with its number: that of its file without the extension.
func (l *Lease) Stem() string { return stemOf(l.path) }

// keep renews the lease until it is given up.
func (l *Lease) keep() {
	defer close(l.idle)
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
			l.mu.Lock()
			_ = l.renew() // Held tells of it
			l.mu.Unlock()
		}
	}
}

// renew writes the lease again, if it is still there; the lock is held.
func (l *Lease) renew() error {
	if l.lost != nil {
		return l.lost
	}
	err := write(l.file, l.text)
	switch {
	case errors.Is(err, syscall.ESTALE) || !disk.Same(l.file, l.path):
		return l.lose()
	case err != nil:
		return fmt.Errorf("cannot renew the lease %s: %w", l.path, err)
	}
	l.renewed = wall()
	return nil
}

// lose takes down that the lease is lost; the lock is held.
func (l *Lease) lose() error {
	l.lost = fmt.Errorf("the lease %s: %w", l.path, ErrLost)
	return l.lost
}

// Held reports why the lease is not held any more, or why that cannot be told: nil if it is.
func (l *Lease) Held() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := wall().Sub(l.renewed)
	switch {
	case l.lost != nil:
		return l.lost
	case since < 0 || since > trusted:
		// A network file system may show a file for a while after it has gone. Writing it
		// tells.
		return l.renew()
	case !disk.Same(l.file, l.path):
		return l.lose()
	}
	return nil
}

// Release gives the lease up and removes its file.
func (l *Lease) Release() error { return l.give(func() error { return os.Remove(l.path) }) }

// End gives the lease up and leaves word in its place of what its holder has written.
func (l *Lease) End(files []Sum) error {
	var c content
	if err := json.Unmarshal(l.text, &c); err != nil {
		return err
	}
	c.Ended, c.Files = true, files
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return l.give(func() error { return disk.Replace(l.path, append(text, '\n')) })
}

// give stops renewing the lease and, if it is still held, does with its file what it is told.
// A lease that was given up before is left alone.
func (l *Lease) give(do func() error) error {
	l.mu.Lock()
	given := l.given
	l.given = true
	l.mu.Unlock()
	if given {
		return nil
	}
	close(l.stop)
	<-l.idle
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.lost == nil && disk.Same(l.file, l.path)
	if err := l.file.Close(); err != nil {
		return err
	}
	if l.lost == nil {
		l.lost = fmt.Errorf("the lease %s was given up", l.path)
	}
	if !held {
		return nil
	}
	return do()
}
