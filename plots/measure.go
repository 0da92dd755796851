package plots

import (
	"fmt"
	"slices"
	"strconv"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// measurement is a column of a table that is computed from the runs of a row.
type measurement struct {
	title string
	// spread is that of the column.
	spread string
	// note returns the footnote for the runs of a table; nil if it has none.
	note func(runs []record.Run) string
	// timed: it is a time, and the footnote says how that was measured.
	timed bool
	// measure is given at least one run.
	measure func(runs []record.Run, ms measures) Cell
}

// footnote returns the footnote for the runs of a table.
func (m measurement) footnote(runs []record.Run, timings record.Timings) string {
	text := m.note(runs)
	if how := conditions(runs, timings); m.timed && how != "" {
		text += "; " + how
	}
	return text
}

var measurements = map[string]measurement{
	"mean_rank": {
		title:   "Mean k′ₜ",
		note:    noteMeanRank,
		measure: func(runs []record.Run, _ measures) Cell { return meanCell(each(runs, meanRank), 3) },
	},
	"max_rank": {
		title: "Max k′ₜ",
		note:  always("largest at the recorded iterations of any repeat"),
		measure: func(runs []record.Run, _ measures) Cell {
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
		measure: func(runs []record.Run, _ measures) Cell { return meanCell(each(runs, finalCost("sum_kt2")), 4) },
	},
	"seconds_per_iteration": {
		title:   "s/iteration",
		note:    noteSAA("measured wall time in the algorithm alone, median over repeats", "that of SAA without its eigendecomposition"),
		timed:   true,
		measure: func(runs []record.Run, ms measures) Cell { return medianCell(each(runs, ms.secondsPerIteration), 3) },
	},
	"final_suboptimality": {
		title:   "Final suboptimality",
		note:    always("mean ± standard error over repeats"),
		spread:  spreadError,
		measure: func(runs []record.Run, _ measures) Cell { return spreadCell(each(runs, finalMetric("suboptimality"))) },
	},
	"final_error": {
		title:   "Final test error",
		note:    always("at the end of the run, mean ± standard deviation over repeats"),
		spread:  spreadDeviation,
		measure: func(runs []record.Run, _ measures) Cell { return percentCell(each(runs, finalMetric(yError))) },
	},
	"best_error": {
		title:   "Best test error",
		note:    always("the least of each run, which only the test split itself could have told, mean ± standard deviation over repeats"),
		spread:  spreadDeviation,
		measure: func(runs []record.Run, _ measures) Cell { return percentCell(each(runs, leastMetric(yError))) },
	},
	"support": {
		title:   "Support vectors",
		note:    always("of the final classifier, mean ± standard deviation over repeats"),
		spread:  spreadDeviation,
		measure: func(runs []record.Run, _ measures) Cell { return deviationCell(each(runs, finalMetric("support"))) },
	},
	"norm": {
		title:   "|w|",
		note:    always("norm of the final classifier, mean ± standard deviation over repeats"),
		spread:  spreadDeviation,
		measure: func(runs []record.Run, _ measures) Cell { return deviationCell(each(runs, finalMetric("norm"))) },
	},
	"seconds": {
		title:   "Seconds",
		note:    always("measured wall time in the algorithm alone, mean ± standard deviation over repeats"),
		timed:   true,
		spread:  spreadDeviation,
		measure: func(runs []record.Run, ms measures) Cell { return deviationCell(each(runs, ms.stepSeconds)) },
	},
	"kernel_evals": {
		title:   "Kernel evaluations",
		note:    always("charged over the whole run, mean ± standard deviation over repeats"),
		spread:  spreadDeviation,
		measure: func(runs []record.Run, _ measures) Cell { return deviationCell(each(runs, counted("kernel_evals"))) },
	},
	"runs": {
		title:   "Runs",
		measure: func(runs []record.Run, _ measures) Cell { return countRuns(runs) },
	},
}

// Measurements lists the columns of tables that are computed from records, in
// order of name.
func Measurements() []string { return sortedKeys(measurements) }

// measures holds what measurements need besides the runs.
type measures struct {
	timings record.Timings
	halved  *analysis.Halved
}

// each returns the values of the finished runs that have one.
func each(runs []record.Run, value func(*record.Run) (float64, bool)) []float64 {
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

func maxRank(r *record.Run) (float64, bool) {
	rank := r.Curve.Metrics[stateSplit][yRank]
	if len(rank) == 0 {
		return 0, false
	}
	return slices.Max(rank), true
}

func finalCost(counter string) func(*record.Run) (float64, bool) {
	return func(r *record.Run) (float64, bool) {
		c := r.Curve.Cost[counter]
		if len(c) == 0 {
			return 0, false
		}
		return float64(c[len(c)-1]), true
	}
}

// counted is finalCost of a counter that applies to the method.
func counted(counter string) func(*record.Run) (float64, bool) {
	return func(r *record.Run) (float64, bool) {
		if !r.Curve.Counts(counter) {
			return 0, false
		}
		return finalCost(counter)(r)
	}
}

func finalMetric(metric string) func(*record.Run) (float64, bool) {
	return func(r *record.Run) (float64, bool) {
		split, ok := splitOf(r, "", metric)
		if !ok {
			return 0, false
		}
		v := r.Curve.Metrics[split][metric]
		return v[len(v)-1], true
	}
}

// leastMetric is the least value along the curve.
func leastMetric(metric string) func(*record.Run) (float64, bool) {
	return func(r *record.Run) (float64, bool) {
		split, ok := splitOf(r, "", metric)
		if !ok {
			return 0, false
		}
		return slices.Min(r.Curve.Metrics[split][metric]), true
	}
}

func (ms measures) stepSeconds(r *record.Run) (float64, bool) {
	t, ok := ms.timings.Of(*r)
	return t.StepSeconds, ok
}

func (ms measures) secondsPerIteration(r *record.Run) (float64, bool) {
	t, ok := ms.timings.Of(*r)
	n, counted := finalCost("iterations")(r)
	if !ok || !counted || n == 0 {
		return 0, false
	}
	return t.StepSeconds / n, true
}

// countRuns counts the finished runs, and names the others.
func countRuns(runs []record.Run) Cell {
	n := make(map[string]int)
	for i := range runs {
		n[runs[i].Status]++
	}
	c := Cell{Text: strconv.Itoa(n[record.StatusFinished]), Value: strconv.Itoa(n[record.StatusFinished])}
	for _, status := range []string{record.StatusDiverged, record.StatusFailed, record.StatusSkipped, record.StatusOutOfTime, record.StatusOutOfMemory} {
		if n[status] > 0 {
			c.Text += fmt.Sprintf(" + %d %s", n[status], condition(status))
		}
	}
	return c
}
