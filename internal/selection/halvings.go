package selection

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"stochopt/internal/record"
)

// halvings are random halvings of the test rows of a dataset. One half, the validation half, chooses classifiers. The
// other half, the reporting half, measures their errors. Halvings depend only on the seed, the dataset's hash and the
// number of test rows. All series share them, so that comparisons are paired. A larger number of halvings has the same
// first ones.
type halvings struct {
	rows       int64
	half       int64      // number of validation rows, rounded down
	validating [][]uint64 // bit set of the validation rows of each halving
}

// halvingsOf returns the halvings of a series, or nil if the rule uses none.
func (s *Choice) halvingsOf(c *Series) *halvings {
	if s.By != ByHalvings {
		return nil
	}
	name := halvingStream(s.Seed, c.DatasetHash, c.TestRows)
	if s.halvings[name] == nil {
		s.halvings[name] = drawHalvings(name, c.TestRows, s.Halvings)
	}
	return s.halvings[name]
}

// halvingStream returns the name of the random stream of halvings.
func halvingStream(seed uint64, hash string, rows int64) string {
	return fmt.Sprintf("halving\x00%d\x00%s\x00%d", seed, hash, rows)
}

// drawHalvings draws halvings from a named stream: a PCG generator seeded with the first 16 bytes of
// the SHA-256 of the name.
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
		// The first half of a Fisher-Yates shuffle. Its initial order does not matter.
		for i := range h.half {
			j := i + rng.Int64N(rows-i)
			order[i], order[j] = order[j], order[i]
			set[order[i]>>6] |= 1 << (order[i] & 63)
		}
		h.validating = append(h.validating, set)
	}
	return h
}

// count returns the number of the given rows in the validation half, for each halving.
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

// outcome is the result of a repeat at a support size.
type outcome struct {
	error      float64   // mean error on the reporting halves
	validation float64   // mean error on the validation halves
	variance   float64   // variance over halvings of the error on the reporting half
	errors     []float64 // errors on the reporting half, by halving
	controlled []float64 // errors on the validation half, by halving, minus the control variate of Tradeoff
}

// choose chooses a classifier in each halving: the first option with the least error on the validation half. It adds
// the choices to the votes of the candidates.
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
	fixed := leastScore(options) // the classifier of the control variate
	reporting := h.rows - h.half
	var o outcome
	// sum and sumOfSquares are those of the differences from the first value. Their squares are small, so that the sum
	// is exact.
	var first, sum, sumOfSquares, validating int64
	for k, c := range chosen {
		votes[c.candidate]++
		wrong := int64(c.wrong - c.validating[k])
		o.errors = append(o.errors, shareOf(wrong, reporting))
		o.controlled = append(o.controlled, shareOf(int64(c.validating[k]-fixed.validating[k]), max(h.half, 1))+
			shareOf(int64(fixed.wrong-fixed.validating[k]), reporting))
		if k == 0 {
			first = wrong
		}
		difference := wrong - first
		sum += difference
		sumOfSquares += difference * difference
		validating += int64(c.validating[k])
	}
	o.error = shareOf(n*first+sum, n) / float64(reporting)
	if h.half > 0 {
		o.validation = shareOf(validating, n) / float64(h.half)
	}
	if n > 1 {
		variance := float64(n*sumOfSquares-sum*sum) / (float64(n) * float64(n-1)) // of the number of mistakes
		o.variance = variance / (float64(reporting) * float64(reporting))
	}
	return o
}

func shareOf(n, of int64) float64 { return float64(n) / float64(of) }
