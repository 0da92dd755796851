package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Protocol is the version of the protocol.
const Protocol = 1

// Request is a message to a program: one of its fields is set.
type Request struct {
	Hello   *HelloRequest `json:"hello,omitempty"`
	Init    *Init         `json:"init,omitempty"`
	Advance *Advance      `json:"advance,omitempty"`
	Rows    *Array        `json:"rows,omitempty"`
	State   *struct{}     `json:"state,omitempty"`
	Reset   *struct{}     `json:"reset,omitempty"`
	Stop    *struct{}     `json:"stop,omitempty"`
}

// HelloRequest begins a conversation.
type HelloRequest struct {
	Protocol int    `json:"protocol"`
	Task     string `json:"task"`
}

// Init says what a run is to do.
type Init struct {
	// Seed is for what the method draws itself, less than 2^53. It is the same for all
	// methods on the same data and repeat.
	Seed   int64 `json:"seed"`
	Repeat int   `json:"repeat"`
	// Iterations is the budget.
	Iterations int64 `json:"iterations"`
	// Params holds all parameters, with the defaults of the program's hello. Step has those
	// of the step size once more.
	Params map[string]any `json:"params"`
	Step   *Step          `json:"step,omitempty"`
	// D is the number of features, K the dimension of the subspace sought in the task pca, N
	// the number of training points, 0 for a distribution, Positive the number of those of
	// class +1, which come first, and Points the number of all points.
	D        int `json:"d"`
	K        int `json:"k,omitempty"`
	N        int `json:"n"`
	Positive int `json:"positive,omitempty"`
	Points   int `json:"points,omitempty"`
	// Kernel is the kernel of the problem with its parameters, and the regularisation in
	// the forms that are known.
	Kernel map[string]any `json:"kernel,omitempty"`
	Lambda *float64       `json:"lambda,omitempty"`
	C      *float64       `json:"C,omitempty"`
	Nu     *float64       `json:"nu,omitempty"`
	R      *float64       `json:"R,omitempty"`
	Bias   bool           `json:"bias,omitempty"`
	// Arrays are an Array or a CSR each.
	Arrays map[string]any `json:"arrays,omitempty"`
}

// Step is the step size that a specification gives: its schedule and the constant of that.
type Step struct {
	Schedule string  `json:"schedule,omitempty"`
	C        float64 `json:"c,omitempty"`
}

// Advance asks for the iterations up to To, with what is served for them: samples, or
// training indices.
type Advance struct {
	To      int64  `json:"to"`
	Samples *Array `json:"samples,omitempty"`
	Order   *Array `json:"order,omitempty"`
}

// Reply is a message of a program: one of its fields is set.
type Reply struct {
	Hello    *Hello    `json:"hello,omitempty"`
	Ready    *struct{} `json:"ready,omitempty"`
	Advanced *Advanced `json:"advanced,omitempty"`
	// Rows asks for kernel rows of training points, during an advance.
	Rows  []int64 `json:"rows,omitempty"`
	State *State  `json:"state,omitempty"`
	// Error ends the run, for that reason.
	Error *string `json:"error,omitempty"`
}

// Advanced says how far a program has come.
type Advanced struct {
	To int64 `json:"to"`
	// Status is "running", which is the default, "converged" or "diverged".
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Cost holds counters that the program declares, cumulative.
	Cost map[string]int64 `json:"cost,omitempty"`
}

// State is an iterate.
type State struct {
	Arrays map[string]Array `json:"arrays"`
	// Bulk is the eigenvalue of the directions outside of the basis, in the task pca; Bias
	// that of a classifier.
	Bulk float64 `json:"bulk,omitempty"`
	Bias float64 `json:"bias,omitempty"`
}

// Array is an array in a file of the run's folder: little-endian numbers of a type, one row
// after the other. If the name of the file ends in .npy, a header of that format precedes them.
type Array struct {
	File  string `json:"file"`
	Dtype string `json:"dtype"`
	Shape []int  `json:"shape"`
}

// CSR is a sparse matrix by its rows: those of row i are at the places from Indptr[i] to
// before Indptr[i+1] of Indices, which are columns, and Values.
type CSR struct {
	Format  string `json:"format"` // "csr"
	Shape   []int  `json:"shape"`
	Indptr  Array  `json:"indptr"`
	Indices Array  `json:"indices"`
	Values  Array  `json:"values"`
}

// kind names the field of a reply that is set, "" if there is none or several.
func (r *Reply) kind() string {
	var found []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"hello", r.Hello != nil}, {"ready", r.Ready != nil}, {"advanced", r.Advanced != nil},
		{"rows", len(r.Rows) > 0}, {"state", r.State != nil}, {"error", r.Error != nil},
	} {
		if f.set {
			found = append(found, f.name)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// decodeReply reads a line of a program, but for keys that it does not know, so that the
// protocol can grow. The error says what is wrong with it.
func decodeReply(line []byte) (*Reply, error) {
	r := new(Reply)
	dec := json.NewDecoder(bytes.NewReader(line))
	err := dec.Decode(r)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more than one object")
		}
	}
	if err == nil && r.kind() == "" {
		err = errors.New("it has none of hello, ready, advanced, rows, state and error, or several")
	}
	if err != nil {
		return nil, fmt.Errorf("%.80q is no message of the protocol: %w; what is printed belongs on the standard error", bytes.TrimSpace(line), err)
	}
	return r, nil
}
