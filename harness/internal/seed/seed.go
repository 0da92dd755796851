// Package seed derives every random stream of an experiment from names.
//
// A stream is a ChaCha8 generator keyed by the SHA-256 of the root seed and
// the names given. Neither the algorithm nor the step size is ever among the
// names of a data stream, so that all algorithms see the same samples (common
// random numbers) and comparisons are paired.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Protocol is the version of everything outside the algorithms and the datasets
// that the bits of a record depend on: the streams of this package, how rows are
// dealt to splits and drawn from them, where runs are recorded and how iterates
// are measured. Raise it when any of these changes: it is part of every key.
const Protocol = 1

// Roles of the streams of a run.
const (
	// RoleSplit shuffles the rows before they are dealt to the splits.
	RoleSplit = "split"
	// RoleOrder draws the order of the training samples.
	RoleOrder = "order"
	// RoleInit draws the starting point of an algorithm.
	RoleInit = "init"
)

// Stream returns the generator of the stream that the root seed, the dataset
// (its content hash), the split, the repeat and the role name. Equal arguments
// give equal streams; streams of different arguments are independent.
func Stream(root uint64, dataset, split string, repeat int, role string) *rand.Rand {
	h := sha256.New()
	var b [8]byte
	number := func(v uint64) {
		binary.LittleEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
	// Lengths go before strings, so that no two name lists share an encoding.
	text := func(s string) {
		number(uint64(len(s)))
		h.Write([]byte(s))
	}
	number(root)
	text(dataset)
	text(split)
	number(uint64(repeat))
	text(role)
	var key [32]byte
	h.Sum(key[:0])
	return rand.New(rand.NewChaCha8(key))
}
