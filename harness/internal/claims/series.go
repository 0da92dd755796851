package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// line is the curve of a run. It has at least one point. It is finished if the method converged.
type line struct {
	observe.Curve
	run *record.Run
	// sums is the cumulative sum of the metric over all iterations, nil if it is not recorded.
	sums *observe.Curve
}

// mean returns the mean over a range of costs. It is the mean over all iterations if their sum is recorded, for
// trade-offs the geometric mean on a logarithmic scale of support, and otherwise the mean of the interpolated curve.
func (l *line) mean(s span) float64 {
	if l.Stays && 0 < s.lo && s.lo < s.hi {
		return math.Exp(l.logMean(s))
	}
	if l.sums == nil {
		return l.MeanOver(s.lo, s.hi)
	}
	lo, before := 0.0, 0.0
	if s.lo > l.first() {
		lo, before = s.lo, l.sums.LineAt(s.lo)
	}
	return (l.sums.LineAt(s.hi) - before) / (s.hi - lo)
}

// logMean returns the mean of the logarithm of the metric over a range on a logarithmic scale of cost.
func (l *line) logMean(s span) float64 { return observe.NewLogCurve(l.Curve).Mean(s.lo, s.hi) }

func (l *line) first() float64 { return l.X[0] }
func (l *line) last() float64  { return l.X[len(l.X)-1] }

// at returns the value at a cost, at least the floor.
func (l *line) at(x float64) float64 { return max(l.LineAt(x), l.Floor) }

// lines are the curves of a series, by row.
type lines struct {
	series string
	curve  Curve
	of     []*line
}

// shows returns the description of the curves, such as "error over kernel_evals".
func (ls *lines) shows() string { return ls.curve.Metric + " over " + ls.curve.cost() }

// metric returns the metric of a curve: the named one or the default.
func (p *part) metric(named string) string { return cmp.Or(named, p.in.Metric, record.MetricError) }

// criterion adds a remark if the curve shows the metric by which the parameters of its series were selected.
func (p *part) criterion(series string, c Curve) {
	s := p.samples[series]
	split, _ := observe.AnySplit(s.runs[0], c.Split, c.Metric)
	if text := p.in.Choice.Criterion(c.Metric, split); text != "" && (p.tradeoffs || len(s.rivals) > 1) {
		p.table.Criteria = words.AddOnce(p.table.Criteria, observe.Remark{Kind: observe.Criterion, Text: text})
	}
}

func (p *part) lines(series string, c Curve) *lines {
	c.Metric, c.Cost = p.metric(c.Metric), c.cost()
	p.criterion(series, c)
	ls := &lines{series: series, curve: c}
	runs := p.samples[series].paired
	if text := observe.DeclaredNote(runs, c.Cost); text != "" {
		p.addRemark(note("%s", text))
	}
	for _, r := range runs {
		l, err := p.line(r, c)
		if err != nil {
			p.fail("%s: %s", series, err)
			break
		}
		ls.of = append(ls.of, l)
	}
	return ls
}

func (p *part) line(r *record.Run, c Curve) (*line, error) {
	curve := r.Measured()
	split, y := splitOf(r, c)
	x, known := curve.Along(c.Cost)
	applies := curve.Counts(c.Cost)
	if c.Cost == record.CostCPUSeconds {
		x, known = r.CPUSeconds()
		applies = known
		p.addRemark(note("seconds are processor time"))
		if t, _ := r.Timing(); t.Jobs > 1 && !r.Alone() {
			p.addRemark(note("measured with %d runs in parallel", t.Jobs))
		}
	}
	switch {
	case len(y) == 0:
		return nil, fmt.Errorf("no record of %s", c.words(""))
	case !known:
		return nil, fmt.Errorf("no record of %s", c.Cost)
	case !applies:
		return nil, fmt.Errorf("%s does not apply to the method", c.Cost)
	}
	floor := observe.Floor(r, split, c.Metric)
	l := &line{run: r, Curve: observe.Curve{X: x, Y: y, Floor: floor, Finished: p.tradeoffs || r.Converged(), Stays: p.tradeoffs}}
	summed := c.Metric == record.MetricRank && c.Cost == record.CostIterations && curve.Counts(record.CostSumKT)
	if sums, ok := curve.Along(record.CostSumKT); ok && summed {
		l.sums = &observe.Curve{X: x, Y: sums}
	}
	return l, nil
}

// splitOf returns the split that a metric is read from, and its values, or nil.
func splitOf(r *record.Run, c Curve) (string, []float64) {
	split, _ := observe.AnySplit(r, c.Split, c.Metric)
	return split, r.Measured().Metrics[split][c.Metric]
}

// tradeoff replaces the runs of a series by runs whose curves are its trade-off: one per repeat or halving.
func (p *part) tradeoff(series string) {
	s := p.samples[series]
	c := p.in.Choice.Of(s.all[0])
	if len(c.Sizes) == 0 {
		p.fail("%s has no classifier with support vectors", series)
		return
	}
	sizes := make([]int64, len(c.Sizes))
	for i, size := range c.Sizes {
		sizes[i] = int64(size)
	}
	repeats := c.Repeats
	if p.table.Halvings {
		repeats = make([]int, len(c.ByHalving[0]))
	}
	own := s.runs
	s.runs = nil
	for row, repeat := range repeats {
		r := *own[max(0, slices.IndexFunc(own, func(r *record.Run) bool { return r.Repeat == repeat }))]
		r.Rows = map[string]int64{record.SplitTest: c.TestRows - c.TestRows/2, record.SplitValidation: max(c.TestRows/2, 1)}
		floor := observe.Floor(&r, record.SplitValidation, record.MetricError)
		test, validation := make([]float64, len(sizes)), make([]float64, len(sizes))
		for i := range sizes {
			if p.table.Halvings {
				r.Repeat, test[i], validation[i] = row, c.ByHalving[i][row], c.ValidationByHalving[i][row]
			} else {
				test[i], validation[i] = c.ByRepeat[row][i], c.ValidationByRepeat[row][i]
			}
			validation[i] = max(validation[i], floor) // the correction for chance may make it negative
		}
		r = r.With(record.Curve{Cost: map[string][]int64{observe.CostSupport: sizes}, Metrics: map[string]map[string][]float64{
			record.SplitTest: {record.MetricError: test}, record.SplitValidation: {record.MetricError: validation},
		}})
		s.runs = append(s.runs, &r)
	}
}
