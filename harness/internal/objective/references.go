package objective

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/google/renameio/v2"
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

// stored is a certified optimum of any kind.
type stored interface {
	// id names the problem.
	id() string
	// sound reports whether it is a certified optimum, and not a line of
	// another kind or cut short.
	sound() bool
	// beats reports whether it knows more than another of the same problem.
	beats(old stored) bool
}

// References is a file of certified optima. It is safe for concurrent use.
type References struct {
	path   string
	shared bool
	// read is what the file held when it was opened.
	read []byte

	mu   sync.Mutex
	byID map[string]stored
	file *os.File
}

// OpenReferences reads the file at path, if there is one. Lines that do not
// parse (a write cut short) are dropped: a reference can be solved again.
// Several processes may share the file; they only append to it.
func OpenReferences(path string, shared bool) (*References, error) {
	r := &References{path: path, shared: shared, byID: make(map[string]stored)}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("objective: reading the stored optima: %w", err)
	}
	r.read = data
	for line := range bytes.Lines(data) {
		if ref := parse(line); ref != nil {
			r.keep(ref)
		}
	}
	return r, nil
}

// parse returns the reference of a line, nil if it is none.
func parse(line []byte) stored {
	for _, ref := range []stored{new(Reference), new(SVMReference)} {
		if json.Unmarshal(line, ref) == nil && ref.sound() {
			return ref
		}
	}
	return nil
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
	return r.append(ref)
}

// keep takes in a reference unless there is one that knows as much.
func (r *References) keep(ref stored) {
	if old, ok := r.byID[ref.id()]; !ok || ref.beats(old) {
		r.byID[ref.id()] = ref
	}
}

func (r *References) append(ref stored) error {
	if r.file == nil {
		f, err := os.OpenFile(r.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return fmt.Errorf("objective: storing an optimum: %w", err)
		}
		r.file = f
	}
	line, err := json.Marshal(ref)
	if err != nil {
		return fmt.Errorf("objective: storing an optimum: %w", err)
	}
	// A leading newline ends a line that a kill may have cut short.
	if _, err := r.file.Write(append([]byte{'\n'}, append(line, '\n')...)); err != nil {
		return fmt.Errorf("objective: storing an optimum: %w", err)
	}
	return nil
}

// Close releases the file. Unless it is shared it is written anew, each
// reference once and in a fixed order, if it differs from that.
func (r *References) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	appended := r.file != nil
	if appended {
		err = r.file.Close()
		r.file = nil
	}
	if r.shared {
		return err
	}
	var out bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(r.byID)) {
		line, e := json.Marshal(r.byID[id])
		if e != nil {
			return errors.Join(err, e)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	if !appended && bytes.Equal(out.Bytes(), r.read) {
		return err
	}
	return errors.Join(err, renameio.WriteFile(r.path, out.Bytes(), 0o644))
}
