// Package seed derives every random stream of an experiment from names.
//
// A stream is a ChaCha8 generator keyed by the SHA-256 of the root seed and the names. Neither the
// algorithm nor the step size is part of the name of a data stream. All algorithms therefore see the
// same samples (common random numbers), and comparisons are paired.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Protocol is the version of everything, apart from algorithms and datasets, that determines the bits
// of a record: the streams of this package, splitting and sampling, the recorded points and the
// measurements. It is part of every key. Raise it when any of these changes.
const Protocol = 1

// Roles of the streams of a run.
const (
	// RoleSplit shuffles the rows before they are split.
	RoleSplit = "split"
	// RoleOrder draws the training samples or, in methods that choose them, their order.
	RoleOrder = "order"
	// RoleInit makes the random choices of an algorithm, such as its initial iterate.
	RoleInit = "init"
	// RoleOutput samples the output of an algorithm.
	RoleOutput = "output"
)

// Stream returns the stream named by the root seed, the content hash of the dataset, the split, the
// repeat and the role. Equal arguments give equal streams; different arguments give independent ones.
func Stream(root uint64, dataset, split string, repeat int, role string) *rand.Rand {
	h := sha256.New()
	var b [8]byte
	number := func(v uint64) {
		binary.LittleEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
	// A length precedes each string, so that different names have different encodings.
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
