package objective

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

// sound implements stored: eigenvalues of a second moment, in order, with a
// bound that makes them a reference.
func (r *Reference) sound() bool {
	if r.DatasetHash == "" || len(r.Eigenvalues) == 0 || r.ErrorBound < 0 || r.ErrorBound > certified*math.Abs(r.Eigenvalues[0]) {
		return false
	}
	return slices.IsSortedFunc(r.Eigenvalues, func(a, b float64) int { return cmp.Compare(b, a) })
}

// beats implements stored.
func (r *Reference) beats(old stored) bool {
	o, ok := old.(*Reference)
	return ok && len(o.Eigenvalues) < len(r.Eigenvalues)
}

// Get returns the stored reference of the same problem if it knows the rank-k
// optimum for every k up to maxK, and otherwise solves moment and stores the
// result. want names the problem; its Method, Eigenvalues and ErrorBound are
// ignored.
func (r *References) Get(want Reference, maxK int, moment *Moment) (*Reference, error) {
	if ref, ok := r.find(want.id()).(*Reference); ok && len(ref.Eigenvalues) >= maxK {
		return ref, nil
	}
	o, err := moment.Optimum()
	if err != nil {
		return nil, err
	}
	want.Method = "symmetric eigendecomposition"
	want.Eigenvalues = o.Eigenvalues[:maxK:maxK]
	want.ErrorBound = o.ErrorBound(1)
	return &want, r.add(&want)
}
