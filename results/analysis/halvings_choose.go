package analysis

import (
	"fmt"
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
	// set.
	Support int
	Error   float64
}

// Choose returns the classifier of a series that a model of at most size support
// vectors is made of: that with the least error on the whole test set, which is
// the mean of its errors on all validating halves, among the candidates of all
// repeats. With OverLargest each run offers but its classifier with the largest
// support that is at most size, and there may be a better one of fewer vectors. Ties
// go to the smaller support, then to the smaller parameters, then to the earlier
// repeat, then to the later classifier of a run. The choice uses the test set itself,
// so the error is too low as an estimate of that on other data.
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

// Pick is Choose within the cell; ok is false if there is no such classifier.
func (c *HalvedCurve) Pick(size int) (best Pick, ok bool) {
	for _, p := range c.points {
		for k := range p.candidates {
			cand := &p.candidates[k]
			r := &c.runs[cand.run]
			start, end := cand.upTo(size, c.any)
			for at := start; at < end; at++ {
				pick := Pick{*r, cand.points[at], cand.support[at], 0}
				pick.Error = float64(len(r.Curve.Mistakes[pick.Point])) / float64(r.Rows[record.SplitTest])
				if !ok || pick.before(&best, c.tune) {
					best, ok = pick, true
				}
			}
		}
	}
	return best, ok
}

// before reports whether p is preferred to q.
func (p *Pick) before(q *Pick, tune []string) bool {
	switch {
	case p.Error != q.Error:
		return p.Error < q.Error
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
