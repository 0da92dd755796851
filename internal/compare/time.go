package compare

import (
	"fmt"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// leastSeconds is the resolution of the clock.
const leastSeconds = 1e-9

// addCPUTime adds the CPU seconds if Options.Time is set: the time of the steps up to the last iteration that all
// finished runs have recorded. runs has the run at each place.
func (c *cell) addCPUTime(o Options, runs []*record.Run) {
	if !o.Time {
		return
	}
	q := &quantity{values: slices.Repeat([]float64{math.Inf(1)}, len(runs))}
	q.Kind, q.At = CPUSeconds, float64(lastCommonIteration(runs))
	c.cpuTime = q
	for place, r := range runs {
		if r == nil || !finished(r) {
			continue
		}
		y, ok := r.CPUSeconds()
		if !ok {
			side := 0
			if place >= c.pool.Rows[0]*c.pool.Candidates {
				side = 1
			}
			q.unavailable = "the " + sideNames[side] + " has no CPU times, like exports and PCA in more than 64 dimensions"
			return
		}
		x, _ := r.Measured().Along(record.CostIterations)
		q.values[place] = math.Log(max((observe.Curve{X: x, Y: y}).LineAt(q.At), leastSeconds))
	}
	base, cand := c.pool.Selected(q.values)
	q.Baseline, q.Candidate = geometricMean(base), geometricMean(cand)
	if q.Baseline == nil && q.Candidate == nil {
		q.unavailable = "no run finished"
	}
}

// decideCPUTime sets the verdict of the CPU seconds. If it is worse, so is the cell. If it is better, so is an
// identical or equivalent cell. If it is inconclusive, the cell does not change, because times vary more than curves.
func (c *cell) decideCPUTime(o Options) {
	if c.cpuTime == nil {
		return
	}
	q := c.cpuTime
	q.decide(o)
	c.Measures = append(c.Measures, q.Measure)
	unchanged := c.Verdict == Identical || c.Verdict == Equivalent
	if c.Verdict != Worse && (q.Verdict == Worse || q.Verdict == Better && unchanged) {
		c.setVerdict(q.Verdict, "only in CPU seconds; otherwise "+c.Verdict)
	}
}

// warnOfMissingCPUTimes adds warnings with the numbers of cells without CPU seconds, by reason.
func (r *comparison) warnOfMissingCPUTimes() {
	cells := map[string]int{}
	var reasons []string
	for i := range r.cells {
		if q := r.cells[i].cpuTime; q != nil && q.unavailable != "" {
			cells[q.unavailable]++
			reasons = words.AddOnce(reasons, q.unavailable)
		}
	}
	for _, reason := range reasons {
		r.warn("the CPU seconds of %s are not compared: %s", words.Count(cells[reason], "cell"), reason)
	}
}

// undecidedCPUTimes describes the number of cells with undecided CPU seconds, or returns "".
func (r *Report) undecidedCPUTimes() string {
	n := 0
	for _, c := range r.Cells {
		undecided := func(m Measure) bool {
			return m.Kind == CPUSeconds && (m.Verdict == Inconclusive || m.Verdict == Incomparable)
		}
		if slices.ContainsFunc(c.Measures, undecided) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; CPU seconds of %s undecided", words.Count(n, "cell"))
}
