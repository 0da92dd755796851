package selection

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// Values of Rule.By and Rule.Over.
const (
	// ByValidation reads the split "validation", and no other.
	ByValidation = "validation"
	// ByOracle reads "population", or "test" where the distribution is not
	// known: the thesis's way with simulated data.
	ByOracle = "oracle"
	// ByHalvings keeps all runs, as it chooses per support size: see Choose.
	ByHalvings = "halvings"
	// ByNone keeps all runs.
	ByNone = "none"

	// OverCurve is the mean over the iterations of the run.
	OverCurve = "mean-over-curve"
	// OverFinal is the last value.
	OverFinal = "final"
)

// Rule says how the values of tuned parameters are chosen.
type Rule struct {
	// By is ByValidation, ByOracle, ByHalvings or ByNone, which is also the zero value.
	By string
	// Metric is what candidates are scored by: more is better of metrics to maximise, such as the
	// objective of PCA, and less of all others, such as "suboptimality".
	Metric string
	// Over is OverCurve or OverFinal, or OverLargest or OverAny to choose at each support
	// size. It is OverLargest by default with ByHalvings.
	Over string
	// Tune names the parameters to choose, such as "step.c". Ties go to the
	// smaller value of the first, then of the second, and so on; at a support size they go
	// to the smaller support first.
	Tune []string
	// Halvings is the number of random halvings of the test rows, DefaultHalvings if it is 0.
	Halvings int
	// Seed is the root seed that the halvings are drawn from.
	Seed uint64
	// Sizes are support sizes to report besides those of the grid.
	Sizes []int
}

// BySize reports whether the rule chooses at each support size. With ByValidation nothing is
// halved then: the choice is by the error on the validation split, and the errors are those
// on the whole test split, which chooses nothing.
func (o Rule) BySize() bool {
	return o.By == ByHalvings || o.By == ByValidation && (o.Over == OverLargest || o.Over == OverAny)
}

// Chooses reports whether the rule chooses one candidate of each series, by its score.
func (o Rule) Chooses() bool {
	return !o.BySize() && (o.By == ByValidation || o.By == ByOracle)
}

// mostListed is how many names a warning lists.
const mostListed = 5

// Candidate is one value of the tuned parameters in a cell.
type Candidate struct {
	// Params holds the tuned parameters only.
	Params record.Params
	// Scored is false if the candidate is out of the race, for it has repeats
	// that did not finish or no finished one. Score and SE are 0 then.
	Scored bool
	// Score is the mean over repeats, SE its standard error (0 if there are
	// fewer than two repeats).
	Score, SE float64
	// Counts is of the repeats.
	Counts
	Selected bool
	// Problems holds the reasons of the repeats that did not finish.
	Problems []string

	runs []int
}

// Series is what was chosen among the runs of one dataset and series that differ in their tuned
// parameters and repeat only.
type Series struct {
	Setting
	// OK is false if the rule chooses one candidate, but none could be scored.
	OK bool
	// Chosen is the selected candidate, Score and SE are its score, read from Split. They are
	// empty where the choice is made at each support size.
	Chosen    record.Params
	Split     string
	Score, SE float64
	// Edge is "low" or "high" if the choice lies at an end of its grid, so that
	// the best value may lie outside; of several tuned parameters the first that
	// does counts.
	Edge string
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
	parting   *Parting
}

// BySize reports whether the choice is made at each support size. A nil choice is not.
func (s *Choice) BySize() bool { return s != nil && s.Rule.BySize() }

// All returns the choice of all runs, as with ByNone.
func All(runs []record.Run) *Choice {
	return &Choice{Rule: Rule{By: ByNone}, all: runs, runs: runs}
}

// Runs returns the runs of the selected candidates, in input order: all runs where the choice
// is made at each support size. A nil choice has none.
func (s *Choice) Runs() []record.Run {
	if s == nil {
		return nil
	}
	return s.runs
}

// Warnings returns the warnings of all series, each under a short name of the series; with
// choices at each support size also a line of each series and parameter whose choices are at
// an end of the grid, and one of each dataset whose test rows are of one class.
func (s *Choice) Warnings() []string {
	var out []string
	for i := range s.Series {
		c := &s.Series[i]
		name := s.shortName(*c)
		if s.BySize() {
			name = c.Dataset + " " + c.Series
		}
		for _, w := range c.Warnings {
			out = append(out, name+": "+w)
		}
	}
	return slices.Concat(out, s.edges(), s.oneClass())
}

