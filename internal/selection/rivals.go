package selection

import (
	"slices"

	"stochopt/internal/record"
)

// Rivals are the candidates among which a choice was made, with what it was made by, for
// those who make it again by other repeats: for resamples of them, in intervals that account for
// the choice.
type Rivals struct {
	// Repeats are those of the chosen candidate, in increasing order.
	Repeats []int
	// Runs and Losses are by candidate, in the order of the grid, and by repeat. Losses are what
	// candidates are chosen by: that with the least mean over repeats is, see stats.Best.
	Runs   [][]*record.Run
	Losses [][]float64
}

// Rivals returns those of the choice that a run was selected in: the candidates that were
// eligible, and have the repeats of the chosen one. ok is false if there is one only.
func (s *Choice) Rivals(of *record.Run) (r Rivals, ok bool) {
	c := s.Of(of)
	if c == nil || c.selected() == nil {
		return Rivals{}, false
	}
	r.Repeats = repeatsOf(s.RunsOf(*c.selected()))
	var all []*record.Run
	for _, cand := range c.Candidates {
		runs := s.RunsOf(cand)
		if !cand.Scored || !slices.Equal(repeatsOf(runs), r.Repeats) {
			continue
		}
		r.Runs, all = append(r.Runs, runs), append(all, runs...)
	}
	losses, err := s.Losses(all, c.Split)
	if err != nil {
		return Rivals{}, false // although the candidates are scored, a curve cannot be read
	}
	for _, runs := range r.Runs {
		n := len(runs)
		r.Losses, losses = append(r.Losses, losses[:n:n]), losses[n:]
	}
	return r, len(r.Runs) > 1
}

// Of returns the series of a run, nil if there is none.
func (s *Choice) Of(r *record.Run) *Series {
	if s == nil || len(s.Series) == 0 {
		return nil
	}
	fixed := s.parting.fixedText(r.Params)
	for i := range s.Series {
		c := &s.Series[i]
		if c.Dataset == r.Dataset && c.Setting.Series == r.Series && c.Algorithm == r.Algorithm && c.Seed == r.Seed &&
			c.DatasetHash == r.DatasetHash && c.Params.String() == fixed {
			return c
		}
	}
	return nil
}

// selected returns the candidate that was chosen, nil if none was.
func (c *Series) selected() *Candidate {
	if i := slices.IndexFunc(c.Candidates, func(cand Candidate) bool { return cand.Selected }); i >= 0 {
		return &c.Candidates[i]
	}
	return nil
}

// RunsOf returns the runs of a candidate, by repeat.
func (s *Choice) RunsOf(c Candidate) []*record.Run {
	runs := make([]*record.Run, len(c.runs))
	for k, i := range c.runs {
		runs[k] = &s.all[i]
	}
	slices.SortStableFunc(runs, func(a, b *record.Run) int { return a.Repeat - b.Repeat })
	return runs
}

func repeatsOf(runs []*record.Run) []int {
	repeats := make([]int, len(runs))
	for i, r := range runs {
		repeats[i] = r.Repeat
	}
	return repeats
}
