package selection

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"stochopt/internal/record"
)

// halvings are random halvings of the test rows of a dataset. They depend on the seed, the
// dataset's hash and the number of its test rows alone: all series see the same, so that
// comparisons are paired, and the first halvings of a larger number are those of a smaller one.
type halvings struct {
	rows int64
	// half is the number of rows that validate, rounded down: the others report.
	half int64
	// validating holds, for each halving, the set of rows that validate.
	validating [][]uint64
}

// halvingsOf draws the halvings of a series, once for its data; nil if the rule uses no halvings.
func (s *Choice) halvingsOf(c *Series) *halvings {
	if s.By != ByHalvings {
		return nil
	}
	name := halvingStream(s.Seed, c.DatasetHash, c.TestRows)
	if s.draws[name] == nil {
		s.draws[name] = drawHalvings(name, c.TestRows, s.Halvings)
	}
	return s.draws[name]
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
	h := &halvings{rows: rows, half: rows / 2}
	order := make([]int32, rows)
	for i := range order {
		order[i] = int32(i)
	}
	for range count {
		set := make([]uint64, (rows+63)/64)
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

// count returns how many of some rows validate, by halving.
func (h *halvings) count(rows record.IndexSet) []int32 {
	set := make([]uint64, (h.rows+63)/64)
	for _, i := range rows {
		set[i>>6] |= 1 << (i & 63)
	}
	counts := make([]int32, len(h.validating))
	for k, half := range h.validating {
		n := 0
		for i, w := range set {
			n += bits.OnesCount64(w & half[i])
		}
		counts[k] = int32(n)
	}
	return counts
}

// outcome is what a repeat achieves at a support size: the error, that on the validating halves,
// and the variance of the error over halvings.
type outcome struct {
	error, validation, variance float64
	// errors are by halving, held those on the validating halves, as in ValidationByHalving.
	errors, held []float64
}

// choose chooses one of some classifiers in each halving, the first of the best, and adds to the
// votes of their candidates.
func (h *halvings) choose(options []*Classifier, votes []int) outcome {
	n := int64(len(h.validating))
	chosen := make([]*Classifier, n)
	for k := range chosen {
		chosen[k] = options[0]
	}
	for _, o := range options {
		if o.validating == nil {
			o.validating = h.count(o.mistakes)
		}
		for k, wrong := range o.validating {
			if wrong < chosen[k].validating[k] {
				chosen[k] = o
			}
		}
	}
	fixed := leastScore(options)
	reporting := h.rows - h.half
	var o outcome
	// The variance is that of the differences from the first: their squares are small, and sum up exactly.
	var first, sum, sumOfSquares, validating int64
	for k, c := range chosen {
		votes[c.candidate]++
		wrong := int64(c.wrong - c.validating[k])
		o.errors = append(o.errors, shareOf(wrong, reporting))
		o.held = append(o.held, shareOf(int64(c.validating[k]-fixed.validating[k]), max(h.half, 1))+
			shareOf(int64(fixed.wrong-fixed.validating[k]), reporting))
		if k == 0 {
			first = wrong
		}
		more := wrong - first
		sum, sumOfSquares, validating = sum+more, sumOfSquares+more*more, validating+int64(c.validating[k])
	}
	o.error = shareOf(n*first+sum, n) / float64(reporting)
	if h.half > 0 {
		o.validation = shareOf(validating, n) / float64(h.half)
	}
	if n > 1 {
		o.variance = float64(n*sumOfSquares-sum*sum) / (float64(n) * float64(n-1)) / (float64(reporting) * float64(reporting))
	}
	return o
}

func shareOf(n, of int64) float64 { return float64(n) / float64(of) }
