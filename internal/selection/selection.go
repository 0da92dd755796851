package selection

import (
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

// Values of SelectOptions.By and SelectOptions.Over.
const (
	// ByValidation reads the split "validation", and no other.
	ByValidation = "validation"
	// ByOracle reads "population", or "test" where the distribution is not
	// known: the thesis's way with simulated data.
	ByOracle = "oracle"
	// ByHalvings keeps all runs, as it chooses per support size: see Halve.
	ByHalvings = "halvings"
	// ByNone keeps all runs.
	ByNone = "none"

	// OverCurve is the mean over the iterations of the run.
	OverCurve = "mean-over-curve"
	// OverFinal is the last value.
	OverFinal = "final"
)

// BySize reports whether a selection chooses at each support size, which Halve does.
func BySize(by, over string) bool {
	return by == ByHalvings || by == ByValidation && (over == OverLargest || over == OverAny)
}

// SelectOptions says how to choose among the candidates of a grid.
type SelectOptions struct {
	// By is ByValidation, ByOracle, ByHalvings or ByNone.
	By string
	// Metric is what is scored: more is better of metrics to maximise, such as the
	// objective of PCA, and less of all others, such as "suboptimality".
	Metric string
	// Over is OverCurve or OverFinal.
	Over string
	// Tune names the parameters to choose, such as "step.c". Ties go to the
	// smaller value of the first, then of the second, and so on.
	Tune []string
}

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

// Choice is the outcome in one setting.
type Choice struct {
	Setting
	// Split is the split that was read.
	Split string
	// OK is false if no candidate could be scored. Chosen, Score and SE are
	// those of the selected candidate.
	OK     bool
	Chosen record.Params
	Score  float64
	SE     float64
	// Edge is "low" or "high" if the choice lies at an end of its grid, so that
	// the best value may lie outside; of several tuned parameters the first that
	// does counts.
	Edge string
	// Candidates are ordered by their parameters.
	Candidates []Candidate
}

// Selection is the outcome of Select.
type Selection struct {
	Options SelectOptions
	// Choices has one entry a cell, in order of first appearance.
	Choices []Choice

	// all are the runs that were chosen among, runs those of the selected candidates.
	all, runs []record.Run
}

// Runs returns the runs of the selected candidates, in input order.
func (s *Selection) Runs() []record.Run { return s.runs }

// Warnings returns the warnings of all cells, each under a short name of the
// cell.
func (s *Selection) Warnings() []string {
	var out []string
	for _, c := range s.Choices {
		for _, w := range c.Warnings {
			out = append(out, s.shortName(c)+": "+w)
		}
	}
	return out
}

// shortName names a cell by k and by the parameters in which it differs from
// another cell of its series.
func (s *Selection) shortName(c Choice) string {
	short := record.Params{}
	for name, v := range c.Params {
		differs := func(o Choice) bool { return o.Series == c.Series && o.Params[name] != v }
		if name == "k" || slices.ContainsFunc(s.Choices, differs) {
			short[name] = v
		}
	}
	c.Params = short
	return c.Name()
}

// Select chooses the tuned parameters in each cell: the candidate with the best
// mean score over its repeats, see SelectOptions.Metric. Ties, within 1e-12 relative, go to the smaller
// value. A candidate with a repeat that did not finish is out. What an
// experimenter should know (candidates out of the race or with fewer repeats
// than others, a choice at the edge of the grid) is in the warnings of the
// choice.
//
// It is an error if the options are unknown, or if a finished run lacks the
// split or the metric to be read.
func Select(runs []record.Run, o SelectOptions) (*Selection, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	sel := &Selection{Options: o, all: runs}
	if o.By == ByNone || BySize(o.By, o.Over) {
		sel.runs = slices.Clone(runs)
		return sel, nil
	}
	keep := make([]bool, len(runs))
	for _, g := range grids(runs, o.Tune) {
		choice := Choice{Setting: g.Setting, Candidates: g.candidates}
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
		sel.Choices = append(sel.Choices, choice)
	}
	for i, r := range runs {
		if keep[i] {
			sel.runs = append(sel.runs, r)
		}
	}
	return sel, nil
}

func (o SelectOptions) validate() error {
	switch {
	case o.By == ByNone || BySize(o.By, o.Over):
		return nil
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
func (c *Choice) choose(runs []record.Run, o SelectOptions) error {
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
func (c *Choice) inOrder(runs []record.Run) iter.Seq[record.Run] {
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

// Chooses reports whether one candidate of each setting is chosen, by its score.
func (o SelectOptions) Chooses() bool {
	return !BySize(o.By, o.Over) && (o.By == ByValidation || o.By == ByOracle)
}

// Losses returns what finished runs are selected by, negated where more is better; candidates
// are by the mean of it over repeats.
func (o SelectOptions) Losses(runs []*record.Run, split string) ([]float64, error) {
	losses, err := o.scores(runs, split)
	for i := range losses {
		losses[i] = o.loss(losses[i], runs[i].Task)
	}
	return losses, err
}

// loss is a score of which less is better.
func (o SelectOptions) loss(score float64, task string) float64 {
	if observe.MetricOf(task, o.Metric).MoreIsBetter {
		return -score
	}
	return score
}

// scores returns the scores of finished runs.
func (o SelectOptions) scores(runs []*record.Run, split string) ([]float64, error) {
	return record.Numbers(runs, fmt.Sprintf("score %s %s %s", o.Over, split, o.Metric),
		func(r *record.Run) (float64, error) { return o.score(*r, split) })
}

func (o SelectOptions) score(r record.Run, split string) (float64, error) {
	curve, ok := scored(r, split, o.Metric)
	switch {
	case !ok:
		return 0, missing(r, split, o)
	case o.Over == OverFinal:
		return curve.Y[len(curve.Y)-1], nil
	}
	return curve.MeanOverSteps(), nil
}

// scored returns all that scoring gets to see of a run: one metric on one split, along
// the iterations. ok is false if it is not recorded.
func scored(r record.Run, split, metric string) (c observe.Curve, ok bool) {
	curve := r.Measured()
	values := curve.Metrics[split][metric]
	if len(values) == 0 || len(values) != curve.Len() {
		return observe.Curve{}, false
	}
	iterations, _ := curve.Along(record.CostIterations)
	return observe.Curve{X: iterations, Y: values}, true
}

// SplitOf returns the split that selection among runs reads, "" if none of them finished.
func (o SelectOptions) SplitOf(runs iter.Seq[record.Run]) (string, error) {
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

func missing(r record.Run, split string, o SelectOptions) error {
	all := r.Columns().Metrics
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
func (c *Choice) warn(runs []record.Run, tune []string) {
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