// shortName names a cell by k and by the parameters in which it differs from
// another cell of its series.
func (s *Choice) shortName(c Series) string {
	short := record.Params{}
	for name, v := range c.Params {
		differs := func(o Series) bool { return o.Series == c.Series && o.Params[name] != v }
		if name == "k" || slices.ContainsFunc(s.Series, differs) {
			short[name] = v
		}
	}
	c.Params = short
	return c.Name()
}

// Choose chooses the tuned parameters of each series. By default that is the candidate with
// the best mean score over its repeats, see Rule.Metric. Ties, within 1e-12 relative, go to the
// smaller value. A candidate with a repeat that did not finish is out. What an
// experimenter should know (candidates out of the race or with fewer repeats
// than others, a choice at the edge of the grid) is in the warnings of the series.
//
// A rule by size chooses at each support size instead, see chooseBySize.
//
// It is an error if the rule is unknown, or if a finished run lacks what it reads.
func Choose(runs []record.Run, o Rule) (*Choice, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	switch {
	case o.BySize():
		return chooseBySize(runs, o)
	case !o.Chooses():
		return &Choice{Rule: o, all: runs, runs: runs}, nil
	}
	sel := &Choice{Rule: o, all: runs}
	keep := make([]bool, len(runs))
	all, parting := grids(runs, o.Tune)
	sel.parting = parting
	for _, g := range all {
		choice := Series{Setting: g.Setting, Candidates: g.candidates}
		if err := choice.choose(runs, o); err != nil {
			return nil, err
		}
		choice.Warnings = append(choice.Warnings, g.twins...)
		for _, c := range choice.Candidates {
			if c.Selected {
				for _, i := range c.runs {
					keep[i] = true
				}
			}
		}
		sel.Series = append(sel.Series, choice)
	}
	for i, r := range runs {
		if keep[i] {
			sel.runs = append(sel.runs, r)
		}
	}
	return sel, nil
}

func (o Rule) validate() error {
	switch {
	case o.By == ByNone || o.By == "":
		return nil
	case o.BySize():
		return o.validateSizes()
	case o.By == ByValidation || o.By == ByOracle:
	default:
		return fmt.Errorf("results: cannot select by %q; it must be %q, %q, %q or %q", o.By, ByValidation, ByOracle, ByHalvings, ByNone)
	}
	if o.Over != OverCurve && o.Over != OverFinal {
		return fmt.Errorf("results: cannot select over %q; it must be %q or %q", o.Over, OverCurve, OverFinal)
	}
	if o.Metric == "" {
		return errors.New("results: selection has no metric; name one, such as \"suboptimality\"")
	}
	return nil
}

// choose scores the candidates and picks one.
func (c *Series) choose(runs []record.Run, o Rule) error {
	var err error
	if c.Split, err = o.SplitOf(c.inOrder(runs)); err != nil {
		return err
	}
	means := make([]float64, len(c.Candidates))
	var scored []*record.Run
	for _, cand := range c.Candidates {
		if cand.races() {
			for _, j := range cand.runs {
				scored = append(scored, &runs[j])
			}
		}
	}
	all, err := o.scores(scored, c.Split)
	if err != nil {
		return err
	}
	for i := range c.Candidates {
		cand := &c.Candidates[i]
		if means[i] = stats.Ineligible; !cand.races() {
			continue
		}
		scores := all[:len(cand.runs)]
		all = all[len(cand.runs):]
		m, se := stats.StandardError(scores)
		if !finite.Is(m) || !finite.Is(se) {
			return fmt.Errorf("results: %s[%s]: the score of %s is not finite: the recorded values are too large to average", c.Series, c.Params, cand.Params)
		}
		cand.Scored, cand.Score, cand.SE = true, m, se
		means[i] = o.loss(m, runs[cand.runs[0]].Task)
	}
	if best := stats.Best(means); best >= 0 {
		cand := &c.Candidates[best]
		cand.Selected = true
		c.OK, c.Chosen, c.Score, c.SE = true, cand.Params, cand.Score, cand.SE
	}
	c.warn(runs, o.Tune)
	return nil
}

// races reports whether all repeats of the candidate finished, of which there are some.
func (c *Candidate) races() bool { return c.Finished > 0 && c.Finished == c.Runs }

// inOrder yields the runs of the candidates, in their order.
func (c *Series) inOrder(runs []record.Run) iter.Seq[record.Run] {
	return func(yield func(record.Run) bool) {
		for _, cand := range c.Candidates {
			for _, i := range cand.runs {
				if !yield(runs[i]) {
					return
				}
			}
		}
	}
}

// Losses returns what finished runs are selected by, negated where more is better; candidates
// are by the mean of it over repeats.
func (o Rule) Losses(runs []*record.Run, split string) ([]float64, error) {
	losses, err := o.scores(runs, split)
	for i := range losses {
		losses[i] = o.loss(losses[i], runs[i].Task)
	}
	return losses, err
}

