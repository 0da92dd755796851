// Package compare tests whether the curves of one set of runs are worse than those of another: a
// regression test for experiments.
//
// Runs with equal keys must be equal bit for bit. Other runs are compared by cell: a series on a data set with
// its parameters. The runs of a cell are paired by data, repeat and seed, or else treated as independent
// samples. Three measures are tested: the metric at a cost, the cost to reach a target, and the area under the curve.
// All are logarithms. A run that did not finish, or did not reach the target, is worse than any number. If
// parameters are selected from a grid, the tests account for the selection; see stats.Pool.
//
// Two one-sided tests compare each measure with the tolerance. Its confidence interval contains the values that
// the tests do not reject. Holm's correction covers all tests of all cells. If there are too few repeats for
// that, it covers one test of each cell, which precedes the other tests of the cell; see stats.Correct. If the
// sides select among different candidates or by different rules, there is no exact test, and intervals of level
// 1 - alpha/tests decide. There is no test of identical cells, or of cells with one deterministic run on each
// side, whose ratio is exact.
//
// The counters of a cell are compared at equal iterations, without a test. CPU seconds are an optional
// measure, also of identical cells. Experiments that select by halvings of the test set are compared by the
// error at equal support size, over repeats.
package compare

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
)

// Verdicts of a cell.
const (
	// Identical means that all compared runs have equal keys and are equal bit for bit.
	Identical = "identical"
	Better    = "better"
	Worse     = "worse"
	// Equivalent means that the interval of each ratio is within the tolerance, or that the curves are equal
	// although the keys are not.
	Equivalent = "equivalent"
	// Inconclusive means that the tests show neither a difference nor equivalence.
	Inconclusive = "inconclusive"
	// Incomparable means that the sides cannot be compared, for the reason in Cell.Reason.
	Incomparable = "incomparable"
)

// Kinds of measures.
const (
	// AtCost is the value of the metric at a cost.
	AtCost = "at-cost"
	// ToTarget is the least cost at which the metric is at or below a target.
	ToTarget = "to-target"
	// Area is the mean of the logarithm of the metric over the logarithm of the cost, on the range that all
	// curves of both sides cover.
	Area = "area"
	// Charged is a counter at an iteration.
	Charged = "charged"
	// CPUSeconds is the CPU time of the steps up to an iteration.
	CPUSeconds = "cpu-seconds"
)

// Side is an experiment on one side of the comparison.
type Side struct {
	// Name is the name of the experiment, such as "pca-simulated". Sides with equal names are compared.
	Name string
	// Dir is the folder of the experiment, Platform the platform of its runs, such as "linux/amd64".
	Dir, Platform string
	// Runs has the runs of the whole grid.
	Runs []record.Run
	// Rule selects a candidate of a grid. With the zero value, each setting of the parameters is a cell.
	Rule selection.Rule
	// Choice is set if Rule selects at each support size. If it is set on both sides, the cells are compared by their
	// trade-offs.
	Choice *selection.Choice
	// Deterministic reports whether the runs of a series on a data set are deterministic. Such a series has
	// one repeat, which is compared exactly. Nil means that no series is deterministic.
	Deterministic func(dataset, series string) bool
	// DrawsRows reports whether the seed determines the rows of a data set. Runs with different seeds then
	// solve different problems. Nil means false for all data sets.
	DrawsRows func(dataset string) bool
	// Metric, Split and Cost are those of the experiment's figures. Those of the baseline are the defaults of Options.
	Metric, Split, Cost string
}

