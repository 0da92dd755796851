package analysis

import (
	"fmt"
	"math"
	"slices"

	"stochopt/results/record"
	"stochopt/results/words"
)

// Pick is a recorded classifier.
type Pick struct {
	// Run is the run that made it, Point the index of the recorded point.
	Run   record.Run
	Point int
	// Support is its number of support vectors, Error its error on the whole test
	// set. Score is what it is chosen by: the same, or its error on the validation split
	// with HalvingOptions.Validation.
	Support      int
	Error, Score float64

	candidate int
}

// Choose returns the classifier of a series that a model of at most size support
// vectors is made of: that with the least error on the whole test set, which is
// the mean of its errors on all validating halves, among the candidates of all
// repeats. With OverLargest each run offers but its classifier with the largest
// support that is at most size, and there may be a better one of fewer vectors. Ties
// go to the smaller support, then to the smaller parameters, then to the earlier
// repeat, then to the later classifier of a run. As the test set itself made the choice,
// the error is no estimate of that on other data. With HalvingOptions.Validation the least
// error on the validation split takes its place; then it is one, and what is chosen in a
// single repeat is what the curve shows.
//
// It is an error if there is no such dataset or series, or no such classifier.
func (h *Halved) Choose(dataset, series string, size int) (Pick, error) {
	var best Pick
	found, known, least := false, false, 0
	for i := range h.Curves {
		c := &h.Curves[i]
		if c.Dataset != dataset || c.Series != series {
			continue
		}
		known = true
		for _, p := range c.points {
			for _, cand := range p.candidates {
				if s := cand.support[0]; least == 0 || s < least {
					least = s
				}
			}
		}
		if pick, ok := c.Pick(size); ok && (!found || pick.before(&best, c.tune)) {
			best, found = pick, true
		}
	}
	switch {
	case !known:
		return Pick{}, fmt.Errorf("results: there are no runs of %q on %q; there are those of %s", series, dataset, words.Quoted(h.names()))
	case !found && least > 0:
		return Pick{}, fmt.Errorf("results: %s on %s has no classifier of at most %d support vectors; its smallest has %d", series, dataset, size, least)
	case !found:
		return Pick{}, fmt.Errorf("results: %s on %s has no classifier with support vectors: `status` shows why its runs ended", series, dataset)
	}
	return best, nil
}

// Judged is the error at the i-th size that series are compared by: that on the validation
// split where it makes the choices, else Error.
func (c *HalvedCurve) Judged(i int) float64 {
	if c.split {
		return c.Validation[i]
	}
	return c.Error[i]
}

// Best returns the curve of a dataset that is the best at a size that the curves have, the
// first of several, among those of which which says so; nil if there is none.
func (h *Halved) Best(dataset string, size int, which func(*HalvedCurve) bool) (best *HalvedCurve) {
	least := math.Inf(1)
	for i := range h.Curves {
		c := &h.Curves[i]
		if at, ok := c.At(size); ok && c.Dataset == dataset && which(c) && c.Judged(at) < least {
			best, least = c, c.Judged(at)
		}
	}
	return best
}

// Pick is Choose within the cell; ok is false if there is no such classifier.
func (c *HalvedCurve) Pick(size int) (best Pick, ok bool) {
	if c.picks != nil {
		best, ok = c.picks[size]
		return best, ok
	}
	for k := range c.points {
		if pick, found := c.pickOf(&c.points[k], size); found && (!ok || pick.before(&best, c.tune)) {
			best, ok = pick, true
		}
	}
	return best, ok
}

// pickOf is Pick within a repeat.
func (c *HalvedCurve) pickOf(p *repeatPoints, size int) (best Pick, ok bool) {
	for k := range p.candidates {
		cand := &p.candidates[k]
		r := &c.runs[cand.run]
		start, end := cand.upTo(size, c.any)
		for at := start; at < end; at++ {
			pick := Pick{Run: *r, Point: cand.points[at], Support: cand.support[at], candidate: cand.candidate}
			pick.Error = float64(len(r.Measured().Mistakes[pick.Point])) / float64(r.Rows[record.SplitTest])
			pick.Score = pick.Error
			if c.split {
				pick.Score = r.Measured().Metrics[record.SplitValidation][record.MetricError][pick.Point]
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
	if c := record.CompareParams(p.Run.Params, q.Run.Params, tune); c != 0 {
		return c < 0
	}
	return p.Run.Repeat < q.Run.Repeat
}

// names lists the series by dataset, each once.
func (h *Halved) names() []string {
	var names []string
	for _, c := range h.Curves {
		if name := c.Series + " on " + c.Dataset; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
