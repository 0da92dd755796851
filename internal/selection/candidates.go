package selection

import (
	"fmt"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
)

// Candidate is one setting of the tuned parameters of a series, with its runs.
type Candidate struct {
	// Params holds only the tuned parameters.
	Params record.Params
	// Scored is true if the rule selects by score and all repeats finished. Otherwise the candidate is not eligible, and
	// Score and SE are 0.
	Scored bool
	// Score is the mean over repeats, SE its standard error (0 if there are fewer than two repeats).
	Score, SE float64
	// Counts holds the numbers of repeats by status.
	record.Counts
	Selected bool
	// Problems describes the repeats that did not finish.
	Problems []string
	// Records holds the runs, ordered by repeat. Losses holds the loss of each, if the candidate is scored. The candidate
	// with the least mean loss is selected; see stats.Best.
	Records []*record.Run
	Losses  []float64
}

func newCandidate(params record.Params, runs []*record.Run) Candidate {
	c := Candidate{Params: params, Records: runs}
	slices.SortStableFunc(c.Records, func(a, b *record.Run) int { return a.Repeat - b.Repeat })
	for _, r := range c.Records {
		c.Add(r.Status)
		if text, unfinished := statusTexts[r.Status]; unfinished {
			c.Problems = append(c.Problems, fmt.Sprintf("repeat %d %s: %s", r.Repeat, text, r.Reason))
		}
	}
	return c
}

// Repeats lists the repeats of the runs.
func (c *Candidate) Repeats() []int {
	repeats := make([]int, len(c.Records))
	for i, r := range c.Records {
		repeats[i] = r.Repeat
	}
	return repeats
}

// eligible reports whether the candidate has repeats and all finished.
func (c *Candidate) eligible() bool { return c.Finished > 0 && c.Finished == c.Runs }

// name returns the name of the candidate in warnings.
func (c *Candidate) name() string {
	if len(c.Params) == 0 {
		return "the only candidate"
	}
	return "candidate " + c.Params.String()
}

// statusTexts describes the statuses of unfinished runs.
var statusTexts = map[string]string{
	record.StatusDiverged: "diverged", record.StatusFailed: "failed", record.StatusSkipped: "was skipped",
	record.StatusOutOfTime: "ran out of time", record.StatusOutOfMemory: "ran out of memory",
}

// seriesID identifies a series. Its params are those that are not tuned.
type seriesID struct {
	dataset, series, algorithm, params, hash string
	seed                                     uint64
}

// idOf returns the id of the series of a run.
func (s *Choice) idOf(r *record.Run) seriesID {
	_, fixed := r.Params.Split(s.Tune)
	return seriesID{r.Dataset, r.Series, r.Algorithm, fixed.String(), r.DatasetHash, r.Seed}
}

// tuned returns the tuned parameters of a run.
func (s *Choice) tuned(r *record.Run) record.Params {
	tuned, _ := r.Params.Split(s.Tune)
	return tuned
}

// group sets the series, in order of first appearance, and their candidates, ordered by parameters.
func (s *Choice) group(all []record.Run) {
	runs := make([]*record.Run, len(all))
	for i := range all {
		runs[i] = &all[i]
	}
	s.at, s.halvings = map[seriesID]int{}, map[string]*halvings{}
	for i, own := range observe.Grouped(runs, func(r **record.Run) seriesID { return s.idOf(*r) }) {
		r := own[0]
		s.at[s.idOf(r)] = i
		_, fixed := r.Params.Split(s.Tune)
		c := Series{
			Dataset: r.Dataset, Group: r.Group, Name: r.Series, Algorithm: r.Algorithm, Params: fixed,
			Seed: r.Seed, DatasetHash: r.DatasetHash,
			StandIn: slices.ContainsFunc(own, func(r *record.Run) bool { return r.StandIn }),
		}
		for _, repeats := range observe.Grouped(own, func(r **record.Run) string { return s.tuned(*r).String() }) {
			c.Candidates = append(c.Candidates, newCandidate(s.tuned(repeats[0]), repeats))
		}
		slices.SortStableFunc(c.Candidates, func(a, b Candidate) int {
			return observe.CompareParams(a.Params, b.Params, s.Tune)
		})
		s.Series = append(s.Series, c)
	}
}

// chooseByScore scores the candidates of a series and selects one.
func (s *Choice) chooseByScore(c *Series) (err error) {
	var all, eligible []*record.Run
	for _, cand := range c.Candidates {
		all = append(all, cand.Records...)
		if cand.eligible() {
			eligible = append(eligible, cand.Records...)
		}
	}
	if c.Split, err = s.SplitOf(all); err != nil {
		return err
	}
	losses, err := s.Losses(eligible, c.Split)
	if err != nil {
		return err
	}
	means := slices.Repeat([]float64{stats.Ineligible}, len(c.Candidates))
	for k := range c.Candidates {
		cand := &c.Candidates[k]
		if !cand.eligible() {
			continue
		}
		cand.Losses, losses = losses[:len(cand.Records)], losses[len(cand.Records):]
		mean, se := stats.StandardError(cand.Losses)
		if !finite.Is(mean) || !finite.Is(se) {
			return fmt.Errorf("results: %s[%s]: the score of %s is not finite: the recorded values are too large "+
				"to average", c.Name, c.Params, cand.Params)
		}
		cand.Scored, cand.Score, cand.SE = true, s.loss(mean, cand.Records[0].Task), se
		means[k] = mean
	}
	if best := stats.Best(means); best >= 0 {
		cand := &c.Candidates[best]
		cand.Selected = true
		c.OK, c.Chosen, c.Score, c.SE = true, cand.Params, cand.Score, cand.SE
	}
	s.warnOfScores(c)
	return nil
}

// warnOfScores warns about problems with the scores of a series.
func (s *Choice) warnOfScores(c *Series) {
	c.warnOfCandidates(" cannot be selected")
	ends := map[int64]bool{} // last iterations of scored runs that did not converge
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
	const leastValues, leastChoices = 2, 1
	for _, name := range s.Tune {
		c.warnOfEdge(name, []record.Params{c.Chosen}, leastValues, leastChoices)
	}
}