// Options are the options of Compare.
type Options struct {
	// Metric, Split and Cost select the curves to compare. The defaults are those of Side, else suboptimality or
	// error, on the first of observe.AllSplits with a record of either, against iterations.
	Metric string `json:"metric,omitempty"`
	Split  string `json:"split,omitempty"`
	Cost   string `json:"cost,omitempty"`
	// At lists costs at which the metric is compared. The default is the largest cost that all curves of a
	// cell reach, if all have a recorded point there.
	At []float64 `json:"at,omitempty"`
	// Targets lists values of the metric. The costs to reach them are compared.
	Targets []float64 `json:"targets,omitempty"`
	// Alpha is the family-wise error rate; 1 - Alpha is the level of the intervals.
	Alpha float64 `json:"alpha"`
	// Tolerance is the largest relative difference that is acceptable.
	Tolerance float64 `json:"tolerance"`
	// Time adds the CPU seconds of the steps to the measures of each cell.
	Time bool `json:"time,omitempty"`
}

const (
	// The number of arrangements of a test grows as leastAlpha decreases. A tolerance above mostTolerance is
	// probably a percentage.
	leastAlpha    = 1e-4
	mostAlpha     = 0.5
	mostTolerance = 1.0
	// leastValue and mostValue bound the costs and targets of Options.
	leastValue, mostValue = 1e-100, 1e100
)

// check returns an error if an option is out of range.
func (o Options) check() error {
	outside := func(v float64) bool { return !(leastValue <= v && v <= mostValue) }
	switch {
	case !(leastAlpha <= o.Alpha && o.Alpha <= mostAlpha):
		return fmt.Errorf("compare: alpha is %v; it must be from %v to %v, such as 0.05", o.Alpha, leastAlpha, mostAlpha)
	case !(0 <= o.Tolerance && o.Tolerance <= mostTolerance):
		return fmt.Errorf("compare: the tolerance is %v; it must be from 0 to %v, such as 0.05 for 5%%",
			o.Tolerance, mostTolerance)
	case slices.ContainsFunc(o.At, outside):
		return fmt.Errorf("compare: the costs are %v; they must be from %v to %v", o.At, leastValue, mostValue)
	case slices.ContainsFunc(o.Targets, outside):
		return fmt.Errorf("compare: the targets are %v; they must be from %v to %v", o.Targets, leastValue, mostValue)
	}
	return nil
}

// Report is the result of a comparison.
type Report struct {
	// Missing lists the baseline's work that the candidate lacks.
	Missing []string `json:"missing,omitempty"`
	Options Options  `json:"options"`
	// Differences lists the runs with equal keys and different bits.
	Differences []Difference `json:"differences,omitempty"`
	// Cells has the cells of the baseline in its order, then those that only the candidate has.
	Cells []Cell `json:"cells"`
	// Tests is the size of the family of tests that the correction covers.
	Tests    int      `json:"tests"`
	Warnings []string `json:"warnings,omitempty"`
}

// Difference is a run whose two records have the same key and different bits.
type Difference struct {
	Experiment string `json:"experiment"`
	Run        string `json:"run"`
	Algorithm  string `json:"algorithm"`
	Key        string `json:"key"`
	// What describes the first difference of the records.
	What string `json:"what"`
	// Excused is the reason why the difference is no regression, such as another platform, or "".
	Excused string `json:"excused,omitempty"`
}

// Cell is the comparison of a series on a data set.
type Cell struct {
	Experiment string `json:"experiment"`
	Dataset    string `json:"dataset"`
	Series     string `json:"series"`
	// Params has the parameters that distinguish the cell from others of the series. Changed lists changed
	// parameters that are not selected, and changes of the algorithm, its version and the extent of runs,
	// such as "step.c: 0.5 -> 0.25".
	Params  string   `json:"params,omitempty"`
	Changed []string `json:"changed,omitempty"`
	StandIn bool     `json:"stand_in,omitempty"`
	// Baseline and Candidate are the numbers of runs. Pairs is the number of pairs, 0 for independent
	// samples.
	Baseline  int       `json:"baseline_runs"`
	Candidate int       `json:"candidate_runs"`
	Pairs     int       `json:"pairs"`
	Verdict   string    `json:"verdict"`
	Reason    string    `json:"reason,omitempty"`
	Measures  []Measure `json:"measures,omitempty"`
	// Notes concern the verdict, Details single numbers.
	Notes   []string `json:"notes,omitempty"`
	Details []string `json:"details,omitempty"`
	// Missing lists the baseline's work that the candidate lacks, such as "4 of 10 repeats".
	Missing []string `json:"missing,omitempty"`
	// Choice is set if there were several candidates.
	Choice *Choice `json:"choice,omitempty"`

	// Metric, Split and Cost identify the compared curves.
	Metric string `json:"metric,omitempty"`
	Split  string `json:"split,omitempty"`
	Cost   string `json:"cost,omitempty"`

	// OneSided is true if only one side has the cell.
	OneSided bool `json:"-"`

	// Base and Cand are the compared runs.
	Base []*record.Run `json:"-"`
	Cand []*record.Run `json:"-"`
}

