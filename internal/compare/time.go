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

// askTime adds the measure of CPU seconds if the options ask for it: the time of the steps up to the last
// iteration that all finished runs have recorded. The runs are in the order of the pool.
func (c *cell) askTime(o Options, runs []*record.Run) {
	if !o.Time {
		return
	}
	at := newCharges(runs).at
	q := &question{values: slices.Repeat([]float64{math.Inf(1)}, len(runs))}
	q.Kind, q.At = CPUSeconds, float64(at)
	c.timed = q
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
			q.empty = "the " + sideNames[side] + " lacks them, as do exports, and PCA in more than 64 dimensions"
			return
		}
		x, _ := r.Measured().Along(record.CostIterations)
		q.values[place] = math.Log(max((observe.Curve{X: x, Y: y}).LineAt(q.At), leastSeconds))
	}
	base, cand := c.pool.Selected(q.values)
	q.Baseline, q.Candidate = geometric(base), geometric(cand)
	if q.Baseline == nil && q.Candidate == nil {
		q.empty = "no run finished"
	}
}

// decideTime sets the verdict of the CPU seconds. If they are worse, so is the cell. If they are better, so is
// a cell that has passed. Undecided ones leave its verdict, as times vary more than curves do.
func (c *cell) decideTime(o Options) {
	if c.timed == nil {
		return
	}
	q := c.timed
	q.decide(o)
	c.Measures = append(c.Measures, q.Measure)
	passed := c.Verdict == Identical || c.Verdict == Equivalent
	if c.Verdict != Worse && (q.Verdict == Worse || q.Verdict == Better && passed) {
		c.setVerdict(q.Verdict, "only in CPU seconds; otherwise "+c.Verdict)
	}
}

// warnTimes warns of the number of cells whose CPU seconds are not compared, with the reason.
func (w *work) warnTimes() {
	count := map[string]int{}
	var reasons []string
	for i := range w.cells {
		if q := w.cells[i].timed; q != nil && q.empty != "" {
			count[q.empty]++
			reasons = words.AddOnce(reasons, q.empty)
		}
	}
	for _, reason := range reasons {
		w.warn("the CPU seconds of %s are not compared: %s", words.Count(count[reason], "cell"), reason)
	}
}

// openTimes returns the number of cells whose CPU seconds have no verdict, in words; "" for 0.
func (r *Report) openTimes() string {
	n := 0
	for _, c := range r.Cells {
		open := func(m Measure) bool {
			return m.Kind == CPUSeconds && (m.Verdict == Inconclusive || m.Verdict == Incomparable)
		}
		if slices.ContainsFunc(c.Measures, open) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; CPU seconds of %s undecided", words.Count(n, "cell"))
}
