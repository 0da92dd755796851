// Package selection selects the values of tuned parameters. For each series it selects the candidate
// with the best mean of a metric over repeats. For sparse classifiers it can instead select a candidate at each
// support size, by the error on random halves of the test rows or on a validation split.
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

// Values of Rule.By.
const (
	// ByValidation reads only the split "validation".
	ByValidation = "validation"
	// ByOracle reads the split "population", or "test" if the distribution is unknown. It is the rule of the thesis for
	// simulated data.
	ByOracle   = "oracle"
	ByHalvings = "halvings"
	ByNone     = "none"
)

// Values of Rule.Over.
const (
	OverCurve = "mean-over-curve"
	OverFinal = "final"
	// OverLargest is the rule of the thesis. With it, the error may increase with the support size.
	OverLargest = "largest"
	OverAny     = "any"
)

// DefaultHalvings is the number of halvings of the thesis.
const DefaultHalvings = 100

// Rule is a rule for selecting the values of tuned parameters.
type Rule struct {
	// By is "none" (default), "validation", "oracle" or, in the task svm-sparse, "halvings". "none"
	// shows a separate curve for each value. "validation" selects the best value on the validation
	// split, "oracle" on the reported split, for simulated data. "halvings" selects at each support
	// size on a random half of the test split and reports errors on the other half, on average over
	// many halvings. In svm-sparse, "validation" also selects at each support size, and reports errors
	// on the whole test split.
	By string `yaml:"by,omitempty" jsonschema:"enum=none,enum=validation,enum=oracle,enum=halvings"`
	// Halvings is the number of random halvings, 100 by default.
	Halvings int `yaml:"halvings,omitempty" jsonschema:"minimum=1,maximum=10000"`
	// Metric is the metric to select by. It is maximised if a larger value is better, as for the
	// objective of PCA and the dual objective, else minimised. The default is "suboptimality" or, in
	// tasks that learn labels, "error". Halvings require "error".
	Metric string `yaml:"metric,omitempty"`
	// Over is the part of the curve that counts: "mean-over-curve" (default) or "final". With
	// selection at each support size, it determines the candidates among the classifiers of a run:
	// "largest" (default for halvings, as in the thesis) is the one with the most vectors up to that
	// size; "any" (default for validation) are all up to that size. With "any", the validation error
	// never increases with the size.
	Over string `yaml:"over,omitempty" jsonschema:"enum=mean-over-curve,enum=final,enum=largest,enum=any"`
	// Tune lists the parameters to select, by default [step.c]. Tasks that learn labels require the
	// list; with halvings it may be empty if no parameter has several values. Ties go to the smaller
	// value of the first parameter, then of the second, and so on. At a support size, ties go to the
	// smaller support first.
	Tune []string `yaml:"tune,omitempty" jsonschema:"minItems=1,uniqueItems=true"`
	// Seed is the root seed of the halvings.
	Seed uint64 `yaml:"-"`
	// Sizes lists support sizes to report in addition to those of the grid.
	Sizes []int `yaml:"-"`
}

// BySize reports whether the rule selects at each support size. With ByValidation, it selects by the
// error on the validation split and reports errors on the whole test split.
func (o Rule) BySize() bool {
	return o.By == ByHalvings || o.By == ByValidation && (o.Over == OverLargest || o.Over == OverAny)
}

// Chooses reports whether the rule selects one candidate of each series, by its score.
func (o Rule) Chooses() bool {
	return !o.BySize() && (o.By == ByValidation || o.By == ByOracle)
}

// Criterion returns a warning if the displayed metric on a split is the one that the rule selects by, else "". Such a
// metric is optimistic. For a rule by size, the split "validation" means the rows used for the selection.
func (o Rule) Criterion(metric, split string) string {
	switch {
	case !o.BySize() && !o.Chooses() || metric != o.Metric:
		return ""
	case o.By == ByOracle && (split == record.SplitPopulation || split == record.SplitTest):
		return fmt.Sprintf("oracle selection: the parameters were chosen by the %s shown", metric)
	case o.By != ByOracle && split == record.SplitValidation:
		return fmt.Sprintf("the parameters were chosen by the validation %s shown", metric)
	}
	return ""
}

// Losses returns the losses of finished runs: their scores, negated if a larger value is better.
// Candidates are selected by the mean over repeats.
func (o Rule) Losses(runs []*record.Run, split string) ([]float64, error) {
	losses, errs := make([]float64, len(runs)), make([]error, len(runs))
	record.ReadCurves(runs, func(i int, c record.Curve) {
		score, err := o.score(runs[i], c, split)
		losses[i], errs[i] = o.loss(score, runs[i].Task), err
	})
	return losses, cmp.Or(errs...)
}

// loss converts a score to a loss, or a loss to a score.
func (o Rule) loss(score float64, task string) float64 {
	if observe.MetricOf(task, o.Metric).MoreIsBetter {
		return 0 - score // -score would turn 0 into -0
	}
	return score
}

// score reads the metric of the rule on one split of a run.
func (o Rule) score(r *record.Run, curve record.Curve, split string) (float64, error) {
	values := curve.Metrics[split][o.Metric]
	switch {
	case len(values) == 0:
		return 0, o.missingError(r, split)
	case o.Over == OverFinal:
		return values[len(values)-1], nil
	}
	iterations, _ := curve.Along(record.CostIterations)
	return observe.Curve{X: iterations, Y: values}.MeanOverSteps(), nil
}

// SplitOf returns the split that the rule reads for the given runs, or "" if no run finished. It returns an error if
// the first finished run lacks the metric on all splits that the rule may read.
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
		return "", o.missingError(r, record.SplitPopulation)
	}
	return "", nil
}

// missingError returns the error for a run that lacks the metric or split of the rule.
func (o Rule) missingError(r *record.Run, split string) error {
	all := r.Measured().Metrics
	if metrics, ok := all[split]; ok {
		return fmt.Errorf("results: %s has no metric %q on split %q to select by; it has %s",
			r.Name(), o.Metric, split, words.Quoted(slices.Sorted(maps.Keys(metrics))))
	}
	part := map[string]string{ByValidation: "validation", ByOracle: "test"}[o.By]
	return fmt.Errorf("results: %s has no split %q to select by; it has %s: give the dataset a %s part, "+
		"or select in another way", r.Name(), split, words.Quoted(slices.Sorted(maps.Keys(all))), part)
}
