package selection

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// fill computes the curve.
func (c *Series) fill(runs []record.Run, cands []Candidate, o Rule, draws halvingsByData) {
	c.Sizes = sizesBetween(c.Least, c.Most, o.Sizes)
	n := len(c.Sizes)
	if n == 0 {
		return
	}
	c.Error, c.SD, c.Validation = make([]float64, n), make([]float64, n), make([]float64, n)
	votes := make([][]int, n)
	for i := range votes {
		votes[i] = make([]int, len(cands))
	}
	if c.split {
		c.fillByValidation(votes)
	} else {
		c.fillByHalvings(runs, draws.of(c.DatasetHash, c.TestRows, o), votes)
	}
	c.Votes = make([][]Votes, n)
	for i := range c.Sizes {
		c.SD[i] = math.Sqrt(c.SD[i])
		for k, count := range votes[i] {
			if count > 0 {
				c.Votes[i] = append(c.Votes[i], Votes{cands[k].Params, count})
			}
		}
		slices.SortStableFunc(c.Votes[i], func(a, b Votes) int { return cmp.Compare(b.Count, a.Count) })
	}
}

// fillByValidation fills in the errors of what Pick chooses in each repeat.
func (c *Series) fillByValidation(votes [][]int) {
	repeats := float64(len(c.points))
	for k := range c.points {
		errors, validation := make([]float64, len(c.Sizes)), make([]float64, len(c.Sizes))
		for i, size := range c.Sizes {
			pick, _ := c.pickOf(&c.points[k], size)
			errors[i], validation[i] = pick.Error, pick.Score
			c.Error[i] += pick.Error / repeats
			c.Validation[i] += pick.Score / repeats
			votes[i][pick.candidate]++
		}
		c.ByRepeat, c.ValidationByRepeat = append(c.ByRepeat, errors), append(c.ValidationByRepeat, validation)
	}
}

// fillByHalvings fills in the errors over halvings, and the variances in place of SD.
func (c *Series) fillByHalvings(runs []record.Run, halvings *halvings, votes [][]int) {
	n, repeats := len(c.Sizes), float64(len(c.points))
	for _, p := range c.points {
		t := newTally(halvings)
		errors, validation := make([]float64, n), make([]float64, n)
		for i, size := range c.Sizes {
			s := t.choose(runs, &p, size, c.any, votes[i])
			errors[i], validation[i] = s.error, stats.Mean(t.heldErrors)
			c.Error[i] += s.error / repeats
			c.Validation[i] += s.validation / repeats
			c.SD[i] += s.variance / repeats
			if len(c.points) == 1 {
				c.ByHalving = append(c.ByHalving, t.errors())
				c.ValidationByHalving = append(c.ValidationByHalving, slices.Clone(t.heldErrors))
			}
		}
		c.ByRepeat, c.ValidationByRepeat = append(c.ByRepeat, errors), append(c.ValidationByRepeat, validation)
	}
}

// tally counts, for the classifiers of one repeat, the mistakes on the validating
// halves, each once.
type tally struct {
	halvings *halvings
	// validation holds the counts by run and point.
	validation map[[2]int][]int32
	mistakes   []uint64
	// wrong holds the mistakes on each reporting half of what was chosen last.
	wrong []int64
	// heldErrors holds the errors on the validating halves, as in ValidationByHalving.
	heldErrors []float64
}

func newTally(h *halvings) *tally {
	n := len(h.validating)
	return &tally{h, make(map[[2]int][]int32), make([]uint64, h.words), make([]int64, n), make([]float64, n)}
}

// of returns the number of mistakes of a classifier on each validating half.
func (t *tally) of(runs []record.Run, run, point int) []int32 {
	at := [2]int{run, point}
	if counts, ok := t.validation[at]; ok {
		return counts
	}
	clear(t.mistakes)
	for _, i := range mistakesAt(&runs[run], point) {
		t.mistakes[i>>6] |= 1 << (i & 63)
	}
	counts := t.halvings.count(t.mistakes)
	t.validation[at] = counts
	return counts
}

// errors returns the errors, by halving, of what was chosen last.
func (t *tally) errors() []float64 {
	errors := make([]float64, len(t.wrong))
	for k, n := range t.wrong {
		errors[k] = shareOf(n, t.halvings.rows-t.halvings.half)
	}
	return errors
}

// hold keeps the errors on the validating halves; fixed counts the mistakes of the
// classifier of the least error on the whole test set, which has total of them.
func (t *tally) hold(k int, validation, fixed, total int32) {
	t.heldErrors[k] = heldError([2]int32{validation - fixed, total - fixed}, t.halvings.rows)
}

