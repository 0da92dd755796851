package run

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stochopt/algorithms/checkpoint"
	"stochopt/harness/internal/plan"
	"stochopt/internal/disk"
	"stochopt/results/record"
)

// Checkpoints says when runs are saved on their way. The zero value is never.
type Checkpoints struct {
	// Every is the time from one checkpoint of a run to the next. Runs that are ended
	// are saved as well. At 0 none is saved, and none restored.
	Every time.Duration
	// After is the time that a run must have lasted; 0 means a minute, or Every if that is
	// less.
	After time.Duration
	// Build names the program and the architecture that it is built for: only what it has
	// saved itself is restored.
	Build string
}

// after is After with its default.
func (c Checkpoints) after() time.Duration {
	if c.After > 0 {
		return c.After
	}
	return min(time.Minute, c.Every)
}

// checkpointMagic is the first line of a checkpoint. A header follows, a line of JSON; then
// what a saved visits; then the SHA-256 of all that.
const checkpointMagic = "stochopt checkpoint 1\n"

// mostHeader bounds the header of a checkpoint.
const mostHeader = 64 << 10

// checkpointHeader says what a checkpoint is of.
type checkpointHeader struct {
	Key    string       `json:"key"`
	Extent string       `json:"extent"`
	Limit  record.Limit `json:"limit"`
	Build  string       `json:"build"`
	// Iterations is the number of steps taken, Saved the time of saving, RFC 3339.
	Iterations int64  `json:"iterations"`
	Saved      string `json:"saved"`
}

// CheckpointFile returns the file of an item's checkpoint, relative to the results folder.
func CheckpointFile(it *plan.Item) string {
	return filepath.Join(record.CheckpointsFolder, it.ID.Key+"-"+record.Key(it.ID.Extent)[:8]+record.CheckpointSuffix)
}

// headerOf is the header of a checkpoint that can be restored into the item's run.
func (c Checkpoints) headerOf(it *plan.Item) checkpointHeader {
	return checkpointHeader{Key: it.ID.Key, Extent: it.ID.Extent, Limit: it.Limits(), Build: c.Build}
}

// writeCheckpoint writes what save visits.
func writeCheckpoint(dir, name string, h checkpointHeader, save func(s *checkpoint.State)) error {
	return disk.WriteBy(dir, name, func(w io.Writer) error {
		sum := sha256.New()
		out := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
		header, err := json.Marshal(h)
		if err != nil {
			return err
		}
		out.WriteString(checkpointMagic)
		out.Write(append(header, '\n'))
		s := checkpoint.NewSaver(out)
		save(s)
		if err := errors.Join(s.Flush(), out.Flush()); err != nil {
			return err
		}
		_, err = w.Write(sum.Sum(nil))
		return err
	})
}

// errDamaged is in the error of a checkpoint that is not as it was written, errForeign in
// that of one that is not of the run, or not of this program.
var (
	errDamaged = errors.New("it is damaged")
	errForeign = errors.New("it is not this run's")
)

// readCheckpoint has load visit what a checkpoint of at most so many bytes holds, if it is of
// the run wanted. It returns its header; the error is fs.ErrNotExist if there is none.
func readCheckpoint(path string, want checkpointHeader, most int64, load func(s *checkpoint.State)) (checkpointHeader, error) {
	var h checkpointHeader
	f, err := disk.Open(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return h, err
	}
	size := info.Size() - sha256.Size
	switch {
	case size < int64(len(checkpointMagic)):
		return h, fmt.Errorf("%w: it is too short", errDamaged)
	case info.Size() > most:
		return h, fmt.Errorf("it is longer than %d bytes, the most that --memory leaves room for", most)
	}
	if err := checkSum(f, size); err != nil {
		return h, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return h, err
	}
	in := bufio.NewReaderSize(io.LimitReader(f, size), mostHeader)
	magic := make([]byte, len(checkpointMagic))
	if _, err := io.ReadFull(in, magic); err != nil || string(magic) != checkpointMagic {
		return h, fmt.Errorf("%w: it does not begin as a checkpoint of this version", errForeign)
	}
	line, err := in.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, &h)
	}
	if err != nil {
		return h, fmt.Errorf("%w: its header cannot be read", errDamaged)
	}
	same := h
	same.Iterations, same.Saved = want.Iterations, want.Saved
	if same != want {
		return h, fmt.Errorf("%w: it is of another %s", errForeign, difference(same, want))
	}
	s := checkpoint.NewLoader(in, size-int64(len(magic)+len(line)))
	load(s)
	if err := s.End(); err != nil {
		return h, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return h, nil
}

// difference names what two headers differ in.
func difference(a, b checkpointHeader) string {
	switch {
	case a.Key != b.Key:
		return "run"
	case a.Extent != b.Extent:
		return "budget, or other recorded points"
	case a.Limit != b.Limit:
		return "limit"
	}
	return "build or architecture"
}

// checkSum compares the SHA-256 of so many bytes with what follows them.
func checkSum(r io.Reader, size int64) error {
	var sum hash.Hash = sha256.New()
	if _, err := io.CopyN(sum, r, size); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	want, err := io.ReadAll(io.LimitReader(r, sha256.Size+1))
	if err == nil && !bytes.Equal(want, sum.Sum(nil)) {
		err = fmt.Errorf("%w: its checksum is not that of its contents", errDamaged)
	}
	return err
}

// sweepCheckpoints removes the checkpoints of the runs of a plan that are on record, and
// the folder if it is empty then.
func sweepCheckpoints(dir string, p *plan.Plan, onRecord func(it *plan.Item) bool) {
	entries, err := os.ReadDir(filepath.Join(dir, record.CheckpointsFolder))
	if err != nil {
		return
	}
	there := make(map[string]bool, len(entries))
	for _, e := range entries {
		there[filepath.Join(record.CheckpointsFolder, e.Name())] = true
	}
	for _, it := range p.Items {
		if len(there) == 0 {
			break
		}
		// What cannot be removed does no harm: nobody looks at it again.
		if name := CheckpointFile(it); there[name] && onRecord(it) && disk.Remove(dir, name) == nil {
			delete(there, name)
		}
	}
	_ = os.Remove(filepath.Join(dir, record.CheckpointsFolder)) // unless others are in it
}

// discardCheckpoints removes all checkpoints of a results folder.
func discardCheckpoints(dir string) error {
	entries, err := os.ReadDir(filepath.Join(dir, record.CheckpointsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), record.CheckpointSuffix) {
			if err := disk.Remove(dir, filepath.Join(record.CheckpointsFolder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
