package record

import (
	"bufio"
	"encoding/json"
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
// The journals are gone, but for those that others write. What Compact writes does not depend on the order in
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
	if err := s.held(); err != nil {
		return fmt.Errorf("results: cannot compact %s: %w", s.dir, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.settled(plan) {
		return nil
	}
	s.tidy = false
	runs := s.records.planned(plan)
	inPlan := refs(runs)
	archived := refs(s.inArchive)
	archive := s.records.completed(func(id ref) bool { return !inPlan[id] })
	// A record on its way from the archive into the plan stays in both until
	// RunsFile is in place.
	both := s.records.completed(func(id ref) bool { return !inPlan[id] || archived[id] })

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
	s.inRuns = runs
	if len(both) != len(archive) {
		if err := s.writeArchive(archive); err != nil {
			return err
		}
	}
	// Records that are dropped, incomplete ones outside the plan, are gone from
	// now on.
	s.records = s.records.without(func(r *record) bool { return !r.run.Completed() && !inPlan[r.run.ref()] })
	if err := s.removeJournals(); err != nil {
		return err
	}
	s.tidy = !s.living
	return nil
}

// settled reports whether the folder is already what Compact would make of it.
func (s *Store) settled(plan []ID) bool {
	if !s.tidy || len(s.journalFiles) > 0 || len(s.marks) > 0 || !slices.Equal(plan, s.plan) {
		return false
	}
	if s.records.len() != len(s.inRuns)+len(s.inArchive) || !s.records.are(plan, s.inRuns) {
		return false
	}
	for j := range s.inArchive {
		r := &s.inArchive[j]
		if s.records.get(r.ref()).run != r || !r.Completed() || j > 0 && compareRefs(s.inArchive[j-1], *r) >= 0 {
			return false
		}
	}
	return true
}

func (s *Store) writeArchive(runs []Run) error {
	if len(runs) == 0 {
		if err := s.point("before removing " + ArchiveFile); err != nil {
			return err
		}
		if err := s.held(); err != nil {
			return err
		}
		if err := removeAll([]string{filepath.Join(s.dir, ArchiveFile)}); err != nil {
			return err
		}
	} else if err := s.writeRuns(ArchiveFile, runs); err != nil {
		return err
	}
	s.inArchive = runs
	return nil
}

// writeRuns writes a file of runs. From then on they are read from there.
func (s *Store) writeRuns(name string, runs []Run) error {
	places, err := replace(s, name, runs, func(r Run) ([]byte, error) {
		from := s.records.get(r.ref()).run
		if from.ID() == r.ID() && from.stored.file != nil {
			return from.stored.sound(func(p journalParts) json.RawMessage { return p.Run })
		}
		r.stored, r.Curve = from.stored, from.Curve
		return EncodeRun(r)
	})
	if err != nil {
		return err
	}
	moved := make(map[ref]bool, len(runs))
	for i := range runs {
		r := &runs[i]
		rec := s.records.get(r.ref())
		r.stored, r.Curve = stored{place: places.at(i), brief: rec.run.brief(), columns: rec.run.Columns()}, Curve{}
		if !moved[r.ref()] {
			moved[r.ref()] = true
			rec.run = r
		}
	}
	return nil
}

func (s *Store) writeTimings(lists ...[]Run) error {
	var timed []*record
	seen := map[ref]bool{}
	for _, r := range slices.Concat(lists...) {
		if rec := s.records.get(r.ref()); rec.timed && !seen[r.ref()] {
			seen[r.ref()] = true
			timed = append(timed, rec)
		}
	}
	places, err := replace(s, TimingsFile, timed, func(r *record) ([]byte, error) {
		if r.timing.file != nil {
			return r.timing.sound(func(p journalParts) json.RawMessage { return p.Timing })
		}
		line, err := encodeLine(r.timing.timing())
		if err != nil {
			return nil, err
		}
		return Seal(line), nil
	})
	if err != nil {
		return err
	}
	for i, r := range timed {
		r.timing.place, r.timing.whole = places.at(i), nil
	}
	return nil
}

// placed says where the lines of a file are that was written.
type placed struct {
	file *lineFile
	ends []int64
}

// at is the place of a line.
func (w *placed) at(i int) place {
	begin := int64(0)
	if i > 0 {
		begin = w.ends[i-1]
	}
	return place{w.file, begin, int(w.ends[i] - begin - 1)}
}

// replace writes values, a line each, to a file that takes the place of name once
// complete and on disk.
func replace[T any](s *Store, name string, values []T, encode func(T) ([]byte, error)) (out *placed, err error) {
	if err := s.point("before writing " + name); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("results: cannot write %s: %w; all earlier records are safe: free space or repair the disk, then run the same command again", filepath.Join(s.dir, name), err)
		}
	}()
	path := filepath.Join(s.dir, name)
	f, err := disk.NewPending(path)
	if err != nil {
		return nil, err
	}
	defer f.Cleanup()
	out = &placed{&lineFile{path: path}, make([]int64, 0, len(values))}
	w := bufio.NewWriterSize(f, 1<<16)
	end := int64(0)
	for _, v := range values {
		data, err := encode(v)
		if err != nil {
			return nil, err
		}
		// A bufio.Writer keeps its first error, which Flush returns.
		w.Write(data)
		w.WriteByte('\n')
		end += int64(len(data)) + 1
		out.ends = append(out.ends, end)
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	if err := s.point("before renaming " + name); err != nil {
		return nil, err
	}
	if old := s.lines[name]; old != nil {
		old.close() // where files that are open cannot be replaced
	}
	if err := s.held(); err != nil {
		return nil, err // another may have written more meanwhile
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return nil, err
	}
	s.lines[name] = out.file
	return out, nil
}

// removeJournals drops the journals that the other files now cover.
func (s *Store) removeJournals() error {
	if len(s.journalFiles) == 0 && len(s.marks) == 0 {
		return nil
	}
	if err := s.point("before removing journals"); err != nil {
		return err
	}
	if err := s.held(); err != nil {
		return fmt.Errorf("results: cannot remove the journals of %s: %w", s.dir, err)
	}
	if err := syncDir(s.dir); err != nil {
		return fmt.Errorf("results: cannot force folder %s to disk: %w", s.dir, err)
	}
	if err := s.removeMarks(); err != nil {
		return err
	}
	for _, j := range s.journals {
		j.mu.Lock()
		if j.file != nil {
			j.file.Close()
			j.file = nil
		}
		j.mu.Unlock()
	}
	for _, path := range s.journalFiles {
		if lines := s.lines[filepath.Base(path)]; lines != nil {
			lines.close()
			delete(s.lines, filepath.Base(path))
		}
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
