package selection

import (
	"cmp"
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
	// Edge is "low" or "high" if what was chosen is at this end of a grid, which may be too narrow.
	Edge string
	// Candidates are ordered by their parameters.
	Candidates []Candidate
	// Tradeoff is what was chosen at each support size. It is empty with other rules.
	Tradeoff
}

// Choice is the outcome of Choose.
type Choice struct {
	Rule
	// Series are in order of first appearance. With ByNone the list is empty.
	Series []Series

	// runs are those of the selected candidates.
	runs []record.Run
	at   map[seriesID]int
	// draws are the halvings drawn so far, by the name of their stream.
	draws map[string]*halvings
}

// Choose chooses the tuned parameters of each series: the candidate with the best mean score over
// its repeats, see Rule.Metric. Ties, within 1e-12 relative, go to the smaller value. A candidate
// with a repeat that did not finish is out. A rule by size chooses at each support size instead,
// see Tradeoff. What an experimenter should know is in the warnings of the series.
//
// It is an error if a run that counts lacks what the rule reads.
func Choose(runs []record.Run, rule Rule) (*Choice, error) {
	if rule.Halvings = cmp.Or(rule.Halvings, DefaultHalvings); rule.By != ByHalvings {
		rule.Halvings = 1
	}
	s := &Choice{Rule: rule, runs: runs}
	choose := s.chooseByScore
	switch {
	case rule.BySize():
		choose = s.chooseAtSizes
	case rule.Chooses():
		s.runs = nil
	default:
		return s, nil
	}
	s.sort(runs)
	for i := range s.Series {
		if err := choose(&s.Series[i]); err != nil {
			return nil, err
		}
	}
	s.warnOfTwins()
	selected := map[*record.Run]bool{}
	for _, c := range s.Series {
		for _, cand := range c.Candidates {
			for _, r := range cand.Records {
				selected[r] = cand.Selected
			}
		}
	}
	for i := range runs {
		if selected[&runs[i]] {
			s.runs = append(s.runs, runs[i])
		}
	}
	return s, nil
}

// All returns the choice of all runs, as with ByNone.
func All(runs []record.Run) *Choice {
	return &Choice{Rule: Rule{By: ByNone}, runs: runs}
}

// BySize reports whether the choice is made at each support size. A nil choice is not.
func (s *Choice) BySize() bool { return s != nil && s.Rule.BySize() }

// Runs returns the runs of the selected candidates, in input order: all runs where the choice
// is made at each support size. A nil choice returns nil.
func (s *Choice) Runs() []record.Run {
	if s == nil {
		return nil
	}
	return s.runs
}

// Of returns the series of a run, nil if it belongs to no series.
func (s *Choice) Of(r *record.Run) *Series {
	if s == nil {
		return nil
	}
	if i, ok := s.at[s.idOf(r)]; ok {
		return &s.Series[i]
	}
	return nil
}

// Rivals returns the candidates that the one of a run was selected among, in the order of the grid:
// those that were eligible, and have the repeats of the selected one. Resamples of the repeats
// choose again among them, for intervals that account for the choice.
func (s *Choice) Rivals(of *record.Run) []Candidate {
	c := s.Of(of)
	if c == nil || c.Chosen == nil {
		return nil
	}
	i := slices.IndexFunc(c.Candidates, func(o Candidate) bool { return o.Selected })
	repeats := c.Candidates[i].Repeats()
	return slices.DeleteFunc(slices.Clone(c.Candidates), func(o Candidate) bool {
		return !o.Scored || !slices.Equal(o.Repeats(), repeats)
	})
}
