// Package compare tells whether the curves of one set of runs are worse than
// those of another: a regression test for experiments.
//
// Runs of equal keys must be equal bit for bit. Cells (a data set, a series, its parameters) are
// matched, and runs paired by data, repeat and seed, or else taken as independent samples. What
// is measured are logarithms: of the metric at a cost, of the cost to a target, and
// the mean of that of the metric over the logarithm of the cost. A run that did not
// finish, or not reach the target, is worse than any number. Where a parameter is selected from a
// grid, the procedure is compared, choice included: see stats.Pool.
//
// Each measure has tests against the tolerance, and the interval that these do not reject. Holm's
// correction is over all tests of all cells; where the repeats are too few for all tests to be
// significant, over one test of each cell, of the area, after which come its others. Where the sides
// choose among other candidates, or in other ways, there is no exact test, and intervals of the level
// 1 - alpha/tests decide. Cells whose runs are all the same cost no test, nor do those of one run a
// side into which no randomness enters: their ratio is exact.
//
// On demand the CPU seconds of the steps are one more measure. They are compared in identical cells too,
// which cost a test then.
//
// The counters of a cell are compared at equal iterations. A factor that all repeats have is exact
// too; one that varies only keeps the cell from passing.
//
// Experiments that select by halvings of the test set are compared by the error at equal support, over
// repeats.
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
	// Identical: all runs compared have equal keys and are equal bit for bit.
	Identical = "identical"
	Better    = "better"
	Worse     = "worse"
	// Equivalent: the interval of each ratio is within the tolerance, or the curves are
	// the same though the keys are not.
	Equivalent = "equivalent"
	// Inconclusive: neither a difference nor equivalence is shown.
	Inconclusive = "inconclusive"
	// Incomparable: there is nothing that could be compared. Reason says why.
	Incomparable = "incomparable"
)

// Kinds of measures.
const (
	// AtCost is the value of the metric at a cost.
	AtCost = "at-cost"
	// ToTarget is the cost at which the metric first was at or below a target.
	ToTarget = "to-target"
	// Area is the mean of the logarithm of the metric over the logarithm of the
	// cost, on the range that all curves of both sides cover.
	Area = "area"
	// Charged is a counter at an iteration.
	Charged = "charged"
	// CPUSeconds is the CPU time of the steps up to an iteration.
	CPUSeconds = "cpu-seconds"
)

// Side is an experiment on one side of the comparison.
type Side struct {
	// Name of the experiment, such as "pca-simulated".
	Name string
	// Dir is where it was read from, Platform what it was made on, such as "linux/amd64".
	Dir, Platform string
	// Runs are all its runs, those of the whole grids.
	Runs []record.Run
	// Rule says how one candidate of a grid is chosen, and by which parameters they
	// differ. The zero value is for no choice: each setting of the parameters is a cell.
	Rule selection.Rule
	// Choice is what was chosen at each support size; cells are compared by these trade-offs, if
	// both sides have them. With other rules it is not read, and may be nil.
	Choice *selection.Choice
	// Deterministic reports whether no randomness enters the runs of a series on a
	// data set, each of which has one repeat then, and is compared exactly. Nil stands
	// for none.
	Deterministic func(dataset, series string) bool
	// Drawn reports whether the seed draws the rows of a data set that all runs have, so
	// that even a deterministic series differs between seeds. Nil stands for none.
	Drawn func(dataset string) bool
	// Metric and Split are what the experiment shows: the defaults of Options.
	Metric, Split, Cost string
}

// Options of Compare.
type Options struct {
	// Metric, Split and Cost say which curves are compared; by default what the
	// experiments say, else suboptimality or error on the split test, else
	// population, against iterations.
	Metric string `json:"metric,omitempty"`
	Split  string `json:"split,omitempty"`
	Cost   string `json:"cost,omitempty"`
	// At lists costs to compare the metric at; by default the last one that all curves
	// of a cell reach, if all record there.
	At []float64 `json:"at,omitempty"`
	// Targets lists values of the metric to compare the costs of.
	Targets []float64 `json:"targets,omitempty"`
	// Alpha is the family-wise error rate; 1 - Alpha is the level of the intervals.
	Alpha float64 `json:"alpha"`
	// Tolerance is the relative difference that does not matter.
	Tolerance float64 `json:"tolerance"`
	// Time adds the CPU seconds of the steps to the measures of each cell, of identical ones too.
	Time bool `json:"time,omitempty"`
}

