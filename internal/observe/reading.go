package observe

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// Reading is a function that reads a number from a run. ok is false if the run does not have it.
type Reading func(r *record.Run) (v float64, ok bool)

// Each returns the readings of the finished runs.
func Each(runs []record.Run, value Reading) []float64 {
	var values []float64
	for i := range runs {
		if runs[i].Status != record.StatusFinished {
			continue
		}
		if v, ok := value(&runs[i]); ok {
			values = append(values, v)
		}
	}
	return values
}

// Total returns the reading of the final value of a counter. Runs whose method does not use the counter do not have it.
func Total(counter string) Reading {
	return func(r *record.Run) (float64, bool) {
		if counter == record.CostIterations {
			return float64(r.End()), r.Points() > 0
		}
		if !r.Counts(counter) {
			return 0, false
		}
		return last(r.Measured().Cost[counter])
	}
}

// last returns the last value of a list. ok is false for an empty list.
func last[T int64 | float64](values []T) (v float64, ok bool) {
	if len(values) == 0 {
		return 0, false
	}
	return float64(values[len(values)-1]), true
}

// Final returns the reading of the last value of a metric on the split of UnseenSplit.
func Final(metric string) Reading {
	return func(r *record.Run) (float64, bool) { return last(unseen(r, metric)) }
}

// Extreme returns the reading of the smallest or largest value of a metric on the split of UnseenSplit. extreme is
// slices.Min or slices.Max.
func Extreme(metric string, extreme func([]float64) float64) Reading {
	return func(r *record.Run) (float64, bool) {
		values := unseen(r, metric)
		if len(values) == 0 {
			return 0, false
		}
		return extreme(values), true
	}
}

// unseen returns the values of a metric on the split of UnseenSplit.
func unseen(r *record.Run, metric string) []float64 {
	split, ok := UnseenSplit(r, "", metric)
	if !ok {
		return nil
	}
	return r.Measured().Metrics[split][metric]
}

// OverSeconds returns the curve of a metric over the seconds spent in the algorithm. It is empty if the run has no
// record of either.
func OverSeconds(r *record.Run, metric string) Curve {
	seconds, _ := r.Seconds()
	c := Curve{X: seconds, Y: unseen(r, metric)}
	if len(c.X) != len(c.Y) {
		return Curve{}
	}
	return c
}

// MeanRank reads the mean of k'_t, the rank at iteration t, over all iterations. If the run does not count the sum
// of k'_t, it reads the mean of the interpolated curve of ranks.
func MeanRank(r *record.Run) (mean float64, ok bool) {
	if sum, ok := Total(record.CostSumKT)(r); ok && r.End() > 0 {
		return sum / float64(r.End()), true
	}
	iterations, _ := r.Measured().Along(record.CostIterations)
	ranks := unseen(r, record.MetricRank)
	if len(ranks) == 0 {
		return 0, false
	}
	return Curve{X: iterations, Y: ranks}.MeanOver(iterations[0], iterations[len(iterations)-1]), true
}

// DeclaredNote returns a note that names the series whose external programs declare a cost, because the harness cannot
// count it. The note is "" if there is no such series.
func DeclaredNote(runs []*record.Run, cost string) string {
	var series []string
	for _, r := range runs {
		if r.External != nil && slices.Contains(r.External.Declared, cost) {
			series = words.AddOnce(series, r.Series)
		}
	}
	if len(series) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: declared by the program of %s, not counted",
		strings.ToLower(Label(cost)), strings.Join(series, ", "))
}
