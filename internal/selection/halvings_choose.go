package selection

import (
	"math"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Pick is a recorded classifier.
type Pick struct {
	// Run is the run that made it, Point the index of the recorded point.
	Run   record.Run
	Point int
	// Support is its number of support vectors, Error its error on the whole test
	// set. Score is what it is chosen by: the same, or its error on the validation split
	// with ByValidation.
	Support      int
	Error, Score float64

	candidate int
}

// Judged is the error at the i-th size that series are compared by: that on the validation
// split where it makes the choices, else Error.
func (c *Series) Judged(i int) float64 {
	if c.split {
		return c.Validation[i]
	}
	return c.Error[i]
}

// Best returns the curve of a dataset that is the best at a size that the curves have, the
// first of several, among those of which which says so; nil if there is none.
func (h *Choice) Best(dataset string, size int, which func(*Series) bool) (best *Series) {
	least := math.Inf(1)
	for i := range h.Series {
		c := &h.Series[i]
		if at, ok := c.At(size); ok && c.Dataset == dataset && which(c) && c.Judged(at) < least {
			best, least = c, c.Judged(at)
		}
	}
	return best
}

// Pick returns the candidate of at most size support vectors, of all repeats, that has the
// least error on the whole test set, or with ByValidation on the validation
// split; ok is false if there is no candidate. With OverLargest the candidate of a run is
// its classifier with the largest support that is at most size, even if a smaller one has
// fewer errors. Ties go to the smaller support, then to the smaller parameters, then to
// the earlier repeat, then to the later classifier of a run. If the test set made the
// choice, the error is biased.
func (c *Series) Pick(size int) (best Pick, ok bool) {
	for k := range c.points {
		if pick, found := c.pickOf(&c.points[k], size); found && (!ok || pick.before(&best, c.tune)) {
			best, ok = pick, true
		}
	}
	return best, ok
}

// pickOf is Pick within a repeat.
func (c *Series) pickOf(p *repeatPoints, size int) (best Pick, ok bool) {
	for k := range p.candidates {
		cand := &p.candidates[k]
		r := &c.runs[cand.run]
		start, end := cand.upTo(size, c.any)
		for at := start; at < end; at++ {
			pick := Pick{Run: *r, Point: cand.points[at], Support: cand.support[at], candidate: cand.candidate}
			pick.Error = float64(len(mistakesAt(r, pick.Point))) / float64(r.Rows[record.SplitTest])
			pick.Score = pick.Error
			if c.split {
				pick.Score = math.Inf(1)
				if errors := r.Measured().Metrics[record.SplitValidation][record.MetricError]; pick.Point < len(errors) {
					pick.Score = errors[pick.Point]
				}
			}
			if !ok || pick.before(&best, c.tune) {
				best, ok = pick, true
			}
		}
	}
	return best, ok
}

// before reports whether p is preferred to q.
func (p *Pick) before(q *Pick, tune []string) bool {
	switch {
	case p.Score != q.Score:
		return p.Score < q.Score
	case p.Support != q.Support:
		return p.Support < q.Support
	}
	if c := observe.CompareParams(p.Run.Params, q.Run.Params, tune); c != 0 {
		return c < 0
	}
	return p.Run.Repeat < q.Run.Repeat
}