// loss is a score of which less is better.
func (o Rule) loss(score float64, task string) float64 {
	if observe.MetricOf(task, o.Metric).MoreIsBetter {
		return -score
	}
	return score
}

// scores returns the scores of finished runs.
func (o Rule) scores(runs []*record.Run, split string) ([]float64, error) {
	scores, errs := make([]float64, len(runs)), make([]error, len(runs))
	record.ReadCurves(runs, func(i int, c record.Curve) { scores[i], errs[i] = o.score(runs[i], c, split) })
	return scores, cmp.Or(errs...)
}

func (o Rule) score(r *record.Run, c record.Curve, split string) (float64, error) {
	curve, ok := scored(c, split, o.Metric)
	switch {
	case !ok:
		return 0, missing(*r, split, o)
	case o.Over == OverFinal:
		return curve.Y[len(curve.Y)-1], nil
	}
	return curve.MeanOverSteps(), nil
}

// scored returns all that scoring gets to see of a run: one metric on one split, along
// the iterations. ok is false if it is not recorded.
func scored(curve record.Curve, split, metric string) (c observe.Curve, ok bool) {
	values := curve.Metrics[split][metric]
	if len(values) == 0 || len(values) != curve.Len() {
		return observe.Curve{}, false
	}
	iterations, _ := curve.Along(record.CostIterations)
	return observe.Curve{X: iterations, Y: values}, true
}

// SplitOf returns the split that selection among runs reads, "" if none of them finished.
func (o Rule) SplitOf(runs iter.Seq[record.Run]) (string, error) {
	if o.By == ByValidation {
		return record.SplitValidation, nil
	}
	for r := range runs {
		if r.Status != record.StatusFinished {
			continue
		}
		for _, split := range []string{record.SplitPopulation, record.SplitTest} {
			if r.Records(split, o.Metric) {
				return split, nil
			}
		}
		return "", missing(r, record.SplitPopulation, o)
	}
	return "", nil
}

func missing(r record.Run, split string, o Rule) error {
	all := r.Measured().Metrics
	if metrics, ok := all[split]; ok {
		return fmt.Errorf("results: %s has no metric %q on split %q to select by; it has %s", r.Name(), o.Metric, split, words.Quoted(slices.Sorted(maps.Keys(metrics))))
	}
	remedy := "give the dataset a validation part (split: {train: 0.4, validation: 0.2, test: 0.4}), or select by oracle where the distribution is known"
	if o.By == ByOracle {
		remedy = "give the dataset a test part, or select by validation"
	}
	return fmt.Errorf("results: %s has no split %q to select by; it has %s: %s", r.Name(), split, words.Quoted(slices.Sorted(maps.Keys(all))), remedy)
}

// warn fills in Edge and Warnings.
func (c *Series) warn(runs []record.Run, tune []string) {
	most := 0
	var extents []string
	ends := map[int64]bool{} // of runs that were cut short by the budget
	for _, cand := range c.Candidates {
		most = max(most, cand.Finished)
		for _, i := range cand.runs {
			if e := runs[i].Extent; !slices.Contains(extents, e) {
				extents = append(extents, e)
			}
			if cand.Scored && runs[i].Points() > 0 && !runs[i].Converged() {
				ends[runs[i].End()] = true
			}
		}
	}
	for _, cand := range c.Candidates {
		switch {
		case len(cand.Problems) > 0:
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s cannot be selected: %s", cand.name(), words.List(cand.Problems, mostListed)))
		case cand.Finished < most:
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s has %d finished repeats, others have %d", cand.name(), cand.Finished, most))
		}
	}
	switch {
	case len(extents) > 1:
		c.Warnings = append(c.Warnings, fmt.Sprintf("scores are from runs of different extents: %s", strings.Join(extents, ", ")))
	case len(ends) > 1:
		c.Warnings = append(c.Warnings, "scores are from runs that ended at different iterations")
	}
	if !c.OK {
		c.Warnings = append(c.Warnings, "no candidate could be scored: add smaller steps to the grid, or look at the failures")
		return
	}
	for _, name := range tune {
		end, limit := c.edge(name)
		if end == "" {
			continue
		}
		if c.Edge == "" {
			c.Edge = end
		}
		near, far := c.beyond(name, end)
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s = %s is at the %s grid edge: add %s and %s to the grid of %s",
			name, record.FormatParam(limit), end, near, far, name))
	}
}

// name is what warnings call the candidate.
func (c Candidate) name() string {
	if len(c.Params) == 0 {
		return "the only candidate"
	}
	return "candidate " + c.Params.String()
}
