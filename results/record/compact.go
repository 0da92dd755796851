package record

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"stochopt/internal/disk"
)

// Compact rewrites the folder: RunsFile holds what there is of the plan, in the
// order and with the labels of the plan, diverged and failed runs included;
// ArchiveFile holds all other completed runs; TimingsFile the timings of both;
// PlanFile the plan.
// The journals are gone. What Compact writes does not depend on the order in
// which records were appended, nor on the process that did it.
//
// The plan may be done in part only, and compacting may be repeated: doing so
// before the first run moves archived records that the plan reuses, and those
// that it no longer wants, to where readers expect them. Open journals may be
// appended to afterwards.
//
// Every file is replaced atomically, and no record leaves one file before it is
// in another: a kill at any point loses nothing.
func (s *Store) Compact(plan []ID) error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return fmt.Errorf("results: folder %s is closed", s.dir)
	}
	if s.opts.Shared {
		return fmt.Errorf("results: folder %s is shared with other processes and cannot be compacted: when all are done, run once without --shard", s.dir)
	}
	s.mu.Lock()
	defer s.mu.Unlock()

	runs := s.records.planned(plan)
	inPlan := refs(runs)
	archive := s.records.completed(func(id ref) bool { return !inPlan[id] })
	// A record on its way from the archive into the plan stays in both until
	// RunsFile is in place.
	both := s.records.completed(func(id ref) bool { return !inPlan[id] || s.archived[id] })

	// The plan goes first: readers find its records in whatever file they are.
	if err := s.writePlan(plan); err != nil {
		return err
	}
	if err := s.writeArchive(both); err != nil {
		return err
	}
	if err := s.writeTimings(runs, archive); err != nil {
		return err
	}
	if err := s.writeRuns(RunsFile, runs); err != nil {
		return err
	}
	if len(both) != len(archive) {
		if err := s.writeArchive(archive); err != nil {
			return err
		}
	}
	// Records that are dropped, incomplete ones outside the plan, are gone from
	// now on.
	for id, r := range s.records {
		if !r.run.Completed() && !inPlan[id] {
			delete(s.records, id)
		}
	}
	return s.removeJournals()
}

func (s *Store) writeArchive(runs []Run) error {
	if len(runs) == 0 {
		if err := s.point("before removing " + ArchiveFile); err != nil {
			return err
		}
		if err := removeAll([]string{filepath.Join(s.dir, ArchiveFile)}); err != nil {
			return err
		}
	} else if err := s.writeRuns(ArchiveFile, runs); err != nil {
		return err
	}
	s.archived = refs(runs)
	return nil
}

func (s *Store) writeRuns(name string, runs []Run) error {
	return replace(s, name, runs, EncodeRun)
}

func (s *Store) writeTimings(lists ...[]Run) error {
	var timings []Timing
	seen := map[ref]bool{}
	for _, r := range slices.Concat(lists...) {
		if rec := s.records[r.ref()]; rec.timed && !seen[r.ref()] {
			seen[r.ref()] = true
			timings = append(timings, rec.timing)
		}
	}
	return replace(s, TimingsFile, timings, func(t Timing) ([]byte, error) {
		line, err := encodeLine(t)
		// Times read without a checksum belong to runs without one.
		if err != nil || !checked(s.records[t.ref()].run.Schema) {
			return line, err
		}
		return Seal(line), nil
	})
}

// replace writes values, a line each, to a file that takes the place of name once
// complete and on disk.
func replace[T any](s *Store, name string, values []T, encode func(T) ([]byte, error)) (err error) {
	if err := s.point("before writing " + name); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("results: cannot write %s: %w; all earlier records are safe: free space or repair the disk, then run the same command again", filepath.Join(s.dir, name), err)
		}
	}()
	f, err := disk.NewPending(filepath.Join(s.dir, name))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	w := bufio.NewWriterSize(f, 1<<16)
	for _, v := range values {
		data, err := encode(v)
		if err != nil {
			return err
		}
		// A bufio.Writer keeps its first error, which Flush returns.
		w.Write(data)
		w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := s.point("before renaming " + name); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// removeJournals drops the journals that the other files now cover.
func (s *Store) removeJournals() error {
	if len(s.journalFiles) == 0 {
		return nil
	}
	if err := s.point("before removing journals"); err != nil {
		return err
	}
	if err := syncDir(s.dir); err != nil {
		return fmt.Errorf("results: cannot force folder %s to disk: %w", s.dir, err)
	}
	for _, j := range s.journals {
		j.mu.Lock()
		if j.file != nil {
			j.file.Close()
			j.file = nil
		}
		j.mu.Unlock()
	}
	for len(s.journalFiles) > 0 {
		if err := os.Remove(s.journalFiles[0]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("results: cannot remove %s: %w", s.journalFiles[0], err)
		}
		s.journalFiles = s.journalFiles[1:]
		if err := s.point("after removing a journal"); err != nil {
			return err
		}
	}
	return nil
}

// syncDir makes the renames in a folder durable, on file systems that can; some
// network file systems refuse with EINVAL, and Windows does not offer it.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

func (s *Store) point(name string) error {
	if s.at == nil {
		return nil
	}
	return s.at(name)
}
