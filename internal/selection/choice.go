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
	// OK is false if the rule selects by score, but no candidate could be scored.
	OK bool
	// Chosen has the parameters of the selected candidate. Score and SE are its score on Split. All are empty if the
	// rule selects at each support size.
	Chosen    record.Params
	Split     string
	Score, SE float64
	// Edge is "low" or "high" if a selected value is at this end of its grid, else "".
	Edge string
	// Candidates are ordered by their parameters.
	Candidates []Candidate
	// Tradeoff is the selection at each support size. It is empty for other rules.
	Tradeoff
}

// Choice is the result of Choose.
type Choice struct {
	Rule
	// Series are in order of first appearance. With ByNone the list is empty.
	Series []Series

	runs     []record.Run         // the runs of the selected candidates
	at       map[seriesID]int     // the indices of series
	halvings map[string]*halvings // the halvings by the name of their random stream
}

// Choose selects the tuned parameters of each series: the candidate with the best mean score over its
// repeats; see Rule.Metric. Ties, within a relative difference of 1e-12, go to the smaller value. A
// candidate with an unfinished repeat is not eligible. Rules by size select at each support size
// instead; see Tradeoff.
//
// Choose returns an error if a run lacks the values that the rule reads.
func Choose(runs []record.Run, rule Rule) (*Choice, error) {
	if rule.By == ByHalvings {
		rule.Halvings = cmp.Or(rule.Halvings, DefaultHalvings)
	} else {
		rule.Halvings = 1
	}
	s := &Choice{Rule: rule, runs: runs}
	choose := s.chooseByScore
	switch {
	case rule.BySize():
		choose = s.chooseAtSizes
	case !rule.Chooses():
		return s, nil
	}
	s.group(runs)
	for i := range s.Series {
		if err := choose(&s.Series[i]); err != nil {
			return nil, err
		}
	}
	s.warnOfDuplicates()
	if rule.Chooses() {
		s.runs = slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool {
			c := s.Of(&r)
			return !c.OK || s.tuned(&r).String() != c.Chosen.String()
		})
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

// Eligible returns the candidates from which resampling selects again, for the series of a run, so that intervals
// account for the selection. They are the scored ones with the repeats of the selected one, ordered by parameters.
// Without a selected candidate, it returns nil.
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
