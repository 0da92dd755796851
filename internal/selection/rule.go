// Package selection chooses the values of tuned parameters: of each series the candidate with the
// best mean of a metric over repeats, or at each support size the classifier with the least error
// on halves of the test rows, or on a validation split.
package selection

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// Values of Rule.By. ByValidation reads the split "validation" only; ByOracle reads "population", or "test" where
// the distribution is not known: the thesis's way with simulated data.
const (
	ByValidation = "validation"
	ByOracle     = "oracle"
	ByHalvings   = "halvings"
	ByNone       = "none"
)

// Values of Rule.Over. More vectors may mean a larger error with OverLargest, the rule of the thesis.
const (
	OverCurve   = "mean-over-curve"
	OverFinal   = "final"
	OverLargest = "largest"
	OverAny     = "any"
)

// DefaultHalvings is the number of halvings of the thesis.
const DefaultHalvings = 100

// Rule says how the values of tuned parameters are chosen.
type Rule struct {
	// By is "none" (default: every value is a curve of its own), "validation"
	// (the best on the validation split), "oracle" (the best on what is
	// reported, for simulated data) or, in the task svm-sparse, "halvings" (at
	// each support size the best on a random half of the test split, reported on
	// the other half, on average over many halvings). There "validation" chooses
	// at each support size too, as over says, and reports errors on the whole test split.
	By string `yaml:"by,omitempty" jsonschema:"enum=none,enum=validation,enum=oracle,enum=halvings"`
	// Halvings is the number of random halvings, 100 by default.
	Halvings int `yaml:"halvings,omitempty" jsonschema:"minimum=1,maximum=10000"`
	// Metric to select by. It is maximised if a larger value is better, as for the
	// objective of PCA and the dual objective, else minimised. By default it is
	// "suboptimality", or in tasks that learn labels "error", the only metric for
	// halvings.
	Metric string `yaml:"metric,omitempty"`
	// Over says which part of the curve counts: "mean-over-curve" (default) or
	// "final". By halvings, and by validation in the task svm-sparse, it says which
	// classifiers of a run are candidates at a support size: "largest" (default of
	// halvings, as in the thesis), the one with the most vectors up to that size, or "any"
	// (default of validation), all up to that size, so that the error on the half that the
	// choice is made on never rises with the size.
	Over string `yaml:"over,omitempty" jsonschema:"enum=mean-over-curve,enum=final,enum=largest,enum=any"`
	// Tune lists the parameters to choose, [step.c] by default. In tasks that
	// learn labels they must be listed; with halvings the list may be empty if no
	// parameter has several values. Ties go to the smaller value of the first, then of the
	// second, and so on; at a support size they go to the smaller support first.
	Tune []string `yaml:"tune,omitempty" jsonschema:"minItems=1,uniqueItems=true"`
	// Seed is the root seed that the halvings are drawn from.
	Seed uint64 `yaml:"-"`
	// Sizes are support sizes to report besides those of the grid.
	Sizes []int `yaml:"-"`
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

// Criterion says that a metric on a split, which is shown, is what parameters are chosen by, so that the
// choice flatters it; "" if it is not. Where the choice is made at each support size, the split
// "validation" stands for the rows that it is made by.
func (o Rule) Criterion(metric, split string) string {
	format, reads := "the parameters were chosen by the validation %s shown", split == record.SplitValidation
	if o.By == ByOracle {
		format = "oracle selection: the parameters were chosen by the %s shown"
		reads = split == record.SplitPopulation || split == record.SplitTest
	}
	if !o.BySize() && !o.Chooses() || metric != o.Metric || !reads {
		return ""
	}
	return fmt.Sprintf(format, metric)
}

// Losses returns what finished runs are selected by, negated where more is better; candidates
// are by the mean of it over repeats.
func (o Rule) Losses(runs []*record.Run, split string) ([]float64, error) {
	losses, errs := make([]float64, len(runs)), make([]error, len(runs))
	record.ReadCurves(runs, func(i int, c record.Curve) {
		score, err := o.score(runs[i], c, split)
		losses[i], errs[i] = o.loss(score, runs[i].Task), err
	})
	return losses, cmp.Or(errs...)
}

// loss is a score of which less is better.
func (o Rule) loss(score float64, task string) float64 {
	if observe.MetricOf(task, o.Metric).MoreIsBetter {
		return 0 - score // not -score, which makes -0 of 0
	}
	return score
}

// score reads one metric on one split of a run, and nothing else.
func (o Rule) score(r *record.Run, curve record.Curve, split string) (float64, error) {
	values := curve.Metrics[split][o.Metric]
	switch {
	case len(values) == 0 || len(values) != curve.Len():
		return 0, o.missing(r, split)
	case o.Over == OverFinal:
		return values[len(values)-1], nil
	}
	iterations, _ := curve.Along(record.CostIterations)
	return observe.Curve{X: iterations, Y: values}.MeanOverSteps(), nil
}

// SplitOf returns the split that selection among runs reads, "" if none of them finished.
func (o Rule) SplitOf(runs []*record.Run) (string, error) {
	if o.By == ByValidation {
		return record.SplitValidation, nil
	}
	for _, r := range runs {
		if r.Status != record.StatusFinished {
			continue
		}
		for _, split := range []string{record.SplitPopulation, record.SplitTest} {
			if r.Records(split, o.Metric) {
				return split, nil
			}
		}
		return "", o.missing(r, record.SplitPopulation)
	}
	return "", nil
}

// missing says that a run lacks what it is selected by.
func (o Rule) missing(r *record.Run, split string) error {
	all := r.Measured().Metrics
	if metrics, ok := all[split]; ok {
		return fmt.Errorf("results: %s has no metric %q on split %q to select by; it has %s",
			r.Name(), o.Metric, split, words.Quoted(slices.Sorted(maps.Keys(metrics))))
	}
	part := map[string]string{ByValidation: "validation", ByOracle: "test"}[o.By]
	return fmt.Errorf("results: %s has no split %q to select by; it has %s: give the dataset a %s part, or select in another way",
		r.Name(), split, words.Quoted(slices.Sorted(maps.Keys(all))), part)
}
