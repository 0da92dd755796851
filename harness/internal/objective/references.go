package objective

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"sort"
	"sync"

	"github.com/google/renameio/v2"
)

// Reference is a certified optimum as it is stored beside the runs that were
// measured against it.
type Reference struct {
	// Dataset, DatasetHash, Split and Repeat say what was solved; Split is
	// "population" or a split's name with its fractions and Seed the root seed
	// that dealt it.
	Dataset     string `json:"dataset"`
	DatasetHash string `json:"dataset_hash"`
	Split       string `json:"split"`
	Repeat      int    `json:"repeat"`
	Seed        uint64 `json:"seed"`
	// Protocol is the version of how the problem came about (seed.Protocol).
	Protocol int `json:"protocol"`
	// Method names the solver.
	Method string `json:"method"`
	// Eigenvalues holds the leading eigenvalues, in decreasing order.
	Eigenvalues []float64 `json:"eigenvalues"`
	// ErrorBound bounds the error of each of them.
	ErrorBound float64 `json:"error_bound"`
}

// Value returns the optimum of the rank-k problem and whether the reference
// holds enough eigenvalues to know it.
func (r *Reference) Value(k int) (float64, bool) {
	if k > len(r.Eigenvalues) {
		return 0, false
	}
	return sumLeading(r.Eigenvalues, k), true
}

func (r *Reference) id() string {
	return fmt.Sprintf("%s\x00%s\x00%08d\x00%d\x00%d", r.DatasetHash, r.Split, r.Repeat, r.Seed, r.Protocol)
}

// sound reports whether the reference can have come from Get: eigenvalues of a
// second moment, in order, with a bound that makes them a reference.
func (r *Reference) sound() bool {
	if r.DatasetHash == "" || len(r.Eigenvalues) == 0 || r.ErrorBound < 0 || r.ErrorBound > certified*math.Abs(r.Eigenvalues[0]) {
		return false
	}
	return slices.IsSortedFunc(r.Eigenvalues, func(a, b float64) int { return cmp.Compare(b, a) })
}

// References is a file of certified optima. It is safe for concurrent use.
type References struct {
	path   string
	shared bool
	// read is what the file held when it was opened.
	read []byte

	mu   sync.Mutex
	byID map[string]*Reference
	file *os.File
}

// OpenReferences reads the file at path, if there is one. Lines that do not
// parse (a write cut short) are dropped: a reference can be solved again.
// Several processes may share the file; they only append to it.
func OpenReferences(path string, shared bool) (*References, error) {
	r := &References{path: path, shared: shared, byID: make(map[string]*Reference)}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("objective: reading the stored optima: %w", err)
	}
	r.read = data
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var ref Reference
		if json.Unmarshal(lines.Bytes(), &ref) == nil && ref.sound() {
			r.keep(&ref)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("objective: reading the stored optima in %s: %w", path, err)
	}
	return r, nil
}

// keep takes in a reference unless there is one that knows as much.
func (r *References) keep(ref *Reference) {
	if old, ok := r.byID[ref.id()]; !ok || len(old.Eigenvalues) < len(ref.Eigenvalues) {
		r.byID[ref.id()] = ref
	}
}

// Get returns the stored reference of the same problem if it knows the rank-k
// optimum for every k up to maxK, and otherwise solves moment and stores the
// result. want names the problem; its Method, Eigenvalues and ErrorBound are
// ignored.
func (r *References) Get(want Reference, maxK int, moment *Moment) (*Reference, error) {
	r.mu.Lock()
	if ref, ok := r.byID[want.id()]; ok && len(ref.Eigenvalues) >= maxK {
		r.mu.Unlock()
		return ref, nil
	}
	r.mu.Unlock()
	o, err := moment.Optimum()
	if err != nil {
		return nil, err
	}
	want.Method = "symmetric eigendecomposition"
	want.Eigenvalues = o.Eigenvalues[:maxK:maxK]
	want.ErrorBound = o.ErrorBound(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(&want)
	return &want, r.append(&want)
}

func (r *References) append(ref *Reference) error {
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
	ids := make([]string, 0, len(r.byID))
	for id := range r.byID {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	var out bytes.Buffer
	for _, id := range ids {
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
