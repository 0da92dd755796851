package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// costSupport as a cost stands for the trade-off between support and error.
const (
	costSupport    = record.MetricSupport
	costSeconds    = record.CostSeconds
	costIterations = record.CostIterations

	metricError         = record.MetricError
	metricSuboptimality = record.MetricSuboptimality

	splitState      = record.SplitState
	splitTest       = record.SplitTest
	splitValidation = record.SplitValidation
	splitPopulation = record.SplitPopulation
	splitTrain      = record.SplitTrain
)

// line is the curve of one replicate: of a repeat, or of a halving.
type line struct {
	// x, not decreasing, and y are of equal length, at least 1.
	x, y []float64
	// floor is the least value that is told from 0.
	floor float64
	// done: there is nothing after the end, as the method had converged; level: what
	// is at the end holds for all larger costs.
	done, level bool
	// run is the run, of a trade-off one of them.
	run *record.Run
}

func (l *line) first() float64 { return l.x[0] }
func (l *line) last() float64  { return l.x[len(l.x)-1] }

// at interpolates between recorded points. Beyond the ends it is what it is there.
func (l *line) at(x float64) float64 { return analysis.Curve{X: l.x, Y: l.y}.LineAt(x) }

// within returns the curve from lo to hi, its ends included.
func (l *line) within(s span) (x, y []float64) {
	x, y = []float64{s.lo}, []float64{l.at(s.lo)}
	for i, at := range l.x {
		if at >= s.lo && at <= s.hi {
			x, y = append(x, at), append(y, l.y[i])
		}
	}
	return append(x, s.hi), append(y, l.at(s.hi))
}

// lines are the curves of a series, by replicate.
type lines struct {
	series string
	curve  Curve
	of     map[int]*line
}

// ids returns the replicates, in order.
func (ls *lines) ids() []int { return slices.Sorted(mapKeys(ls.of)) }

// shows is what the curves show, such as "error over kernel_evals".
func (ls *lines) shows() string { return ls.curve.Metric + " over " + ls.curve.Cost }

// metric returns the metric that a curve shows.
func (p *part) metric(c Curve) string {
	if p.halved {
		return cmp.Or(c.Metric, metricError)
	}
	if m := cmp.Or(c.Metric, p.in.Metric); m != "" {
		return m
	}
	for _, name := range p.series {
		for _, r := range p.samples[name].all {
			if len(r.Curve.Metrics[splitTest][metricError]) > 0 {
				return metricError
			}
		}
	}
	return metricSuboptimality
}

// lines returns the curves of a series.
func (p *part) lines(series string, c Curve) (*lines, error) {
	c.Metric, c.Cost = p.metric(c), cmp.Or(c.Cost, costIterations)
	ls := &lines{series: series, curve: c, of: make(map[int]*line)}
	if p.halved {
		return ls, p.tradeoffs(ls)
	}
	for _, r := range p.samples[series].runs {
		l, err := p.line(r, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", series, err)
		}
		ls.of[r.Repeat] = l
	}
	return ls, nil
}

// line reads a curve of a run.
func (p *part) line(r *record.Run, c Curve) (*line, error) {
	split, y := splitOf(r, c)
	if y == nil {
		if c.Split != "" {
			return nil, fmt.Errorf("no record of %s on split %s", c.Metric, c.Split)
		}
		return nil, fmt.Errorf("no record of %s", c.Metric)
	}
	x, err := p.along(r, c.Cost)
	if err != nil {
		return nil, err
	}
	if len(x) != len(y) {
		return nil, fmt.Errorf("%s is recorded at %d points, %s at %d", c.Metric, len(y), c.Cost, len(x))
	}
	if slices.ContainsFunc(y, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		return nil, fmt.Errorf("%s is not finite in repeat %d", c.Metric, r.Repeat)
	}
	return &line{x: x, y: y, floor: analysis.Floor(r, split, c.Metric), done: r.Converged(), run: r}, nil
}

// splitOf returns the split that a metric is read from, and its values, nil if
// there are none.
func splitOf(r *record.Run, c Curve) (string, []float64) {
	split, _ := analysis.AnySplit(r, c.Split, c.Metric)
	return split, r.Curve.Metrics[split][c.Metric]
}

// along returns the costs of the recorded points of a run.
func (p *part) along(r *record.Run, cost string) ([]float64, error) {
	switch cost {
	case costSeconds:
		x, ok := p.in.Timings.Seconds(*r)
		if !ok {
			return nil, fmt.Errorf("no timings")
		}
		p.caveat("seconds are measured wall time")
		if t, _ := p.in.Timings.Of(*r); t.Jobs > 1 && !r.Alone() {
			p.caveat(fmt.Sprintf("measured with %d runs side by side", t.Jobs))
		}
		return x, nil
	case costSupport:
		return nil, fmt.Errorf("a trade-off needs a selection by halvings")
	}
	x, ok := r.Curve.Along(cost)
	switch {
	case !ok:
		return nil, fmt.Errorf("no record of %s", cost)
	case !r.Curve.Counts(cost):
		return nil, fmt.Errorf("%s does not count for the method", cost)
	}
	return x, nil
}

// isHalf reports whether trade-offs have errors on a split: the half of the test set
// that reports, by default, or the one that validates.
func isHalf(split string) bool {
	return split == "" || split == splitTest || split == splitValidation
}

// tradeoffs fills in the errors of a series by support.
func (p *part) tradeoffs(ls *lines) error {
	switch {
	case ls.curve.Cost != costSupport:
		return fmt.Errorf("%s: runs of whole grids have no curve over %s", ls.series, ls.curve.Cost)
	case ls.curve.Metric != metricError:
		return fmt.Errorf("%s: a trade-off is one of error, not of %s", ls.series, ls.curve.Metric)
	case !isHalf(ls.curve.Split):
		return fmt.Errorf("%s: a trade-off is one of errors on halves of the test split, not on %s", ls.series, ls.curve.Split)
	}
	s := p.samples[ls.series]
	c := s.curves[0]
	if len(c.Sizes) == 0 || len(s.runs) == 0 {
		return fmt.Errorf("%s has no classifier with support vectors", ls.series)
	}
	x := make([]float64, len(c.Sizes))
	for i, size := range c.Sizes {
		x[i] = float64(size)
	}
	rows, byRepeat, byHalving := c.TestRows-c.TestRows/2, c.ByRepeat, c.ByHalving
	if ls.curve.Split == splitValidation {
		rows, byRepeat, byHalving = max(c.TestRows/2, 1), c.ValidationByRepeat, c.ValidationByHalving
	}
	add := func(id int, y []float64) {
		r := s.runs[0]
		for _, o := range s.runs {
			if !p.halvings && o.Repeat == id {
				r = o
				break
			}
		}
		l := &line{x: x, y: slices.Clone(y), floor: 0.5 / float64(rows), done: true, level: true, run: r}
		if ls.curve.Split == splitValidation { // less what is due to chance, it may be below 0
			for i := range l.y {
				l.y[i] = max(l.y[i], l.floor)
			}
		}
		ls.of[id] = l
	}
	if !p.halvings {
		for j, repeat := range c.Repeats {
			add(repeat, byRepeat[j])
		}
		return nil
	}
	for h := range byHalving[0] {
		y := make([]float64, len(c.Sizes))
		for i := range y {
			y[i] = byHalving[i][h]
		}
		add(h, y)
	}
	return nil
}
