package cli

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"stochopt/harness/internal/plan"
	"stochopt/internal/whole"
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
	ended   map[cell]rate
}

// cell is a series on a data set.
type cell struct{ dataset, series string }

func cellOf(it *plan.Item) cell { return cell{it.Problem.Entry.ID, it.Series} }

// rate is what runs of a cell have taken.
type rate struct {
	seconds          float64
	iterations, runs int64
}

// plus adds a run.
func (r rate) plus(seconds float64, iterations int64) rate {
	return rate{r.seconds + seconds, r.iterations + iterations, r.runs + 1}
}

// of returns the seconds that another run of the cell should take: what its iterations
// take, or, where a run may end long before its budget, what a run does.
func (r rate) of(it *plan.Item) float64 {
	if it.Steady() {
		return r.seconds / float64(r.iterations) * float64(it.Budget)
	}
	return r.seconds / float64(r.runs)
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

func newForecast(pending []*plan.Item) *forecast {
	return &forecast{waiting: slices.Clone(pending), ended: make(map[cell]rate)}
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
	at := cellOf(it)
	f.ended[at] = f.ended[at].plus(f.flights[i].elapsed(), it.Budget)
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

// rate returns what the run has taken so far, if it has been watched for long enough.
func (g *flight) rate() (r rate, ok bool) {
	n := g.iterations.Load() - g.from
	ok = !g.since.IsZero() && g.elapsed() >= enough.Seconds() && n > 0 && g.it.Steady()
	return r.plus(g.elapsed(), n), ok
}

// left says how long the runs will take that are not over, "" if there is too
// little to tell it from. Where it rests on runs in flight, which may stop of
// themselves before their budget, it is a bound.
func (f *forecast) left() string {
	rates := maps.Clone(f.ended)
	word := "about"
	for _, g := range f.flights {
		if _, ok := rates[cellOf(g.it)]; ok {
			continue
		}
		if r, ok := g.rate(); ok {
			rates[cellOf(g.it)] = r
			word = "at most about"
		}
	}
	var all, longest float64
	add := func(it *plan.Item, gone float64) bool {
		r, ok := rates[cellOf(it)]
		if !ok {
			return false
		}
		rest := max(r.of(it)-gone, 0)
		all += rest
		longest = max(longest, rest)
		return true
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
	return fmt.Sprintf("%s %v left", word, whole.Seconds(seconds).Round(time.Second))
}
