package selection

import (
	"slices"

	"stochopt/internal/record"
)

// Series is what was chosen among runs that differ in their tuned parameters and repeat only: those
// of one dataset and series with the same seed, data and other parameters.
type Series struct {
	Dataset, Group string
	StandIn        bool
	// Name is that of the series in the specification.
	Name, Algorithm string
	// Params holds the parameters that are not tuned.
	Params      record.Params
	Seed        uint64
	DatasetHash string
	// Warnings are what an experimenter should know of the choice.
	Warnings []string
	// OK is false if the rule chooses one candidate, but none could be scored.
	OK bool
	// Chosen is the selected candidate, Score and SE are its score, read from Split. They are
	// empty where the choice is made at each support size.
	Chosen    record.Params
	Split     string
	Score, SE float64
	// Edges are the tuned parameters whose grid may be too narrow.
	Edges []Edge
	// Candidates are ordered by their parameters.
	Candidates []Candidate
	// Tradeoff is what was chosen at each support size. It is empty with other rules.
	Tradeoff
}

// Choice is the outcome of Choose.
type Choice struct {
	Rule
	// Series are in order of first appearance. ByNone has none.
	Series []Series

	// all are the runs that were chosen among, runs those of the selected candidates.
	all, runs []record.Run
	// losses are what runs were scored by, in the order of all.
	losses  []float64
	parting *Parting
	at      map[seriesID]int
}

// Choose chooses the tuned parameters of each series: the candidate with the best mean score over
// its repeats, see Rule.Metric. Ties, within 1e-12 relative, go to the smaller value. A candidate
// with a repeat that did not finish is out. A rule by size chooses at each support size instead,
// see Tradeoff. What an experimenter should know is in the warnings of the series.
//
// It is an error if the rule is unknown, or if a run that counts lacks what the rule reads.
func Choose(runs []record.Run, rule Rule) (*Choice, error) {
	rule, err := rule.checked()
	if err != nil {
		return nil, err
	}
	s := &Choice{Rule: rule, all: runs, runs: runs}
	if !rule.Chooses() && !rule.BySize() {
		return s, nil
	}
	s.losses = make([]float64, len(runs))
	s.sort()
	draws := make(halvingsByData)
	for i := range s.Series {
		if c := &s.Series[i]; rule.BySize() {
			err = s.chooseAtSizes(c, draws)
		} else {
			err = s.chooseByScore(c)
		}
		if err != nil {
			return nil, err
		}
	}
	s.warnOfTwins()
	if rule.Chooses() {
		s.runs = s.selected()
	}
	return s, nil
}

// All returns the choice of all runs, as with ByNone.
func All(runs []record.Run) *Choice {
	return &Choice{Rule: Rule{By: ByNone}, all: runs, runs: runs}
}

// BySize reports whether the choice is made at each support size. A nil choice is not.
func (s *Choice) BySize() bool { return s != nil && s.Rule.BySize() }

// Runs returns the runs of the selected candidates, in input order: all runs where the choice
// is made at each support size. A nil choice has none.
func (s *Choice) Runs() []record.Run {
	if s == nil {
		return nil
	}
	return s.runs
}

func (s *Choice) selected() (runs []record.Run) {
	keep := make([]bool, len(s.all))
	for i := range s.Series {
		if c := s.Series[i].selected(); c != nil {
			for _, run := range c.runs {
				keep[run] = true
			}
		}
	}
	for i, r := range s.all {
		if keep[i] {
			runs = append(runs, r)
		}
	}
	return runs
}

// selected returns the candidate that was selected, nil if none was.
func (c *Series) selected() *Candidate {
	if i := slices.IndexFunc(c.Candidates, func(cand Candidate) bool { return cand.Selected }); i >= 0 {
		return &c.Candidates[i]
	}
	return nil
}

// Of returns the series of a run, nil if there is none.
func (s *Choice) Of(r *record.Run) *Series {
	if s == nil || s.parting == nil {
		return nil
	}
	if i, ok := s.at[idOf(r, s.parting.Of(r.Params).FixedText)]; ok {
		return &s.Series[i]
	}
	return nil
}

// RunsOf returns the runs of a candidate, by repeat.
func (s *Choice) RunsOf(c Candidate) []*record.Run {
	_, runs, _ := s.byRepeat(c)
	return runs
}

// byRepeat returns the repeats of a candidate, in increasing order, with their runs and losses.
func (s *Choice) byRepeat(c Candidate) (repeats []int, runs []*record.Run, losses []float64) {
	byRepeat := func(a, b int) int { return s.all[a].Repeat - s.all[b].Repeat }
	for _, i := range slices.SortedStableFunc(slices.Values(c.runs), byRepeat) {
		repeats, runs, losses = append(repeats, s.all[i].Repeat), append(runs, &s.all[i]), append(losses, s.losses[i])
	}
	return repeats, runs, losses
}

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
	r.Repeats, _, _ = s.byRepeat(*c.selected())
	for _, cand := range c.Candidates {
		if repeats, runs, losses := s.byRepeat(cand); cand.Scored && slices.Equal(repeats, r.Repeats) {
			r.Runs, r.Losses = append(r.Runs, runs), append(r.Losses, losses)
		}
	}
	return r, len(r.Runs) > 1
}
