package selection

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// halvings are random halvings of the test rows of a dataset.
type halvings struct {
	rows int64
	// half is the number of rows that validate, rounded down: the others report.
	half  int64
	words int
	// validating holds, for each halving, the set of rows that validate.
	validating [][]uint64
}

// halvingsByData holds the halvings drawn so far.
type halvingsByData map[string]*halvings

// of draws the halvings of a dataset once.
func (d halvingsByData) of(hash string, rows int64, o Rule) *halvings {
	name := halvingStream(o.Seed, hash, rows)
	if d[name] == nil {
		d[name] = drawHalvings(name, rows, o.Halvings)
	}
	return d[name]
}

// halvingStream names the stream that halvings are drawn from.
func halvingStream(seed uint64, hash string, rows int64) string {
	return fmt.Sprintf("halving\x00%d\x00%s\x00%d", seed, hash, rows)
}

// drawHalvings draws halvings from the stream of a name: the PCG generator whose
// two words of seed begin the SHA-256 of the name.
func drawHalvings(name string, rows int64, count int) *halvings {
	sum := sha256.Sum256([]byte(name))
	rng := rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
	h := &halvings{rows: rows, half: rows / 2, words: int((rows + 63) / 64)}
	order := make([]int32, rows)
	for i := range order {
		order[i] = int32(i)
	}
	for range count {
		set := make([]uint64, h.words)
		// The first half of a Fisher-Yates shuffle: any order may be shuffled on.
		for i := range h.half {
			j := i + rng.Int64N(rows-i)
			order[i], order[j] = order[j], order[i]
			set[order[i]>>6] |= 1 << (order[i] & 63)
		}
		h.validating = append(h.validating, set)
	}
	return h
}

// count returns how many of the rows of a set validate, by halving.
func (h *halvings) count(set []uint64) []int32 {
	counts := make([]int32, len(h.validating))
	for k, half := range h.validating {
		half = half[:len(set)]
		var n int
		for i, w := range set {
			n += bits.OnesCount64(w & half[i])
		}
		counts[k] = int32(n)
	}
	return counts
}
