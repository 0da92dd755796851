package cli

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"stochopt/harness/internal/plan"
)

// enough is how long the iterations of a run must have been watched before they
// say anything of the time of the others.
const enough = 2 * time.Second

// forecast tells how long the pending runs will take, once there is something
// to tell it from: for each series on each data set a run that is over, or one
// that is well on its way.
type forecast struct {
	// waiting are the runs that have not begun.
	waiting []*plan.Item
	flights []*flight
	ended   map[cell]spent
}

// cell is a series on a data set.
type cell struct{ dataset, series string }

// spent is what the runs of a cell that are over have taken.
type spent struct {
	seconds float64
	budget  int64
}

// flight is a run in flight.
type flight struct {
	it         *plan.Item
	iterations *atomic.Int64
	begun      time.Time
	// from is the first count that was seen, at since.
	from  int64
	since time.Time
}

func cellOf(it *plan.Item) cell { return cell{it.Problem.Entry.ID, it.Series} }

func newForecast(pending []*plan.Item) *forecast {
	return &forecast{waiting: slices.Clone(pending), ended: make(map[cell]spent)}
}

func (f *forecast) begin(it *plan.Item, iterations *atomic.Int64) {
	if i := slices.Index(f.waiting, it); i >= 0 {
		f.waiting = slices.Delete(f.waiting, i, i+1)
	}
	f.flights = append(f.flights, &flight{it: it, iterations: iterations, begun: time.Now()})
}

func (f *forecast) end(it *plan.Item) {
	i := slices.IndexFunc(f.flights, func(g *flight) bool { return g.it == it })
	if i < 0 {
		return
	}
	s := f.ended[cellOf(it)]
	s.seconds += f.flights[i].elapsed()
	s.budget += it.Budget
	f.ended[cellOf(it)] = s
	f.flights = slices.Delete(f.flights, i, i+1)
}

// elapsed returns the seconds since the iterations began, as far as that was
// seen: what comes before, such as a reference optimum, is done once for many.
func (g *flight) elapsed() float64 {
	if g.since.IsZero() {
		return time.Since(g.begun).Seconds()
	}
	return time.Since(g.since).Seconds()
}

// look takes note of the runs whose iterations have begun.
func (f *forecast) look() {
	for _, g := range f.flights {
		if n := g.iterations.Load(); n > 0 && g.since.IsZero() {
			g.from, g.since = n, time.Now()
		}
	}
}

// share returns how much of its budget a run has used.
func (g *flight) share() float64 {
	return min(float64(g.iterations.Load())/float64(g.it.Budget), 1)
}

// each returns the seconds that an iteration of the run takes, if it has been
// watched for long enough.
func (g *flight) each() (seconds float64, ok bool) {
	n := g.iterations.Load() - g.from
	if g.since.IsZero() || g.elapsed() < enough.Seconds() || n <= 0 || !g.it.Steady() {
		return 0, false
	}
	return g.elapsed() / float64(n), true
}

// left says how long the runs will take that are not over, "" if there is too
// little to tell it from. Where it rests on runs in flight, which may stop of
// themselves before their budget, it is a bound.
func (f *forecast) left() string {
	each := make(map[cell]float64)
	for c, s := range f.ended {
		each[c] = s.seconds / float64(s.budget)
	}
	word := "about"
	for _, g := range f.flights {
		if _, ok := each[cellOf(g.it)]; ok {
			continue
		}
		if e, ok := g.each(); ok {
			each[cellOf(g.it)] = e
			word = "at most about"
		}
	}
	var all, longest float64
	add := func(it *plan.Item, gone float64) bool {
		e, ok := each[cellOf(it)]
		rest := max(e*float64(it.Budget)-gone, 0)
		all += rest
		longest = max(longest, rest)
		return ok
	}
	for _, g := range f.flights {
		gone := g.elapsed()
		if g.since.IsZero() {
			gone = 0
		}
		if !add(g.it, gone) {
			return ""
		}
	}
	for _, it := range f.waiting {
		if !add(it, 0) {
			return ""
		}
	}
	if len(f.flights) == 0 {
		return ""
	}
	seconds := max(all/float64(len(f.flights)), longest, 1)
	return fmt.Sprintf("%s %v left", word, time.Duration(seconds*float64(time.Second)).Round(time.Second))
}