// Choice has the selected candidates of both sides of a cell.
type Choice struct {
	// Baseline and Candidate are the selected parameters, such as "step.c=1".
	Baseline  string `json:"baseline"`
	Candidate string `json:"candidate"`
	// Approximate is true if the sides select among different candidates or by different rules. The
	// measures then have no p-values, and intervals of level 1 - alpha/tests decide.
	Approximate bool `json:"approximate,omitempty"`
}

// Change describes a change of the selected candidate. It is "" if both sides selected the same one, or one
// side selected none.
func (ch *Choice) Change() string {
	if ch == nil || ch.Baseline == ch.Candidate || ch.Baseline == "" || ch.Candidate == "" {
		return ""
	}
	return fmt.Sprintf("chosen %s -> %s", ch.Baseline, ch.Candidate)
}

// Suffix returns the parameters that distinguish the cell from others of its series, such as " (k=4)".
func (c *Cell) Suffix() string {
	if c.Params == "" {
		return ""
	}
	return " (" + strings.ReplaceAll(c.Params, ";", ", ") + ")"
}

// Measure is a quantity of a cell on both sides.
type Measure struct {
	// Kind is AtCost, ToTarget, Area, Charged or CPUSeconds. At is the cost, the target or the iteration.
	// Counter is the name of the counter if Kind is Charged.
	Kind    string  `json:"kind"`
	At      float64 `json:"at,omitempty"`
	Counter string  `json:"counter,omitempty"`
	// BeyondTolerance is true if the mean ratio of a counter is beyond the tolerance, but does not decide because
	// the runs vary.
	BeyondTolerance bool `json:"beyond,omitempty"`
	// Baseline and Candidate are the geometric means over finished runs. For a cost to a target, they are
	// the total cost of all runs divided by the number of runs that reached it. They are nil without such a run.
	Baseline  *float64 `json:"baseline"`
	Candidate *float64 `json:"candidate"`
	// Ratio is the geometric mean of candidate / baseline. A ratio above 1 is worse. Its interval is that of the test,
	// of level Level. Without a test, the ends are 0 and the largest number. For a counter, they are the least and
	// the largest ratio of two runs. Ratio is nil for a rank test.
	Ratio *stats.Interval `json:"ratio"`
	Level float64         `json:"level,omitempty"`
	// Reached has the number of runs of each side that reached the target.
	Reached *[2]int `json:"reached,omitempty"`
	// P is the p-value of the test. Adjusted is P after the correction for multiple tests, nil if there are
	// too few repeats for the test to be in the family. Both are nil without a test.
	P        *float64 `json:"p"`
	Adjusted *float64 `json:"p_adjusted"`
	Verdict  string   `json:"verdict"`
	Notes    []string `json:"notes,omitempty"`
}

// Exact reports whether the ratio is exact because the runs are deterministic.
func (m *Measure) Exact() bool { return m.P == nil && m.Ratio != nil && m.Ratio.Lo == m.Ratio.Hi }

// Count returns the number of cells with the verdict.
func (r *Report) Count(verdict string) int {
	n := 0
	for _, c := range r.Cells {
		if c.Verdict == verdict {
			n++
		}
	}
	return n
}
