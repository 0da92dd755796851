package objective

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"stochopt/internal/record"
)

// Solved identifies the problem of a certified optimum.
type Solved struct {
	Dataset     string `json:"dataset"`
	DatasetHash string `json:"dataset_hash"`
	// Split is the canonical text of a split, and Seed the root seed that drew it. A Repeat of -1 means
	// all repeats.
	Split  string `json:"split"`
	Repeat int    `json:"repeat"`
	Seed   uint64 `json:"seed"`
	// Protocol is seed.Protocol, the version of splitting and sampling.
	Protocol int `json:"protocol"`
}

func (s *Solved) id() string {
	repeat := "all repeats"
	if s.Repeat >= 0 {
		repeat = "repeat " + strconv.Itoa(s.Repeat)
	}
	return fmt.Sprintf("%s, split %q, %s, seed %d, protocol %d", s.DatasetHash, s.Split, repeat, s.Seed, s.Protocol)
}

// Description returns a description of the problem for messages.
func (s *Solved) Description() string {
	if s.Repeat < 0 {
		return fmt.Sprintf("%s, %s", s.Dataset, cmp.Or(s.Split, "all rows"))
	}
	return fmt.Sprintf("%s, %s, repeat %d", s.Dataset, cmp.Or(s.Split, "all rows"), s.Repeat)
}

// Store stores certified optima as JSON by the id of their problem. A record.Store implements it.
type Store interface {
	Optima() map[string][]byte
	AddOptimum(record.Optimum) error
}

// References holds the certified optima of a Store. It is safe for concurrent use.
type References struct {
	store Store

	mu   sync.Mutex
	byID map[string]Optimum
	// added counts the newly solved optima.
	added int
}

// NewReferences reads the optima of a store. It ignores an optimum with inconsistent numbers and reports
// it with warn, which may be nil.
func NewReferences(store Store, warn func(text string)) *References {
	if warn == nil {
		warn = func(string) {}
	}
	r := &References{store: store, byID: make(map[string]Optimum)}
	optima := store.Optima()
	for _, id := range slices.Sorted(maps.Keys(optima)) {
		ref, err := ParseOptimum(id, optima[id])
		if err != nil {
			warn(fmt.Sprintf("the stored optimum of %s is invalid and will be solved again if needed: %v", id, err))
			continue
		}
		r.byID[id] = ref
	}
	return r
}

// find returns the optimum of a problem, or nil.
func (r *References) find(id string) Optimum {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// add stores a newly solved optimum, unless the stored one has at least as many eigenvalues.
func (r *References) add(ref Optimum) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.added++
	if old, ok := r.byID[ref.id()].(*Reference); ok && len(old.Eigenvalues) >= len(ref.(*Reference).Eigenvalues) {
		return nil
	}
	r.byID[ref.id()] = ref
	data, err := json.Marshal(ref)
	if err == nil {
		err = r.store.AddOptimum(record.Optimum{ID: ref.id(), Data: data})
	}
	if err != nil {
		return fmt.Errorf("objective: storing an optimum: %w", err)
	}
	return nil
}

// Added returns the number of newly solved references.
func (r *References) Added() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.added
}
