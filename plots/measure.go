package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"stochopt/results"
)

// measurement is a column of a table that is computed from the runs of a row.
type measurement struct {
	title  string
	spread bool
	// note returns the footnote for the runs of a table; nil if it has none.
	note func(runs []results.Run) string
	// measure is given at least one run.
	measure func(runs []results.Run, ms measures) Cell
}

var measurements = map[string]measurement{
	"mean_rank": {
		title:   "Mean k′ₜ",
		note:    noteMeanRank,
		measure: func(runs []results.Run, _ measures) Cell { return meanCell(each(runs, meanRank), 3) },
	},
	"max_rank": {
		title: "Max k′ₜ",
		note:  always("largest at the recorded iterations of any repeat"),
		measure: func(runs []results.Run, _ measures) Cell {
			v := each(runs, maxRank)
			if len(v) == 0 {
				return missing
			}
			return numberCell(slices.Max(v), 4)
		},
	},
	"sum_kt2": {
		title:   "Σ k′ₜ²",
		note:    noteSAA("over the whole run, mean over repeats", "SAA, which has no k′ₜ, is charged d per sample"),
		measure: func(runs []results.Run, _ measures) Cell { return meanCell(each(runs, finalCost("sum_kt2")), 4) },
	},
	"seconds_per_iteration": {
		title:   "s/iteration",
		note:    noteSAA("measured wall time in the algorithm alone, median over repeats", "that of SAA without its eigendecomposition"),
		measure: func(runs []results.Run, ms measures) Cell { return medianCell(each(runs, ms.secondsPerIteration), 3) },
	},
	"final_suboptimality": {
		title:   "Final suboptimality",
		note:    always("mean ± standard error over repeats"),
		spread:  true,
		measure: func(runs []results.Run, _ measures) Cell { return spreadCell(each(runs, finalMetric("suboptimality"))) },
	},
	"runs": {
		title:   "Runs",
		measure: func(runs []results.Run, _ measures) Cell { return countRuns(runs) },
	},
}

func measurementNames() []string { return sortedKeys(measurements) }

// measures holds what measurements need besides the runs.
type measures struct{ timings map[[2]string]results.Timing }

func newMeasures(timings []results.Timing) measures {
	ms := measures{make(map[[2]string]results.Timing, len(timings))}
	for _, t := range timings {
		ms.timings[[2]string{t.Key, t.Extent}] = t
	}
	return ms
}

// each returns the values of the finished runs that have one.
func each(runs []results.Run, value func(*results.Run) (float64, bool)) []float64 {
	var values []float64
	for i := range runs {
		if runs[i].Status != results.StatusFinished {
			continue
		}
		if v, ok := value(&runs[i]); ok {
			values = append(values, v)
		}
	}
	return values
}

func maxRank(r *results.Run) (float64, bool) {
	rank := r.Curve.Metrics[stateSplit][yRank]
	if len(rank) == 0 {
		return 0, false
	}
	return slices.Max(rank), true
}

func finalCost(counter string) func(*results.Run) (float64, bool) {
	return func(r *results.Run) (float64, bool) {
		c := r.Curve.Cost[counter]
		if len(c) == 0 {
			return 0, false
		}
		return float64(c[len(c)-1]), true
	}
}

func finalMetric(metric string) func(*results.Run) (float64, bool) {
	return func(r *results.Run) (float64, bool) {
		split, ok := splitOf(r, "", metric)
		if !ok {
			return 0, false
		}
		v := r.Curve.Metrics[split][metric]
		return v[len(v)-1], true
	}
}

func (ms measures) secondsPerIteration(r *results.Run) (float64, bool) {
	t, ok := ms.timings[[2]string{r.Key, r.Extent}]
	n, counted := finalCost("iterations")(r)
	if !ok || !counted || n == 0 {
		return 0, false
	}
	return t.StepSeconds / n, true
}

// countRuns counts the finished runs, and names the others.
func countRuns(runs []results.Run) Cell {
	n := make(map[string]int)
	for i := range runs {
		n[runs[i].Status]++
	}
	c := Cell{Text: strconv.Itoa(n[results.StatusFinished]), Value: strconv.Itoa(n[results.StatusFinished])}
	for _, status := range []string{results.StatusDiverged, results.StatusFailed} {
		if n[status] > 0 {
			c.Text += fmt.Sprintf(" + %d %s", n[status], status)
		}
	}
	return c
}

func meanCell(values []float64, digits int) Cell {
	if len(values) == 0 {
		return missing
	}
	return numberCell(mean(values), digits)
}

func medianCell(values []float64, digits int) Cell {
	if len(values) == 0 {
		return missing
	}
	s := slices.Sorted(slices.Values(values))
	return numberCell((s[(len(s)-1)/2]+s[len(s)/2])/2, digits)
}

// spreadCell shows the mean and its standard error.
func spreadCell(values []float64) Cell {
	if len(values) == 0 {
		return missing
	}
	m := mean(values)
	if len(values) == 1 {
		return numberCell(m, 3)
	}
	var ss float64
	for _, v := range values {
		ss += (v - m) * (v - m)
	}
	n := float64(len(values))
	se := math.Sqrt(ss / (n - 1) / n)
	return Cell{Text: plusMinus(m, se), Value: exact(m), Spread: exact(se)}
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func numberCell(v float64, digits int) Cell {
	return Cell{Text: significant(v, digits), Value: exact(v)}
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Numbers within these bounds are written without an exponent.
const (
	plainLeast = 1e-3
	plainMost  = 1e6
)

// significant rounds v to a number of significant digits; digits before the
// decimal point are all kept.
func significant(v float64, digits int) string {
	a := math.Abs(v)
	if v != 0 && (a < plainLeast || a >= plainMost) {
		return strconv.FormatFloat(v, 'e', digits-1, 64)
	}
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', max(digits-1-order(v), 0), 64)
}

// plusMinus writes a mean with its standard error, to two digits of the error.
func plusMinus(m, se float64) string {
	if se == 0 {
		return significant(m, 3) + " ± 0"
	}
	if a := max(math.Abs(m), se); a >= plainLeast && a < plainMost {
		decimals := max(1-order(se), 0)
		return strconv.FormatFloat(m, 'f', decimals, 64) + " ± " + strconv.FormatFloat(se, 'f', decimals, 64)
	}
	e := order(max(math.Abs(m), se))
	decimals := max(1-order(se)+e, 0)
	scaled := func(v float64) string { return strconv.FormatFloat(v/math.Pow10(e), 'f', decimals, 64) }
	return fmt.Sprintf("(%s ± %s)e%+03d", scaled(m), scaled(se), e)
}

// order returns the decimal exponent of v, not zero.
func order(v float64) int { return int(math.Floor(math.Log10(math.Abs(v)))) }
