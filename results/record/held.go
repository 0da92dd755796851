package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"stochopt/internal/lease"
)

// Who may do what in a results folder is said by leases (package lease), and by nothing else:
// a lock of the operating system is not to be had on every file system that the nodes of a
// cluster share, and two mechanisms would have to agree. Each process that writes records
// holds one lease, "journal-PART-N.lease", and has its journals named after it,
// "journal-PART-N.jsonl", so that no two ever write to one journal, even where both do the
// same part. A journal whose lease is held is left alone; one whose lease is ended, broken or
// was never there is nobody's. A process that ends leaves its lease as a mark of how long its
// journals are, which Await goes by, and Compact removes both.

// wholePart is the part of processes that have the folder to themselves, or compact it beside
// others.
const wholePart = "whole"

// partLetters are those that the names of parts are written in.
const partLetters = "abcdefghijklmnopqrstuvwxyz0123456789-"

// What leases say that their holders do.
const (
	doesAll     = "run"
	doesPart    = "part"
	doesCompact = "collect"
)

// Job is that of a batch system.
type Job struct {
	// Name is "" if there is none.
	Name string
	// Restart counts how often the batch system has started it again.
	Restart int
}

// Holder is a process that holds a part of a results folder, or did.
type Holder struct {
	lease.State
	// Part is what it does, Options.Part.
	Part string
}

// BusyError says that a folder, or the part of it that was asked for, is in use by a living
// process.
type BusyError struct {
	Dir    string
	Holder Holder
	// Part is the one that was asked for, and "" if the folder itself was.
	Part string
}

// Error implements error.
func (e *BusyError) Error() string {
	what := "folder " + e.Dir
	if e.Part != "" {
		what = fmt.Sprintf("%s of folder %s", e.Part, e.Dir)
	}
	return fmt.Sprintf("results: %s is in use by %s: wait for it, stop it, or use another --out", what, e.Holder.Describe())
}

// allHolders returns the processes that hold parts of a results folder, and those that did and
// whose records have not been compacted, in order of part; of one part the last is the
// current one. It writes no records, but may need to write to the folder to know its time.
func allHolders(dir string) ([]Holder, error) {
	return holders(dir, lease.ListAll, journalPrefix)
}

// holders returns the leases of a folder that list lists by a name.
func holders(dir string, list func(dir, name string) ([]lease.State, error), name string) ([]Holder, error) {
	states, err := list(dir, name)
	if err != nil {
		return nil, fmt.Errorf("results: cannot tell who uses folder %s: %w", dir, err)
	}
	out := make([]Holder, len(states))
	for i, s := range states {
		out[i] = Holder{s, strings.TrimPrefix(s.Name, journalPrefix)}
	}
	return out, nil
}

// hold takes the lease that the options ask for.
func (s *Store) hold() error {
	who := lease.Me(doesAll)
	who.Job = s.opts.Job.Name
	part := wholePart
	switch {
	case s.opts.Shared:
		// A former self that still writes does so to journals of its own. Of those that
		// compact there must not be two, whoever they are.
		who.Restart = s.opts.Job.Restart
		who.What, part = doesPart, s.opts.Part
		if part == "" {
			part = strings.ToLower(who.Nonce)
		}
	case s.opts.Beside:
		who.What = doesCompact
	}
	held, err := lease.Acquire(s.dir, journalPrefix+part, who)
	var busy *lease.HeldError
	switch {
	case errors.As(err, &busy):
		e := &BusyError{Dir: s.dir, Holder: Holder{busy.State, part}}
		if s.opts.Shared {
			e.Part = part
		}
		return e
	case err != nil:
		return fmt.Errorf("results: cannot write to folder %s: %w; free space, change its permissions or use another --out", s.dir, err)
	}
	s.lease = held
	if err := s.yield(); err != nil {
		return errors.Join(err, held.Release())
	}
	return nil
}

// yield gives way to those that exclude this process. Both sides create their lease before
// they look for that of the other, so that not both can miss it.
func (s *Store) yield() error {
	var others []Holder
	var err error
	var excludes func(Holder) bool
	switch {
	case s.opts.Shared:
		// Of a thousand parts that begin at once each reads one lease and not all.
		others, err = holders(s.dir, lease.List, journalPrefix+wholePart)
		excludes = func(h Holder) bool { return h.What != doesCompact }
	case !s.opts.Beside:
		others, err = allHolders(s.dir)
		excludes = func(h Holder) bool { return h.Part != wholePart }
	}
	if err != nil {
		return err
	}
	for _, h := range others {
		if h.Living && excludes(h) {
			return &BusyError{Dir: s.dir, Holder: h}
		}
	}
	return nil
}

// claim finds out which journals are nobody's, and breaks the leases of the dead: from then
// on they, should they be alive after all, write to new journals. It is called before
// anything is read, so that what is read of such journals is all that they will ever hold.
func (s *Store) claim() error {
	// Leases are there before their journals: one that is not found afterwards is gone.
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("results: cannot read folder %s: %w", s.dir, err)
	}
	holders, err := allHolders(s.dir)
	if err != nil {
		return err
	}
	held := make(map[string]bool)
	for _, h := range holders {
		switch {
		case h.Stem == s.lease.Stem():
		case h.Ended:
			s.marks = append(s.marks, h)
		case h.Living:
			held[h.Stem] = true
		default:
			if err := h.Break(); err != nil {
				return fmt.Errorf("results: cannot take over from %v: %w", h.Holder, err)
			}
		}
	}
	s.free = make(map[string]bool)
	for _, e := range entries {
		if isJournal(e.Name()) && !held[stemOfJournal(e.Name())] {
			s.free[filepath.Join(s.dir, e.Name())] = true
		}
	}
	return nil
}

// stemOfJournal is the stem of the lease of a journal.
func stemOfJournal(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	return stem
}

// journalName is the name of the nth journal of a lease, from 0.
func journalName(stem string, n int) string {
	if n == 0 {
		return stem + journalSuffix
	}
	return fmt.Sprintf("%s.%d%s", stem, n, journalSuffix)
}

// held reports why this process may no longer write, nil if it may. A shared store that has
// lost its lease takes a new one, under which its journals begin anew.
func (s *Store) held() error {
	s.leasing.Lock()
	defer s.leasing.Unlock()
	err := s.lease.Held()
	if !s.opts.Shared || !errors.Is(err, lease.ErrLost) {
		return err
	}
	s.written = nil // the others took it
	err = s.hold()
	if busy := (*BusyError)(nil); errors.As(err, &busy) {
		// That others do the part by now costs nothing but their time.
		s.opts.Part = ""
		err = s.hold()
	}
	return err
}

// current is the lease at present.
func (s *Store) current() *lease.Lease {
	s.leasing.Lock()
	defer s.leasing.Unlock()
	return s.lease
}

// letGo gives the lease up. That of a part stays as a mark of what was written.
func (s *Store) letGo() error {
	s.leasing.Lock()
	defer s.leasing.Unlock()
	end := s.lease.Release
	if s.opts.Shared {
		end = func() error { return s.lease.End(s.written) }
	}
	if err := end(); err != nil {
		return fmt.Errorf("results: cannot give up folder %s: %w", s.dir, err)
	}
	return nil
}

// removeMarks removes what parts have left whose journals are about to be removed.
func (s *Store) removeMarks() error {
	for len(s.marks) > 0 {
		if err := s.marks[0].Break(); err != nil {
			return fmt.Errorf("results: cannot remove the mark of %s: %w", s.marks[0].Stem, err)
		}
		s.marks = s.marks[1:]
	}
	return nil
}