const (
	// leastAlpha bounds the number of arrangements that a test takes to reject at alpha;
	// near 1 intervals have no width. A tolerance above 1 is taken for a percentage.
	leastAlpha    = 1e-4
	mostAlpha     = 0.5
	mostTolerance = 1.0
	// Values and costs of the options are from least to most.
	leastValue, mostValue = 1e-100, 1e100
)

// check reports options that are out of range.
func (o Options) check() error {
	switch outside := func(v float64) bool { return !(leastValue <= v && v <= mostValue) }; {
	case !(leastAlpha <= o.Alpha && o.Alpha <= mostAlpha):
		return fmt.Errorf("compare: alpha is %v; it must be from %v to %v, such as 0.05", o.Alpha, leastAlpha, mostAlpha)
	case !(0 <= o.Tolerance && o.Tolerance <= mostTolerance):
		return fmt.Errorf("compare: the tolerance is %v; it must be from 0 to %v, such as 0.05 for 5%%", o.Tolerance, mostTolerance)
	case slices.ContainsFunc(o.At, outside):
		return fmt.Errorf("compare: the costs to compare at are %v; they must be from %v to %v", o.At, leastValue, mostValue)
	case slices.ContainsFunc(o.Targets, outside):
		return fmt.Errorf("compare: the targets are %v; they must be from %v to %v", o.Targets, leastValue, mostValue)
	}
	return nil
}

// Report is the outcome of a comparison.
type Report struct {
	// Missing lists the baseline's work that the candidate lacks.
	Missing []string `json:"missing,omitempty"`
	Options Options  `json:"options"`
	// Differences are the runs of equal keys and other bits.
	Differences []Difference `json:"differences,omitempty"`
	// Cells are in the order of the baseline, then those of the candidate alone.
	Cells []Cell `json:"cells"`
	// Tests is the number of tests that are corrected for: those that can reject
	// among all of them. Identical cells have no tests.
	Tests    int      `json:"tests"`
	Warnings []string `json:"warnings,omitempty"`
}

// Difference is a run whose record differs though its key does not.
type Difference struct {
	Experiment string `json:"experiment"`
	Run        string `json:"run"`
	// Algorithm is that of the run.
	Algorithm string `json:"algorithm"`
	Key       string `json:"key"`
	// What says where the records first differ.
	What string `json:"what"`
	// Excused says why the difference is expected, such as another platform; it is then no regression.
	Excused string `json:"excused,omitempty"`
}

// Cell is what is compared: a series on a data set.
type Cell struct {
	Experiment string `json:"experiment"`
	Dataset    string `json:"dataset"`
	Series     string `json:"series"`
	// Params tells the cells of a series apart. Changed lists what is not the same
	// on the two sides, as "step.c: 0.5 -> 0.25": parameters that are not chosen, the
	// algorithm or its version, how far the runs go.
	Params  string   `json:"params,omitempty"`
	Changed []string `json:"changed,omitempty"`
	StandIn bool     `json:"stand_in,omitempty"`
	// Baseline and Candidate count the runs, Pairs those compared pair by pair; 0
	// if the two sides were compared as independent samples.
	Baseline  int       `json:"baseline_runs"`
	Candidate int       `json:"candidate_runs"`
	Pairs     int       `json:"pairs"`
	Verdict   string    `json:"verdict"`
	Reason    string    `json:"reason,omitempty"`
	Measures  []Measure `json:"measures,omitempty"`
	// Notes bear on the verdict, Details on single numbers.
	Notes   []string `json:"notes,omitempty"`
	Details []string `json:"details,omitempty"`
	// Missing lists the baseline's work that the candidate lacks, such as "4 of 10 repeats".
	Missing []string `json:"missing,omitempty"`
	// Choice is what was chosen, if there were several candidates.
	Choice *Choice `json:"choice,omitempty"`

	// Metric, Split and Cost say which curves were compared.
	Metric string `json:"metric,omitempty"`
	Split  string `json:"split,omitempty"`
	Cost   string `json:"cost,omitempty"`

	// Base and Cand are the runs compared.
	Base []*record.Run `json:"-"`
	Cand []*record.Run `json:"-"`
}

