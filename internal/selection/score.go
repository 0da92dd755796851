package selection

import (
	"fmt"

	"stochopt/internal/finite"
	"stochopt/internal/record"
	"stochopt/internal/stats"
)

// chooseByScore scores the candidates of a series and selects one.
func (s *Choice) chooseByScore(c *Series) (err error) {
	var all, racing []*record.Run
	for _, cand := range c.Candidates {
		all = append(all, cand.Records...)
		if cand.races() {
			racing = append(racing, cand.Records...)
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
		mean, se := stats.StandardError(scores[:len(cand.Records)])
		if !finite.Is(mean) || !finite.Is(se) {
			return fmt.Errorf("results: %s[%s]: the score of %s is not finite: the recorded values are too large to average",
				c.Name, c.Params, cand.Params)
		}
		cand.Scored, cand.Score, cand.SE = true, mean, se
		for i, r := range cand.Records {
			cand.Losses = append(cand.Losses, s.loss(scores[i], r.Task))
		}
		scores = scores[len(cand.Records):]
		losses[k] = s.loss(mean, cand.Records[0].Task)
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
	c.warnOfCandidates(" cannot be selected")
	ends := map[int64]bool{} // of runs that were cut short by the budget
	for _, cand := range c.Candidates {
		for _, r := range cand.Records {
			if cand.Scored && r.Points() > 0 && !r.Converged() {
				ends[r.End()] = true
			}
		}
	}
	if len(ends) > 1 {
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
