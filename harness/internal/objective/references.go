package objective

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"stochopt/internal/disk"
	"stochopt/internal/lease"
	"stochopt/internal/record"
)

// Solved says what a certified optimum is of, as it is stored beside the runs that
// were measured against it.
type Solved struct {
	Dataset     string `json:"dataset"`
	DatasetHash string `json:"dataset_hash"`
	// Split is the canonical text of a split, Seed the root seed that dealt it. A
	// Repeat of -1 stands for all repeats.
	Split  string `json:"split"`
	Repeat int    `json:"repeat"`
	Seed   uint64 `json:"seed"`
	// Protocol is the version of how the problem came about (seed.Protocol).
	Protocol int `json:"protocol"`
}

func (s *Solved) id() string {
	return fmt.Sprintf("%s\x00%s\x00%08d\x00%d\x00%d", s.DatasetHash, s.Split, s.Repeat, s.Seed, s.Protocol)
}

func (s *Solved) of() string {
	if s.Repeat < 0 {
		return fmt.Sprintf("%s, %s", s.Dataset, cmp.Or(s.Split, "all rows"))
	}
	return fmt.Sprintf("%s, %s, repeat %d", s.Dataset, cmp.Or(s.Split, "all rows"), s.Repeat)
}

// stored is a certified optimum of any kind.
type stored interface {
	// id names the problem, and of does so for people.
	id() string
	of() string
	// sound reports why it is no certified optimum: a number of it contradicts the
	// others or the problem. It is nil if none does.
	sound() error
	// beats reports whether it knows more than another of the same problem.
	beats(old stored) bool
}

// References is a file of certified optima. It is safe for concurrent use.
type References struct {
	path   string
	shared bool
	warn   func(text string)
	// lines says how sound the file was when it was opened.
	lines record.Lines

	mu   sync.Mutex
	byID map[string]stored
	file *os.File
	// added counts those that were solved.
	added int
}

// OpenReferences reads the file at path, if there is one. A reference is believed if its
// line has the checksum of its bytes and if its numbers agree with each other. What is damaged is solved again when it is asked for; warn, if it is not nil, is
// told, and unless the file is shared the lines are kept aside (record.PutAside). Several
// processes may share the file; they only append to it, one at a time.
func OpenReferences(path string, shared bool, warn func(text string)) (*References, error) {
	if warn == nil {
		warn = func(string) {}
	}
	refs, lines, err := readReferences(path)
	if err != nil {
		return nil, err
	}
	r := &References{path: path, shared: shared, warn: warn, lines: lines, byID: make(map[string]stored)}
	for _, ref := range refs {
		r.keep(ref)
	}
	if err := r.putAside(lines); err != nil {
		return nil, err
	}
	return r, nil
}

func readReferences(path string) ([]stored, record.Lines, error) {
	refs, lines, err := record.ReadLines(path, true, parse)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, lines, fmt.Errorf("objective: reading the stored optima: %w", err)
	}
	return refs, lines, nil
}

// parse returns the reference of a line.
func parse(object []byte) (stored, error) {
	var ref stored = new(Reference)
	var probe struct{ Kernel *string }
	if json.Unmarshal(object, &probe) == nil && probe.Kernel != nil {
		ref = new(SVMReference)
	}
	err := record.DecodeLine(object, ref)
	if err == nil {
		err = ref.sound()
	}
	return ref, err
}

// putAside tells of damaged lines, and keeps them aside if they are to leave the file.
func (r *References) putAside(lines record.Lines) error {
	done := record.Passed
	if !r.shared {
		if err := record.PutAside(filepath.Dir(r.path), lines); err != nil {
			return err
		}
		done = record.Aside
	}
	if w := lines.Warning(filepath.Dir(r.path), done); w != "" {
		r.warn(w)
	}
	return nil
}

// Reject puts a reference aside that the data contradict, so that it is solved again.
func (r *References) Reject(ref stored, why error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, ok := r.byID[ref.id()]
	if !ok || old != ref {
		return nil // another run has
	}
	delete(r.byID, ref.id())
	line, err := encode(old)
	if err != nil {
		return err
	}
	lines := r.lines
	lines.Damaged = []record.DamagedLine{{Why: fmt.Sprintf("the optimum of %s: %v", ref.of(), why), Data: line}}
	return r.putAside(lines)
}

// encode returns the line of a reference.
func encode(ref stored) ([]byte, error) {
	line, err := json.Marshal(ref)
	if err != nil {
		return nil, err
	}
	return record.Seal(line), nil
}

// find returns the reference of a problem, nil if there is none.
func (r *References) find(id string) stored {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// add takes in and stores a reference.
func (r *References) add(ref stored) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(ref)
	r.added++
	return r.append(ref)
}

// Added returns how many references were solved since the file was opened.
func (r *References) Added() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.added
}

// keep takes in a reference unless there is one that knows as much.
func (r *References) keep(ref stored) {
	if old, ok := r.byID[ref.id()]; !ok || ref.beats(old) {
		r.byID[ref.id()] = ref
	}
}

func (r *References) append(ref stored) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("objective: storing an optimum: %w", err)
		}
	}()
	line, err := encode(ref)
	if err != nil {
		return err
	}
	if r.shared {
		// Machines that append to one file of a network file system at the same time may
		// overwrite each other: each opens it when it is its turn.
		dir, name := filepath.Split(r.path)
		turn, err := lease.Wait(context.Background(), filepath.Clean(dir), strings.TrimSuffix(name, filepath.Ext(name)), lease.Me("append"), nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, turn.Release()) }()
		defer func() { err = errors.Join(err, r.closeFile()) }()
	}
	if r.file == nil {
		if r.file, err = os.OpenFile(r.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
			return err
		}
	}
	// A leading newline ends a line that a kill may have cut short.
	_, err = fmt.Fprintf(r.file, "\n%s\n", line)
	return err
}

// closeFile closes the file, if it is open.
func (r *References) closeFile() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// Close releases the file. Unless it is shared it is written anew, each
// reference once and in a fixed order, if it differs from that.
func (r *References) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	appended := r.file != nil
	err := r.closeFile()
	if r.shared {
		return err
	}
	var out bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(r.byID)) {
		line, e := encode(r.byID[id])
		if e != nil {
			return errors.Join(err, e)
		}
		fmt.Fprintf(&out, "%s\n", line)
	}
	if !appended {
		old, readErr := disk.ReadFile(r.path, out.Len())
		if out.Len() == 0 && errors.Is(readErr, fs.ErrNotExist) || readErr == nil && bytes.Equal(out.Bytes(), old) {
			return err
		}
	}
	return errors.Join(err, disk.Replace(r.path, out.Bytes()))
}
