package claims

import (
	"cmp"
	"fmt"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// costSupport as a cost stands for the trade-off between support and error.
const costSupport = observe.CostSupport

// line is the curve of one replicate: of a repeat, or of a halving. It has at least one
// point. It is finished if the method converged, so that nothing comes after the end.
type line struct {
	observe.Curve
	// run is the run, nil of a trade-off.
	run *record.Run
}

func (l *line) first() float64 { return l.X[0] }
func (l *line) last() float64  { return l.X[len(l.X)-1] }

// at is the value at a cost, but no less than the floor.
func (l *line) at(x float64) float64 { return max(l.LineAt(x), l.Floor) }

// lines are the curves of a series, by replicate.
type lines struct {
	series string
	curve  Curve
	of     replicated[*line]
}

// shows is what the curves show, such as "error over kernel_evals".
func (ls *lines) shows() string { return ls.curve.Metric + " over " + ls.curve.cost() }

// metric returns the metric that a curve shows which names this one, or none.
func (p *part) metric(named string) string {
	if p.tradeoffs {
		return cmp.Or(named, record.MetricError)
	}
	if m := cmp.Or(named, p.in.Metric); m != "" {
		return m
	}
	for _, name := range p.series {
		for _, r := range p.samples[name].all {
			if r.Records(record.SplitTest, record.MetricError) {
				return record.MetricError
			}
		}
	}
	return record.MetricSuboptimality
}

func (p *part) lines(series string, c Curve) *lines {
	c.Metric, c.Cost = p.metric(c.Metric), c.cost()
	if text := observe.DeclaredNote(p.samples[series].runs, c.Cost); text != "" {
		p.remark(note("%s", text))
	}
	ls := &lines{series: series, curve: c, of: make(replicated[*line])}
	if p.tradeoffs {
		p.addTradeoffs(ls)
		return ls
	}
	for _, r := range p.samples[series].runs {
		l, err := p.line(r, c)
		if err != nil {
			p.fail("%s: %s", series, err)
			break
		}
		ls.of[r.Repeat] = l
	}
	return ls
}

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
	if finite.Index(y) >= 0 {
		return nil, fmt.Errorf("%s is not finite in repeat %d", c.Metric, r.Repeat)
	}
	return &line{observe.Curve{X: x, Y: y, Floor: observe.Floor(r, split, c.Metric), Finished: r.Converged()}, r}, nil
}

// splitOf returns the split that a metric is read from, and its values, nil if there are none.
func splitOf(r *record.Run, c Curve) (string, []float64) {
	split, _ := observe.AnySplit(r, c.Split, c.Metric)
	return split, r.Measured().Metrics[split][c.Metric]
}

func (p *part) along(r *record.Run, cost string) ([]float64, error) {
	switch cost {
	case record.CostSeconds:
		return p.seconds(r, r.Seconds, "wall time, which gives no verdict")
	case record.CostCPUSeconds:
		if _, ok := r.CPUSeconds(); !ok {
			return p.seconds(r, r.Seconds, "no processor time on record; wall time gives no verdict")
		}
		return p.seconds(r, r.CPUSeconds, processorTime)
	case costSupport:
		return nil, fmt.Errorf("a trade-off needs a selection by halvings")
	}
	x, ok := r.Measured().Along(cost)
	switch {
	case !ok:
		return nil, fmt.Errorf("no record of %s", cost)
	case !r.Measured().Counts(cost):
		return nil, fmt.Errorf("%s does not apply to the method", cost)
	}
	return x, nil
}

const processorTime = "seconds are processor time"

// seconds returns the time at the recorded points of a run, and notes of which kind it is.
func (p *part) seconds(r *record.Run, of func() ([]float64, bool), kind string) ([]float64, error) {
	x, ok := of()
	if !ok {
		return nil, fmt.Errorf("no timings")
	}
	p.remark(note("%s", kind))
	p.table.WallTime = p.table.WallTime || kind != processorTime
	if t, _ := r.Timing(); t.Jobs > 1 && !r.Alone() {
		p.remark(note("measured with %d runs in parallel", t.Jobs))
	}
	return x, nil
}

// isHalf reports whether trade-offs have errors on a split: the half of the test set
// that reports, by default, or the one that validates.
func isHalf(split string) bool {
	return split == "" || split == record.SplitTest || split == record.SplitValidation
}

func (p *part) addTradeoffs(ls *lines) {
	if ls.curve.Cost != costSupport {
		p.fail("%s: with selection by halvings there is no curve over %s", ls.series, ls.curve.Cost)
		return
	}
	s := p.samples[ls.series]
	c := s.curves[0]
	if len(c.Sizes) == 0 || len(s.runs) == 0 {
		p.fail("%s has no classifier with support vectors", ls.series)
		return
	}
	x := make([]float64, len(c.Sizes))
	for i, size := range c.Sizes {
		x[i] = float64(size)
	}
	isValidation := ls.curve.Split == record.SplitValidation
	rows, byRepeat, byHalving := c.TestRows-c.TestRows/2, c.ByRepeat, c.ByHalving
	if isValidation {
		rows, byRepeat, byHalving = max(c.TestRows/2, 1), c.ValidationByRepeat, c.ValidationByHalving
	}
	add := func(id int, errorAt func(i int) float64) {
		l := &line{Curve: observe.Curve{X: x, Y: make([]float64, len(x)), Floor: 0.5 / float64(rows)}}
		l.Stays, l.Finished = true, true
		for i := range l.Y {
			if l.Y[i] = errorAt(i); isValidation { // less what is due to chance, it may be below 0
				l.Y[i] = max(l.Y[i], l.Floor)
			}
		}
		ls.of[id] = l
	}
	if !p.table.Halvings {
		for j, repeat := range c.Repeats {
			add(repeat, func(i int) float64 { return byRepeat[j][i] })
		}
		return
	}
	for h := range byHalving[0] {
		add(h, func(i int) float64 { return byHalving[i][h] })
	}
}
