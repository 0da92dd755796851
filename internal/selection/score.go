package selection

import (
	"fmt"
	"strings"

	"stochopt/internal/finite"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// chooseByScore scores the candidates of a series and selects one.
func (s *Choice) chooseByScore(c *Series) (err error) {
	var all, racing []*record.Run
	for _, cand := range c.Candidates {
		for _, i := range cand.runs {
			all = append(all, &s.all[i])
			if cand.races() {
				racing = append(racing, &s.all[i])
			}
		}
	}
	if c.Split, err = s.SplitOf(all); err != nil {
		return err
	}
	scores, err := s.scores(racing, c.Split)
	if err != nil {
		return err
	}
	losses := make([]float64, len(c.Candidates))
	for k := range c.Candidates {
		cand := &c.Candidates[k]
		if losses[k] = stats.Ineligible; !cand.races() {
			continue
		}
		mean, se := stats.StandardError(scores[:len(cand.runs)])
		if !finite.Is(mean) || !finite.Is(se) {
			return fmt.Errorf("results: %s[%s]: the score of %s is not finite: the recorded values are too large to average",
				c.Name, c.Params, cand.Params)
		}
		cand.Scored, cand.Score, cand.SE = true, mean, se
		for _, i := range cand.runs {
			s.losses[i] = s.loss(scores[0], s.all[i].Task)
			scores = scores[1:]
		}
		losses[k] = s.loss(mean, s.all[cand.runs[0]].Task)
	}
	if best := stats.Best(losses); best >= 0 {
		cand := &c.Candidates[best]
		cand.Selected = true
		c.OK, c.Chosen, c.Score, c.SE = true, cand.Params, cand.Score, cand.SE
	}
	s.warnOfScores(c)
	return nil
}

// warnOfScores fills in the edges and the warnings.
func (s *Choice) warnOfScores(c *Series) {
	most := 0
	var extents []string
	ends := map[int64]bool{} // of runs that were cut short by the budget
	for _, cand := range c.Candidates {
		most = max(most, cand.Finished)
		for _, i := range cand.runs {
			r := &s.all[i]
			extents = words.AddOnce(extents, r.Extent)
			if cand.Scored && r.Points() > 0 && !r.Converged() {
				ends[r.End()] = true
			}
		}
	}
	for _, cand := range c.Candidates {
		switch {
		case len(cand.Problems) > 0:
			c.warn("%s cannot be selected: %s", cand.name(), words.List(cand.Problems, mostListed))
		case cand.Finished < most:
			c.warn("%s has %d finished repeats, others have %d", cand.name(), cand.Finished, most)
		}
	}
	switch {
	case len(extents) > 1:
		c.warn("scores are from runs of different extents: %s", strings.Join(extents, ", "))
	case len(ends) > 1:
		c.warn("scores are from runs that ended at different iterations")
	}
	if !c.OK {
		c.warn("no candidate could be scored: add smaller steps to the grid, or look at the failures")
		return
	}
	for _, name := range s.Tune {
		c.addEdges(name, []record.Params{c.Chosen}, 2, 1)
	}
	for _, e := range c.Edges {
		near, far := c.beyond(e)
		c.warn("%s = %s is at the %s grid edge: add %s and %s to the grid of %s",
			e.Param, record.FormatParam(e.Value), e.End, near, far, e.Param)
	}
}

func (c *Series) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}