// OneSided reports whether only one side has the cell.
func (c *Cell) OneSided() bool { return strings.HasPrefix(c.Reason, onlyIn) }

const onlyIn = "only in the "

// Choice is what was chosen in a cell whose sides choose among several candidates.
type Choice struct {
	// Baseline and Candidate are the tuned parameters chosen, as "step.c=1".
	Baseline  string `json:"baseline"`
	Candidate string `json:"candidate"`
	// Approximate says that the sides choose among other candidates, or in other ways, so
	// that there is no exact test of the whole procedure: the measures have no p-values, and
	// intervals of the level 1 - alpha/tests decide.
	Approximate bool `json:"approximate,omitempty"`
}

// Text says how a difference of choice shows at the measures, if any are given. It is empty if both
// sides chose the same, or one does not choose.
func (ch *Choice) Text(measures []Measure) string {
	if ch == nil || ch.Baseline == ch.Candidate || ch.Baseline == "" || ch.Candidate == "" {
		return ""
	}
	var parts []string
	for _, m := range measures {
		at := map[string]string{AtCost: "at " + costText(m.At), ToTarget: "to " + costText(m.At), Area: "in the area"}[m.Kind]
		if m.Verdict != Incomparable && at != "" {
			parts = append(parts, strings.Replace(m.Verdict, Inconclusive, "undecided", 1)+" "+at)
		}
	}
	text := fmt.Sprintf("chosen %s -> %s: %s", ch.Baseline, ch.Candidate, strings.Join(parts, ", "))
	return strings.TrimSuffix(text, ": ")
}

// Suffix returns the parameters that distinguish a cell from others of its series, such as " (k=4)".
func (c *Cell) Suffix() string {
	if c.Params == "" {
		return ""
	}
	return " (" + strings.ReplaceAll(c.Params, ";", ", ") + ")"
}

// Measure is one quantity of a cell on both sides.
type Measure struct {
	// Kind is AtCost, ToTarget, Area, Charged or CPUSeconds; At the cost, the target or the iteration; Counter
	// the cost that is charged.
	Kind    string  `json:"kind"`
	At      float64 `json:"at,omitempty"`
	Counter string  `json:"counter,omitempty"`
	// Beyond says of what is charged that its mean is beyond the tolerance, though runs vary.
	Beyond bool `json:"beyond,omitempty"`
	// Baseline and Candidate are the geometric means over the runs that finished,
	// or, of costs to a target, what all runs spent, divided by the number of runs that
	// reached it. Nil if there is no such run.
	Baseline  *float64 `json:"baseline"`
	Candidate *float64 `json:"candidate"`
	// Ratio is the geometric mean of candidate / baseline with the interval of its test, which has
	// the level Level; above 1 is worse. An end is 0 or the largest number where there was no test.
	// Nil if a run counts as worst, so that ranks decide. The ends of what is charged are the
	// least and the largest ratio of two runs.
	Ratio *stats.Interval `json:"ratio"`
	Level float64         `json:"level,omitempty"`
	// Reached counts the runs of each side that reached a target.
	Reached *[2]int `json:"reached,omitempty"`
	// P is the p-value of the test, Adjusted after the correction for their number;
	// Adjusted is nil if the repeats are too few to be significant among all tests, which
	// keeps the test out of the family, and both are nil where no randomness enters, or an
	// approximate interval decides.
	P        *float64 `json:"p"`
	Adjusted *float64 `json:"p_adjusted"`
	Verdict  string   `json:"verdict"`
	Notes    []string `json:"notes,omitempty"`
}

// Exact reports whether the ratio is exact, as no randomness enters.
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