// heldError is an error on a validating half of the test rows, as in ValidationByHalving: of
// the mistakes on it those of what was chosen less those of the fixed classifier, and the
// mistakes of that on the other half.
func heldError(held [2]int32, rows int64) float64 {
	half := rows / 2
	return shareOf(int64(held[0]), max(half, 1)) + shareOf(int64(held[1]), rows-half)
}

func shareOf(n, of int64) float64 { return float64(n) / float64(of) }

// score is what a repeat achieves at a support size.
type score struct{ error, variance, validation float64 }

// choose picks a candidate in each halving, and adds to their votes. There is at
// least one candidate.
func (t *tally) choose(runs []record.Run, p *repeatPoints, size int, any bool, votes []int) score {
	type option struct {
		candidate, support int
		total              int32
		validation         []int32
	}
	var options []option
	for i := range p.candidates {
		cand := &p.candidates[i]
		start, end := cand.upTo(size, any)
		for at := start; at < end; at++ {
			point := cand.points[at]
			options = append(options, option{
				cand.candidate, cand.support[at], int32(len(mistakesAt(&runs[cand.run], point))), t.of(runs, cand.run, point),
			})
		}
	}
	// By support, and within one by the parameters: the first of the best wins.
	slices.SortStableFunc(options, func(a, b option) int { return a.support - b.support })
	fixed := options[0]
	for _, o := range options[1:] {
		if o.total < fixed.total {
			fixed = o
		}
	}
	h := t.halvings
	// The variance is that of the differences from the first: their squares are
	// small, and sum up exactly.
	var first, sum, sumOfSquares, validating int64
	for k := range h.validating {
		best := &options[0]
		for j := range options[1:] {
			if o := &options[j+1]; o.validation[k] < best.validation[k] {
				best = o
			}
		}
		votes[best.candidate]++
		wrong := int64(best.total - best.validation[k])
		t.wrong[k] = wrong
		t.hold(k, best.validation[k], fixed.validation[k], fixed.total)
		if k == 0 {
			first = wrong
		}
		more := wrong - first
		sum, sumOfSquares, validating = sum+more, sumOfSquares+more*more, validating+int64(best.validation[k])
	}
	count, reporting := float64(len(h.validating)), float64(h.rows-h.half)
	s := score{error: float64(int64(len(h.validating))*first+sum) / count / reporting}
	if h.half > 0 {
		s.validation = float64(validating) / count / float64(h.half)
	}
	if n := int64(len(h.validating)); n > 1 {
		s.variance = float64(n*sumOfSquares-sum*sum) / (count * (count - 1)) / (reporting * reporting)
	}
	return s
}

// warnOfSizes fills in the warnings.
func (c *Series) warnOfSizes(runs []record.Run, cands []Candidate) {
	byStatus, reached := make(map[string][]string), make(map[string]int)
	for _, cand := range cands {
		for _, i := range cand.runs {
			if r := &runs[i]; r.Status != record.StatusFinished {
				byStatus[r.Status] = append(byStatus[r.Status], fmt.Sprintf("%s repeat %d: %s", cand.name(), r.Repeat, r.Reason))
				if r.Points() > 0 {
					reached[r.Status]++
				}
			}
		}
	}
	for _, status := range record.Unfinished() {
		if of := byStatus[status]; len(of) > 0 {
			text := fmt.Sprintf("status %s: %s", status, words.List(of, mostListed))
			switch n := reached[status]; {
			case status != record.StatusOutOfTime || n == 0:
			case n == 1:
				text += "; the curve of one is used up to that point"
			default:
				text += "; their curves are used up to that point"
			}
			c.Warnings = append(c.Warnings, text)
		}
	}
	if len(c.Sizes) == 0 {
		c.Warnings = append(c.Warnings, "no run has a classifier with support vectors")
		return
	}
	most := 0
	for _, p := range c.points {
		most = max(most, len(p.candidates))
	}
	for _, p := range c.points {
		if n := len(p.candidates); n < most {
			c.Warnings = append(c.Warnings, fmt.Sprintf("repeat %d chooses among %d candidates, others among %d", p.repeat, n, most))
		}
	}
	for _, name := range c.tune {
		if !c.setsSize(cands, name) {
			c.findEdges(cands, name)
		}
	}
}

// votesText writes the votes as "eta=1 63, eta=4 37".
func votesText(votes []Votes) string {
	parts := make([]string, len(votes))
	for i, v := range votes {
		parts[i] = strings.TrimSpace(fmt.Sprintf("%s %d", v.Params, v.Count))
	}
	return strings.Join(parts, ", ")
}
