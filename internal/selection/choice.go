package selection

import (
	"cmp"
	"slices"

	"stochopt/internal/record"
)

// Series is the selection among runs that differ only in their tuned parameters and repeat. They share
// the dataset, series, seed, data and other parameters.
type Series struct {
	Dataset, Group string
	StandIn        bool
	// Name is the name of the series in the spec.
	Name, Algorithm string
	// Params holds the parameters that are not tuned.
	Params      record.Params
	Seed        uint64
	DatasetHash string
	// Warnings describes problems with the selection.
	Warnings []string
	// OK is false if the rule selects one candidate, but none could be scored.
	OK bool
	// Chosen is the selected candidate, Score and SE are its score on Split. They are empty if the rule
	// selects at each support size.
	Chosen    record.Params
	Split     string
	Score, SE float64
	// Edge is "low" or "high" if the selected value is at this end of its grid.
	Edge string
	// Candidates are ordered by their parameters.
	Candidates []Candidate
	// Tradeoff is the selection at each support size, or empty for other rules.
	Tradeoff
}

// Choice is the result of Choose.
type Choice struct {
	Rule
	// Series are in order of first appearance. With ByNone the list is empty.
	Series []Series

	runs     []record.Run         // of the selected candidates
	at       map[seriesID]int     // index into Series
	halvings map[string]*halvings // by the name of their stream
}

// Choose selects the tuned parameters of each series: the candidate with the best mean score over its
// repeats; see Rule.Metric. Ties, within a relative difference of 1e-12, go to the smaller value. A
// candidate with an unfinished repeat is not eligible. Rules by size select at each support size
// instead; see Tradeoff.
//
// Choose returns an error if a run lacks the values that the rule reads.
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
	s.group(runs)
	for i := range s.Series {
		if err := choose(&s.Series[i]); err != nil {
			return nil, err
		}
	}
	s.warnOfDuplicates()
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

// All returns a Choice that selects all runs, as ByNone does.
func All(runs []record.Run) *Choice {
	return &Choice{Rule: Rule{By: ByNone}, runs: runs}
}

// BySize reports whether the selection is made at each support size. It is false for a nil Choice.
func (s *Choice) BySize() bool { return s != nil && s.Rule.BySize() }

// Runs returns the runs of the selected candidates, in input order. It returns all runs if the
// selection is made at each support size, and nil for a nil Choice.
func (s *Choice) Runs() []record.Run {
	if s == nil {
		return nil
	}
	return s.runs
}

// Of returns the series of a run, or nil if it belongs to none.
func (s *Choice) Of(r *record.Run) *Series {
	if s == nil {
		return nil
	}
	if i, ok := s.at[s.idOf(r)]; ok {
		return &s.Series[i]
	}
	return nil
}

// Eligible returns the candidates among which the series of a run selected: the eligible ones with the
// repeats of the selected candidate, in grid order. Resampling selects again among them, so that
// intervals account for the selection.
func (s *Choice) Eligible(of *record.Run) []Candidate {
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
